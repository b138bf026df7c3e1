import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Contradictions that only a forged file contains: queries would give wrong results.
@Suite struct IntegrityTests {
    private let album = TableKey(rawValue: 0)
    private let songs = ListKey(rawValue: 0)

    /// Makes two albums with three songs each, all from the same year.
    private func make() throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        let year = ColumnDefinition(name: "year", type: .int, isIndexed: true)
        let rating = ColumnDefinition(name: "rating", type: .double)
        let notes = ColumnDefinition(name: "notes", type: .string)
        _ = try transaction.addTable(name: "Album", columns: [year, rating, notes])
        let song = try transaction.addTable(name: "Song", columns: [])
        _ = try transaction.addList(album, name: "songs", target: song)
        for number in 0..<2 {
            let notes = Value.string("more than twelve bytes: \(number)")
            let row = try transaction.insert(album, [.int(1999), .double(.nan), notes])
            let elements = try (0..<3).map { _ in try transaction.insert(song, []) }
            try transaction.insertIntoList(album, row, songs, at: 0, elements)
        }
        return try transaction.commit(timestampMicroseconds: 0).root
    }

    private func expectDamage(_ forge: (Table) throws -> Void) throws {
        let root = try make()
        try root.checkIntegrity { false }
        try forge(requireValue(root.table(album)))
        let damage = #expect(throws: StoreError.self) { try root.checkIntegrity { false } }
        expectEqual(damage?.code, .invalidDatabase)
        expectEqual(damage?.className, "Album")
    }

    // Covers .invalidDatabase
    @Test func valuesOutsideTheBoundsOfTheirColumnAreDamage() throws {
        try expectDamage { table in
            let cluster = try requireValue(table.cluster(containing: 0))
            cluster.slot(0).store(2000 as Int64, ClusterOffsets.b)
            cluster.slot(0).store(2000 as Int64, ClusterOffsets.a)
        }
        try expectDamage { table in
            let cluster = try requireValue(table.cluster(containing: 0))
            cluster.slot(1).flags.remove(.mayHaveNaN)
        }
    }

    /// A search of the whole text would miss the second row.
    // Covers .invalidDatabase
    @Test func textOutOfRowOrderIsDamage() throws {
        try expectDamage { table in
            let cluster = try requireValue(table.cluster(containing: 0))
            let cells = cluster.rows(2).assumingMemoryBound(to: SIMD16<UInt8>.self)
            (cells[0], cells[1]) = (cells[1], cells[0])
        }
        try expectDamage { table in  // two rows with the same bytes
            let cluster = try requireValue(table.cluster(containing: 0))
            let cells = cluster.rows(2).assumingMemoryBound(to: SIMD16<UInt8>.self)
            cells[1] = cells[0]
        }
    }

    // Covers .invalidDatabase
    @Test func indexesOutOfOrderAreDamage() throws {
        try expectDamage { table in
            let leaf = IndexLeaf(try requireValue(table.index(at: 0).root))
            (leaf.rows[0], leaf.rows[1]) = (1, 0)
        }
        try expectDamage { table in  // a row twice, and another one not at all
            let leaf = IndexLeaf(try requireValue(table.index(at: 0).root))
            leaf.rows[1] = 0
        }
    }

    /// Makes three rows with a few words each, and forges an entry of their full-text index.
    private func expectDamagedWords(
        says text: String, _ forge: (IndexLeaf, inout IndexTree) -> Void
    ) throws {
        let transaction = EngineTransaction(base: .empty)
        let column = ColumnDefinition(name: "text", type: .string, isFullTextIndexed: true)
        let note = try transaction.addTable(name: "Note", columns: [column])
        for text in ["one two", "two three", ""] {
            _ = try transaction.insert(note, [.string(text)])
        }
        let root = try transaction.commit(timestampMicroseconds: 0).root
        try root.checkIntegrity { false }
        let table = try requireValue(root.table(note))
        var tree = table.index(at: 0)
        forge(IndexLeaf(try requireValue(tree.root)), &tree)
        table.setIndex(tree, at: 0)
        let damage = #expect(throws: StoreError.self) { try root.checkIntegrity { false } }
        expectEqual(damage?.code, .invalidDatabase)
        expectEqual(damage?.className, "Note")
        expectEqual(damage?.property, "text")
        expectTrue(damage?.message.contains(text) ?? false, "\(damage?.message ?? "")")
    }

    // Covers 10.7, .invalidDatabase
    @Test func wrongPostingsAreDamage() throws {
        // ascending keys: one of row 0, three of row 1, two of rows 0 and 1
        try expectDamagedWords(says: "lacks a word") { leaf, _ in leaf.rows[0] = 2 }
        try expectDamagedWords(says: "lacks a word") { leaf, _ in leaf.keys[1] += 1 }
        try expectDamagedWords(says: "lacks a word") { leaf, tree in
            leaf.count = 3
            tree.count = 3
        }
        try expectDamagedWords(says: "a word that the row does not have") { leaf, tree in
            (leaf.keys[4], leaf.rows[4]) = (.max, 2)
            leaf.count = 5
            tree.count = 5
        }
        try expectDamagedWords(says: "out of order") { leaf, tree in
            (leaf.keys[4], leaf.rows[4]) = (leaf.keys[3], leaf.rows[3])
            leaf.count = 5
            tree.count = 5
        }
        try expectDamagedWords(says: "5 entries for 4 words") { _, tree in tree.count = 5 }
    }

    /// Makes three rows, of which two have points, and forges an entry of their geospatial index.
    private func expectDamagedPoints(
        says text: String, _ forge: (IndexLeaf, inout IndexTree) -> Void
    ) throws {
        let transaction = EngineTransaction(base: .empty)
        try GeoPins.addTables(transaction, isIndexed: true)
        for coordinates in [[12.5, 55.7], [1], [13, 55.6]] {
            _ = try GeoPins.insert(
                transaction, GeoPins.Pin(type: "Point", coordinates: coordinates))
        }
        let root = try transaction.commit(timestampMicroseconds: 0).root
        try root.checkIntegrity { false }
        let table = try requireValue(root.table(GeoPins.table))
        let slot = try requireValue(
            table.indexSlot(of: ColumnTree(pointsOf: GeoPins.list).column, .points))
        var tree = table.index(at: slot)
        forge(IndexLeaf(try requireValue(tree.root)), &tree)
        table.setIndex(tree, at: slot)
        let damage = #expect(throws: StoreError.self) { try root.checkIntegrity { false } }
        expectEqual(damage?.code, .invalidDatabase)
        expectEqual(damage?.className, "Pin")
        expectEqual(damage?.property, "coordinates")
        expectTrue(damage?.message.contains(text) ?? false, "\(damage?.message ?? "")")
    }

    // Covers 9.14, .invalidDatabase
    @Test func wrongPointsAreDamage() throws {
        try expectDamagedPoints(says: "lacks a point") { leaf, _ in leaf.rows[0] = 1 }
        try expectDamagedPoints(says: "lacks a point") { leaf, _ in leaf.keys[1] += 1 }
        try expectDamagedPoints(says: "a point that the row does not have") { leaf, tree in
            (leaf.keys[2], leaf.rows[2]) = (.max, 1)
            leaf.count = 3
            tree.count = 3
        }
        try expectDamagedPoints(says: "out of order") { leaf, tree in
            (leaf.keys[2], leaf.rows[2]) = (leaf.keys[1], leaf.rows[1])
            leaf.count = 3
            tree.count = 3
        }
        try expectDamagedPoints(says: "3 entries for 2 points") { _, tree in tree.count = 3 }
    }

    // Covers .invalidDatabase
    @Test func listsOutOfOrderAreDamage() throws {
        try expectDamage { table in
            let leaf = IndexLeaf(try requireValue(table.elements(0).tree.root))
            (leaf.keys[2], leaf.keys[3]) = (1, 0)
            (leaf.rows[2], leaf.rows[3]) = (leaf.rows[3], leaf.rows[2])
        }
    }

    /// Makes rows with the values in a single column, which may contradict each other.
    private func root(_ column: ColumnDefinition, _ values: [Value]) throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(name: "Album", columns: [column])
        for value in values {
            _ = transaction.content.insert(
                album.index, [value], version: transaction.version, transaction.edit)
        }
        return transaction.root
    }

    private func expectDamage(_ expected: String?, of root: DatabaseRoot) {
        var found: StoreError?
        do throws(StoreError) {
            try root.checkIntegrity { false }
        } catch {
            found = error
        }
        expectEqual(found?.code, expected.map { _ in .invalidDatabase })
        expectEqual(found?.property, expected.map { _ in "c" })
        expectTrue(found?.message.contains(expected ?? "") ?? true, "\(found?.message ?? "")")
    }

    /// A lookup would find only one of the rows.
    // Covers .invalidDatabase
    @Test func repeatedPrimaryKeysAreDamage() throws {
        let (a, b) = (Value.string("a"), Value.string("b"))
        for (type, values, isDamaged) in [
            (.int, [.int(1), .int(2), .int(3)], false), (.int, [.int(1), .int(2), .int(1)], true),
            (.string, [a, b], false), (.string, [b, a, b, a], true),
        ] as [(ValueType, [Value], Bool)] {
            let key = ColumnDefinition(name: "c", type: type, isPrimaryKey: true)
            try expectDamage(isDamaged ? "same primary key" : nil, of: root(key, values))
        }
        let key = ColumnDefinition(name: "c", type: .int, isOptional: true, isPrimaryKey: true)
        // null and this number have the same index key
        let number = Value.int(Int64(bitPattern: IndexKey.null ^ 1 << 63))
        try expectDamage(nil, of: root(key, [number, .null]))
        try expectDamage("same primary key", of: root(key, [number, .null, number]))
        try expectDamage("same primary key", of: root(key, [.null, number, .null]))
    }

    // Covers .invalidDatabase
    @Test func linksToRowsThatDoNotExistInValuesOfAnyTypeAreDamage() throws {
        let column = ColumnDefinition(name: "c", type: .any, isOptional: true, isIndexed: true)
        func link(_ table: UInt32, _ row: UInt64) -> Value {
            AnyContent.link(TableKey(rawValue: table), ObjectKey(rawValue: row)).value
        }
        try expectDamage(nil, of: root(column, [.null, link(0, 0), link(0, 2)]))
        try expectDamage("does not exist", of: root(column, [.null, link(0, 2)]))
        try expectDamage("does not exist", of: root(column, [.null, link(1, 0)]))
    }
}
