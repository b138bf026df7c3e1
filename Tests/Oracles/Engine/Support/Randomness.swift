import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

extension SeededRandom {
    /// Returns a value of the type from a small pool with special values, so that values recur.
    mutating func value(_ type: ValueType, isOptional: Bool) -> Value {
        if isOptional, oneIn(4) { return .null }
        let n = below(12)
        switch type {
        case .bool: return .bool(n % 2 == 0)
        case .int: return .int([.min, .max, -1, 0, 1, 2, 3, 4, 5, 6, 7, 1 << 40][n])
        case .double:
            return .double(
                [
                    .nan, -.nan, -0.0, 0, .infinity, -.infinity, 1, 1.5, -1, 2, 1e300,
                    .leastNonzeroMagnitude,
                ][n])
        case .date: return .date([-0.0, 0, .infinity, -.infinity, 1, 1.5, -1, 2, 3, 4, 5, 6][n])
        case .string:
            // Two spellings of é that are equal in Swift but not here; an embedded zero.
            let pool = [
                "", "a", "b", "ab", "\u{E9}", "e\u{301}", "\u{1F600}", "\u{FFFD}", "a\0b",
                "a string of more than fifteen bytes", "a string of more than fifteen bytes!", "z",
            ]
            return .string(pool[n])
        case .data:
            let pool: [[UInt8]] = [[], [0], [0, 0], [1], [255], [1, 2], [1, 2, 3], [9]]
            return .data(pool[n % 8])
        case .uuid: return .uuid(Identity128(high: UInt64(n / 4), low: .max - UInt64(n % 4)))
        case .objectId: return .objectId(ObjectIdBytes(high: UInt64(n / 4), low: UInt32(n % 4)))
        case .decimal:
            let decimal = OracleDecimal.all[below(OracleDecimal.all.count)]
            return .decimal(DecimalBits(high: decimal.high, low: decimal.low))
        case .any:
            let values: [AnyContent] = [
                .int(1), .double(1), .float(-2), .string("a"), .data([97]), .bool(true), .list(7),
                .dictionary(1), .double(.nan), .date(5), .int(-2),
                .decimal(DecimalBits(Int64(1))),
            ]
            return values[n].value
        }
    }
}

extension ValueType {
    /// The types that can be required and non-indexed.
    static let plain = allCases.filter { $0 != .any }
}

/// A class with a column of every type, optional and required, some of them indexed.
enum Everything {
    static let name = "Everything"
    static let columns: [ColumnDefinition] = {
        var columns = [ColumnDefinition(name: "id", type: .int, isPrimaryKey: true)]
        for type in ValueType.plain {
            columns.append(
                ColumnDefinition(
                    name: "\(type)", type: type, isIndexed: type.canBeIndexed && type != .int))
            columns.append(
                ColumnDefinition(
                    name: "\(type)?", type: type, isOptional: true, isIndexed: type == .int))
        }
        return columns
    }()

    static func row(_ id: Int64, _ generator: inout SeededRandom) -> [Value] {
        var values: [Value] = [.int(id)]
        for column in columns.dropFirst() {
            values.append(generator.value(column.type, isOptional: column.isOptional))
        }
        return values
    }

    static func reference(_ column: ColumnDefinition) -> ColumnReference {
        ColumnReference(name: column.name, type: column.type, missing: column.defaultValue)
    }
}

/// Commits, applies the record to the base and checks that it produces the same root.
func commitAndReplay(_ transaction: EngineTransaction) throws -> Commit {
    let commit = try transaction.commit(timestampMicroseconds: 1_700_000_000_000_000)
    let (root, summary) = try CommitRecord.apply(commit.body, to: transaction.base)
    guard root.stateHash() == commit.root.stateHash() else { throw TestFailure("roots differ") }
    guard summary.tables == commit.summary.tables, summary.version == commit.summary.version,
        summary.origin == commit.summary.origin
    else { throw TestFailure("summaries differ") }
    return commit
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
