package import RegnumStore

/// Inserts rows of one class into a transaction value by value. Equivalent to
/// `EngineTransaction.insert`, but without creating a `Value` for each property.
///
///     let row = transaction.insertion(table)
///     row.begin()
///     row.put(7, 0)                     // every column once
///     row.put("general", 1)
///     let key = try row.end()
///
/// Valid until the transaction's next edit of another kind. Then request it again, which is cheap.
package final class RowInsertion {
    /// The transaction, which retains this object. Unmanaged, to avoid reference counting per row.
    private let transaction: Unmanaged<EngineTransaction>
    private let table: TableKey
    private let rules: [ColumnRule]
    private let primaryKey: Int?
    private let isKeyExact: Bool
    private let seed: Identity128
    private let version: UInt64
    private let nodes: NodeEdit
    private let editor: TableEditor
    private let appender: RowAppender
    private let slots: [Int]
    /// The class's link columns.
    private let links: [LinkColumn]
    private let hasLinks: Bool
    @exclusivity(unchecked) private var node: Table
    /// The index keys of the row's values, by index slot.
    @exclusivity(unchecked) private var keys: [UInt64]
    /// The keys of the row's words, parallel to `TableEditor.wordTrees`.
    @exclusivity(unchecked) private var words: [[UInt64]]
    /// The primary key, if its index key isn't exact.
    @exclusivity(unchecked) private var keyValue = Value.null
    /// The first invalid value: its column and the reason.
    @exclusivity(unchecked) private var problem: (column: Int, text: String)?

    init(_ transaction: EngineTransaction, _ table: TableKey) {
        self.transaction = .passUnretained(transaction)
        self.table = table
        let schema = transaction.content.schema.tables[table.index]
        rules = schema.rules
        primaryKey = schema.primaryKey?.index
        isKeyExact =
            primaryKey.map {
                schema.columns[$0].type == .int && !schema.columns[$0].isOptional
            } ?? false
        seed = transaction.content.context.seed
        version = transaction.version
        nodes = transaction.edit.nodes
        node = transaction.content.ownTable(table.index, transaction.edit.nodes)
        editor = transaction.edit.editor(table.index, node, schema)
        appender = editor.appender
        slots = editor.slots
        keys = [UInt64](repeating: 0, count: editor.indexColumns.count)
        words = editor.wordTrees.map { _ in [] }
        links = transaction.content.schema.relations[table.index].links
        hasLinks = !links.isEmpty
    }

    /// Begins a row.
    @inline(__always)
    package func begin() {
        node = transaction._withUnsafeGuaranteedRef {
            $0.willEdit()
            return $0.content.ownTable(table.index, nodes)
        }
        _ = appender.open(&node)
        if problem != nil { problem = nil }
    }

    @inline(__always)
    private func note(_ key: @autoclosure () -> UInt64, _ column: Int) {
        let slot = slots[column]
        if slot >= 0 { keys[slot] = key() }
    }

    @inline(__always)
    private func noteWords(_ keys: @autoclosure () -> [UInt64], _ column: Int) {
        if words.isEmpty { return }
        for index in words.indices where editor.wordTrees[index].column == column {
            words[index] = keys()
        }
    }

    /// Stores an integer in an integer column. The other overloads are for their types.
    package func put(_ value: Int64, _ column: Int) {
        appender.putInt(column, value)
        if column == primaryKey, !isKeyExact { keyValue = .int(value) }
        note(IndexKey.key(value), column)
    }

    package func put(_ value: Double, _ column: Int) {
        appender.putDouble(column, value)
        note(IndexKey.key(value), column)
    }

    package func put(_ value: Bool, _ column: Int) {
        appender.putBool(column, value)
        note(IndexKey.key(value), column)
    }

    /// - Parameter seconds: Seconds since the reference date.
    package func put(date seconds: Double, _ column: Int) {
        guard !seconds.isNaN else { return put(Value.date(seconds), column) }
        appender.putDouble(column, seconds)
        note(IndexKey.key(seconds), column)
    }

    package func put(_ value: String, _ column: Int) {
        if column == primaryKey { keyValue = .string(value) }
        var value = value
        value.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            if bytes.count > Limits.maximumStringByteCount {
                return refuse(column, Limits.longString)
            }
            appender.putText(column, bytes)
            note(IndexKey.key(bytes, seed: seed), column)
            noteWords(WordKey.keys(bytes, seed: seed), column)
        }
    }

    /// Stores a value of any column type.
    package func put(_ value: Value, _ column: Int) {
        if let text = rules[column].problem(with: value) { return refuse(column, text) }
        if column == primaryKey { keyValue = value }
        appender.put(column, value)
        note(IndexKey.key(value, seed: seed), column)
        noteWords(WordKey.keys(value, seed: seed), column)
    }

    private func refuse(_ column: Int, _ text: String) {
        if problem == nil { problem = (column, text) }
    }

    /// Adds the row to the transaction. If it is invalid, throws like `EngineTransaction.insert`
    /// and discards the row.
    ///
    /// - Complexity: O(log n) for each index.
    package func end() throws(StoreError) -> ObjectKey {
        if hasLinks { checkLinks() }
        if problem != nil || isKeyTaken { throw refusal() }
        let row = appender.close(version: version)
        for slot in keys.indices {
            editor.insert(keys[slot], row, at: slot, node, nodes)
        }
        for index in words.indices {
            editor.insert(
                words: words[index], row, at: editor.wordTrees[index].slot, node, nodes)
        }
        transaction._withUnsafeGuaranteedRef { $0.changes[table.index].insertedCount += 1 }
        return ObjectKey(rawValue: row)
    }

    /// Checks the links by their index keys, which identify the linked rows.
    private func checkLinks() {
        let found = owner.content.problem(inserting: links) { link in
            let key = keys[slots[link.column.index]]
            return key == IndexKey.null ? nil : key ^ (1 << 63)
        }
        if let found { refuse(found.column.index, found.text) }
    }

    @inline(__always)
    private var isKeyTaken: Bool {
        guard let primaryKey else { return false }
        let slot = slots[primaryKey]
        let index = node.index(at: slot)
        if index.isBeyondLast(keys[slot], nodes, editor.hints[slot]) {
            return false
        }
        if isKeyExact { return index.firstRow(keys[slot]) != nil }
        return owner.content.find(table, primaryKey: keyValue) != nil
    }

    private var owner: EngineTransaction { transaction.takeUnretainedValue() }

    private func refusal() -> StoreError {
        appender.cancel()
        let schema = owner.content.schema.tables[table.index]
        if let problem {
            return owner.invalidValue(problem.text, schema, schema.columns[problem.column])
        }
        let column = schema.columns[primaryKey ?? 0]
        var value = keyValue
        if isKeyExact {
            value = .int(Int64(bitPattern: keys[slots[column.key.index]] ^ (1 << 63)))
        }
        return owner.duplicatePrimaryKey(value, schema, column)
    }
}

extension EngineTransaction {
    /// Returns the row insertion for a class, which must exist.
    package func insertion(_ table: TableKey) -> RowInsertion {
        willEdit()
        if table.index < insertions.count, let known = insertions[table.index] { return known }
        let row = RowInsertion(self, table)
        while insertions.count <= table.index { insertions.append(nil) }
        insertions[table.index] = row
        return row
    }
}
