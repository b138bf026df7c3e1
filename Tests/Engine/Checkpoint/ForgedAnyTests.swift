import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Values of any type that no writer stores, in leaves with the right checksum and in records.
@Suite struct ForgedAnyTests {
    private static let table = TableKey(rawValue: 0)
    private static let column = ColumnKey(rawValue: 0)

    private static let sound: [[UInt8]] = [
        AnyContent.bool(true).bytes, AnyContent.float(1).bytes, AnyContent.date(5).bytes,
        AnyContent.string("").bytes, AnyContent.string("é").bytes,
        AnyContent.string(String(repeating: "é", count: 50)).bytes,
        AnyContent.string(String(repeating: "é", count: 5_000)).bytes,
        AnyContent.data([0xFF]).bytes,
        AnyContent.data([UInt8](repeating: 0xFF, count: 5_000)).bytes,
        AnyContent.link(TableKey(rawValue: 0), ObjectKey(rawValue: 0)).bytes,
        AnyContent.list(1).bytes,
    ]

    private static let forged: [[UInt8]] = [
        [], [0], [14, 1], [AnyKind.bool.rawValue], [AnyKind.int.rawValue, 1],
        AnyContent.double(1).bytes + [0],
        AnyContent.date(.nan).bytes,
        [AnyKind.string.rawValue, 0xFF],
        [AnyKind.string.rawValue] + [UInt8](repeating: 0xC3, count: 100),
        [AnyKind.string.rawValue] + [UInt8](repeating: 0x80, count: 5_000),
        [AnyKind.list.rawValue] + [UInt8](repeating: 0, count: 5_000),
    ]

    private func makeBase() throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        _ = try transaction.addTable(
            name: "A",
            columns: [
                ColumnDefinition(
                    name: "v", type: .any, isOptional: true, isIndexed: true, defaultValue: .null)
            ])
        for _ in 0..<3 { _ = try transaction.insert(Self.table, [.null]) }
        return try transaction.commit(timestampMicroseconds: 0).root
    }

    /// Returns a root loaded from an image in which the second of three rows has those bytes.
    private func load(_ bytes: [UInt8]) throws -> (root: DatabaseRoot, file: MemoryNodesFile) {
        let transaction = EngineTransaction(base: try makeBase())
        let column = transaction.schema.tables[0].columns[0]
        _ = transaction.content.set(0, 1, column, .any(bytes), version: 2, transaction.edit)
        let file = MemoryNodesFile(byteCount: 1 << 20)
        return (try TestCheckpoint(transaction.root, to: file).load(from: file), file)
    }

    @Test(arguments: sound.indices) func soundValueIsRead(_ index: Int) throws {
        let (root, _) = try load(Self.sound[index])
        let value = root.value(Self.table, ObjectKey(rawValue: 1), Self.column)
        expectEqual(value, .any(Self.sound[index]))
        expectEqual(root.value(Self.table, ObjectKey(rawValue: 0), Self.column), .null)
        expectNil(root.damage)
    }

    // Covers .invalidDatabase
    @Test(arguments: forged.indices) func forgedValueInALeafIsDamage(_ index: Int) throws {
        let (root, _) = try load(Self.forged[index])
        let (_, damage) = DamageWatch.run(on: root) {
            root.value(Self.table, ObjectKey(rawValue: 1), Self.column)
        }
        expectEqual(damage?.code, .invalidDatabase)
    }

    /// Empty bytes aren't a value, but are valid in rows that aren't live.
    @Test func deletedRowsMayHaveNoValue() throws {
        let transaction = EngineTransaction(base: try makeBase())
        for bytes in Self.sound {
            let key = try transaction.insert(Self.table, [.any(bytes)])
            if bytes.count % 2 == 0 { transaction.delete(Self.table, key) }
        }
        transaction.delete(Self.table, ObjectKey(rawValue: 0))
        _ = try transaction.insert(Self.table, [.any(Self.sound[0])])
        let root = try transaction.commit(timestampMicroseconds: 0).root
        let file = MemoryNodesFile(byteCount: 1 << 20)
        let loaded = try TestCheckpoint(root, to: file).load(from: file)
        expectEqual(loaded.stateHash(), root.stateHash())
        expectNil(loaded.damage)
    }

    // Covers .invalidDatabase
    @Test func forgedValueInARecordIsRefused() throws {
        let base = try makeBase()
        for (bytes, isSound) in Self.sound.map({ ($0, true) }) + Self.forged.map({ ($0, false) }) {
            var writer = RecordWriter(capacity: 6_000)
            writer.fixed(2 as UInt64)
            writer.fixed(0 as Int64)
            writer.varint(0)
            CommitRecord.begin(.set, Self.table, &writer)
            writer.varint(0)
            KeyRuns.encode([ObjectKey(rawValue: 1)], &writer)
            ColumnBlock.encode(.any(bytes), &writer)
            if isSound {
                let (root, _) = try CommitRecord.apply(writer.bytes, to: base)
                expectEqual(
                    root.value(Self.table, ObjectKey(rawValue: 1), Self.column), .any(bytes))
            } else {
                let error = #expect(throws: StoreError.self) {
                    try CommitRecord.apply(writer.bytes, to: base)
                }
                expectEqual(error?.code, .invalidDatabase)
            }
        }
    }
}
