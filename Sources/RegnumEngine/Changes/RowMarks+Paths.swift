extension VersionStep {
    /// Returns the marks of `.paths`. Walks each path from its end to its start, collecting the
    /// rows of which the next property changed and those that lead to rows found before.
    ///
    /// - Parameter maximumCount: the maximum number of rows to visit on the way back; `nil` is
    ///   returned if it is exceeded.
    func pathMarks(
        _ table: TableSchema, _ searches: inout [PathSearch], maximumCount: Int = .max
    ) -> RowMarks? {
        var marks = RowMarks()
        var rest = maximumCount
        let inserted = firstInserted(table.key)
        for number in searches.indices {
            let before = searches[number].rowsReached
            let rows = searches[number].origins(maximumCount: rest)
            rest -= searches[number].rowsReached - before
            counters.rowsReached.add(searches[number].rowsReached - before)
            guard let rows else { return nil }
            for row in rows where row < inserted {
                marks.rows[ObjectKey(rawValue: row), default: .init()].paths.insert(number)
            }
        }
        return marks
    }

    /// Returns a search for each path, with the changes along it.
    func searches(_ table: TableSchema, _ paths: [ChangePath]) -> [PathSearch] {
        let searches = paths.map { PathSearch(self, $0, of: table) }
        counters.rowsReached.add(searches.reduce(0) { $0 + $1.rowsReached })
        return searches
    }
}

/// A property on a path, resolved in the schema of the new version.
enum PathProperty {
    case column(ColumnKey)
    case list(ListKey)
    /// The origins of a link; `listOrigins` are those of a list.
    case linkOrigins(LinkPlace)
    case listOrigins(ListPlace)
}

/// A search for the rows for which one path is hit.
struct PathSearch {
    let step: VersionStep
    /// The classes along the path, and the next property of each. Both end where the path isn't
    /// stored, since what doesn't exist can't have changed.
    private(set) var tables: [TableSchema]
    private(set) var properties: [PathProperty] = []
    /// For each position on the path: the rows, of both versions, of which the next property
    /// changed.
    private(set) var changed: [Set<UInt64>] = []
    var rowsReached = 0

    init(_ step: VersionStep, _ path: ChangePath, of table: TableSchema) {
        self.step = step
        tables = [table]
        for hop in path.hops {
            guard let property = property(hop, of: tables[properties.count]),
                let target = step.new.schema.table(named: hop.target)
            else { break }
            properties.append(property)
            tables.append(target)
        }
        if properties.count == path.hops.count,
            let last = property(path.last, of: tables[properties.count])
        {
            properties.append(last)
        }
        for place in properties.indices {
            changed.append(changedRows(of: tables[place], properties[place]))
        }
    }

    /// Returns the rows, including inserted ones, from which the path leads in the new version to a
    /// row of which the next property changed. Returns `nil` if there are more than `maximumCount`
    /// rows on the way back.
    mutating func origins(maximumCount: Int) -> Set<UInt64>? {
        let limit = maximumCount > .max / 2 ? .max : rowsReached + maximumCount
        var rows: Set<UInt64> = []
        for place in properties.indices.reversed() {
            if !rows.isEmpty {
                rows = origins(
                    of: rows, through: properties[place], of: tables[place].key, limit: limit)
                if rowsReached > limit { return nil }
            }
            rows.formUnion(changed[place])
        }
        return rows
    }

    // MARK: Looking up

    private func property(_ hop: Hop, of table: TableSchema) -> PathProperty? {
        let schema = step.new.schema
        switch hop.kind {
        case .link:
            guard let column = table.column(named: hop.name), let target = column.linkTarget,
                equalUTF8(schema.tables[target.index].name, hop.target)
            else { return nil }
            return .column(column.key)
        case .list:
            guard let list = table.list(named: hop.name),
                equalUTF8(schema.tables[list.target.index].name, hop.target)
            else { return nil }
            return .list(list.key)
        case .backlinks:
            return backlinks(hop.name, hop.target, to: table)
        }
    }

    private func property(_ last: ChangePath.FinalComponent, of table: TableSchema) -> PathProperty?
    {
        switch last {
        case .property(let name):
            let name = name.wrappedValue
            if let column = table.column(named: name) { return .column(column.key) }
            return table.list(named: name).map { .list($0.key) }
        case .backlinks(let name, let target):
            return backlinks(name.wrappedValue, target.wrappedValue, to: table)
        }
    }

    private func backlinks(
        _ name: String, _ origin: String, to table: TableSchema
    ) -> PathProperty? {
        guard let origin = step.new.schema.table(named: origin) else { return nil }
        if let column = origin.column(named: name) {
            guard column.linkTarget == table.key else { return nil }
            return .linkOrigins(LinkPlace(table: origin.key, column: column.key))
        }
        guard let list = origin.list(named: name), list.target == table.key else { return nil }
        return .listOrigins(ListPlace(table: origin.key, list: list.key))
    }

    // MARK: What changed

    /// Returns the rows of a class, of both versions, of which a property changed.
    private mutating func changedRows(
        of table: TableSchema, _ property: PathProperty
    ) -> Set<UInt64> {
        switch property {
        case .column(let column):
            let rows = step.ownMarks(table).rows
            return Set(rows.lazy.filter { $1.columns.contains(column) }.map(\.key.rawValue))
        case .list(let list):
            let rows = step.ownMarks(table).rows
            return Set(rows.lazy.filter { $1.lists.contains(list) }.map(\.key.rawValue))
        case .linkOrigins(let place):
            let delta = step.delta(of: place.table)
            rowsReached += delta.inserted.count + delta.deleted.count + delta.modified.count
            return existing(step.targets(of: place), table.key)
        case .listOrigins(let place):
            let (delta, targets) = (step.delta(of: place.table), step.targets(of: place))
            rowsReached += delta.inserted.count + delta.deleted.count + targets.count
            return existing(targets, table.key)
        }
    }

    /// Returns the rows that exist at both versions.
    private func existing(_ rows: Set<UInt64>, _ table: TableKey) -> Set<UInt64> {
        let inserted = step.firstInserted(table)
        let content = step.new.content[table.index]
        return rows.filter { $0 < inserted && content.contains($0) }
    }

    // MARK: Backwards

    /// Returns the rows of a class from which a property leads to one of `rows` in the new version.
    /// The result is incomplete if more than `limit` rows are reached.
    private mutating func origins(
        of rows: Set<UInt64>, through property: PathProperty, of table: TableKey, limit: Int
    ) -> Set<UInt64> {
        let content = step.new.content
        var found: Set<UInt64> = []
        var reached = rowsReached
        defer { rowsReached = reached }
        func add(_ origin: UInt64) -> Bool {
            reached += 1
            found.insert(origin)
            return reached <= limit
        }
        switch property {
        case .column(let column):
            guard let index = content.index(table, column) else { return [] }
            for row in rows where reached <= limit {
                index.forEachRow(DatabaseContent.linkKey(row), add)
            }
        case .list(let list):
            let backlinks = content[table.index].backlinks(list.index)
            for row in rows where reached <= limit { backlinks.forEachRepeatedRow(row, add) }
        case .linkOrigins(let place):
            step.new.linkTargets(of: rows.lazy.map { ObjectKey(rawValue: $0) }, place) {
                _ = add($0)
            }
        case .listOrigins(let place):
            let elements = content.elements(place.table, place.list)
            for row in rows where reached <= limit { elements.visit(row, add) }
        }
        return found
    }
}

extension VersionStep {
    /// Returns the net changes to a class of the new version.
    func delta(of table: TableKey) -> MergedDelta { delta(new.schema.tables[table.index].name) }

    /// Returns the old and new targets of links of rows that were inserted, deleted or modified in
    /// the link.
    func targets(of place: LinkPlace) -> Set<UInt64> {
        let delta = delta(of: place.table)
        let set = delta.modified.lazy.filter { $0.columns.contains(place.column) }.map(\.key)
        var targets: Set<UInt64> = []
        old.linkTargets(of: delta.deleted, place) { targets.insert($0) }
        new.linkTargets(of: delta.inserted, place) { targets.insert($0) }
        old.linkTargets(of: set, place) { targets.insert($0) }
        new.linkTargets(of: set, place) { targets.insert($0) }
        return targets
    }

    /// Returns the elements that lists lost or gained, in rows that were inserted, deleted or
    /// modified.
    func targets(of place: ListPlace) -> Set<UInt64> {
        let delta = delta(of: place.table)
        let before = old.content.elements(place.table, place.list)
        let after = new.content.elements(place.table, place.list)
        var targets: Set<UInt64> = []
        for row in delta.deleted { targets.formUnion(before.elements(row.rawValue)) }
        for row in delta.inserted { targets.formUnion(after.elements(row.rawValue)) }
        for change in delta.listChanges[place.list] ?? [] {
            for splice in splices(change, place, change.row) {
                targets.formUnion(splice.inserted.map(\.rawValue))
                let removed = splice.position..<splice.position + splice.removedCount
                targets.formUnion(before.elements(change.row.rawValue, removed))
            }
        }
        return targets
    }

    /// Returns the splices of a row's list, comparing the versions if they aren't known.
    func splices(_ change: ListChange?, _ place: ListPlace, _ row: ObjectKey) -> [ListSplice] {
        change?.splices ?? new.listSplices(place.table, row, place.list, since: old)
    }
}

extension DatabaseRoot {
    /// Passes the targets of rows' links to `body`, skipping rows that don't exist and null links.
    func linkTargets(
        of rows: some Sequence<ObjectKey>, _ place: LinkPlace, _ body: (UInt64) -> Void
    ) {
        guard let table = table(place.table) else { return }
        let column = place.column.index
        var finder = RowFinder(table)
        for row in rows {
            guard let found = finder.place(row.rawValue), column < found.cluster.slotCount,
                !found.cluster.isNull(found.row, column)
            else { continue }
            body(UInt64(bitPattern: found.cluster.int(found.row, column)))
        }
    }
}
