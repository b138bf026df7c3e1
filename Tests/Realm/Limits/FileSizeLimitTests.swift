import Foundation
import Regnum
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// A process whose files may not exceed a size. The signal that the system raises otherwise would
/// end it.
@Suite struct FileSizeLimitTests {
    // Covers .diskFull
    @Test func commitsThatDoNotFitIntoAFileAreRefusedAndOthersSucceed() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_DFL)
            let folder = try RealmFolder()
            limitFileSizes(to: 300_000)
            let realm = try await Realm.open(folder.configuration("test.realm", [Room.self]))
            // Several segments, then a record larger than any of them, then a commit in bulk.
            for index in 0..<20 {
                try await commit(
                    "\(index)", byteCount: 40_000, to: realm,
                    durability: index % 2 == 0 ? nil : .relaxed(within: .seconds(1)))
            }
            for byteCount in [1_000_000, 6_000_000] {
                let error = await #expect(throws: Realm.Error.self) {
                    try await commit("large", byteCount: byteCount, to: realm)
                }
                expectEqual(error?.code, .diskFull)
                expectEqual(error?.errno, EFBIG)
            }
            let text = folder["rooms.json"]
            let error = await #expect(throws: Realm.Error.self) {
                try await realm.snapshot().exportJSON(to: text)
            }
            expectEqual(error?.code, .diskFull)
            try await commit("last", byteCount: 10, to: realm)
            await realm.close()
            let again = try await Realm.open(folder.configuration("test.realm", [Room.self]))
            expectEqual(again.snapshot().objects(Room.self).count, 21)
            await again.close()
        }
    }

    /// The log then continues in a new segment.
    // Covers .outcomeUnknown
    @Test func segmentThatIsLargerThanTheLimitIsLeft() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_DFL)
            let folder = try RealmFolder()
            let realm = try await Realm.open(folder.configuration("test.realm", [Room.self]))
            try await commit("first", byteCount: 40_000, to: realm)
            limitFileSizes(to: 30_000)
            let error = await #expect(throws: Realm.Error.self) {
                try await commit("second", byteCount: 10, to: realm)
            }
            expectEqual(error?.code, .outcomeUnknown)
            try await commit("third", byteCount: 10, to: realm)
            expectEqual(
                realm.snapshot().objects(Room.self).map(\.name).sorted(), ["first", "third"])
            await realm.close()
        }
    }

    /// Not even a file that has no content yet.
    // Covers .diskFull
    @Test func backupsThatDoNotFitLeaveNothing() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_DFL)
            let folder = try RealmFolder()
            var configuration = folder.configuration("test.realm", [Room.self])
            let realm = try await Realm.open(configuration)
            try await commit("first", byteCount: 40_000, to: realm)
            await realm.close()
            configuration.readOnly = true
            let reader = try await Realm.open(configuration)
            for limit in [10, 5_000, 10_000, 30_000] as [UInt64] {
                limitFileSizes(to: limit)
                let error = await realmError { try await reader.backup(to: folder["copy"]) }
                expectEqual(error?.code, .diskFull, "\(limit): \(String(describing: error))")
                try expectEqual(folder.names(), ["test.realm"], "\(limit)")
            }
            limitFileSizes(to: .max)
            try await reader.backup(to: folder["copy"])
            try expectEqual(folder.names(), ["copy", "test.realm"])
            await reader.close()
        }
    }
}

private func limitFileSizes(to byteCount: UInt64) {
    var limit = rlimit()
    expectEqual(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit), 0)
    limit.rlim_cur = rlim_t(byteCount)
    expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit), 0)
}

/// Commits a room with that many bytes.
private func commit(
    _ name: String, byteCount: Int, to realm: Realm, durability: Realm.Durability? = nil
) async throws {
    try await realm.write(durability: durability) { tx in
        try tx.add(Room(name, topic: String(repeating: "x", count: byteCount)))
    }
}
