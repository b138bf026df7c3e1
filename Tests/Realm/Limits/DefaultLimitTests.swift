import Foundation
import RegnumEngine
import RegnumJSON
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// The sizes of defaults, which are values like others, from schema lines, in all places. The rules
/// themselves are tested with the engine alone.
@Suite(.disabled(if: Effort.isReduced)) struct DefaultLimitTests {
    private static let limits = [("string", 16_777_199), ("data", 16_777_200)]

    /// Returns a schema line with a default of that size, and an object that doesn't give the
    /// property.
    private func lines(_ type: String, _ byteCount: Int) -> String {
        let value =
            type == "string"
            ? longText(byteCount) : LimitRow.bytes(byteCount).base64EncodedString()
        return #"{"regnum":1,"classes":[{"name":"A","properties":[{"name":"n","type":"int"},"#
            + #"{"name":"p","type":"\#(type)","default":"\#(value)"}]}]}"# + "\n"
            + #"{"class":"A","key":0,"values":{"n":1}}"#
    }

    private func expectDefault(_ realm: Realm, _ byteCount: Int, _ place: String) async throws {
        try await realm.read { tx in
            let value = try requireValue(tx.dynamicObjects("A").first)["p"]
            let count = (value as? String)?.utf8.count ?? (value as? Data)?.count
            expectEqual(count, byteCount, "\(place)")
        }
    }

    // Covers .invalidInput
    @Test(arguments: limits.indices, [-1, 0, 1])
    func defaultsInSchemaLines(_ index: Int, excess: Int) async throws {
        let (type, limit) = Self.limits[index]
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration())
        let byteCount = limit + excess
        let error = await realmError { try await realm.importJSON(text: lines(type, byteCount)) }
        if excess > 0 {
            expectTrue(error?.code == .invalidInput && error?.className == "A")
            expectEqual(error?.property, "p")
            expectEqual(error?.message.contains("\(limit)"), true)
            expectTrue(realm.snapshot().version == 0)
            await realm.close()
            return
        }
        expectNil(error)
        try await expectDefault(realm, byteCount, "in the realm itself")
        var configuration = folder.configuration()
        // The registry distinguishes by file system, so this stands for another process.
        configuration.adjust = { $0.fileSystem = PosixFileSystem() }
        let other = try await Realm.open(configuration)
        try await expectDefault(other, byteCount, "in another process")
        try await realm.write { tx in try tx.dynamicCreate("A", value: ["n": 2]) }
        other.core.coordinator.hint()
        try await other.core.coordinator.waitUntil(
            version: realm.core.coordinator.published.version)
        expectEqual(other.snapshot().storedClasses.first?.objectCount, 2)
        await other.close()
        try await realm.backup(to: folder["copy.realm"])
        await realm.close()
        for name in ["test.realm", "copy.realm"] {
            let again = try await Realm.open(folder.configuration(name))
            try await expectDefault(again, byteCount, name)
            await again.close()
        }
    }
}
