import RegnumStore

/// A `NodeEdit` of an entire content. It caches the ends of tables and the right edges of their
/// indexes, so that appending consecutive rows is cheap.
final class ContentEdit {
    let nodes: NodeEdit
    @exclusivity(unchecked) private var editors: [TableEditor?] = []

    /// The nodes file from which leaves of the content are loaded.
    private let source: NodeSource?

    init(_ nodes: NodeEdit, _ source: NodeSource?) {
        self.nodes = nodes
        self.source = source
    }

    /// Returns the editor of a table. The edit must own its node.
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

    /// Discards the editor of a table whose indexes have changed.
    func discard(_ index: Int) {
        if index < editors.count { editors[index] = nil }
    }

    /// Discards all editors, because the state was rolled back.
    func discard() { editors = [] }
}

/// The cached state of one table in an edit.
final class TableEditor {
    let columnCount: Int
    let appender: RowAppender
    /// The insertion hints, by slot of the trees over columns.
    @exclusivity(unchecked) var hints: [IndexHint]
    /// The columns, by index slot.
    let indexColumns: [Int]
    /// Whether the column has required integers, by index slot.
    let areIntegers: [Bool]
    /// The index slot of each column, or -1.
    let slots: [Int]
    /// The columns that have a full-text index, and its slots.
    let wordTrees: [(column: Int, slot: Int)]
    private let source: NodeSource?

    init(
        _ table: Table, _ columns: [ColumnSchema], _ edit: NodeEdit, _ source: NodeSource?
    ) {
        self.source = source
        columnCount = columns.count
        appender = RowAppender(table, columns: columns, edit: edit)
        let trees = (0..<table.indexCount).map { table.columnTree(at: $0) }
        indexColumns = trees.filter { $0.kind == .values }.map(\.column.index)
        wordTrees = trees.enumerated().filter { $0.element.kind == .words }
            .map { ($0.element.column.index, $0.offset) }
        areIntegers = indexColumns.map {
            columns[$0].type == .int && !columns[$0].isOptional
        }
        hints = trees.map { _ in IndexHint() }
        var slots = [Int](repeating: -1, count: columns.count)
        for (slot, column) in indexColumns.enumerated() { slots[column] = slot }
        self.slots = slots
    }

    /// Adds a row to an index of the table, which the edit must own. An existing entry is reported
    /// as damage.
    @inline(__always)
    func insert(_ key: UInt64, _ row: UInt64, at slot: Int, _ table: Table, _ edit: NodeEdit) {
        var tree = table.index(at: slot)
        let isNew = tree.insert(key, row, edit, &hints[slot])
        if !isNew { contradict("An index already has an entry for a new row.") }
        table.setIndex(tree, at: slot)
    }

    @inline(__always)
    func remove(_ key: UInt64, _ row: UInt64, at slot: Int, _ table: Table, _ edit: NodeEdit) {
        var tree = table.index(at: slot)
        hints[slot].clear()
        let wasThere = tree.remove(key, row, edit)
        if !wasThere { contradict("An index lacks the entry of a row.") }
        table.setIndex(tree, at: slot)
    }

    /// Adds a row to a full-text index under ascending keys.
    func insert(
        words keys: [UInt64], _ row: UInt64, at slot: Int, _ table: Table, _ edit: NodeEdit
    ) {
        for key in keys { insert(key, row, at: slot, table, edit) }
    }

    /// Replaces the keys of a row in a full-text index. Both are ascending.
    func replace(
        words old: [UInt64], with new: [UInt64], _ row: UInt64, at slot: Int, _ table: Table,
        _ edit: NodeEdit
    ) {
        var kept = 0
        for key in old {
            while kept < new.count, new[kept] < key { kept += 1 }
            if kept < new.count, new[kept] == key { continue }
            remove(key, row, at: slot, table, edit)
        }
        kept = 0
        for key in new {
            while kept < old.count, old[kept] < key { kept += 1 }
            if kept < old.count, old[kept] == key { continue }
            insert(key, row, at: slot, table, edit)
        }
    }

    /// Returns the slot of a column's full-text index.
    func wordSlot(of column: Int) -> Int? { wordTrees.first { $0.column == column }?.slot }

    /// Reports inconsistent leaves, which only a damaged file contains. The transaction then fails.
    @inline(never)
    private func contradict(_ what: String) {
        assert(source != nil, what)
        source?.contradict(what)
    }
}
