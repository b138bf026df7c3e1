import RegnumStore

// Geospatial indexes. The key of a row follows from the first two elements of its list, which are
// rows of another class. So whatever changes these finds the key before and after the change.

/// A row in the geospatial index of a list.
struct IndexedPoint {
    let place: ListPlace
    let owner: UInt64
    /// The row's key; `nil` if it has none.
    let key: UInt64?
}

extension DatabaseContent {
    /// Returns the key of a row in the geospatial index of a list; `nil` if the first two elements
    /// of the list aren't a longitude and a latitude.
    ///
    /// - Complexity: O(log n).
    func pointKey(_ place: ListPlace, _ owner: UInt64) -> UInt64? {
        let target = schema.tables[place.table.index].lists[place.list.index].target.index
        guard let column = schema.tables[target].columns.first else { return nil }
        let rows = self[target]
        var first: Double?
        var key: UInt64?
        self[place.table.index].elements(place.list.index).visit(owner) { element in
            guard let (cluster, row) = rows.place(element),
                case .double(let degrees) = cluster.value(row, column)
            else { return false }
            if let longitude = first {
                key = PointKey.key(longitude: longitude, latitude: degrees)
                return false
            }
            first = degrees
            return true
        }
        return key
    }

    /// Returns a row in the geospatial index of a list before an edit of the list; `nil` if the
    /// list has no such index.
    @inline(__always)
    func point(in place: ListPlace, _ owner: UInt64) -> IndexedPoint? {
        guard schema.tables[place.table.index].lists[place.list.index].isGeoIndexed else {
            return nil
        }
        return IndexedPoint(place: place, owner: owner, key: pointKey(place, owner))
    }

    /// Returns the rows whose keys in geospatial indexes may depend on an element, before the
    /// element is set or removed.
    @inline(__always)
    func points(withElement element: UInt64, in index: Int) -> [IndexedPoint] {
        let places = schema.relations[index].incomingPoints
        if places.isEmpty { return [] }
        return places.flatMap { place in
            backlinks(element, place).map { owner in
                IndexedPoint(place: place, owner: owner, key: pointKey(place, owner))
            }
        }
    }

    /// Replaces the entry of a row in a geospatial index after its list, or an element, was
    /// changed. An index that contradicts the previous state is reported as damage.
    mutating func movePoint(_ point: IndexedPoint, _ edit: NodeEdit) {
        let (place, owner) = (point.place, point.owner)
        let key = pointKey(place, owner)
        if key == point.key { return }
        let table = ownTable(place.table.index, edit)
        let kind = ColumnTree(pointsOf: place.list)
        guard let slot = table.indexSlot(of: kind.column, kind.kind) else { return }
        var tree = table.index(at: slot)
        var isSound = true
        if let old = point.key { isSound = tree.remove(old, owner, edit) }
        if let key {
            var hint = IndexHint()
            if !tree.insert(key, owner, edit, &hint) { isSound = false }
        }
        table.setIndex(tree, at: slot)
        if isSound { return }
        let schema = schema.tables[place.table.index]
        let name = schema.lists[place.list.index].name
        report(
            StoreError(
                .invalidDatabase,
                "The geospatial index of \(schema.name).\(name) is inconsistent with its lists.",
                className: schema.name, property: name))
    }

    /// Adds a geospatial index to an existing list. Throws `invalidInput` according to
    /// `SchemaRules`, without making changes.
    ///
    /// - Complexity: O(n log n).
    mutating func addGeoIndex(
        _ list: ListKey, of key: TableKey, _ edit: ContentEdit
    ) throws(StoreError) {
        try SchemaRules.check(
            newGeoIndex: list, of: schema.tables[key.index], in: schema.tables)
        schema = schema.with(key, list, isGeoIndexed: true)
        buildGeoIndex(list, of: key, edit)
    }

    /// Builds the geospatial index that a list has according to the schema.
    mutating func buildGeoIndex(_ list: ListKey, of key: TableKey, _ edit: ContentEdit) {
        let place = ListPlace(table: key, list: list)
        var entries: [IndexTree.Entry] = []
        self[key.index].forEachKey { row in
            if let point = pointKey(place, row) {
                entries.append(IndexTree.Entry(key: point, row: row))
            }
            return true
        }
        entries.sort { $0 < $1 }
        add(ColumnTree(pointsOf: list), entries, to: key, edit)
    }
}
