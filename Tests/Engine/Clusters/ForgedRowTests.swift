import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Rows with bytes that no writer stores, in leaves with the right checksum. Comparisons would take
/// them for other values than reads do.
@Suite struct ForgedRowTests {
    private static let table = TableKey(rawValue: 0)

    private enum Forgery: CaseIterable { case none, date, objectId, padding }

    // Covers .invalidDatabase
    @Test func forgedRowsInALeafAreDamage() throws {
        for forgery in Forgery.allCases {
            let (root, file) = try load(forgery)
            let (_, damage) = DamageWatch.run(on: root) {
                for column in 0..<3 as Range<UInt16> {
                    _ = root.value(
                        Self.table, ObjectKey(rawValue: 0), ColumnKey(rawValue: column))
                }
            }
            expectEqual(damage?.code, forgery == .none ? nil : .invalidDatabase)
            withExtendedLifetime(file) {}
        }
    }

    /// Returns a root loaded from an image in which the second of two rows is forged.
    private func load(_ forgery: Forgery) throws -> (root: DatabaseRoot, file: MemoryNodesFile) {
        let transaction = EngineTransaction(base: .empty)
        let types: [ValueType] = [.date, .objectId, .string]
        _ = try transaction.addTable(
            name: "A", columns: types.map { ColumnDefinition(name: "\($0)", type: $0) })
        let values: [Value] = [
            .date(1), .objectId(ObjectIdBytes(high: 1, low: 2)), .string("short"),
        ]
        for _ in 0..<2 { _ = try transaction.insert(Self.table, values) }
        let root = try transaction.commit(timestampMicroseconds: 0).root
        let cluster = try requireValue(root.table(Self.table)?.cluster(containing: 0))
        switch forgery {
        case .none: break
        case .date:
            cluster.rows(0).storeBytes(of: Double.nan, toByteOffset: 8, as: Double.self)
        case .objectId:
            cluster.rows(1).storeBytes(of: 1 << 32 | 2, toByteOffset: 24, as: UInt64.self)
        case .padding:
            cluster.rows(2).storeBytes(of: 1, toByteOffset: 16 + 4 + 5, as: UInt8.self)
        }
        let file = MemoryNodesFile(byteCount: 1 << 20)
        return (try TestCheckpoint(root, to: file).load(from: file), file)
    }

    /// No value would be within such bounds, whatever is written later.
    // Covers .invalidDatabase
    @Test func boundsThatAreNotNumbersAreRefused() throws {
        for offset in [nil, ClusterOffsets.a, ClusterOffsets.b] {
            let transaction = EngineTransaction(base: .empty)
            let column = ColumnDefinition(name: "x", type: .double)
            _ = try transaction.addTable(name: "A", columns: [column])
            _ = try transaction.insert(Self.table, [.double(1)])
            let root = try transaction.commit(timestampMicroseconds: 0).root
            let cluster = try requireValue(root.table(Self.table)?.cluster(containing: 0))
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

    @Test func paddingIsWhatFollowsAnInlineValue() {
        for length in 0...TextCell.inlineByteCountMax {
            for offset in 0..<16 {
                let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
                defer { memory.deallocate() }
                let cell = TextCell(memory)
                cell.clear()
                memory.storeBytes(of: UInt32(length), as: UInt32.self)
                expectTrue(cell.isPadded)
                if offset < 4 { continue }
                memory.storeBytes(of: 0x80, toByteOffset: offset, as: UInt8.self)
                expectEqual(cell.isPadded, offset < 4 + length)
            }
        }
    }
}
