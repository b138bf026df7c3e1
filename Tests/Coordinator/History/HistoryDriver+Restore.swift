import RegnumSimulation
import RegnumStore
import RegnumTestSupport

@testable import EngineOracle
@testable import RegnumEngine

extension HistoryDriver {
    /// Restores a random version, by its number or its time, and compares the new realm with the
    /// model. A version that isn't retained may be refused.
    func restore(_ number: Int) async throws {
        let newest = versions.count - 1
        let end = peers[0].state.withLock { $0.log?.position ?? 0 }
        var version = numbers.below(versions.count)
        var oldest = version
        let point: RealmRestore.Point
        if version > 0, numbers.oneIn(2) {
            let time = versions[version].time
            version = versions.lastIndex { $0.time <= time } ?? newest
            // The record of the commit itself has its time.
            oldest = version - 1
            point = .time(time)
        } else {
            point = version == newest && numbers.oneIn(2) ? .newest : .version(UInt64(version))
        }
        _ = try disk.openDirectory("/copies", .creating)
        let path = "/copies/\(number)"
        var restore = RealmRestore(of: "/sim", at: point, to: path, fileSystem: SimView(disk)) {
            true
        }
        restore.options.store.firstSegmentByteCount = 8192
        do {
            let restored = try await restore.make()
            guard restored == UInt64(version) else {
                throw TestFailure("version \(restored) instead of \(version) for \(point)")
            }
        } catch let error as StoreError {
            guard error.code == .historyTrimmed, !isRetained(oldest, end: end) else { throw error }
            guard try !disk.hasEntry(path) else { throw TestFailure("\(path) exists") }
            restoreCounts.refused += 1
            return
        }
        restoreCounts.restored += 1
        try await checkCopy(path, version)
    }

    private func checkCopy(_ path: String, _ version: Int) async throws {
        let copy = try await openPeer(path, SimView(disk))
        try compare(copy.published, version)
        try copy.published.checkIntegrity { false }
        let timelines = peers[0].timelines
        for past in 0...version where copy.timelines.id(at: UInt64(past)) != timelines.current {
            throw TestFailure("version \(past) of \(path) has another timeline")
        }
        try await insert(1, into: copy)
        let next = UInt64(version) + 1
        guard copy.published.version == next, copy.timelines.id(at: next) != timelines.current,
            copy.timelines.id(at: next - 1) == timelines.current
        else { throw TestFailure("the first commit of \(path) has the timeline of the original") }
        await copy.close()
    }
}
