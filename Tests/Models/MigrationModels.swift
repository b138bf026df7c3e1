import Foundation
import Regnum
import Synchronization

/// The classes of the first version of a program.
enum MigFirst {
    final class MigPerson: Object {
        @Persisted var first: String
        @Persisted var last: String
        @Persisted var age: Int
        @Persisted var nickname: String?
        @Persisted var tags: List<String>
        @Persisted var scores: Map<String, Int>
        @Persisted var codes: MutableSet<Int>
        @Persisted var pets: List<MigPet>
        @Persisted var home: MigAddress?
    }
    final class MigPet: Object {
        @Persisted var name: String
        @Persisted var weight: Double
    }
    final class MigAddress: Object {
        @Persisted var street: String
    }
    final class MigLost: Object {
        @Persisted var text: String
    }
    static let types: [ObjectBase.Type] = [
        MigPerson.self, MigPet.self, MigAddress.self, MigLost.self,
    ]
}

/// A later version of the program: one name instead of two, the age as text, an optional weight,
/// embedded addresses, and another class in place of the lost one.
enum MigSecond {
    final class MigPerson: Object {
        @Persisted var fullName: String
        @Persisted var age: String
        @Persisted var alias: String?
        @Persisted var tags: List<String>
        @Persisted var scores: Map<String, Int>
        @Persisted var codes: MutableSet<Int>
        @Persisted var pets: List<MigPet>
        @Persisted var home: MigAddress?
    }
    final class MigPet: Object {
        @Persisted var name: String
        @Persisted var weight: Double?
    }
    final class MigAddress: EmbeddedObject {
        @Persisted var street: String
    }
    final class MigFound: Object {
        @Persisted var text: String
    }
    static let types: [ObjectBase.Type] = [
        MigPerson.self, MigPet.self, MigAddress.self, MigFound.self,
    ]

    static let migration: MigrationBlock = { migration, _ in
        try migration.renameProperty(onType: "MigPerson", from: "nickname", to: "alias")
        try migration.enumerateObjects(ofType: "MigPerson") { old, new in
            new?["fullName"] = "\(old?.first as? String ?? "") \(old?.last as? String ?? "")"
            new?["age"] = "\(old?["age"] as? Int ?? -1)"
        }
        for name in ["first", "last"] { try migration.deleteProperty(onType: "MigPerson", name) }
        try migration.enumerateObjects(ofType: "MigLost") { old, _ in
            try migration.create("MigFound", value: ["text": old?["text"]])
        }
        migration.deleteData(forType: "MigLost")
    }
}

/// The realm of one test, opened by several programs one after the other.
struct MigrationRealm: Sendable {
    let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    func configuration(
        _ version: UInt64, _ types: [ObjectBase.Type], _ migration: MigrationBlock? = nil
    ) -> Realm.Configuration {
        var configuration = folder.configuration("test.realm", types)
        configuration.schemaVersion = version
        configuration.migration = migration
        return configuration
    }

    /// Writes as a program of that version does.
    func write(
        _ version: UInt64, _ types: [ObjectBase.Type],
        _ body: @Sendable (Transaction) throws -> Void
    ) async throws {
        let realm = try await Realm.open(configuration(version, types))
        try await realm.write { try body($0) }
        await realm.close()
    }

    /// Opens the realm, which migrates it, runs `look` and closes it; then opens it again and runs
    /// `look` once more.
    func migrate(
        _ version: UInt64, _ types: [ObjectBase.Type], _ migration: MigrationBlock? = nil,
        _ look: @Sendable (Transaction) throws -> Void = { _ in }
    ) async throws {
        for isFirst in [true, false] {
            var block = migration
            if !isFirst { block = { _, _ in throw MigrationFailure.ranTwice } }
            let realm = try await Realm.open(configuration(version, types, block))
            try await realm.read { try look($0) }
            await realm.close()
        }
    }

    /// Opens the realm without a migration block and runs `look`, twice.
    func read(
        _ version: UInt64, _ types: [ObjectBase.Type],
        _ look: @Sendable (Transaction) throws -> Void
    ) async throws {
        try await migrate(version, types, nil, look)
    }

    var version: UInt64 {
        get async throws { try await Realm.schemaVersion(at: folder["test.realm"]) }
    }
}

/// A counter that can be used from any thread.
final class MigrationCounter: Sendable {
    private let value = Atomic(0)

    func add() { value.add(1, ordering: .relaxed) }

    var count: Int { value.load(ordering: .relaxed) }
}

/// A name, stored as a string.
struct MigName: CustomPersistable {
    var text: String

    init(text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

enum MigrationFailure: Error { case ranTwice, wanted }
