import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumSimulation
@testable import RegnumStore
@testable import RegnumTestModels

/// Earlier states as new realms: by version and date, what is refused, and what is left after an
/// error. `RandomHistoryTests` restores random histories.
@Suite(.timeLimit(.minutes(40))) struct RestoreTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func configuration(_ name: String) -> Realm.Configuration {
        var configuration = folder.configuration(name, [BackupAccount.self])
        configuration.adjust = { options in
            options.store.firstSegmentByteCount = 8192
            options.checkpoint.maximumCommitCount = 4
            options.checkpoint.paceNanoseconds = 0
        }
        return configuration
    }

    private func set(_ realm: Realm, _ id: Int, to amount: Int) async throws {
        try await realm.write { tx in
            if let account = tx.object(BackupAccount.self, forPrimaryKey: id) {
                account.amount = amount
            } else {
                try tx.add(BackupAccount(value: ["id": id, "amount": amount]))
            }
        }
    }

    private func amounts(_ realm: Realm) -> [Int: Int] {
        var amounts: [Int: Int] = [:]
        for account in realm.snapshot().objects(BackupAccount.self) {
            amounts[account.id] = account.amount
        }
        return amounts
    }

    private func restored(
        _ name: String, _ point: Realm.RestorePoint, _ target: String
    ) async throws -> (version: UInt64, amounts: [Int: Int]) {
        let version = try await Realm.restore(from: folder[name], to: folder[target], upTo: point)
        let realm = try await Realm.open(configuration(target))
        expectEqual(realm.snapshot().version, version)
        try await realm.snapshot().checkIntegrity()
        let found = amounts(realm)
        await realm.close()
        return (version, found)
    }

    // Covers .historyTrimmed, .invalidInput
    @Test func versionsAndDatesOfARealmInUse() async throws {
        let realm = try await Realm.open(configuration("test.realm"))
        var states: [(version: UInt64, date: Date, amounts: [Int: Int])] = []
        for round in 0..<12 {
            try await set(realm, round % 5, to: round)
            states.append((realm.snapshot().version, Date(), amounts(realm)))
            try await Task.sleep(for: .milliseconds(3))
        }
        for (index, state) in states.enumerated() {
            let byVersion = try await restored(
                "test.realm", .version(state.version), "version \(index).realm")
            expectTrue(byVersion.amounts == state.amounts && byVersion.version == state.version)
            let byDate = try await restored("test.realm", .date(state.date), "date \(index).realm")
            expectTrue(byDate.amounts == state.amounts && byDate.version == state.version)
        }
        let newest = try await restored("test.realm", .newest, "newest.realm")
        expectEqual(newest.amounts, states.last?.amounts)
        // The realm itself goes on.
        try await set(realm, 1, to: 99)
        expectEqual(amounts(realm)[1], 99)

        let next = realm.snapshot().version + 1
        let future = await realmError {
            try await restored("test.realm", .version(next), "none.realm")
        }
        expectEqual(future?.code, .invalidInput)
        expectTrue(future?.message.contains("versions 0 to \(next - 1) are available") == true)
        let past = await realmError {
            try await restored("test.realm", .date(Date(timeIntervalSince1970: 5)), "none.realm")
        }
        expectEqual(past?.code, .historyTrimmed)
        expectTrue(past?.message.contains("1970-01-01T00:00:05Z") == true, "\(past?.message ?? "")")
        expectTrue(!FileManager.default.fileExists(atPath: folder["none.realm"].path))
        await realm.close()
    }

    /// The header of a segment that only history needs is damaged.
    // Covers .invalidDatabase
    @Test func datesAfterDamageAreFound() async throws {
        let realm = try await Realm.open(configuration("test.realm"))
        let coordinator = realm.core.coordinator
        var states: [(date: Date, amounts: [Int: Int])] = []
        var count = coordinator.statistics.checkpoints
        for round in 0..<27 {
            try await set(realm, round % 5, to: round)
            states.append((Date(), amounts(realm)))
            try await Task.sleep(for: .milliseconds(3))
            guard round % 8 == 7 else { continue }
            let end = ContinuousClock.now + .seconds(400)
            while coordinator.statistics.checkpoints == count, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(1))
            }
            count = coordinator.statistics.checkpoints
        }
        await realm.close()
        try expectTrue(folder.names(in: "test.realm").contains("log-0-3"))
        let file = try FileHandle(forWritingTo: folder["test.realm/log-0-1"])
        try file.write(contentsOf: Data(repeating: 7, count: 64))
        try file.close()
        for index in 25..<27 {
            let found = try await restored(
                "test.realm", .date(states[index].date), "\(index).realm")
            expectEqual(found.amounts, states[index].amounts)
        }
        let error = await realmError {
            try await restored("test.realm", .date(states[0].date), "none.realm")
        }
        expectEqual(error?.code, .invalidDatabase)
        expectEqual(error?.message.contains("log-0-1"), true)
    }

    // Covers .historyTrimmed
    @Test func trimmedVersionsAreRefusedWithTheAvailableRange() async throws {
        var configuration = self.configuration("test.realm")
        configuration.historyRetention = .nothing
        let realm = try await Realm.open(configuration)
        for round in 0..<150 { try await set(realm, round, to: round) }
        _ = try await realm.compact()
        let oldest = try requireValue(try await realm.information()?.oldestVersion)
        let newest = realm.snapshot().version
        expectTrue(oldest > 1)
        await realm.close()
        let error = await realmError { try await restored("test.realm", .version(1), "a.realm") }
        expectEqual(error?.code, .historyTrimmed)
        let range =
            oldest == newest
            ? "only version \(newest) is available" : "versions \(oldest) to \(newest)"
        expectTrue(error?.message.contains(range) == true, "\(error?.message ?? "")")
        // A backup has only its own version, whose time isn't known.
        try await Realm.restore(from: folder["test.realm"], to: folder["b.realm"])
        let date = await realmError { try await restored("b.realm", .date(Date()), "c.realm") }
        expectEqual(date?.code, .historyTrimmed)
        try await expectEqual(restored("b.realm", .version(newest), "d.realm").amounts.count, 150)
        try expectEqual(folder.names(), ["b.realm", "d.realm", "test.realm"])
    }

    // Covers .fileExists, .fileNotFound
    @Test func nothingIsReplaced() async throws {
        let realm = try await Realm.open(configuration("test.realm"))
        try await set(realm, 1, to: 1)
        try await realm.backup(to: folder["old.realm"])
        try FileManager.default.createDirectory(
            at: folder["empty"], withIntermediateDirectories: false)
        let before = try folder.state(of: "old.realm")
        for target in ["old.realm", "test.realm", "empty", "empty/"] {
            let error = await realmError {
                try await Realm.restore(from: folder["test.realm"], to: folder[target])
            }
            expectEqual(error?.code, .fileExists, "\(target)")
        }
        try expectEqual(folder.state(of: "old.realm"), before)
        let inside = await realmError {
            try await Realm.restore(
                from: folder["test.realm"], to: folder["test.realm"].appending(path: "b"))
        }
        expectEqual(inside?.code, .invalidInput)
        let missing = await realmError {
            try await Realm.restore(from: folder["none.realm"], to: folder["new.realm"])
        }
        expectEqual(missing?.code, .fileNotFound)
        try expectEqual(folder.names(), ["empty", "old.realm", "test.realm"])
        await realm.close()
    }

    /// Like a restore, which makes its copy with the same code.
    @Test(arguments: [false, true]) func backupIsReadBack(asFile: Bool) async throws {
        let disk = SimFileSystem(seed: 3)
        _ = try disk.openDirectory("/disk", .creating)
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/disk/original")), objectTypes: [BackupAccount.self])
        configuration.adjust = { options in
            options.fileSystem = disk
            options.store.idleDelayNanoseconds = 3_600_000_000_000
            options.checkpoint.paceNanoseconds = 0
        }
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            for id in 0..<300 { try tx.add(BackupAccount(value: ["id": id, "amount": id])) }
        }
        // A bit of the first leaf changes after it was written.
        disk.onEffect = { [unowned disk] kind, _ in
            guard kind == .rename else { return }
            let paths = disk.state.withLock { Array($0.directories.keys) }
            guard let path = paths.first(where: { $0.contains(UnfinishedRealm.temporaryPrefix) }),
                disk.contents(of: "nodes-1", in: path) != nil
            else { return }
            disk.onEffect = nil
            disk.flipBit((4096 + 20) * 8, of: "nodes-1", in: path)
        }
        func copy() async throws {
            if asFile {
                try await realm.writeCopy(toFile: URL(filePath: "/disk/copy"))
            } else {
                try await realm.backup(to: URL(filePath: "/disk/copy"))
            }
        }
        let error = await realmError { try await copy() }
        disk.onEffect = nil
        expectEqual(error?.code, .invalidDatabase)
        expectTrue(error?.message.contains("can't be read back") == true)
        try expectEqual(disk.hasEntry("/disk/copy"), false)
        try await copy()
        await realm.close()
    }
}
