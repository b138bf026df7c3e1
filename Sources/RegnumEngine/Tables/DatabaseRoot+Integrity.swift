package import RegnumStore

extension DatabaseRoot {
    /// Reads everything that the root shows, and checks it: the checksum and the form of each leaf
    /// in the nodes file; that each row is in the indexes of its class under its value, and nothing
    /// else is; that links and lists lead to rows that are there, and that a list's backlinks are
    /// its elements.
    ///
    /// - Parameter isCancelled: asked between pieces; the check then ends without a result.
    /// - Throws: `invalidDatabase` for the first damage, with class, property and the primary key
    ///   of the row, as far as there is one; `ioFailed` where the file cannot be read.
    /// - Complexity: O(n log n) for the content. It waits for the disk.
    package func checkIntegrity(isCancelled: () -> Bool) throws(StoreError) {
        if let damage = inheritedDamage { throw damage }
        for table in schema.tables {
            let check = TableCheck(root: self, table: table)
            guard try check.checkRows(isCancelled) else { return }
            try check.checkIndexes()
            try check.checkLists()
            if isCancelled() { return }
        }
    }
}

/// One class that is checked.
private struct TableCheck {
    let root: DatabaseRoot
    let table: TableSchema

    private var content: DatabaseContent { root.content }
    private var state: Table { content[table.key.index] }

    /// Checks the clusters; false where the check was cancelled.
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
            throw damage("it has \(liveCount) rows, and says that they are \(state.count)")
        }
        return true
    }

    /// Checks the leaves of a cluster, and what its links lead to.
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
        // the form of what the checksums vouch for
        for column in table.columns where column.key.index < cluster.slotCount {
            let (_, error) = DamageWatch.run {
                var row = cluster.firstLiveRow(from: 0)
                while let place = row {
                    _ = cluster.value(place, column)
                    row = place + 1 < rowsPerCluster ? cluster.firstLiveRow(from: place + 1) : nil
                }
            }
            if let error { throw place(error, cluster, column.key.index) }
            if let target = column.linkTarget { try checkLinks(cluster, column, target) }
        }
        let (_, error) = DamageWatch.run {
            if let row = cluster.firstLiveRow(from: 0) { _ = cluster.contentVersion(row) }
        }
        if let error { throw place(error, cluster, nil) }
    }

    private func checkLinks(
        _ cluster: Cluster, _ column: ColumnSchema, _ target: TableKey
    ) throws(StoreError) {
        let targets = content[target.index]
        var row = cluster.firstLiveRow(from: 0)
        while let place = row {
            if !cluster.isNull(place, column.key.index),
                !targets.contains(UInt64(bitPattern: cluster.int(place, column.key.index)))
            {
                throw damage(
                    "a link leads to a row that does not exist", column.name,
                    cluster.firstKey + UInt64(place))
            }
            row = place + 1 < rowsPerCluster ? cluster.firstLiveRow(from: place + 1) : nil
        }
    }

    /// Checks that each index has each row once, under its value.
    func checkIndexes() throws(StoreError) {
        for slot in 0..<state.indexCount {
            let index = state.index(at: slot)
            let column = table.columns[state.indexColumn(at: slot).index]
            if index.count != state.count {
                throw damage(
                    "its index has \(index.count) entries for \(state.count) rows", column.name)
            }
            var wrong: UInt64?
            var count = 0
            let (_, error) = DamageWatch.run {
                index.visit { key, row in
                    count += 1
                    guard let (cluster, place) = state.place(row),
                        IndexKey.key(cluster.value(place, column), seed: content.context.seed)
                            == key
                    else {
                        wrong = row
                        return false
                    }
                    return true
                }
            }
            if let error { throw named(error, column.name) }
            if let wrong {
                throw damage("its index does not agree with the row", column.name, wrong)
            }
            if count != index.count { throw damage("its index is incomplete", column.name) }
        }
    }

    /// Checks that lists lead from rows to rows, and back.
    func checkLists() throws(StoreError) {
        for list in table.lists {
            let elements = state.elements(list.key.index).tree
            let targets = content[list.target.index]
            var wrong: UInt64?
            var demanded: [IndexTree.Entry] = []
            let (_, error) = DamageWatch.run {
                elements.visitRepeated { owner, element in
                    demanded.append(IndexTree.Entry(key: element, row: owner))
                    if state.contains(owner), targets.contains(element) { return true }
                    wrong = owner
                    return false
                }
            }
            if let error { throw named(error, list.name) }
            if let wrong {
                throw damage("a list leads to or from a row that does not exist", list.name, wrong)
            }
            demanded.sort { $0 < $1 }
            var next = 0
            var agrees = demanded.count == elements.count
            let (_, backlinkError) = DamageWatch.run {
                state.backlinks(list.key.index).visitRepeated { key, row in
                    agrees =
                        agrees && next < demanded.count
                        && demanded[next] == IndexTree.Entry(key: key, row: row)
                    next += 1
                    return agrees
                }
            }
            if let backlinkError { throw named(backlinkError, list.name) }
            guard agrees, next == demanded.count else {
                throw damage("the lists and their inverse do not agree", list.name)
            }
        }
    }

    // MARK: Errors

    private func damage(
        _ what: String, _ property: String? = nil, _ row: UInt64? = nil
    ) -> StoreError {
        let name = property.map { "'\(table.name).\($0)'" } ?? "'\(table.name)'"
        let key = row.flatMap(keyText)
        return StoreError(
            .invalidDatabase, "The file is damaged at \(name): \(what).", className: table.name,
            property: property, key: key)
    }

    /// An error of a leaf, with its class and property.
    private func named(_ error: StoreError, _ property: String?) -> StoreError {
        var error = error
        error.className = table.name
        error.property = property
        return error
    }

    /// An error of a leaf of a cluster, with the key of its first row.
    private func place(_ error: StoreError, _ cluster: Cluster, _ column: Int?) -> StoreError {
        var error = named(error, column.map { table.columns[$0].name })
        error.key = cluster.firstLiveRow(from: 0)
            .flatMap { keyText(cluster.firstKey + UInt64($0)) }
        return error
    }

    /// The primary key of a row as text, nil where there is none that can be read.
    private func keyText(_ row: UInt64) -> String? {
        guard let key = table.primaryKey else { return nil }
        let (value, damage) = DamageWatch.run {
            root.value(table.key, ObjectKey(rawValue: row), key)
        }
        return damage == nil ? value?.keyText : nil
    }
}

extension ClusterLeaf.Place {
    /// The column of the leaf, nil for content versions.
    fileprivate var column: Int? {
        switch self {
        case .chunk(let column), .text(let column), .large(let column, _): column
        case .versions: nil
        }
    }
}
