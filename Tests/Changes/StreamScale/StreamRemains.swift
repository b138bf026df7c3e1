import Glibc
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Checks what remains of streams after they have ended.
enum StreamRemains {
    /// Runs streams on an on-disk realm, several times, and compares the resources of the process
    /// before and after. The first, smaller runs aren't compared, because they include one-time
    /// allocations of the runtime and the library.
    static func check(_ ending: StreamCrowd.Ending, count: Int) async throws {
        let folder = try RealmFolder()
        _ = try await run(ending, count: count / 10, folder, "first.realm")
        let before = try ProcessUse(givesBack: true)
        let most = try await run(ending, count: count, folder, "second.realm")
        // Includes what the runtime and the allocator keep after their first peak.
        let once = try ProcessUse()
        _ = try await run(ending, count: count, folder, "third.realm")
        var after = try ProcessUse(givesBack: true)
        // Objects that are held by a job of the realm that is about to end.
        let start = ContinuousClock.now
        while after.descriptors > before.descriptors, ContinuousClock.now - start < .seconds(400) {
            await Task.yield()
            after = try ProcessUse()
        }

        let remains = after.heap - before.heap
        report(
            """
            \(count) streams, \(ending): before \(before); at their most \(most), \
            \((most.heap - before.heap) / count) bytes of heap each; after \(once), again \(after)
            """)
        expectTrue(remains <= 24 * count + 2 << 20, "\(remains) bytes remain")
        expectTrue(after.heap - once.heap <= 1 << 20, "the second time leaves more than the first")
        expectTrue(after.anonymous - before.anonymous <= 32 << 20)
        // The previous realm may still be releasing its own when `before` is taken.
        expectTrue(after.descriptors <= before.descriptors)
        // At most those of the library's pool, which wait a while for more work.
        expectTrue(after.threads <= before.threads + 16)
    }

    /// - Returns: The resources of the process while all streams waited.
    private static func run(
        _ ending: StreamCrowd.Ending, count: Int, _ folder: RealmFolder, _ name: String
    ) async throws -> ProcessUse {
        var configuration = folder.configuration(name, Scale.types)
        configuration.durability = .relaxed(within: .seconds(60))
        let realm = try await Realm.open(configuration)
        try await Scale.fill(realm, seatCount: 1_000)
        let snapshots = realm.stats().snapshots.count
        let most = Kept<ProcessUse>()
        try await StreamCrowd(realm: realm, count: count).run(ending) {
            expectEqual(realm.stats().streams, count)
            most.value = try ProcessUse()
        }

        let stats = realm.stats()
        expectEqual(stats.streams, 0)
        expectEqual(stats.snapshots.count, snapshots)
        expectTrue(stats.keptSummaries == 0 && stats.keptSummaryByteCount == 0)
        await realm.close()
        return try requireValue(most.value)
    }

    /// Prints what a separate process reported.
    static func printReport(_ result: ExitTest.Result?) {
        print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
    }

    /// Prints a line for the reader of the test's output, through `printReport`.
    private static func report(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
