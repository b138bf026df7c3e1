import Regnum
import RegnumTestSupport
import RegnumTesting
import Testing

@testable import RegnumTestModels

/// `FaultInjector`: a disk that fails on command.
@Suite struct FaultInjectorTests {
    private let folder: RealmFolder
    private let faults = FaultInjector()
    private let realm: Realm

    init() async throws {
        folder = try RealmFolder()
        realm = try await Realm.open(
            folder.configuration("test.realm", [Room.self]).testing(faults: faults))
        try await add("first")
    }

    private func add(_ name: String) async throws {
        try await realm.write { try $0.add(Room(name)) }
    }

    @Test func fullDiskRejectsWritesUntilThereIsSpace() async throws {
        faults.writeFailure = .diskFull
        for _ in 0..<2 {
            let error = await realmError { try await add("second") }
            expectEqual(error?.code, .diskFull)
        }
        expectEqual(realm.objects(Room.self).count, 1)
        faults.writeFailure = nil
        try await add("third")
        expectEqual(realm.snapshot().objects(Room.self).map(\.name), ["first", "third"])
        await realm.close()
        let again = try await Realm.open(folder.configuration("test.realm", [Room.self]))
        expectEqual(again.objects(Room.self).count, 2)
        await again.close()
    }

    @Test(arguments: [true, false])
    func failedCallsLeaveTheOutcomeOpen(isSync: Bool) async throws {
        if isSync { faults.syncFailure = .ioError } else { faults.writeFailure = .ioError }
        let error = await realmError { try await add("second") }
        expectEqual(error?.code, .outcomeUnknown)
        faults.clear()
        try await add("third")
        let names = realm.objects(Room.self).current.map(\.name)
        expectTrue(names.first == "first" && names.last == "third")
        await realm.close()
    }

    @Test func slowSyncDelaysCommits() async throws {
        faults.syncDelay = .milliseconds(50)
        let start = ContinuousClock.now
        try await add("second")
        expectTrue(.now - start >= .milliseconds(50))
        faults.clear()
        expectEqual(faults.syncDelay, .zero)
        await realm.close()
    }
}
