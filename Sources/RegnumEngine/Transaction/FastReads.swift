// Row access for the typed layer. Uses positions (table, index slot) that it looked up once,
// without creating a `Value`, reading the schema or counting references. A table's position is
// `TableKey.rawValue`.

extension DatabaseContent {
    /// Returns the table at a position, or `nil` if there is none.
    @inline(__always)
    fileprivate func table(at index: Int) -> Table? {
        guard let directory, DatabaseContent.offset(index) < directory.byteCount else { return nil }
        return Node(word: directory.load(DatabaseContent.offset(index))).map { Table($0) }
    }

    @inline(__always)
    fileprivate func cluster(_ table: Int, _ row: UInt64, columnCount: Int) -> UnsafeRawPointer? {
        guard let (cluster, _) = self.table(at: table)?.place(row),
            cluster.slotCount >= columnCount
        else { return nil }
        return UnsafeRawPointer(cluster.node.address)
    }

    @inline(__always)
    fileprivate func find(_ table: Int, slot: Int, _ value: Int64) -> UInt64? {
        self.table(at: table)?.index(at: slot).firstRow(IndexKey.key(value))
    }

    @inline(__always)
    fileprivate func primaryKeySlot(_ table: TableKey) -> Int? {
        guard let primaryKey = schema.tables[table.index].primaryKey else { return nil }
        let column = schema.tables[table.index].columns[primaryKey.index]
        guard column.type == .int, !column.isOptional else { return nil }
        return self.table(table)?.indexSlot(of: primaryKey)
    }
}

extension DatabaseRoot {
    /// The `id` of the schema.
    package var schemaID: UInt64 { content.schema.id }

    /// Returns the address of a row's cluster node, for reads by the layout in `Cluster`, or `nil`
    /// if the row doesn't exist or the cluster has fewer than `columnCount` slots. Valid while the
    /// root is held.
    package func cluster(_ table: Int, _ row: UInt64, columnCount: Int) -> UnsafeRawPointer? {
        content.cluster(table, row, columnCount: columnCount)
    }

    /// Returns the row with the given primary key, using the index slot from `integerKeySlot`.
    package func find(_ table: Int, slot: Int, _ value: Int64) -> UInt64? {
        content.find(table, slot: slot, value)
    }

    /// Returns the index slot of the class's primary key if it is a required integer, otherwise
    /// `nil`.
    package func integerKeySlot(_ table: TableKey) -> Int? { content.primaryKeySlot(table) }
}

extension EngineTransaction {
    // As for `DatabaseRoot`. The address of a cluster is valid until the next edit.

    package var schemaID: UInt64 { content.schema.id }

    package func cluster(_ table: Int, _ row: UInt64, columnCount: Int) -> UnsafeRawPointer? {
        content.cluster(table, row, columnCount: columnCount)
    }

    package func find(_ table: Int, slot: Int, _ value: Int64) -> UInt64? {
        content.find(table, slot: slot, value)
    }

    package func integerKeySlot(_ table: TableKey) -> Int? { content.primaryKeySlot(table) }

    /// Sets an integer column that is neither indexed nor the primary key, like `set`. Returns
    /// false if there is no such row.
    package func setPlain(
        _ table: TableKey, _ row: UInt64, _ column: ColumnKey, _ value: Int64
    ) -> Bool {
        guard content.table(at: table.index)?.contains(row) == true else { return false }
        willEdit()
        var node = content.ownTable(table.index, edit.nodes)
        _ = node.setInt(
            row, column, value, version: version,
            columns: content.schema.tables[table.index].columns, edit: edit.nodes)
        noteSet(table, row, column)
        return true
    }

    /// Sets a double or date column like the integer variant. A date must not be NaN.
    package func setPlain(
        _ table: TableKey, _ row: UInt64, _ column: ColumnKey, _ value: Double
    ) -> Bool {
        guard content.table(at: table.index)?.contains(row) == true else { return false }
        willEdit()
        var node = content.ownTable(table.index, edit.nodes)
        _ = node.setDouble(
            row, column, value, version: version,
            columns: content.schema.tables[table.index].columns, edit: edit.nodes)
        noteSet(table, row, column)
        return true
    }

    /// Records a modification of a row for the commit record and the summary. The transaction's own
    /// rows are recorded as insertions.
    @inline(__always)
    func noteSet(_ table: TableKey, _ row: UInt64, _ column: ColumnKey) {
        if row < changes[table.index].firstNewKey {
            changes[table.index].modified.insert(row, column)
        }
    }
}
