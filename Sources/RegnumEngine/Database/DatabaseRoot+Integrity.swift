package import RegnumStore

extension DatabaseRoot {
    /// Reads and verifies the entire content: the checksum and structure of each leaf in the nodes
    /// file; that values are within the bounds of their columns, and long texts in row order
    /// where searches rely on it; that each index has the rows of its class under their values, in
    /// ascending order, and nothing else, each full-text index under their words, and each
    /// geospatial index under the points in their lists; that primary keys are unique; that links
    /// and list elements refer to existing rows; that a list's backlinks match its elements; that
    /// the elements of sets and the keys of maps and dictionaries are unique and in order; and that
    /// each row of an owned class has one owner and doesn't contain itself.
    ///
    /// - Parameter isCancelled: Called periodically. If it returns true, the check ends without a
    ///   result.
    /// - Throws: `invalidDatabase` for the first damage found, with the class, property and primary
    ///   key of the row, if known; `ioFailed` if the file can't be read.
    /// - Complexity: O(n log n) for the content. Blocks on disk reads.
    package func checkIntegrity(isCancelled: () -> Bool) throws(StoreError) {
        if let damage = inheritedDamage { throw damage }
        for table in schema.tables {
            let check = TableCheck(root: self, table: table)
            guard try check.checkRows(isCancelled) else { return }
            try check.checkIndexes()
            try check.checkLists()
            try check.checkOwners()
            if isCancelled() { return }
        }
    }
}

/// The check of one class.
struct TableCheck {
    let root: DatabaseRoot
    let table: TableSchema

    var content: DatabaseContent { root.content }
    var state: Table { content[table.key.index] }

    /// Checks the clusters. Returns false if the check was cancelled.
    func checkRows(_ isCancelled: () -> Bool) throws(StoreError) -> Bool {
        var liveCount = 0
        var outcome: Result<Bool, StoreError> = .success(true)
        state.forEachCluster { cluster in
            if isCancelled() {
                outcome = .success(false)
                return false
            }
            do throws(StoreError) {
                try check(cluster)
            } catch {
                outcome = .failure(error)
                return false
            }
            for word in 0..<wordsPerCluster { liveCount += cluster.live[word].nonzeroBitCount }
            return true
        }
        guard try outcome.get() else { return false }
        if liveCount != state.count {
            throw damage("it has \(liveCount) rows, but its row count is \(state.count)")
        }
        return true
    }

    /// Checks the leaves of a cluster and the targets of its links.
    private func check(_ cluster: Cluster) throws(StoreError) {
        if let source = NodeSource.named(cluster.sourceWord) {
            try cluster.forEachLeaf { leaf throws(StoreError) in
                guard leaf.extent != 0 else { return }  // in memory only
                let offset = leaf.extent & ~63
                let (image, error) = DamageWatch.run {
                    source.image(leaf.kind, at: offset, byteCount: leaf.byteCount, crc: leaf.crc)
                }
                if let error, !image.isSound { throw place(error, cluster, leaf.place.column) }
            }
        }
        // Check the content that the checksums cover.
        for column in table.columns where column.key.index < cluster.slotCount {
            let slot = cluster.slot(column.key.index)
            var outside: Int?
            var isOrdered = true
            let (_, error) = DamageWatch.run {
                for row in 0..<cluster.rowCount where cluster.isLive(row) {
                    if !slot.permits(cluster.value(row, column)) { outside = row }
                }
                if slot.flags.contains(.textInRowOrder) {
                    isOrdered = cluster.isTextInRowOrder(column.key.index)
                }
            }
            if let error { throw place(error, cluster, column.key.index) }
            if let outside {
                throw damage(
                    "a value is outside the bounds of its column", column.name,
                    cluster.firstKey + UInt64(outside))
            }
            if !isOrdered { throw damage("its text is out of order", column.name) }
            if column.linkTarget != nil || column.type == .any { try checkLinks(cluster, column) }
        }
        let (_, error) = DamageWatch.run {
            if let row = cluster.firstLiveRow(from: 0) { _ = cluster.contentVersion(row) }
        }
        if let error { throw place(error, cluster, nil) }
    }

    private func checkLinks(_ cluster: Cluster, _ column: ColumnSchema) throws(StoreError) {
        for row in 0..<cluster.rowCount where cluster.isLive(row) {
            if content.isSound(cluster.value(row, column), of: column) { continue }
            throw damage(
                "a link refers to a row that does not exist", column.name,
                cluster.firstKey + UInt64(row))
        }
    }

    /// Checks that each index contains each row exactly once, under its value, each full-text index
    /// each row under its words, and each geospatial index each row under its point.
    func checkIndexes() throws(StoreError) {
        for slot in 0..<state.indexCount {
            let index = state.index(at: slot)
            let tree = state.columnTree(at: slot)
            if tree.kind == .points {
                try checkPoints(index, table.lists[tree.list.index])
                continue
            }
            let column = table.columns[tree.column.index]
            if tree.kind == .words {
                try checkWords(index, column)
                continue
            }
            if index.count != state.count {
                throw damage(
                    "its index has \(index.count) entries for \(state.count) rows", column.name)
            }
            var wrong: UInt64?
            var count = 0
            var last: IndexTree.Entry?
            var isAscending = true
            var isUnique = true
            var values: Set<Value> = []
            let (_, error) = DamageWatch.run {
                index.visit { key, row in
                    count += 1
                    let entry = IndexTree.Entry(key: key, row: row)
                    if let last, !(last < entry) { isAscending = false }
                    if last?.key != key { values = [] }
                    last = entry
                    guard let (cluster, place) = state.place(row) else {
                        wrong = row
                        return false
                    }
                    let value = cluster.value(place, column)
                    if IndexKey.key(value, seed: content.context.seed) != key {
                        wrong = row
                        return false
                    }
                    if column.isPrimaryKey, !values.insert(value).inserted { isUnique = false }
                    return true
                }
            }
            if let error { throw named(error, column.name) }
            if let wrong {
                throw damage("its index does not match the row", column.name, wrong)
            }
            if count != index.count { throw damage("its index is incomplete", column.name) }
            if !isAscending { throw damage("its index is out of order", column.name) }
            if !isUnique { throw damage("two rows have the same primary key", column.name) }
        }
    }

    /// Checks that the entries of a full-text index are the words of the rows, ascending.
    private func checkWords(_ index: IndexTree, _ column: ColumnSchema) throws(StoreError) {
        try checkEntries(of: index, ("full-text index", "word"), column.name) { cluster, place in
            cluster.wordKeys(place, column, seed: content.context.seed)
        }
    }

    /// Checks that the entries of a geospatial index are the points in the lists, ascending.
    private func checkPoints(_ index: IndexTree, _ list: ListSchema) throws(StoreError) {
        let lists = ListPlace(table: table.key, list: list.key)
        try checkEntries(of: index, ("geospatial index", "point"), list.name) { cluster, place in
            content.pointKey(lists, cluster.firstKey + UInt64(place)).map { [$0] } ?? []
        }
    }

    /// Checks that an index has exactly the entries that `keys` returns for each row, ascending.
    private func checkEntries(
        of index: IndexTree, _ names: (index: String, entry: String), _ property: String,
        _ keys: (Cluster, Int) -> [UInt64]
    ) throws(StoreError) {
        var wrong: UInt64?
        var expectedCount = 0
        var count = 0
        var last: IndexTree.Entry?
        var isAscending = true
        let (_, error) = DamageWatch.run {
            state.forEachPlace { cluster, place in
                let row = cluster.firstKey + UInt64(place)
                let keys = keys(cluster, place)
                expectedCount += keys.count
                if !keys.allSatisfy({ index.contains($0, row) }) { wrong = row }
                return wrong == nil
            }
            index.visit { key, row in
                let entry = IndexTree.Entry(key: key, row: row)
                if let last, !(last < entry) { isAscending = false }
                last = entry
                count += 1
                return true
            }
        }
        if let error { throw named(error, property) }
        if let wrong {
            throw damage("its \(names.index) lacks a \(names.entry) of the row", property, wrong)
        }
        // As the entries are distinct and all expected ones are among them, the counts decide.
        if !isAscending { throw damage("its \(names.index) is out of order", property) }
        if count != expectedCount || index.count != expectedCount {
            throw damage(
                "its \(names.index) has \(index.count) entries for \(expectedCount) "
                    + "\(names.entry)s", property)
        }
    }

    /// Checks that lists and their backlinks match and refer to existing rows.
    func checkLists() throws(StoreError) {
        for list in table.lists {
            let elements = state.elements(list.key.index).tree
            let targets = content[list.target.index]
            var wrong: UInt64?
            var expected: [IndexTree.Entry] = []
            var isAscending = true
            var order = MemberOrder(list, of: table, content)
            let (_, error) = DamageWatch.run {
                elements.visitRepeated { owner, element in
                    if let last = expected.last, owner < last.row { isAscending = false }
                    expected.append(IndexTree.Entry(key: element, row: owner))
                    if !order.permits(element, in: owner) { isAscending = false }
                    if state.contains(owner), targets.contains(element) { return true }
                    wrong = owner
                    return false
                }
            }
            if let error { throw named(error, list.name) }
            if let wrong {
                throw damage("a list's owner or element does not exist", list.name, wrong)
            }
            if !isAscending { throw damage("its lists are out of order", list.name) }
            expected.sort { $0 < $1 }
            var next = 0
            var agrees = expected.count == elements.count
            let (_, backlinkError) = DamageWatch.run {
                state.backlinks(list.key.index).visitRepeated { key, row in
                    agrees =
                        agrees && next < expected.count
                        && expected[next] == IndexTree.Entry(key: key, row: row)
                    next += 1
                    return agrees
                }
            }
            if let backlinkError { throw named(backlinkError, list.name) }
            guard agrees, next == expected.count else {
                throw damage("the lists do not match their backlinks", list.name)
            }
        }
    }

    // MARK: Errors

    func damage(
        _ what: String, _ property: String? = nil, _ row: UInt64? = nil
    ) -> StoreError {
        let name = property.map { "\(table.name).\($0)" } ?? table.name
        let key = row.flatMap(keyText)
        return StoreError(
            .invalidDatabase, "The file is damaged at \(name): \(what).", className: table.name,
            property: property, key: key)
    }

    /// Returns an error of a leaf with its class and property added.
    func named(_ error: StoreError, _ property: String?) -> StoreError {
        var error = error
        error.className = table.name
        error.property = property
        return error
    }

    /// Returns an error of a cluster's leaf with the key of the cluster's first row added.
    private func place(_ error: StoreError, _ cluster: Cluster, _ column: Int?) -> StoreError {
        var error = named(error, column.map { table.columns[$0].name })
        error.key = cluster.firstLiveRow(from: 0)
            .flatMap { keyText(cluster.firstKey + UInt64($0)) }
        return error
    }

    /// Returns the primary key of a row as text, or `nil` if it has none or can't be read.
    private func keyText(_ row: UInt64) -> String? {
        guard let key = table.primaryKey else { return nil }
        let (value, damage) = DamageWatch.run {
            root.value(table.key, ObjectKey(rawValue: row), key)
        }
        return damage == nil ? value?.keyText : nil
    }
}

extension ColumnSlot {
    /// Whether the bounds and flags, by which queries skip rows, permit a value.
    fileprivate func permits(_ value: Value) -> Bool {
        let isBounded = flags.contains(.bounds)
        switch value {
        case .int(let x): return !isBounded || load(0) <= x && x <= load(8)
        case .double(let x), .date(let x):
            if x.isNaN { return flags.contains(.mayHaveNaN) }
            return !isBounded || load(0) <= x && x <= load(8)
        default: return true
        }
    }
}

extension ClusterLeaf.Place {
    /// The column of the leaf, or `nil` for content versions.
    fileprivate var column: Int? {
        switch self {
        case .chunk(let column), .text(let column), .large(let column, _): column
        case .versions: nil
        }
    }
}
