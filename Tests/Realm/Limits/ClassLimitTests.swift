import RegnumEngine
import RegnumJSON
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import Regnum
@testable import RegnumTestModels

/// Numbers of classes around their limit, the last of which come from JSON lines, in all places.
/// The rules themselves are tested with the engine alone.
@Suite(.timeLimit(.minutes(40)), .enabled(if: Effort.isSoak)) struct ClassLimitTests {
    /// Makes a realm with that many classes in a file.
    private func makeRealm(_ folder: RealmFolder, classCount: Int) async throws -> Realm {
        let realm = try await Realm.open(folder.configuration())
        let coordinator = realm.core.coordinator
        let turn = try await coordinator.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        transaction.addClasses(classCount)
        let commit = try transaction.commit(timestampMicroseconds: 0)
        try await coordinator.commit(turn, commit, durability: .full)
        return realm
    }

    /// Returns a schema line with classes, and an object of the last one.
    private func lines(_ classCount: Int) -> String {
        let classes = (0..<classCount).map {
            #"{"name":"New\#($0)","properties":[{"name":"n","type":"int"}]}"#
        }
        return #"{"regnum":1,"classes":["# + classes.joined(separator: ",") + "]}\n"
            + #"{"class":"New\#(classCount - 1)","key":0,"values":{"n":7}}"#
    }

    private func expectClasses(_ realm: Realm, _ excess: Int, _ place: String) async throws {
        let classes = realm.snapshot().storedClasses
        expectEqual(classes.count, Limits.maximumTableCount + excess, "\(place)")
        try await realm.read { tx in
            let object = try requireValue(tx.dynamicObjects("New\(1 + excess)").first)
            expectEqual(object["n"] as? Int, 7, "\(place)")
        }
    }

    // Covers .invalidInput
    @Test(arguments: [-1, 0, 1]) func classesInSchemaLines(excess: Int) async throws {
        let folder = try RealmFolder()
        let realm = try await makeRealm(folder, classCount: Limits.maximumTableCount - 2)
        let error = await realmError { try await realm.importJSON(text: lines(2 + excess)) }
        if excess > 0 {
            expectTrue(error?.code == .invalidInput && error?.className == "New2")
            expectEqual(error?.message.contains("\(Limits.maximumTableCount)"), true)
            expectTrue(realm.snapshot().version == 1)
            await realm.close()
            return
        }
        expectNil(error)
        try await expectClasses(realm, excess, "in the realm itself")
        var configuration = folder.configuration()
        // The registry distinguishes by file system, so this stands for another process.
        configuration.adjust = { $0.fileSystem = PosixFileSystem() }
        let other = try await Realm.open(configuration)
        try await expectClasses(other, excess, "in another process")
        try await realm.write { tx in try tx.dynamicCreate("T0", value: ["n": 1]) }
        other.core.coordinator.hint()
        try await other.core.coordinator.waitUntil(
            version: realm.core.coordinator.published.version)
        expectEqual(other.snapshot().storedClasses.first?.objectCount, 1)
        await other.close()
        try await realm.backup(to: folder["copy.realm"])
        await realm.close()
        for name in ["test.realm", "copy.realm"] {
            let again = try await Realm.open(folder.configuration(name))
            try await expectClasses(again, excess, name)
            expectEqual(again.snapshot().storedClasses.first?.objectCount, 1)
            await again.close()
        }
    }
}
