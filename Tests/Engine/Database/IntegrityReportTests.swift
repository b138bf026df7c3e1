import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The check reports all contradictions of a version, each with its class, property and row.
@Suite struct IntegrityReportTests {
    private let album = TableKey(rawValue: 0)
    private let song = TableKey(rawValue: 1)
    private let songs = ListKey(rawValue: 0)

    /// Makes three albums with two songs each. Row `n` has the year 1990 + n and the code `n`.
    private func make() throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        let code = ColumnDefinition(name: "code", type: .int, isPrimaryKey: true)
        let year = ColumnDefinition(name: "year", type: .int, isIndexed: true)
        _ = try transaction.addTable(name: "Album", columns: [code, year])
        let plays = ColumnDefinition(name: "plays", type: .int)
        _ = try transaction.addTable(name: "Song", columns: [plays])
        _ = try transaction.addList(album, name: "songs", target: song)
        for number in 0..<3 as Range<Int64> {
            let row = try transaction.insert(album, [.int(number), .int(1990 + number)])
            let elements = try (0..<2).map { _ in try transaction.insert(song, [.int(7)]) }
            try transaction.insertIntoList(album, row, songs, at: 0, elements)
        }
        return try transaction.commit(timestampMicroseconds: 0).root
    }

    /// Forges an index entry of row 1, a backlink of row 2 and the bounds of all songs.
    private func forge(_ root: DatabaseRoot) throws {
        let table = try requireValue(root.table(album))
        let slot = try requireValue(table.indexSlot(of: ColumnKey(rawValue: 1), .values))
        let leaf = IndexLeaf(try requireValue(table.index(at: slot).root))
        leaf.keys[1] += 1
        let backlinks = IndexLeaf(try requireValue(table.backlinks(0).root))
        backlinks.rows[4] = 1
        let cluster = try requireValue(root.table(song)?.cluster(containing: 0))
        cluster.slot(0).store(8 as Int64, ClusterOffsets.a)
        cluster.slot(0).store(8 as Int64, ClusterOffsets.b)
    }

    private func places(_ findings: IntegrityFindings) -> [String] {
        findings.damages.map { "\($0.className ?? "").\($0.property ?? "") \($0.key ?? "")" }
    }

    @Test func soundContentIsCounted() throws {
        let findings = try make().integrity(limit: 10) { false }
        expectEqual(findings.damages, [])
        expectTrue(findings.isComplete && findings.version == 1)
        expectTrue(findings.rowCount == 9 && findings.entryCount == 6)
        expectEqual(findings.elementCount, 6)
    }

    // Covers .invalidDatabase
    @Test func allContradictionsAreNamed() throws {
        let root = try make()
        try forge(root)
        let findings = try root.integrity(limit: 100) { false }
        expectTrue(findings.isComplete)
        expectEqual(
            places(findings),
            // the row that the index lacks and the entry that it has instead; the entry that the
            // backlinks have and the one that they lack; each song
            ["Album.year 1", "Album.year 1", "Album.songs 1", "Album.songs 2"]
                + (0..<6).map { "Song.plays \($0)" })
        let first = #expect(throws: StoreError.self) { try root.checkIntegrity { false } }
        expectEqual(first, findings.damages.first)
    }

    @Test func checkEndsAtItsLimitAndWhenItIsCancelled() throws {
        let root = try make()
        try forge(root)
        let limited = try root.integrity(limit: 3) { false }
        expectTrue(limited.damages.count == 3 && !limited.isComplete)
        let cancelled = try root.integrity(limit: 3) { true }
        expectTrue(cancelled.damages.isEmpty && !cancelled.isComplete)
    }

    /// A class can be large.
    @Test func cancellationIsNoticedWithinTheCheckOfAClass() throws {
        let transaction = EngineTransaction(base: .empty)
        let code = ColumnDefinition(name: "code", type: .int, isPrimaryKey: true)
        _ = try transaction.addTable(name: "Album", columns: [code])
        for number in 0..<2_000 as Range<Int64> {
            _ = try transaction.insert(album, [.int(number)])
        }
        let root = try transaction.commit(timestampMicroseconds: 0).root
        // in the comparison of the rows with the index, of the index with the rows, and of keys
        for maximum in [1_000, 3_000, 5_000] {
            var count = 0
            let findings = try root.integrity(limit: 1) {
                count += 1
                return count > maximum
            }
            expectTrue(!findings.isComplete && findings.damages.isEmpty, "\(maximum)")
        }
    }

    // Covers .invalidDatabase
    @Test func eachRowWithoutOneOwnerIsNamed() throws {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(name: "A", columns: [])
        _ = try transaction.addTable(name: "Part", kind: .embedded, columns: [])
        let parts = try transaction.addList(album, name: "parts", target: song)
        let row = try transaction.insert(album, [])
        for _ in 0..<3 { _ = try transaction.insert(song, []) }
        let isDone = transaction.content.splice(
            ListPlace(table: album, list: parts), row.rawValue, at: 0, removing: 0,
            inserting: [1], transaction.edit.nodes)
        expectTrue(isDone)
        let findings = try transaction.root.integrity(limit: 100) { false }
        expectEqual(places(findings), ["Part. 0", "Part. 2"])
    }
}
