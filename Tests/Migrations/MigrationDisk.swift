import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore

@testable import EngineOracle
@testable import Regnum
@testable import RegnumTestModels

/// A realm of `MigFirst` on a simulated disk, and its migration to `MigSecond` in parts of two
/// objects.
struct MigrationDisk {
    static let path = "/migrated"
    static let peopleCount = 10
    /// People and pets, and the lost one.
    static let visitCount = 21

    static func first(_ disk: any FileSystem) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: MigFirst.types)
        configuration.schemaVersion = 1
        configuration.adjust = { options in
            options.fileSystem = disk
            options.store.idleDelayNanoseconds = 3_600_000_000_000
            options.checkpoint.paceNanoseconds = 0
        }
        return configuration
    }

    static func second(
        _ disk: any FileSystem, resumes: Bool = true, _ block: @escaping MigrationBlock
    ) -> Realm.Configuration {
        var configuration = first(disk)
        configuration.objectTypes = MigSecond.types
        configuration.schemaVersion = 2
        configuration.migration = block
        if resumes {
            configuration.resumableMigration = ResumableMigration(
                memoryByteCount: 0, batchCount: 2)
        }
        return configuration
    }

    /// Returns a block whose result depends only on the objects: it renames, creates, changes,
    /// deletes and drops.
    static func block(_ visits: MigrationCounter = MigrationCounter()) -> MigrationBlock {
        { migration, _ in
            try migration.renameProperty(onType: "MigPerson", from: "nickname", to: "alias")
            let made = try migration.create("MigFound", value: ["text": "made"])
            made["text"] = "made before"
            try migration.enumerateObjects(ofType: "MigPerson") { old, new in
                visits.add()
                guard let old, let new, let position = migration.position else { return }
                new["fullName"] = "\(position) \(old["first"] as? String ?? "")"
                new["age"] = "\(old["age"] as? Int ?? -1)"
                if position % 4 == 3 { return try migration.delete(new) }
                try new.dynamicList("tags").append("c\(position)")
                try migration.create("MigFound", value: ["text": old["last"]])
            }
            for name in ["first", "last"] {
                try migration.deleteProperty(onType: "MigPerson", name)
            }
            let last = try migration.create("MigFound", value: ["text": "made between"])
            try migration.enumerateObjects(ofType: "MigPet") { old, new in
                visits.add()
                new?["weight"] = (old?["weight"] as? Double ?? 0) + 1
            }
            try migration.delete(last)
            try migration.enumerateObjects(ofType: "MigLost") { old, _ in
                visits.add()
                try migration.create("MigFound", value: ["text": old?["text"]])
            }
            migration.deleteData(forType: "MigLost")
        }
    }

    /// Makes a disk with the closed realm of the first program; for even seeds with a checkpoint.
    static func make(seed: UInt64) async throws -> SimFileSystem {
        let disk = SimFileSystem(seed: seed)
        var configuration = first(disk)
        let adjust = configuration.adjust
        configuration.adjust = { options in
            adjust?(&options)
            if seed % 2 == 0 { options.checkpoint.minimumClosingByteCount = 1 }
        }
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            for number in 0..<peopleCount {
                let person = try tx.create(
                    MigFirst.MigPerson.self,
                    value: [
                        "first": "First\(number)", "last": "Last\(number)", "age": number,
                        "home": ["street": "Street \(number)"],
                        "pets": [["name": "pet \(number)", "weight": number]],
                    ])
                if number % 2 == 0 { person.nickname = "nick \(number)" }
                person.tags.append(objectsIn: ["a", "b\(number)"])
                person.scores["x"] = number
                person.codes.insert(number)
            }
            try tx.create(MigFirst.MigLost.self, value: ["text": "kept"])
        }
        await realm.close()
        return disk
    }

    /// Returns a hash of everything that the older program finds; `nil` if the migration is done.
    static func oldHash(_ disk: SimFileSystem) async throws -> UInt64? {
        do {
            return try await hash(first(disk))
        } catch Realm.Error.Code.schemaMismatch {
            return nil
        }
    }

    /// Opens and closes the realm, and returns a hash of everything stored.
    static func hash(_ configuration: Realm.Configuration) async throws -> UInt64 {
        let realm = try await Realm.open(configuration)
        let root = realm.core.coordinator.published
        let hash = root.stateHash()
        if let damage = root.damage { throw damage }
        await realm.close()
        return hash
    }
}
