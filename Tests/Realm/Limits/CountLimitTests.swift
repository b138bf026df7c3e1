import RegnumEngine
import RegnumJSON
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Numbers of properties around their limit, from JSON lines, in all places. The rules themselves
/// are tested with the engine alone.
@Suite(.timeLimit(.minutes(20)), .enabled(if: Effort.isSoak)) struct CountLimitTests {
    /// Returns a schema line, and an object with all properties: a string and integers.
    private func lines(_ count: Int) -> String {
        let properties = (0..<count).map { number in
            "{\"name\":\"p\(number)\",\"type\":\"\(number == 0 ? "string" : "int")\"}"
        }
        let values = (1..<count).map { "\"p\($0)\":\($0)" }
        return "{\"regnum\":1,\"classes\":[{\"name\":\"Wide\",\"properties\":["
            + properties.joined(separator: ",") + "]}]}\n"
            + "{\"class\":\"Wide\",\"key\":0,\"values\":{"
            + values.joined(separator: ",") + "}}"
    }

    private func expectWide(_ realm: Realm, _ count: Int, _ place: String) async throws {
        try await realm.read { tx in
            let object = try requireValue(tx.dynamicObjects("Wide").first)
            for number in [1, count / 2, count - 1] {
                expectEqual(object["p\(number)"] as? Int, number, "\(place)")
            }
        }
    }

    // Covers .invalidInput
    @Test(arguments: [-1, 0, 1]) func propertiesInSchemaLines(excess: Int) async throws {
        let count = Limits.maximumColumnCount + excess
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration())
        let error = await realmError { try await realm.importJSON(text: lines(count)) }
        if excess > 0 {
            expectTrue(error?.code == .invalidInput && error?.className == "Wide")
            expectEqual(error?.message.contains("\(Limits.maximumColumnCount)"), true)
            expectTrue(realm.snapshot().version == 0)
            await realm.close()
            return
        }
        expectNil(error)
        var configuration = folder.configuration()
        // The registry distinguishes by file system, so this stands for another process.
        configuration.adjust = { $0.fileSystem = PosixFileSystem() }
        let other = try await Realm.open(configuration)
        try await expectWide(other, count, "in another process")
        // more than fits into a record
        try await realm.write { tx in
            try tx.dynamicCreate("Wide", value: ["p0": longText(5 << 20)])
        }
        other.core.coordinator.hint()
        try await other.core.coordinator.waitUntil(
            version: realm.core.coordinator.published.version)
        expectEqual(other.snapshot().storedClasses.first?.objectCount, 2)
        await other.close()
        let exported = try await realm.snapshot().json()
        try await realm.backup(to: folder["copy.realm"])
        await realm.close()
        for name in ["test.realm", "copy.realm"] {
            let again = try await Realm.open(folder.configuration(name))
            try await expectWide(again, count, name)
            let found = try await again.snapshot().json()
            expectTrue(found == exported, "\(name)")
            await again.close()
        }
    }
}
