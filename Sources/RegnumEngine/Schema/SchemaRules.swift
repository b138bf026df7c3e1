package import RegnumStore

/// The rules for schemas. Violations throw `invalidInput` with class and property.
enum SchemaRules {
    /// - Parameters:
    ///   - isTaken: Whether a class has that name.
    ///   - tableCount: The number of classes so far.
    ///   - linkTargetCount: The number of classes that columns can link to; if `nil`, `tableCount`.
    static func check(
        newTable name: String, _ kind: TableKind, _ columns: [ColumnDefinition], isTaken: Bool,
        tableCount: Int, linkTargetCount: Int? = nil
    ) throws(StoreError) {
        let size = name.utf8.count
        guard size > 0 else { throw StoreError(.invalidInput, "A class name cannot be empty.") }
        let maximumSize =
            kind == .elements
            ? Limits.maximumElementsNameByteCount : Limits.maximumTableNameByteCount
        guard size <= maximumSize else {
            throw refused(
                "The class name \(name) has \(size) bytes; it can have at most \(maximumSize).",
                name)
        }
        guard !isTaken else { throw refused("The class \(name) already exists.", name) }
        guard tableCount < Limits.maximumTableCount else {
            throw refused("A realm can have at most \(Limits.maximumTableCount) classes.", name)
        }
        guard columns.count <= Limits.maximumColumnCount else {
            throw refused(
                "The class \(name) has \(columns.count) properties; it can have at most "
                    + "\(Limits.maximumColumnCount).", name)
        }
        guard kind != .elements || !columns.isEmpty else {
            throw refused("The values of the collection \(name) have no column.", name)
        }
        guard columns.reduce(0, { $0 + $1.treeCount }) <= Limits.maximumTreeCount else {
            throw refused(
                "The class \(name) has too many indexes; it can have at most "
                    + "\(Limits.maximumTreeCount).", name)
        }
        var names: Set<[UInt8]> = []
        var primaryKey: String?
        for column in columns {
            try check(column, of: name, linkTargetCount ?? tableCount)
            guard names.insert(Array(column.name.utf8)).inserted else {
                throw duplicate(column.name, name)
            }
            guard column.isPrimaryKey else { continue }
            if let primaryKey {
                throw refused(
                    "The class \(name) has two primary keys, \(primaryKey) and \(column.name); "
                        + "only one is allowed.", name, column.name)
            }
            primaryKey = column.name
        }
    }

    static func check(
        newColumn column: ColumnDefinition, in table: TableSchema, tableCount: Int
    ) throws(StoreError) {
        try check(column, of: table.name, tableCount)
        try check(newName: column.name, in: table)
        if column.treeCount > 0 {
            try checkTreeCount(table, adding: column.treeCount, column.name)
        }
        guard !column.isPrimaryKey else {
            throw refused(
                table.name, column.name,
                because: "cannot become the primary key of an existing class without a migration")
        }
        guard table.columns.count < Limits.maximumColumnCount else {
            throw refused(
                "The class \(table.name) can have at most \(Limits.maximumColumnCount) properties.",
                table.name, column.name)
        }
    }

    /// Checks that a property can be added under that name, or renamed to it.
    static func check(newName name: String, in table: TableSchema) throws(StoreError) {
        try check(propertyName: name, of: table.name)
        guard table.column(named: name) == nil, table.list(named: name) == nil else {
            throw duplicate(name, table.name)
        }
    }

    static func check(propertyName name: String, of table: String) throws(StoreError) {
        let size = name.utf8.count
        guard size > 0 else {
            throw refused("A property of the class \(table) has an empty name.", table)
        }
        guard size <= Limits.maximumColumnNameByteCount else {
            throw refused(
                "The property name \(table).\(name) has \(size) bytes; it can have at most "
                    + "\(Limits.maximumColumnNameByteCount).", table, name)
        }
    }

    /// Checks that an index can be added to an existing column.
    static func check(newIndex column: ColumnKey, of table: TableSchema) throws(StoreError) {
        let column = try self.column(column, of: table)
        guard !column.hasIndex else {
            throw refused(table.name, column.name, because: "already has an index")
        }
        try checkCanBeIndexed(column.definition, of: table.name)
        try checkTreeCount(table, adding: 1, column.name)
    }

    /// Checks that a full-text index can be added to an existing column.
    static func check(
        newFullTextIndex column: ColumnKey, of table: TableSchema
    ) throws(StoreError) {
        let column = try self.column(column, of: table)
        guard !column.isFullTextIndexed else {
            throw refused(table.name, column.name, because: "already has a full-text index")
        }
        try checkCanHaveWords(column.definition, of: table.name)
        try checkTreeCount(table, adding: 1, column.name)
    }

    private static func column(
        _ key: ColumnKey, of table: TableSchema
    ) throws(StoreError) -> ColumnSchema {
        guard key.index < table.columns.count else {
            throw refused("The class \(table.name) has no column \(key.rawValue).", table.name)
        }
        return table.columns[key.index]
    }

    private static func checkCanHaveWords(
        _ column: ColumnDefinition, of table: String
    ) throws(StoreError) {
        guard column.type == .string else {
            throw refused(
                table, column.name,
                because: "of type \(column.type) cannot have a full-text index: only strings can")
        }
    }

    private static func checkCanBeIndexed(
        _ column: ColumnDefinition, of table: String
    ) throws(StoreError) {
        guard column.type.canBeIndexed else {
            throw refused(table, column.name, because: "of type \(column.type) cannot be indexed")
        }
    }

    /// Checks the additional requirements for what the values of a column mean.
    private static func check(
        meaningOf column: ColumnDefinition, of table: String, _ tableCount: Int
    ) throws(StoreError) {
        let problem: String?
        switch column.meaning {
        case .value where column.type == .any:
            problem =
                column.isOptional && column.isIndexed && column.defaultValue.isNull
                ? nil : "is of type any and must be optional and indexed, without a default"
        case .value: problem = nil
        case .scalar(let type):
            problem = column.type == type.valueType ? nil : "cannot hold \(type.rawValue)s"
        case .link(let target):
            if column.type != .int || !column.isOptional || !column.isIndexed {
                problem = "is a link and must be an optional, indexed integer"
            } else if column.isPrimaryKey {
                problem = "is a link and cannot be the primary key"
            } else if !column.defaultValue.isNull {
                problem = "is a link and cannot have a default"
            } else {
                problem =
                    target.index < tableCount ? nil : "links to a class that does not exist"
            }
        }
        if let problem { throw refused(table, column.name, because: problem) }
    }

    private static func check(
        _ column: ColumnDefinition, of table: String, _ tableCount: Int
    ) throws(StoreError) {
        try check(propertyName: column.name, of: table)
        guard !column.isPrimaryKey || column.type.canBePrimaryKey else {
            throw refused(
                table, column.name, because: "of type \(column.type) cannot be a primary key")
        }
        if column.isIndexed { try checkCanBeIndexed(column, of: table) }
        if column.isFullTextIndexed { try checkCanHaveWords(column, of: table) }
        try check(meaningOf: column, of: table, tableCount)
        let rule = ColumnRule(type: column.type, isOptional: column.isOptional)
        if let problem = rule.problem(with: column.defaultValue) {
            throw refused(
                "The default of \(table).\(column.name) \(problem).", table, column.name)
        }
    }

    static func duplicate(_ column: String, _ table: String) -> StoreError {
        refused("The class \(table) has two properties named \"\(column)\".", table, column)
    }

    /// Returns the error for a property, with the problem as the end of a sentence.
    static func refused(
        _ table: String, _ property: String, because problem: String
    ) -> StoreError {
        refused("\(table).\(property) \(problem).", table, property)
    }

    static func refused(
        _ message: String, _ table: String, _ property: String? = nil
    ) -> StoreError {
        StoreError(.invalidInput, message, className: table, property: property)
    }
}

/// The validation rule of a column. Small and trivial, because every write uses it.
struct ColumnRule: Hashable, Sendable {
    let type: ValueType
    let isOptional: Bool
    /// Whether the value is a link. `EngineTransaction` checks that the linked row exists.
    var isLink = false

    /// Returns why the column can't hold `value`, as the end of a sentence, or `nil` if it can.
    @inline(__always)
    func problem(with value: Value) -> String? {
        switch (value, type) {
        case (.null, _):
            return isOptional ? nil : "is required and cannot be nil"
        case (.bool, .bool), (.int, .int), (.double, .double), (.uuid, .uuid),
            (.objectId, .objectId), (.decimal, .decimal):
            return nil
        case (.date(let seconds), .date):
            return seconds.isNaN ? "cannot hold a date that is NaN" : nil
        case (.string(let string), .string):
            return string.utf8.count <= Limits.maximumStringByteCount ? nil : Limits.longString
        case (.any(let bytes), .any):
            if bytes.count > Limits.maximumStringByteCount {
                if bytes.first == AnyKind.string.rawValue {
                    if bytes.count - 1 > Limits.maximumStringByteCount { return Limits.longString }
                } else if bytes.count > Limits.maximumAnyByteCount {
                    return Limits.longData
                }
            }
            let isNoDate = bytes.first == AnyKind.date.rawValue && value.anyContent == nil
            return isNoDate ? "cannot hold a date that is NaN" : nil
        case (.data(let bytes), .data):
            return bytes.count <= Limits.maximumDataByteCount ? nil : Limits.longData
        default:
            return "is of type \(type) and cannot hold a value of another type"
        }
    }
}

extension Limits {
    /// The problem with a string that exceeds its limit, as the end of a sentence.
    package static let longString =
        "cannot hold a string of more than \(maximumStringByteCount) bytes"
    /// The problem with data that exceeds its limit, as the end of a sentence.
    package static let longData = "cannot hold data of more than \(maximumDataByteCount) bytes"
}

extension ValueType {
    /// The maximum size of a stored value; 0 for types of fixed size.
    var maximumByteCount: Int {
        switch self {
        case .string: Limits.maximumStringByteCount
        case .data: Limits.maximumDataByteCount
        case .any: Limits.maximumAnyByteCount
        case .bool, .int, .double, .date, .uuid, .objectId, .decimal: 0
        }
    }
}
