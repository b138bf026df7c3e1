import RegnumSimulation

/// Calls `check` with every machine that a crash at any effect of `body` may leave behind.
func forEachCrash(
    of disk: SimFileSystem, _ body: () throws -> Void,
    _ check: @escaping (SimFileSystem, String) -> Void
) rethrows -> Int {
    let machines = Machines()
    // Unowned, because the machine owns the hook.
    disk.onEffect = { [unowned disk] kind, index in
        guard kind != .wake else { return }
        machines.add(disk, "before \(kind) \(index)")
    }
    try body()
    disk.onEffect = nil
    machines.add(disk, "at the end")
    for (machine, place) in machines.all { check(machine, place) }
    return machines.all.count
}

/// Guard of the `@unchecked Sendable`: used by one thread only, the one that makes the effects.
private final class Machines: @unchecked Sendable {
    var all: [(SimFileSystem, String)] = []

    func add(_ disk: SimFileSystem, _ place: String) {
        let images = disk.crashImages(SimCrashOptions(limitUnits: 5, samples: 16))
        let step = max(1, images.count / 40)
        for index in stride(from: 0, to: images.count, by: step) {
            all.append(
                (images[index].fileSystem, "power cut \(place), \(images[index].summary)"))
        }
        all.append((disk.killImage(), "death \(place)"))
    }
}
