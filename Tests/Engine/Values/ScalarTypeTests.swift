import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumEngine

/// The types of columns, and their form in column definitions.
@Suite struct ScalarTypeTests {
    @Test func definitionsKeepTheTypeOfTheirColumn() throws {
        for type in ScalarType.allCases {
            let definition = ColumnDefinition(
                name: "p", scalar: type, isOptional: type == .any, isIndexed: type == .any)
            var writer = RecordWriter(capacity: 64)
            writer.columnDefinition(definition)
            var reader = RecordReader(writer.bytes)
            let read = try reader.columnDefinition(of: "test")
            expectEqual(read, definition)
            let column = ColumnSchema(key: ColumnKey(rawValue: 0), definition: read)
            expectEqual(column.scalarType, type)
            expectEqual(column.type, type.valueType)
        }
        let plain = ScalarType.allCases.filter { $0.columnFlag == 0 }
        expectEqual(plain.map(\.valueType), ValueType.allCases)
        expectEqual(plain, ValueType.allCases.map { ScalarType($0) })
    }

    @Test func aColumnHasOneMeaning() throws {
        var writer = RecordWriter(capacity: 64)
        writer.columnDefinition(.link(name: "p", to: TableKey(rawValue: 0)))
        var bytes = writer.bytes
        expectEqual(bytes[3], CommitRecord.flagOptional | CommitRecord.flagIndexed | 16)
        bytes[3] |= ScalarType.float.columnFlag
        var reader = RecordReader(bytes)
        let error = #expect(throws: StoreError.self) {
            try reader.columnDefinition(of: "test")
        }
        expectEqual(error?.code, .invalidDatabase)
    }
}
