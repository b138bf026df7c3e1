import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum

/// The classes of a program without indexes.
enum IdxFirst {
    final class IdxNote: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var room: String
        @Persisted var text: String
        @Persisted var place: IdxPlace?
    }

    final class IdxPlace: EmbeddedObject {
        @Persisted var type = "Point"
        @Persisted var coordinates: List<Double>
    }

    static let types: [ObjectBase.Type] = [IdxNote.self, IdxPlace.self]

    static func add(_ numbers: Range<Int>, to tx: Transaction) throws {
        for number in numbers {
            let place: [String: Any] = [
                "type": "Point", "coordinates": [Double(number) / 10, 10.0],
            ]
            try tx.create(
                IdxNote.self,
                value: [
                    "number": number, "room": "r\(number % 20)", "text": "word\(number % 10) end",
                    "place": place,
                ])
        }
    }
}

/// The same classes with an index of each kind.
enum IdxLater {
    final class IdxNote: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted(indexed: true) var room: String
        @Persisted(fullTextIndexed: true) var text: String
        @Persisted var place: IdxPlace?
    }

    final class IdxPlace: EmbeddedObject {
        @Persisted var type = "Point"
        @Persisted(geoIndexed: true) var coordinates: List<Double>
    }

    static let types: [ObjectBase.Type] = [IdxNote.self, IdxPlace.self]
    /// The stored names of the indexes, in the order in which they are built.
    static let indexes = ["IdxNote.room", "IdxNote.text", "IdxPlace.coordinates"]
}

/// A program that has only some of the properties, without indexes.
enum IdxNarrow {
    final class IdxNote: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var text: String
    }

    static let types: [ObjectBase.Type] = [IdxNote.self]
}

/// A realm on a simulated disk with 400 notes of `IdxFirst`.
struct IndexDisk {
    static let noteCount = 400

    let disk: SimFileSystem

    /// - Parameter seed: If it is even, the closed realm has a checkpoint.
    init(seed: UInt64) async throws {
        disk = SimFileSystem(seed: seed)
        var configuration = Self.configuration(disk, IdxFirst.types)
        let adjust = configuration.adjust
        configuration.adjust = { options in
            adjust?(&options)
            if seed % 2 == 0 { options.checkpoint.minimumClosingByteCount = 1 }
        }
        let realm = try await Realm.open(configuration)
        try await realm.write { try IdxFirst.add(0..<Self.noteCount, to: $0) }
        await realm.close()
    }

    static func configuration(
        _ disk: any FileSystem, _ types: [ObjectBase.Type]?
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/notes")), objectTypes: types)
        configuration.adjust = { options in
            options.fileSystem = disk
            options.store.idleDelayNanoseconds = 3_600_000_000_000
            options.checkpoint.paceNanoseconds = 0
        }
        return configuration
    }

    func configuration(_ types: [ObjectBase.Type]?) -> Realm.Configuration {
        Self.configuration(disk, types)
    }

    func open(_ types: [ObjectBase.Type]?) async throws -> Realm {
        try await Realm.open(configuration(types))
    }
}

extension Realm {
    /// The names of the properties that have an index in the newest version, in order, except
    /// primary keys and links.
    nonisolated var storedIndexes: [String] {
        var names: [String] = []
        for table in core.coordinator.published.schema.tables {
            for column in table.columns where column.linkTarget == nil {
                if column.isIndexed || column.isFullTextIndexed {
                    names.append("\(table.name).\(column.name)")
                }
            }
            for list in table.lists where list.isGeoIndexed {
                names.append("\(table.name).\(list.name)")
            }
        }
        return names.sorted()
    }

    /// Checks that queries find what they must, and that they use exactly these indexes.
    nonisolated func checkQueries(_ indexes: [String]) async throws {
        let snapshot = snapshot()
        let all = snapshot.objects(IdxLater.IdxNote.self)
        let circle = try requireValue(GeoCircle(center: (10, 20), radiusInRadians: 0.001))
        let inRoom = all.where { $0.room == "r3" }
        let withWord = all.where { $0.text.matchesText("word3") }
        let near = all.where { $0.place.geoWithin(circle) }
        let numbers = Array(0..<IndexDisk.noteCount)
        expectEqual(inRoom.map(\.number), numbers.filter { $0 % 20 == 3 })
        expectEqual(withWord.map(\.number), numbers.filter { $0 % 10 == 3 })
        expectEqual(near.map(\.number), [200])
        let explanations = try [
            ("IdxNote.room", "using the index on room", inRoom.explain()),
            ("IdxNote.text", "using the full-text index on text", withWord.explain()),
            ("IdxPlace.coordinates", "using the geospatial index on ", near.explain()),
        ]
        for (index, words, text) in explanations {
            expectEqual(text.contains(words), indexes.contains(index), "\(text)")
        }
        // the primary key always has an index
        let one = try all.where { $0.number == 77 }.explain()
        expectTrue(one.contains("using the index on number"), "\(one)")
        try await snapshot.checkIntegrity()
    }
}
