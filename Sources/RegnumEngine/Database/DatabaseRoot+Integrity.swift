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
    /// Each damage has the class, property and key of its object, if known. What refers to
    /// unreadable leaves isn't compared with them, so one damage doesn't appear as several.
    ///
    /// Throws errors other than damage, such as a lack of memory.
    ///
    /// - Parameters:
    ///   - limit: The check ends when it has found this much damage.
    ///   - isCancelled: Called periodically. If it returns true, the check ends.
    /// - Complexity: O(n log n) for the content. Blocks on disk reads.
    package func integrity(
        limit: Int, isCancelled: @escaping () -> Bool
    ) throws(StoreError) -> IntegrityFindings {
        let walk = IntegrityWalk(limit: limit, isCancelled: isCancelled)
        check(walk)
        return try walk.finish()
    }

    /// Throws the first damage that ``integrity(limit:isCancelled:)`` finds.
    package func checkIntegrity(isCancelled: @escaping () -> Bool) throws(StoreError) {
        let findings = try integrity(limit: 1, isCancelled: isCancelled)
        if let first = findings.damages.first { throw first }
    }

    /// Reads the leaves in the nodes file that weren't read before, and compares them with their
    /// checksums.
    func checkLeaves(_ walk: IntegrityWalk) {
        TransientLeaves.run(maximumByteCount: walk.maximumLeafByteCount) {
            for table in schema.tables where !walk.endsHere() {
                TableCheck(walk: walk, root: self, table: table).checkLeaves()
            }
        }
    }

    func check(_ walk: IntegrityWalk) {
        TransientLeaves.run(maximumByteCount: walk.maximumLeafByteCount) { checkAll(walk) }
    }

    private func checkAll(_ walk: IntegrityWalk) {
        walk.findings.version = version
        let source = content.context.source
        source?.noteCheck(isBeginning: true)
        defer { source?.noteCheck(isBeginning: false) }
        let inherited = inheritedDamage
        for table in schema.tables where !walk.endsHere() {
            let check = TableCheck(walk: walk, root: self, table: table)
            if inherited != nil {
                // Any value may be a copy of what couldn't be read.
                check.checkLeaves()
                continue
            }
            check.checkRows()
            check.checkIndexes()
            check.checkLists()
            check.checkOwners()
        }
        if let inherited { walk.add(inherited) }
    }
}

/// The check of one class.
struct TableCheck {
    let walk: IntegrityWalk
    let root: DatabaseRoot
    let table: TableSchema

    var content: DatabaseContent { root.content }
    var state: Table { content[table.key.index] }

    /// Checks the leaves of the class that weren't checked before, but not whether their contents
    /// agree with each other.
    func checkLeaves() {
        state.forEachCluster { cluster in
            checkLeaves(of: cluster)
            return !walk.endsHere()
        }
        for slot in 0..<state.indexCount where !walk.isOver {
            let tree = state.columnTree(at: slot)
            let property =
                tree.kind == .points
                ? table.lists[tree.list.index].name : table.columns[tree.column.index].name
            _ = checkLeaves(of: state.index(at: slot), property, onlyNew: true)
        }
        for list in table.lists where !walk.isOver {
            let elements = state.elements(list.key.index).tree
            for tree in [elements, state.backlinks(list.key.index)] {
                _ = checkLeaves(of: tree, list.name, onlyNew: true)
            }
        }
    }

    /// Checks the clusters.
    func checkRows() {
        var liveCount = 0
        state.forEachCluster { cluster in
            check(cluster)
            for word in 0..<wordsPerCluster { liveCount += cluster.live[word].nonzeroBitCount }
            return !walk.endsHere()
        }
        walk.findings.rowCount += liveCount
        if !walk.isOver, liveCount != state.count {
            walk.add(damage("it has \(liveCount) rows, but its row count is \(state.count)"))
        }
    }

    /// Checks the leaves of a cluster, what the checksums cover, and the targets of its links.
    private func check(_ cluster: Cluster) {
        checkLeaves(of: cluster)
        for column in table.columns where column.key.index < cluster.slotCount && !walk.isOver {
            check(column, of: cluster)
        }
        let (_, error) = DamageWatch.run {
            if let row = cluster.firstLiveRow(from: 0) { _ = cluster.contentVersion(row) }
        }
        if let error { walk.add(place(error, cluster, nil)) }
    }

    private func check(_ column: ColumnSchema, of cluster: Cluster) {
        let slot = cluster.slot(column.key.index)
        var outside: [Int] = []
        var isOrdered = true
        let (_, error) = DamageWatch.run {
            for row in 0..<cluster.rowCount where cluster.isLive(row) {
                TransientLeaves.letGo()
                if !slot.permits(cluster.value(row, column)) { outside.append(row) }
            }
            if slot.flags.contains(.textInRowOrder) {
                isOrdered = cluster.isTextInRowOrder(column.key.index)
            }
        }
        if let error { return walk.add(place(error, cluster, column.key.index)) }
        for row in outside {
            walk.add(
                damage(
                    "a value is outside the bounds of its column", column.name,
                    cluster.firstKey + UInt64(row)))
        }
        if !isOrdered { walk.add(damage("its text is out of order", column.name)) }
        if column.linkTarget != nil || column.type == .any { checkLinks(cluster, column) }
    }

    private func checkLinks(_ cluster: Cluster, _ column: ColumnSchema) {
        for row in 0..<cluster.rowCount where cluster.isLive(row) {
            TransientLeaves.letGo()
            if content.isSound(cluster.value(row, column), of: column) { continue }
            walk.add(
                damage(
                    "a link refers to a row that does not exist", column.name,
                    cluster.firstKey + UInt64(row)))
        }
    }

    // MARK: Leaves

    /// Checks the images of a cluster's leaves that weren't checked before.
    private func checkLeaves(of cluster: Cluster) {
        guard let source = NodeSource.named(cluster.sourceWord) else { return }
        cluster.forEachLeaf { leaf in
            let offset = leaf.extent & ~63
            guard leaf.extent != 0,  // otherwise in memory only
                !walk.endsHere(), walk.visit(offset, in: source.file, byteCount: leaf.byteCount)
            else { return }
            walk.findings.leafCount += 1
            let image = source.image(
                leaf.kind, at: offset, byteCount: leaf.byteCount, crc: leaf.crc)
            if let error = image.damage {
                walk.add(place(located(error, source, offset), cluster, leaf.place.column))
            }
        }
    }

    /// Checks the leaves of an index, or of the elements or backlinks of a list.
    ///
    /// - Parameter onlyNew: whether to skip those that were checked before.
    /// - Returns: whether all that were checked can be read.
    func checkLeaves(of tree: IndexTree, _ property: String, onlyNew: Bool = false) -> Bool {
        guard let source = content.context.source else { return true }
        var isReadable = true
        tree.forEachLeaf { child in
            // otherwise in memory only
            guard child.extent != 0, !walk.endsHere() else { return }
            if walk.visit(child.extent, in: source.file, byteCount: IndexLeaf.byteCount) {
                walk.findings.leafCount += 1
            } else if onlyNew {
                return
            }
            let (_, error) = DamageWatch.run { IndexLeaf.read(source, child) }
            guard let error else { return }
            isReadable = false
            walk.add(named(located(error, source, child.extent), property))
        }
        return isReadable
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
    private func named(_ error: StoreError, _ property: String?) -> StoreError {
        var error = error
        error.className = table.name
        error.property = property
        return error
    }

    /// Returns an error of a leaf with its file and offset added.
    private func located(
        _ error: StoreError, _ source: NodeSource, _ offset: UInt64
    ) -> StoreError {
        var error = error
        error.path = error.path ?? (source.file as? NodesFile)?.path
        error.position = error.position ?? offset
        return error
    }

    /// Returns an error of a cluster's leaf with the key of the cluster's first row added.
    private func place(_ error: StoreError, _ cluster: Cluster, _ column: Int?) -> StoreError {
        var error = named(error, column.map { table.columns[$0].name })
        error.key = cluster.firstLiveRow(from: 0)
            .flatMap { keyText(cluster.firstKey + UInt64($0)) }
        return error
    }

    /// Returns the primary key of a row as text; for a class without one, the number of the row,
    /// as in an export. `nil` if it can't be read.
    private func keyText(_ row: UInt64) -> String? {
        guard let key = table.primaryKey else { return String(row) }
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
