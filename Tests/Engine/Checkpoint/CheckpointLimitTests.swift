import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The sizes that a directory image may state for a cluster: those that writers can reach are
/// accepted, larger ones refused before anything of that size is allocated.
@Suite struct CheckpointLimitTests {
    private let table = TableKey(rawValue: 0)

    private func makeContent(_ rows: [[Value]] = []) -> ScanContent {
        var content = ScanContent("A", [ColumnDefinition(name: "c", type: .data)])
        content.insert(rows)
        return content
    }

    private func data(_ count: Int, _ byte: UInt8 = 1) -> Value {
        .data([UInt8](repeating: byte, count: count))
    }

    private func slot(_ root: DatabaseRoot) throws -> ColumnSlot {
        var slot: ColumnSlot?
        root.content[table.index].forEachCluster { cluster in
            slot = cluster.slot(0)
            return false
        }
        return try requireValue(slot)
    }

    private func loads(_ root: DatabaseRoot) throws -> Bool {
        let file = MemoryNodesFile()
        let loaded = try TestCheckpoint(root, to: file).load(from: file)
        return loaded.stateHash() == root.stateHash() && loaded.damage == nil
    }

    @Test func fullestClustersAreReadAgain() throws {
        var content = makeContent([[Value]](repeating: [data(4_096)], count: 1_024))
        for row in 0..<1_024 { content.set(UInt64(row), 0, data(4_096, 2)) }
        try expectEqual(slot(content.root).textUsed, 8 << 20)
        try expectTrue(loads(content.root))
        let large = makeContent([[Value]](repeating: [data(4_097)], count: 1_024))
        let word: UInt = try slot(large.root).load(ClusterOffsets.b)
        try expectEqual(requireValue(LargeList(word: word)).count, 1_024)
        try expectTrue(loads(large.root))
    }

    /// The keys of rows that a transaction inserts and deletes are reused in the same cluster.
    @Test func textOfDiscardedRowsDoesNotPileUp() throws {
        var content = ScanContent(
            "A",
            [ColumnDefinition(name: "c", type: .data), ColumnDefinition(name: "n", type: .int)])
        content.insert([[data(100), .int(0)]])
        var root = content.root
        for number in 1...5 {
            let transaction = EngineTransaction(base: root)
            let rows = try (0..<1_000).map { _ in
                try transaction.insert(table, [data(4_096), .int(0)])
            }
            transaction.delete(table, rows)
            try transaction.set(
                table, ObjectKey(rawValue: 0), ColumnKey(rawValue: 1), .int(Int64(number)))
            root = try transaction.commit(timestampMicroseconds: 0).root
        }
        try expectEqual(slot(root).textUsed, 100)
        try expectTrue(loads(root))
    }

    /// Otherwise rows could be appended to a text that is already as long as the limit.
    @Test func textOfDeletedRowsIsGoneWhenARowIsAppended() throws {
        let content = makeContent([[Value]](repeating: [data(4_096)], count: 500))
        let transaction = EngineTransaction(base: content.root)
        transaction.delete(table, (1..<500).map { ObjectKey(rawValue: $0) })
        let deleted = try transaction.commit(timestampMicroseconds: 0).root
        try expectEqual(slot(deleted).textUsed, 500 * 4_096)
        let file = MemoryNodesFile()
        let loaded = try TestCheckpoint(deleted, to: file).load(from: file)
        for root in [deleted, loaded] {
            let next = EngineTransaction(base: root)
            _ = try next.insert(table, [data(4_096, 2)])
            let root = try next.commit(timestampMicroseconds: 0).root
            try expectEqual(slot(root).textUsed, 2 * 4_096)
            try expectTrue(loads(root))
        }
    }

    // Covers .invalidDatabase
    @Test func clusterWithMoreTextOrLargeValuesThanAnyWriterMakesIsRefused() throws {
        let rows = [1_000, 5_000, 5_000, 5_000, 5_000, 5_000].map { [data($0)] }
        let root = makeContent(rows).root
        let file = MemoryNodesFile()
        let intact = try TestCheckpoint(root, to: file)
        // so that a text of any of these lengths is within the file
        _ = try [UInt8](repeating: 0, count: 17 << 20).withUnsafeBytes {
            try file.append(parts: [$0])
        }
        for (count, isRead) in [(8, true), (2_047, true), (2_048, true), (2_049, false)] {
            let forged = try forge(intact, file, largeCount: count, textUsed: 1_000)
            try expectEqual(isLoaded(forged, file), isRead)
            if isRead { try expectEqual(forged.load(from: file).stateHash(), root.stateHash()) }
        }
        for (excess, isRead) in [(-1, true), (0, true), (1, false)] {
            let forged = try forge(intact, file, largeCount: 8, textUsed: 16 << 20 + excess)
            try expectEqual(isLoaded(forged, file), isRead)
        }
    }

    /// So many rows can't be made; the number of those in the clusters is compared afterwards.
    // Covers .invalidDatabase
    @Test func numberOfRowsIsLimited() throws {
        let root = makeContent([[data(1)], [data(2)], [data(3)]]).root
        for (count, problem) in [
            (Limits.maximumEntryCount - 1, "the wrong number of rows"),
            (Limits.maximumEntryCount, "the wrong number of rows"),
            (Limits.maximumEntryCount + 1, "too many rows"),
        ] {
            let file = MemoryNodesFile()
            var forged = try TestCheckpoint(root, to: file)
            // the next key, the number of rows and of clusters
            let numbers = little(3) + little(0) + little(3) + little(0) + little(1)
            let bytes = forged.directory.map { file[$0] }
            let place = try requireValue(
                bytes.indices.first { bytes[$0...].starts(with: numbers) })
            let forgery = little(count & 0xFFFF_FFFF) + little(count >> 32)
            for (offset, byte) in forgery.enumerated() {
                file[forged.directory.lowerBound + place + 8 + offset] = byte
            }
            try forged.fixChecksum(in: file)
            let error = #expect(throws: StoreError.self) { try forged.load(from: file) }
            expectEqual(error?.code, .invalidDatabase)
            expectEqual(error?.message.contains(problem), true, "\(error as Any)")
        }
    }

    private func isLoaded(_ checkpoint: TestCheckpoint, _ file: MemoryNodesFile) throws -> Bool {
        do {
            _ = try checkpoint.load(from: file)
            return true
        } catch let error as StoreError {
            expectEqual(error.code, .invalidDatabase)
            return false
        }
    }

    /// Returns the checkpoint with a modified directory: it states other sizes for the only column,
    /// which has 1,000 bytes of text and a list of 8 large values.
    private func forge(
        _ checkpoint: TestCheckpoint, _ file: MemoryNodesFile, largeCount: Int, textUsed: Int
    ) throws -> TestCheckpoint {
        var bytes = checkpoint.directory.map { file[$0] }
        let counts = little(8) + little(1_000) + little(0)
        let place = try requireValue(
            bytes.indices.first { bytes[$0...].starts(with: counts) })
        bytes.replaceSubrange(place..<place + 8, with: little(largeCount) + little(textUsed))
        let end = place - 4 + DirectoryImage.slotByteCount + 8 * DirectoryImage.largeEntryByteCount
        let free = [UInt8](
            repeating: 0, count: (largeCount - 8) * DirectoryImage.largeEntryByteCount)
        bytes.insert(contentsOf: free, at: end)
        var forged = checkpoint
        forged.written.directory.extent = try bytes.withUnsafeBytes {
            try file.append(parts: [$0])
        }
        forged.written.directory.byteCount = UInt64(bytes.count)
        try forged.fixChecksum(in: file)
        return forged
    }

    private func little(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).littleEndian) { Array($0) }
    }
}
