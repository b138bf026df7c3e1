import FoundationEssentials
import Glibc
import Regnum

/// The objects that the children deliver, with increasing numbers.
final class Reading: AsymmetricObject {
    @Persisted var number: Int
    @Persisted var text: String
}

extension Realm {
    static func readings(_ path: String) async throws -> Realm {
        try await open(
            Configuration(location: .file(URL(filePath: path)), objectTypes: [Reading.self]))
    }
}

/// Delivers readings to standard output until the signal: one line with the number of each; then,
/// when the sink is called with the next batch, "taken" and the last number of the previous batch,
/// which has been removed by then.
func drain(
    _ path: String, batchSize: Int, _ terminationSignal: TerminationSignal
) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Realm.readings(path)
    let delivery = terminationSignal.task {
        var last: Int?
        try await realm.drain(Reading.self, batchSize: batchSize) { batch in
            if let last { printLine("taken \(last)") }
            printLines(batch.map { "\($0.number)" })
            last = batch.last?.number
        }
    }
    try await delivery.value
    await realm.close()
}

/// Creates readings until the signal, several per commit, and prints the last number of each
/// commit.
func measure(
    _ path: String, from first: Int, _ terminationSignal: TerminationSignal
) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Realm.readings(path)
    let work = terminationSignal.task {
        var next = first
        while !Task.isCancelled {
            let end = next + 1 + next % 4
            let numbers = next..<end
            try await realm.write { tx in
                for number in numbers {
                    try tx.create(Reading.self, value: ["number": number, "text": "t \(number)"])
                }
            }
            printLine("\(end - 1)")
            try await Task.sleep(for: .milliseconds(1))
            next = end
        }
    }
    do { try await work.value } catch is CancellationError {}
    await realm.close()
}

/// Copies the realm repeatedly, to `target` followed by a number, and prints the number of each
/// completed copy.
func backUp(_ path: String, to target: String) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Realm.child(path)
    for number in 0... {
        try await realm.backup(to: URL(filePath: "\(target)\(number)"))
        printLine("\(number)")
    }
}

/// Creates `count` readings, a thousand per commit.
func fill(_ path: String, count: Int) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Realm.readings(path)
    for start in stride(from: 0, to: count, by: 1_000) {
        try await realm.write(durability: .relaxed(within: .seconds(1))) { tx in
            for number in start..<min(start + 1_000, count) {
                try tx.create(
                    Reading.self, value: ["number": number, "text": "the reading \(number)"])
            }
        }
    }
    await realm.close()
}

/// Delivers all pending readings, and prints their number, the size of the largest batch, the
/// memory of the process in KiB before the first batch, and the peak memory at the beginning of a
/// batch.
func drainAll(_ path: String, batchSize: Int) async throws {
    StandardInput.exitAtEnd()
    let realm = try await Realm.readings(path)
    let before = anonymousMemoryKiB()
    var (most, largest) = (before, 0)
    let count = try await realm.drain(Reading.self, batchSize: batchSize, untilEmpty: true) {
        largest = max(largest, $0.count)
        most = max(most, anonymousMemoryKiB())
    }
    printLine("\(count) \(largest) \(before) \(most)")
    await realm.close()
}

/// The memory of this process, excluding mapped files.
func anonymousMemoryKiB() -> Int {
    let descriptor = open("/proc/self/status", O_RDONLY)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = read(descriptor, &bytes, bytes.count)
    let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        .split(separator: "\n")
    let line = lines.first { $0.hasPrefix("RssAnon:") } ?? ""
    return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}
