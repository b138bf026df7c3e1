import RegnumStore

/// Link lookups and checks.
extension DatabaseContent {
    /// Returns the rows whose link column refers to a row of the column's target, ascending.
    /// Returns an empty array if the column doesn't exist at this version or isn't a link.
    func origins(_ target: UInt64, _ place: LinkPlace) -> [UInt64] {
        guard let index = index(place.table, place.column),
            schema.tables[place.table.index].columns[place.column.index].linkTarget != nil
        else { return [] }
        var origins: [UInt64] = []
        index.forEachRow(DatabaseContent.linkKey(target)) { origin in
            origins.append(origin)
            return true
        }
        return origins
    }

    /// Returns the rows whose value of any type links to a row of a class, ascending.
    func anyOrigins(_ target: TableKey, _ row: UInt64, _ place: LinkPlace) -> [UInt64] {
        guard let index = index(place.table, place.column), index.count > 0 else { return [] }
        let column = schema.tables[place.table.index].columns[place.column.index]
        if column.type != .any { return [] }
        let table = self[place.table.index]
        let wanted = AnyContent.link(target, ObjectKey(rawValue: row)).value
        var origins: [UInt64] = []
        index.forEachRow(IndexKey.key(wanted, seed: context.seed)) { origin in
            if let (cluster, row) = table.place(origin), cluster.value(row, column) == wanted {
                origins.append(origin)
            }
            return true
        }
        return origins
    }

    /// Returns the rows whose map has entries that link to a row, in ascending order and repeated
    /// for each such entry.
    func owners(ofEntriesWith target: UInt64, _ link: LinkPlace, _ map: ListPlace) -> [UInt64] {
        origins(target, link).flatMap { backlinks($0, map) }.sorted()
    }

    /// Returns false for a link to a row that doesn't exist, which only a forged file contains. A
    /// record with such a value couldn't be applied.
    func isSound(_ value: Value, of column: ColumnSchema) -> Bool {
        if let target = column.linkTarget {
            return value.linkedRow.map { self[target.index].contains($0) } ?? true
        }
        guard column.type == .any, case .link(let target, let row)? = value.anyContent else {
            return true
        }
        return table(target)?.contains(row.rawValue) ?? false
    }

    /// Returns the index key of a link column for a row of the target.
    @inline(__always)
    static func linkKey(_ target: UInt64) -> UInt64 { IndexKey.key(Int64(bitPattern: target)) }

    /// Returns whether a row of an owned class has exactly one owner. Only in a forged file can it
    /// have none or several: rows could own each other in a cycle, or be reachable in 2^n ways.
    ///
    /// - Complexity: O(log n) for each link column and list that can own it.
    func hasOneOwner(_ table: TableKey, _ row: UInt64) -> Bool {
        var count = 0
        let relations = schema.relations[table.index]
        for place in relations.incomingLinks {
            index(place.table, place.column)?.forEachRow(DatabaseContent.linkKey(row)) { _ in
                count += 1
                return count < 2
            }
        }
        for place in relations.incomingLists {
            self[place.table.index].backlinks(place.list.index).forEachRepeatedRow(row) { _ in
                count += 1
                return count < 2
            }
        }
        return count == 1
    }

    /// Returns the row that owns a row of an owned class, or `nil` if there is none.
    ///
    /// - Complexity: O(log n) for each link column and list that can own it.
    func owner(_ table: TableKey, _ row: UInt64) -> (table: TableKey, row: UInt64)? {
        let relations = schema.relations[table.index]
        for place in relations.incomingLinks {
            let owners = index(place.table, place.column)
            if let owner = owners?.firstRow(DatabaseContent.linkKey(row)) {
                return (place.table, owner)
            }
        }
        for place in relations.incomingLists {
            let owners = self[place.table.index].backlinks(place.list.index)
            if let owner = owners.firstRow(row) { return (place.table, owner) }
        }
        return nil
    }

    /// Returns the damage that keeps a reader from descending into an owned row (`DatabaseRoot`).
    func ownershipProblem(
        of row: ObjectKey, in table: TableKey, level: Int
    ) -> StoreError? {
        let isSound = level <= Limits.maximumAnyLevel && hasOneOwner(table, row.rawValue)
        return isSound ? nil : damage(ofOwnersIn: table)
    }

    /// Returns the error for rows of a class that own each other, or have several owners.
    func damage(ofOwnersIn table: TableKey) -> StoreError {
        let name = schema.tables[table.index].name
        return StoreError(
            .invalidDatabase,
            "The file is damaged: an object or collection of \(name) contains itself, has several "
                + "owners, or is nested too deeply.", className: name)
    }

    /// Reports damage that isn't in a single leaf. The current read or transaction then fails.
    func report(_ damage: StoreError) {
        guard let source = context.source else { return DamageWatch.note(damage) }
        source.contradict(damage.message)
    }

    /// Reports that the index of a link has entries of rows that don't have the link.
    func reportIndex(of place: LinkPlace) {
        let table = schema.tables[place.table.index]
        report(
            table.columns[place.column.index], of: table,
            "has an index that is inconsistent with its rows")
    }

    /// Reports that a row has a link for which `isSound` returned false.
    func reportLink(_ column: ColumnSchema, of table: TableSchema) {
        report(column, of: table, "links to an object that does not exist")
    }

    private func report(_ column: ColumnSchema, of table: TableSchema, _ what: String) {
        report(
            StoreError(
                .invalidDatabase, "\(table.name).\(column.name) \(what).",
                className: table.name, property: column.name))
    }

    /// Returns why a new link or list element can't refer to a row, as the end of a sentence, or
    /// `nil` if it can.
    func problem(linking row: UInt64, of target: TableKey) -> String? {
        if !self[target.index].contains(row) { return "cannot hold an object that does not exist" }
        if schema.tables[target.index].kind.isOwned, owner(target, row) != nil {
            return "cannot hold an object that already has an owner"
        }
        return nil
    }

    /// Returns the first of a new row's links that is invalid, with the reason as the end of a
    /// sentence, or `nil` if all are valid.
    ///
    /// - Parameter row: Returns the row that a column links to, or `nil` for null.
    @inline(__always)
    func problem(
        inserting links: [LinkColumn], _ row: (LinkColumn) -> UInt64?
    ) -> (column: ColumnKey, text: String)? {
        for (index, link) in links.enumerated() {
            guard let target = row(link) else { continue }
            if let text = problem(linking: target, of: link.target) { return (link.column, text) }
            if link.isOwner,
                links[..<index].contains(where: {
                    $0.target == link.target && row($0) == target
                })
            {
                return (link.column, "cannot hold an object that another property already owns")
            }
        }
        return nil
    }
}

extension Value {
    /// The row that a link refers to, or `nil` for null. Negative numbers become keys that no row
    /// has.
    @inline(__always)
    var linkedRow: UInt64? {
        if case .int(let row) = self { UInt64(bitPattern: row) } else { nil }
    }
}
