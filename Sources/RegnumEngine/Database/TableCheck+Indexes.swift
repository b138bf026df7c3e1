import RegnumStore

extension TableCheck {
    /// Checks that each index contains each row exactly once, under its value, each full-text index
    /// each row under its words, and each geospatial index each row under its point.
    func checkIndexes() {
        for slot in 0..<state.indexCount where !walk.endsHere() {
            let index = state.index(at: slot)
            let tree = state.columnTree(at: slot)
            if tree.kind == .points {
                checkPoints(index, table.lists[tree.list.index])
                continue
            }
            let column = table.columns[tree.column.index]
            if tree.kind == .words {
                checkWords(index, column)
                continue
            }
            checkValues(index, column)
        }
    }

    private func checkValues(_ index: IndexTree, _ column: ColumnSchema) {
        checkEntries(of: index, ("index", "value"), column.name) { cluster, place in
            [IndexKey.key(cluster.value(place, column), seed: content.context.seed)]
        }
        if column.isPrimaryKey { checkUniqueness(index, column) }
    }

    /// Checks that the entries of a full-text index are the words of the rows, ascending.
    private func checkWords(_ index: IndexTree, _ column: ColumnSchema) {
        checkEntries(of: index, ("full-text index", "word"), column.name) { cluster, place in
            cluster.wordKeys(place, column, seed: content.context.seed)
        }
    }

    /// Checks that the entries of a geospatial index are the points in the lists, ascending.
    private func checkPoints(_ index: IndexTree, _ list: ListSchema) {
        let lists = ListPlace(table: table.key, list: list.key)
        checkEntries(of: index, ("geospatial index", "point"), list.name) { cluster, place in
            content.pointKey(lists, cluster.firstKey + UInt64(place)).map { [$0] } ?? []
        }
    }

    /// Checks that an index has exactly the entries that `keys` returns for each row, ascending.
    private func checkEntries(
        of index: IndexTree, _ names: (index: String, entry: String), _ property: String,
        _ keys: (Cluster, Int) -> [UInt64]
    ) {
        guard checkLeaves(of: index, property), !walk.isOver else { return }
        var isAgreed = true
        var isReadable = true
        var expectedCount = 0
        state.forEachPlace { cluster, place in
            let (keys, unreadable) = DamageWatch.run { keys(cluster, place) }
            guard unreadable == nil else {  // of the row, which has been checked
                isReadable = false
                return true
            }
            let row = cluster.firstKey + UInt64(place)
            expectedCount += keys.count
            let isComplete = keys.allSatisfy { key in
                TransientLeaves.letGo()
                return index.contains(key, row)
            }
            if !isComplete {
                isAgreed = false
                let what = "its \(names.index) lacks a \(names.entry) of the row"
                walk.add(damage(what, property, row))
            }
            return !walk.endsHere()
        }
        if walk.isOver { return }
        var count = 0
        var last: IndexTree.Entry?
        var isAscending = true
        visit(index) { key, row in
            let entry = IndexTree.Entry(key: key, row: row)
            if let last, !(last < entry) { isAscending = false }
            last = entry
            count += 1
            return !walk.endsHere()
        }
        walk.findings.entryCount += count
        if !isAscending { walk.add(damage("its \(names.index) is out of order", property)) }
        // As entries in order are distinct, and all expected ones are among them, the counts
        // decide.
        if isAgreed, isReadable, count == expectedCount, index.count == count { return }
        isAgreed = checkRows(of: index, names, property, keys) && isAgreed
        if isAgreed, isReadable, isAscending {
            let what =
                "its \(names.index) has \(index.count) entries for \(expectedCount) \(names.entry)s"
            walk.add(damage(what, property))
        }
    }

    /// Checks that each entry of an index is among those that `keys` returns for its row.
    private func checkRows(
        of index: IndexTree, _ names: (index: String, entry: String), _ property: String,
        _ keys: (Cluster, Int) -> [UInt64]
    ) -> Bool {
        var isAgreed = true
        visit(index) { key, row in
            var isExpected = false
            if let (cluster, place) = state.place(row) {
                let (keys, unreadable) = DamageWatch.run { keys(cluster, place) }
                isExpected = unreadable != nil || keys.contains(key)
            }
            if !isExpected {
                isAgreed = false
                let what = "its \(names.index) has a \(names.entry) that the row does not have"
                walk.add(damage(what, property, row))
            }
            return !walk.endsHere()
        }
        return isAgreed
    }

    /// Checks that no two rows have the same primary key.
    private func checkUniqueness(_ index: IndexTree, _ column: ColumnSchema) {
        func value(_ row: UInt64) -> Value? {
            guard let (cluster, place) = state.place(row) else { return nil }
            let (value, unreadable) = DamageWatch.run { cluster.value(place, column) }
            return unreadable == nil ? value : nil
        }
        // Few rows, if any, have the same key.
        var first: IndexTree.Entry?
        var values: Set<Value> = []
        visit(index) { key, row in
            guard let start = first, start.key == key else {
                (first, values) = (IndexTree.Entry(key: key, row: row), [])
                return !walk.endsHere()
            }
            if values.isEmpty, let value = value(start.row) { values.insert(value) }
            if let value = value(row), !values.insert(value).inserted {
                walk.add(damage("two rows have the same primary key", column.name, row))
            }
            return !walk.endsHere()
        }
    }

    /// Calls `body` with the entries of an index in order until it returns false. A leaf isn't used
    /// any more when `body` is called, which may free it.
    func visit(_ index: IndexTree, _ body: (_ key: UInt64, _ row: UInt64) -> Bool) {
        var entries: [IndexTree.Entry] = []
        var isOver = false
        index.forEachLeaf { child in
            if isOver { return }
            var node = Node(word: UInt(child.word))
            if node == nil, let source = content.context.source {
                node = IndexLeaf.read(source, child)
            }
            guard let leaf = node.map({ IndexLeaf($0) }) else { return }
            entries.removeAll(keepingCapacity: true)
            for place in 0..<leaf.count {
                entries.append(IndexTree.Entry(key: leaf.keys[place], row: leaf.rows[place]))
            }
            isOver = !entries.allSatisfy { body($0.key, $0.row) }
        }
    }
}
