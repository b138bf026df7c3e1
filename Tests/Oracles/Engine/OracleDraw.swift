import RegnumSimulation
import RegnumTestSupport

/// Generates classes, rows and edge-case values from pools that are small enough for values to
/// recur.
extension SeededRandom {
    mutating func column(named name: String, canBePrimaryKey: Bool) -> OracleColumn {
        var type = oneOf(OracleType.allCases)
        let isPrimaryKey = canBePrimaryKey && oneIn(3)
        if isPrimaryKey { type = oneOf([.int, .string, .uuid, .objectId]) }
        let isOptional = oneIn(isPrimaryKey ? 4 : 2)
        let isIndexed = type.canBeIndexed && oneIn(2)
        var defaultValue = isOptional ? OracleValue.null : type.zero
        if oneIn(2) { defaultValue = value(type, isOptional: isOptional) }
        return OracleColumn(
            name: name, type: type, isOptional: isOptional, isPrimaryKey: isPrimaryKey,
            isIndexed: isIndexed, defaultValue: defaultValue)
    }

    mutating func columns() -> [OracleColumn] {
        // More than 64 columns need a second word in sets of columns.
        let count = oneIn(60) ? 60 + below(12) : oneIn(12) ? 0 : 1 + below(7)
        var columns: [OracleColumn] = []
        for index in 0..<count {
            let canBePrimaryKey = !columns.contains(where: \.isPrimaryKey)
            columns.append(
                column(named: columnName(index), canBePrimaryKey: canBePrimaryKey))
        }
        return columns
    }

    mutating func columnName(_ index: Int) -> String {
        oneIn(6) ? "spalte-\u{E4}\(index)" : "c\(index)"
    }

    /// - Parameter number: Distinguishes rows where the class has a primary key; `nil` picks one at
    ///   random.
    mutating func row(_ table: OracleTable, number: Int?) -> [OracleValue] {
        let given = oneIn(8) ? table.columns.count - below(3) : table.columns.count
        var values: [OracleValue] = []
        for column in table.columns.prefix(max(given, 0)) {
            if column.isPrimaryKey {
                if number == nil, column.isOptional, oneIn(10) {
                    values.append(.null)
                } else {
                    values.append(Self.primaryKey(column.type, number ?? below(60)))
                }
            } else {
                values.append(value(of: column, isSmall: number != nil))
            }
        }
        return values
    }

    /// Returns a distinct value for each number.
    static func primaryKey(_ type: OracleType, _ number: Int) -> OracleValue {
        switch type {
        case .int: return .int(number % 3 == 0 ? -Int64(number) : Int64(number) << 20)
        case .string:
            let padding = [UInt8](repeating: 0x61, count: [0, 8, 9, 30][number % 4])
            return .string(Array("k\(number).".utf8) + padding)
        case .uuid: return .uuid(UInt64(number % 2), UInt64(number))
        case .objectId: return .objectId(UInt64(number / 5), UInt32(number % 5))
        case .bool, .double, .data, .date, .decimal: return type.zero
        }
    }

    /// Returns a value for a column. The column name decides what it contains: some have few nulls,
    /// only narrow integers or only short strings, so that every storage form persists for a while.
    mutating func value(of column: OracleColumn, isSmall: Bool = false) -> OracleValue {
        let width = oneIn(200) ? 3 : column.name.utf8.reduce(0) { $0 + Int($1) } % 4
        return value(
            column.type, isOptional: column.isOptional, isSmall: isSmall, width: width)
    }

    /// - Parameters:
    ///   - isSmall: Excludes the longest strings, for many rows.
    ///   - width: 0 for the narrowest values, up to 3 for all of them.
    mutating func value(
        _ type: OracleType, isOptional: Bool, isSmall: Bool = false, width: Int = 3
    ) -> OracleValue {
        if isOptional, oneIn(width == 0 ? 40 : 4) { return .null }
        switch type {
        case .bool: return .bool(oneIn(2))
        case .int: return .int(integer(width))
        case .double:
            return .double(
                oneIn(6)
                    ? oneOf([
                        Double.nan.bitPattern, (-Double.nan).bitPattern, 0x7FF8_0000_0000_1234,
                        Double.infinity.bitPattern, (-Double.infinity).bitPattern,
                        Double.leastNonzeroMagnitude.bitPattern, (0x1p63).bitPattern,
                        (-0x1p63).bitPattern, 1e300.bitPattern,
                    ]) : oneOf([-0.0, 0, 1, -1, 1.5, 2, 255, 70_000.25]).bitPattern)
        case .date:
            return .date(
                oneOf([-0.0, 0, 1, -1, 1.5, 2, 3, .infinity, -.infinity, 7e8, 7e8 + 0.000_1])
                    .bitPattern)
        case .string: return .string(bytes(isText: true, isSmall, width))
        case .data: return .data(bytes(isText: false, isSmall, width))
        case .uuid: return .uuid(oneOf([0, 1, .max]), oneOf([0, 1, 2, .max]))
        case .objectId: return .objectId(oneOf([0, 1, .max]), oneOf([0, 1, .max]))
        case .decimal:
            let decimal = oneOf(OracleDecimal.all)
            return .decimal(decimal.high, decimal.low)
        }
    }

    /// Mostly small, including both sides of each width boundary.
    private mutating func integer(_ width: Int) -> Int64 {
        if !oneIn(5) { return Int64(below(6)) }
        let bits = [7, 8, 15, 16, 31, 32, 63][below(2 * width + 1)]
        if bits == 63 { return oneOf([.min, .max, .min + 1, .max - 1]) }
        let border = Int64(1) << Int64(bits)
        return oneOf([border, border - 1, -border, -border - 1])
    }

    private mutating func bytes(isText: Bool, _ isSmall: Bool, _ width: Int) -> [UInt8] {
        var count = [0, 1, 4, 4, 5, 11, 12, 12, 13, 13, 40][below(width == 0 ? 8 : 11)]
        if width < 2 { return bytes(isText: isText, count: count) }
        if !isSmall, oneIn(30) { count = oneOf([255, 4_095, 4_096, 4_097, 4_097]) }
        if !isSmall, oneIn(400) { count = 70_000 }
        return bytes(isText: isText, count: count)
    }

    private mutating func bytes(isText: Bool, count: Int) -> [UInt8] {
        let variant = UInt8(below(3))
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: isText ? 0x61 : 0xFF, count: count)
        // Differences in the first bytes, which cells contain, and in the last byte.
        if oneIn(2) { bytes[0] = 0x61 + variant } else { bytes[count - 1] = 0x61 + variant }
        if oneIn(4), count >= 4 {
            // Two spellings of one letter, a letter beyond 16 bits, an embedded zero.
            let letters: [UInt8] = oneOf([
                [0xC3, 0xA9], [0x65, 0xCC, 0x81], [0xF0, 0x9F, 0x98, 0x80], [0],
            ])
            let start = count - letters.count
            bytes.replaceSubrange(start..., with: letters)
        }
        return bytes
    }

    /// Returns a query of a class, mostly about existing properties and values.
    mutating func query(_ table: OracleTable) -> OracleQuery {
        var references = table.columns.map { OracleReference($0) }
        if oneIn(5) {
            let type = oneOf(OracleType.allCases)
            references.append(
                OracleReference(
                    name: "absent", type: type, missing: value(type, isOptional: true)))
        }
        var query = OracleQuery(tableName: table.name)
        if references.isEmpty { return query }
        if !oneIn(5) { query.predicate = predicate(table, references, depth: 2) }
        for _ in 0..<oneOf([0, 0, 1, 2, 3]) {
            query.sort.append((oneOf(references), oneIn(2)))
        }
        return query
    }

    private mutating func predicate(
        _ table: OracleTable, _ references: [OracleReference], depth: Int
    ) -> OraclePredicate {
        switch depth == 0 ? below(6) : below(11) {
        case 0..<5: break
        case 5: return oneIn(4) ? .constant(oneIn(2)) : range(table, references)
        case 6, 7: return .and(predicates(table, references, depth: depth - 1))
        case 8, 9: return .or(predicates(table, references, depth: depth - 1))
        default: return .not(predicate(table, references, depth: depth - 1))
        }
        let reference = oneOf(references)
        let comparison: OracleComparison =
            oneIn(2) ? .equal : oneOf(OracleComparison.allCases)
        if oneIn(6) {
            return .compareColumns(
                reference, comparison, oneOf(references.filter { $0.type == reference.type }))
        }
        return .compare(reference, comparison, constant(table, reference))
    }

    private mutating func predicates(
        _ table: OracleTable, _ references: [OracleReference], depth: Int
    ) -> [OraclePredicate] {
        (0..<below(4)).map { _ in predicate(table, references, depth: depth) }
    }

    private mutating func range(
        _ table: OracleTable, _ references: [OracleReference]
    ) -> OraclePredicate {
        let reference = oneOf(references)
        return .and([
            .compare(
                reference, oneIn(2) ? .greater : .greaterOrEqual, constant(table, reference)),
            .compare(reference, oneIn(2) ? .less : .lessOrEqual, constant(table, reference)),
        ])
    }

    private mutating func constant(
        _ table: OracleTable, _ reference: OracleReference
    ) -> OracleValue {
        if oneIn(2), !table.keys.isEmpty,
            let column = table.columns.firstIndex(where: { $0.name == reference.name }),
            let value = table.rows[oneOf(table.keys)]?.values[column]
        {
            return value
        }
        var type = reference.type
        if oneIn(4), type == .int || type == .double { type = type == .int ? .double : .int }
        return value(type, isOptional: true)
    }
}
