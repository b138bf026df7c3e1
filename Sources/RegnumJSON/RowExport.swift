internal import Regnum
internal import RegnumEngine
internal import RegnumStore

/// Writes the rows of one version as JSON lines.
///
///     {"class":"Dog","values":{"name":"Rex","friends":["Max"]}}
///     {"class":"Walker","key":12,"values":{"dog":"Rex","badge":{"code":"gold"}}}
///
/// `key` is the row's key in the exported realm, for classes without a primary key. A link is the
/// primary key of its object, otherwise that key; null is no object, and `{"key":null}` the object
/// whose primary key is `nil`. Embedded objects are inline.
struct RowExport {
    let root: DatabaseRoot
    /// The maximum number of bytes of a line, without its newline.
    let maximumLineByteCount: Int
    var text = JSONText()
    let classes: [Class]
    /// The number of objects that enclose the values being written.
    private var level = 0

    /// A property, for messages.
    private typealias Place = (className: String, property: String)

    struct Class {
        let table: TableSchema
        let columns: [ColumnSchema]
        /// The lists, with the class of their elements.
        let lists: [(schema: ListSchema, target: TableSchema)]
    }

    init(_ root: DatabaseRoot, maximumLineByteCount: Int = Limits.maximumLineByteCount) {
        self.root = root
        self.maximumLineByteCount = maximumLineByteCount
        let tables = root.schema.tables
        classes = tables.map { table in
            Class(
                table: table,
                columns: table.columns.filter { !$0.isDropped },
                lists: table.lists.filter { !$0.isDropped && $0.name.itemsProperty == nil }.map {
                    ($0, tables[Int($0.target.rawValue)])
                })
        }
    }

    /// Writes the first line, including the newline. Throws `.invalidValue` if it is too long.
    mutating func line(_ schema: SchemaLine) throws(Realm.Error) {
        let start = text.count
        schema.write(to: &text)
        try checkLine(from: start, of: nil)
    }

    /// Writes the line of a row, including the newline.
    ///
    /// - Throws: `.invalidValue` for embedded objects in too many levels, and if the line is too
    ///   long; `.invalidDatabase` for what only a forged file contains: links, elements and entries
    ///   that refer to nothing, and lists and dictionaries that contain each other.
    mutating func line(_ table: TableKey, _ row: ObjectKey) throws(Realm.Error) {
        let start = text.count
        let schema = classes[Int(table.rawValue)].table
        text.raw("{\"class\":")
        text.string(schema.name)
        if schema.primaryKey == nil { text.raw(",\"key\":\(row.rawValue)") }
        text.raw(",\"values\":")
        try values(table, row)
        text.raw("}\n")
        try checkLine(from: start, of: schema.name)
    }

    /// Throws `.invalidValue` if no import would accept the line, which begins at `start` and has
    /// just been written.
    private func checkLine(from start: Int, of className: String?) throws(Realm.Error) {
        guard text.count - 1 - start > maximumLineByteCount else { return }
        let what = className.map { "An object of the class \($0)" } ?? "The schema"
        throw Realm.Error(
            .invalidValue,
            "\(what) would be a line of more than \(maximumLineByteCount) bytes, which can't be "
                + "imported.", className: className)
    }

    /// Throws `.invalidDatabase` for a row that isn't owned by exactly one row, or a list or
    /// dictionary of any type that is nested too deeply.
    func checkOwner(
        of row: ObjectKey, _ table: TableSchema, level: Int
    ) throws(Realm.Error) {
        guard let problem = root.ownershipProblem(of: row, in: table.key, level: level) else {
            return
        }
        throw .naming(problem, in: root.schema)
    }

    /// Writes the properties of a row.
    private mutating func values(_ table: TableKey, _ row: ObjectKey) throws(Realm.Error) {
        level += 1
        defer { level -= 1 }
        let stored = classes[Int(table.rawValue)]
        text.raw("{")
        var isFirst = true
        for column in stored.columns {
            text.key(column.name, isFirst: isFirst)
            isFirst = false
            try write(column, of: row, stored.table, at: (stored.table.name, column.name))
        }
        for (list, target) in stored.lists {
            text.key(list.name, isFirst: isFirst)
            isFirst = false
            let keys = root.list(table, row, list.key)
            let place = (stored.table.name, list.name)
            if list.kind == .map {
                try map(keys, target, at: place)
                continue
            }
            text.raw("[")
            for (index, key) in keys.enumerated() {
                if index > 0 { text.raw(",") }
                try element(key, target, at: place)
            }
            text.raw("]")
        }
        text.raw("}")
    }

    private mutating func map(
        _ entries: [ObjectKey], _ target: TableSchema, at place: Place
    ) throws(Realm.Error) {
        text.raw("{")
        for (index, entry) in entries.enumerated() {
            text.key(try key(of: entry, target), isFirst: index == 0)
            try write(target.columns[0], of: entry, target, at: place)
        }
        text.raw("}")
    }

    private mutating func element(
        _ key: ObjectKey, _ target: TableSchema, at place: Place
    ) throws(Realm.Error) {
        guard target.kind == .elements else { return try object(key, target, at: place) }
        try write(target.columns[0], of: key, target, at: place)
    }

    /// Writes the value of a column.
    private mutating func write(
        _ column: ColumnSchema, of row: ObjectKey, _ table: TableSchema, at place: Place
    ) throws(Realm.Error) {
        let value = try value(of: row, table, column.key)
        if column.type == .any {
            return try any(value, of: row, table, "\(column.name)[]", level: 0)
        }
        guard let target = column.linkTarget else {
            return text.value(value, of: column.scalarType)
        }
        guard case .int(let row) = value else { return text.raw("null") }
        let key = ObjectKey(rawValue: UInt64(bitPattern: row))
        try object(key, classes[Int(target.rawValue)].table, at: place)
    }

    /// Returns a value of a row. Throws `.invalidDatabase` if the row doesn't exist.
    func value(
        of row: ObjectKey, _ table: TableSchema, _ column: ColumnKey
    ) throws(Realm.Error) -> Value {
        guard let value = root.value(table.key, row, column) else { throw .missingRow(table.name) }
        return value
    }

    /// Returns the key of a map's or dictionary's entry.
    func key(of entry: ObjectKey, _ table: TableSchema) throws(Realm.Error) -> String {
        guard case .string(let key) = try value(of: entry, table, ColumnKey(rawValue: 1)) else {
            throw .missingRow("key of \(table.name)")
        }
        return key
    }

    /// Writes an object as a property does: its key, or the object itself if it is embedded.
    private mutating func object(
        _ row: ObjectKey, _ table: TableSchema, at place: Place
    ) throws(Realm.Error) {
        guard table.kind == .embedded else { return try link(row, table) }
        guard level < Limits.maximumValueLevel else {
            throw Realm.Error(
                .invalidValue,
                "\(place.className).\(place.property) has embedded objects nested more than "
                    + "\(Limits.maximumValueLevel) levels deep, which can't be exported as JSON.",
                className: place.className, property: place.property)
        }
        try checkOwner(of: row, table, level: 0)
        try values(table.key, row)
    }

    /// Writes the key of an object that isn't embedded.
    mutating func link(_ row: ObjectKey, _ table: TableSchema) throws(Realm.Error) {
        guard let column = table.primaryKey else {
            guard root.contains(table.key, row) else { throw .missingRow(table.name) }
            return text.raw("\(row.rawValue)")
        }
        let key = try value(of: row, table, column)
        if key.isNull {
            text.raw("{\"key\":null}")
        } else {
            text.value(key, of: table.columns[Int(column.rawValue)].scalarType)
        }
    }
}
