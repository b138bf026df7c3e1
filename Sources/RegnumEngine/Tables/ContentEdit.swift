import RegnumStore

/// A `NodeEdit` of a whole content, with what it knows of the tables' ends and of the right edges of
/// their indexes, so that rows that are appended one after the other cost little.
final class ContentEdit {
    let nodes: NodeEdit
    @exclusivity(unchecked) private var editors: [TableEditor?] = []

    /// Where leaves of the content lie that were read from a file.
    private let source: NodeSource?

    init(_ nodes: NodeEdit, _ source: NodeSource?) {
        self.nodes = nodes
        self.source = source
    }

    /// What is known of a table, whose node is the edit's own.
    @inline(__always)
    func editor(_ index: Int, _ table: Table, _ schema: borrowing TableSchema) -> TableEditor {
        if index < editors.count, let editor = editors[index],
            editor.columnCount == schema.columns.count
        {
            return editor
        }
        return makeEditor(index, table, schema)
    }

    private func makeEditor(
        _ index: Int, _ table: Table, _ schema: borrowing TableSchema
    ) -> TableEditor {
        while editors.count <= index { editors.append(nil) }
        let editor = TableEditor(table, schema.columns, nodes, source)
        editors[index] = editor
        return editor
    }

    /// Forgets what is known of a table: its indexes are others now.
    func forget(_ index: Int) {
        if index < editors.count { editors[index] = nil }
    }

    /// Forgets all that is known: the state was put back to an earlier one.
    func forget() { editors = [] }
}

/// What an edit keeps of one table.
final class TableEditor {
    let columnCount: Int
    let appender: RowAppender
    /// By index slot.
    @exclusivity(unchecked) var hints: [IndexHint]
    /// By index slot: the column.
    let indexColumns: [Int]
    /// By index slot: whether the column has required integers.
    let areIntegers: [Bool]
    /// By column: its index slot, or -1.
    let slots: [Int]
    private let source: NodeSource?

    init(
        _ table: Table, _ columns: [ColumnSchema], _ edit: NodeEdit, _ source: NodeSource?
    ) {
        self.source = source
        columnCount = columns.count
        appender = RowAppender(table, columns: columns, edit: edit)
        indexColumns = (0..<table.indexCount).map { table.indexColumn(at: $0).index }
        areIntegers = indexColumns.map {
            columns[$0].type == .int && !columns[$0].isOptional
        }
        hints = indexColumns.map { _ in IndexHint() }
        var slots = [Int](repeating: -1, count: columns.count)
        for (slot, column) in indexColumns.enumerated() { slots[column] = slot }
        self.slots = slots
    }

    /// Enters a row into an index of the own table; false if the entry is there.
    @inline(__always)
    func insert(_ key: UInt64, _ row: UInt64, at slot: Int, _ table: Table, _ edit: NodeEdit) {
        var tree = table.index(at: slot)
        let isNew = tree.insert(key, row, edit, &hints[slot])
        if !isNew { contradict("An index has an entry for a new row.") }
        table.setIndex(tree, at: slot)
    }

    @inline(__always)
    func remove(_ key: UInt64, _ row: UInt64, at slot: Int, _ table: Table, _ edit: NodeEdit) {
        var tree = table.index(at: slot)
        let wasThere = tree.remove(key, row, edit, &hints[slot])
        if !wasThere { contradict("An index lacks the entry of a row.") }
        table.setIndex(tree, at: slot)
    }

    /// Leaves of a file may say anything: then the transaction fails.
    @inline(never)
    private func contradict(_ what: String) {
        assert(source != nil, what)
        source?.contradict(what)
    }
}
