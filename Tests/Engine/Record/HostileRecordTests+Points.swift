import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Records and checkpoints that add geospatial indexes.
extension HostileRecordTests {
    private func record(indexing lists: [Int], on base: DatabaseRoot) -> [UInt8] {
        var writer = beginning(base.version + 1)
        for list in lists {
            CommitRecord.begin(.addGeoIndex, table, &writer)
            writer.varint(list)
        }
        return writer.bytes
    }

    // Covers .invalidDatabase
    @Test func geospatialIndexesOfOtherListsAreDamage() throws {
        let transaction = EngineTransaction(base: .empty)
        try GeoPins.addTables(transaction, isIndexed: false)
        _ = try transaction.addList(GeoPins.table, name: "objects", target: GeoPins.table)
        _ = try transaction.addList(
            GeoPins.table, name: "set", target: GeoPins.elements, kind: .set)
        let base = try commitAndReplay(transaction).root
        for (lists, expected) in [
            ([0, 0], StoreError.Code.invalidDatabase), ([0], nil), ([1], .invalidDatabase),
            ([2], .invalidDatabase), ([3], .invalidDatabase), ([1 << 16], .invalidDatabase),
        ] {
            expectEqual(code(record(indexing: lists, on: base), on: base), expected, "\(lists)")
        }
    }

    /// An index costs half of the class's rows. The number of rows is made up.
    // Covers .invalidDatabase
    @Test func geospatialIndexesOfExactlyTheLimitAreReadAndWritten() throws {
        let transaction = EngineTransaction(base: .empty)
        try GeoPins.addTables(transaction, isIndexed: false)
        let base = try commitAndReplay(transaction).root
        let change = [SchemaChange.geoIndex(GeoPins.table, GeoPins.list)]
        let state = try requireValue(base.table(GeoPins.table))
        let most = 2 * (Limits.maximumRecordSchemaWork - base.schema.partCount) + 1
        for excess in [-1, 0, 1] {
            state.count = most + excess
            let isTooMuch = CommitRecord.isTooMuchWork(change, base, base.schema)
            let error = code(record(indexing: [0], on: base), on: base)
            state.count = 0
            expectEqual(isTooMuch, excess > 0)
            expectEqual(error, excess > 0 ? .invalidDatabase : nil)
        }
    }
}
