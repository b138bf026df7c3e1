// The typed layer's way to rows: by positions that it looked up once (table, index slot), without a
// `Value`, a schema or a reference count on the way. A table's position is `TableKey.rawValue`.

extension DatabaseContent {
    /// The table at a position, nil where there is none.
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
    /// `schema.id`.
    package var schemaID: UInt64 { content.schema.id }

    /// The address of a row's cluster node, for reads by the layout in `Cluster`; nil if there is no
    /// such row, or the cluster has no slots for `columnCount` columns. Valid as long as the root is
    /// held.
    package func cluster(_ table: Int, _ row: UInt64, columnCount: Int) -> UnsafeRawPointer? {
        content.cluster(table, row, columnCount: columnCount)
    }

    /// The row with a primary key, by the index slot that `integerKeySlot` gave.
    package func find(_ table: Int, slot: Int, _ value: Int64) -> UInt64? {
        content.find(table, slot: slot, value)
    }

    /// The index slot of the class's primary key if that is a required integer, else nil.
    package func integerKeySlot(_ table: TableKey) -> Int? { content.primaryKeySlot(table) }
}

extension EngineTransaction {
    /// `schema.id`.
    package var schemaID: UInt64 { content.schema.id }

    /// As that of `DatabaseRoot`; valid until the next edit.
    package func cluster(_ table: Int, _ row: UInt64, columnCount: Int) -> UnsafeRawPointer? {
        content.cluster(table, row, columnCount: columnCount)
    }

    /// The row with a primary key, by the index slot that `integerKeySlot` gave.
    package func find(_ table: Int, slot: Int, _ value: Int64) -> UInt64? {
        content.find(table, slot: slot, value)
    }

    /// The index slot of the class's primary key if that is a required integer, else nil.
    package func integerKeySlot(_ table: TableKey) -> Int? { content.primaryKeySlot(table) }

    /// Sets an integer in a column of integers that is neither indexed nor the primary key; false if
    /// there is no such row. As `set`.
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

    /// Sets a double or a date that is not NaN, as the one above.
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

    /// Notes a modification of a row for the record and the summary; those of the transaction's own
    /// rows are part of what they are.
    @inline(__always)
    func noteSet(_ table: TableKey, _ row: UInt64, _ column: ColumnKey) {
        if row < changes[table.index].firstNewKey {
            changes[table.index].modified.insert(row, column)
        }
    }
}
