import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Chunks and bounds with valid checksums whose bytes no writer stores. Comparisons of whole rows
/// would find other rows than reading the values does.
@Suite struct ForgedChunkTests {
    private struct Forgery {
        let value: Value
        /// The changed byte of the row, and its new content; `nil` for an intact chunk.
        let change: (offset: Int, byte: UInt8)?
    }

    private func expectDamage(_ isDamaged: Bool, _ forgery: Forgery) throws {
        let type = try requireValue(forgery.value.type)
        let columns = [TableTrial.column(0, type, isOptional: false)]
        let store = NodeStore()
        store.allowLeftNodes()
        let edit = NodeEdit(store)
        let file = LeafFile()
        let source = file.source
        file.willCheck = false
        file.damage = { leaf, bytes in
            guard leaf.place == .chunk(column: 0), let change = forgery.change else { return false }
            bytes[Node.headerByteCount + change.offset] = change.byte
            return true
        }
        let trial = TableTrial(columns: columns)
        trial.withAppender { _ = $0.append([forgery.value], to: &$1, version: 3) }
        trial.commit()
        let loaded = LeafFile.load(trial.table, columns, file, edit)
        try trial.end()
        let cluster = try requireValue(loaded.cluster(containing: 0))
        let (value, damage) = DamageWatch.run { cluster.value(0, columns[0]) }
        expectEqual(damage?.code, isDamaged ? .invalidDatabase : nil, "\(forgery)")
        if !isDamaged { expectEqual(value, forgery.value) }
        withExtendedLifetime(source) {}
    }

    // Covers .invalidDatabase
    @Test func bytesThatNoWriterStoresAreDamage() throws {
        let id = ObjectIdBytes(high: 1, low: 2)
        let large = String(repeating: "large", count: 1_000)
        let forgeries: [(Value, Int, UInt8)] = [
            (.bool(true), 0, 2),
            // infinity becomes NaN
            (.date(.infinity), 0, 1),
            (.objectId(id), 12, 1), (.objectId(id), 15, 1),
            // behind the bytes of a value in its cell
            (.string(""), 4, 1), (.string("ab"), 6, 1), (.string("abc"), 7, 1),
            (.string("abcd"), 8, 1), (.data([1, 2, 3, 4, 5]), 15, 1),
            (.string("0123456789a"), 15, 1),
            // the first bytes of a value elsewhere
            (.string("more than twelve bytes"), 4, 0), (.string(large), 4, 0),
        ]
        for (value, offset, byte) in forgeries {
            try expectDamage(false, Forgery(value: value, change: nil))
            try expectDamage(true, Forgery(value: value, change: (offset, byte)))
        }
        // these bytes belong to the values
        try expectDamage(false, Forgery(value: .string("0123456789ab"), change: nil))
        try expectDamage(false, Forgery(value: .decimal(.nan), change: nil))
        try expectDamage(false, Forgery(value: .double(.nan), change: nil))
    }

    @Test func paddingIsWhatFollowsAnInlineValue() {
        for length in 0...TextCell.maximumInlineByteCount {
            for offset in 4..<16 {
                let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
                defer { memory.deallocate() }
                let cell = TextCell(memory)
                cell.clear()
                memory.storeBytes(of: UInt32(length), as: UInt32.self)
                expectTrue(cell.isPadded)
                memory.storeBytes(of: 0x80, toByteOffset: offset, as: UInt8.self)
                expectEqual(cell.isPadded, offset < 4 + length)
            }
        }
    }

    /// No value would be within such bounds, whatever is written later.
    // Covers .invalidDatabase
    @Test func boundsThatAreNotNumbersAreRefused() throws {
        let table = TableKey(rawValue: 0)
        for offset in [nil, ClusterOffsets.a, ClusterOffsets.b] {
            let transaction = EngineTransaction(base: .empty)
            let column = ColumnDefinition(name: "x", type: .double)
            _ = try transaction.addTable(name: "A", columns: [column])
            _ = try transaction.insert(table, [.double(1)])
            let root = try transaction.commit(timestampMicroseconds: 0).root
            let cluster = try requireValue(root.table(table)?.cluster(containing: 0))
            if let offset { cluster.slot(0).store(Double.nan, offset) }
            let file = MemoryNodesFile(byteCount: 1 << 20)
            let checkpoint = try TestCheckpoint(root, to: file)
            if offset == nil {
                _ = try checkpoint.load(from: file)
            } else {
                let error = #expect(throws: StoreError.self) { try checkpoint.load(from: file) }
                expectEqual(error?.code, .invalidDatabase)
            }
        }
    }
}
