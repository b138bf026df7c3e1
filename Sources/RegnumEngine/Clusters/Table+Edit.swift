// Editing tables. Nodes that other roots show are copied, from the table node down.

extension Table {
    /// Makes the edit own the table node.
    @inline(__always)
    mutating func own(_ edit: NodeEdit) {
        if !edit.owns(node) { node = edit.copy(node, byteCount: node.byteCount) }
    }

    /// Makes the edit own the path to a cluster and returns the address of the cluster's word, or
    /// `nil` if there is no cluster. The key must not exceed the tree's height.
    @inline(__always)
    private mutating func ownSlot(_ key: UInt64, _ edit: NodeEdit) -> UnsafeMutableRawPointer? {
        if cluster(containing: key) == nil { return nil }
        own(edit)
        var place = node.address + 16
        var level = height
        while level > 0 {
            var inner = Node(word: place.load(as: UInt.self)).unsafelyUnwrapped
            if !edit.owns(inner) {
                inner = edit.copy(inner, byteCount: ClusterInner.byteCount)
                place.storeBytes(of: inner.word, as: UInt.self)
            }
            place = ClusterInner(inner).childAddress(ClusterInner.index(key, level))
            level &-= 1
        }
        return place
    }

    /// Makes the edit own the cluster whose word is at `place`, in a node that it already owns.
    @inline(__always)
    static func ownCluster(_ place: UnsafeMutableRawPointer, _ edit: NodeEdit) -> Cluster {
        let node = Node(word: place.load(as: UInt.self)).unsafelyUnwrapped
        if edit.owns(node) { return Cluster(node) }
        let copy = Cluster(node).copied { edit.copy($0, byteCount: $0.byteCount) }
        place.storeBytes(of: copy.node.word, as: UInt.self)
        return copy
    }

    /// Returns the cluster of a live row, owned by the edit and with a slot for `column`.
    @inline(__always)
    private mutating func writableCluster(
        _ key: UInt64, _ column: Int, _ columns: [ColumnSchema], _ edit: NodeEdit
    ) -> Cluster? {
        guard let place = ownSlot(key, edit) else { return nil }
        let cluster = Table.ownCluster(place, edit)
        guard cluster.isLive(Table.row(key)) else { return nil }
        if column < cluster.slotCount { return cluster }
        appendNonce = 0
        let wider = cluster.addingSlots(columns, edit: edit)
        place.storeBytes(of: wider.node.word, as: UInt.self)
        return wider
    }

    // MARK: Values

    /// Changes a property of a row by calling `body` with the cluster, owned by the edit, and the
    /// row's position. Returns false if there is no such row. `columns` are all columns of the
    /// class.
    ///
    /// - Complexity: O(height). Copies the chunk and the nodes above if other roots show them.
    @inline(__always)
    private mutating func change(
        _ key: UInt64, _ column: ColumnKey, _ version: UInt64, _ columns: [ColumnSchema],
        _ edit: NodeEdit, _ body: (Cluster, Int) -> Void
    ) -> Bool {
        let index = column.index
        guard let cluster = writableCluster(key, index, columns, edit) else { return false }
        let row = Table.row(key)
        let word = cluster.storedWord(index)
        body(cluster, row)
        cluster.setVersion(version, row: row, edit: edit)
        if cluster.storedWord(index) != word || cluster.slot(index).type.isText { appendNonce = 0 }
        return true
    }

    /// Sets a property to a value of the column's type, or to null if it is optional. Returns false
    /// if there is no such row.
    mutating func set(
        _ key: UInt64, _ column: ColumnKey, _ value: Value, version: UInt64,
        columns: [ColumnSchema], edit: NodeEdit
    ) -> Bool {
        change(key, column, version, columns, edit) { cluster, row in
            cluster.setValue(value, row: row, column: column.index, edit: edit)
        }
    }

    /// Sets an integer to a non-null value. Returns false if there is no such row.
    @inline(__always)
    mutating func setInt(
        _ key: UInt64, _ column: ColumnKey, _ value: Int64, version: UInt64,
        columns: [ColumnSchema], edit: NodeEdit
    ) -> Bool {
        change(key, column, version, columns, edit) { cluster, row in
            cluster.setInt(value, row: row, column: column.index, edit: edit)
        }
    }

    /// Sets a double or date to a non-null value. Returns false if there is no such row.
    @inline(__always)
    mutating func setDouble(
        _ key: UInt64, _ column: ColumnKey, _ value: Double, version: UInt64,
        columns: [ColumnSchema], edit: NodeEdit
    ) -> Bool {
        change(key, column, version, columns, edit) { cluster, row in
            cluster.setDouble(value, row: row, column: column.index, edit: edit)
        }
    }

    // MARK: Removing

    /// Deletes a row. Returns false if it doesn't exist. The bounds of columns aren't narrowed.
    ///
    /// - Complexity: O(height + columns).
    mutating func remove(_ key: UInt64, edit: NodeEdit) -> Bool {
        guard contains(key), let place = ownSlot(key, edit) else { return false }
        let cluster = Table.ownCluster(place, edit)
        let row = Table.row(key)
        let bit = (1 as UInt64) << UInt64(row & 63)
        cluster.live[row >> 6] &= ~bit
        cluster.liveCount -= 1
        addLive(key, -1)
        count -= 1
        if cluster.liveCount == 0, cluster.firstKey != Table.base(nextKey) {
            removeCluster(cluster.firstKey, edit)
            return true
        }
        for column in 0..<cluster.slotCount {
            let slot = cluster.slot(column)
            if let bits = cluster.presence(column) { bits[row >> 6] &= ~bit }
            guard slot.flags.contains(.text) else { continue }
            let cell = TextCell(cluster.rows(column) + row << 4)
            if cell.isInline { continue }
            let isLarge = cell.isLarge
            cluster.dropText(cell, column, edit: edit)
            // Entries of the large list are reused, so no cell may refer to a freed one.
            if isLarge {
                appendNonce = 0
                let rows = cluster.writableRows(column, row: row, edit: edit)
                TextCell(rows.address + row << 4).clear()
            }
        }
        return true
    }

    /// Adjusts the counts of live rows on the path to a key. The edit must own the path.
    private func addLive(_ key: UInt64, _ amount: Int) {
        var word = rootWord
        var level = height
        while level > 0 {
            let inner = ClusterInner(Node(word: word).unsafelyUnwrapped)
            let index = ClusterInner.index(key, level)
            let count = inner.countAddress(index)
            count.pointee = UInt32(truncatingIfNeeded: Int(count.pointee) + amount)
            word = inner.child(index)
            level -= 1
        }
    }

    /// Removes a cluster from the tree, and inner nodes that become empty.
    private mutating func removeCluster(_ key: UInt64, _ edit: NodeEdit) {
        guard let place = ownSlot(key, edit) else { return }
        if let node = Node(word: place.load(as: UInt.self)) {
            Cluster(node).retireAll(edit: edit)
        }
        place.storeBytes(of: 0 as UInt, as: UInt.self)
        appendNonce = 0
        if Table.prune(node.address + 16, height, key, edit) { height = 0 }
    }

    /// Retires empty inner nodes on a path. Returns whether the one at `place` was removed.
    private static func prune(
        _ place: UnsafeMutableRawPointer, _ level: Int, _ key: UInt64, _ edit: NodeEdit
    ) -> Bool {
        guard let node = Node(word: place.load(as: UInt.self)) else { return true }
        if level == 0 { return false }
        let inner = ClusterInner(node)
        let child = inner.childAddress(ClusterInner.index(key, level))
        guard prune(child, level - 1, key, edit), inner.isEmpty else { return false }
        edit.retire(node)
        place.storeBytes(of: 0 as UInt, as: UInt.self)
        return true
    }

    // MARK: Keys

    /// Sets the key of the next row: to a greater one (skipping keys), or to a smaller one above
    /// all live rows (reusing keys that no one else has seen).
    mutating func setNextKey(_ key: UInt64, edit: NodeEdit) {
        let old = nextKey
        if key == old { return }
        own(edit)
        appendNonce = 0
        nextKey = key
        if key > old {
            // The previous tail cluster may have no live rows.
            if Table.base(key) != Table.base(old), let tail = cluster(containing: old),
                tail.liveCount == 0
            {
                removeCluster(tail.firstKey, edit)
            }
            return
        }
        var emptied: [UInt64] = []
        forEachCluster(from: key) { cluster in
            guard cluster.firstKey >= key else { return true }
            precondition(cluster.liveCount == 0, "A live row has a key that would be reused.")
            emptied.append(cluster.firstKey)
            return true
        }
        for first in emptied { removeCluster(first, edit) }
        guard let place = ownSlot(key, edit) else { return }
        Table.ownCluster(place, edit).truncate(to: Table.row(key), edit: edit)
    }
}

extension Cluster {
    /// Discards the places from `row` on, whose rows must be deleted.
    func truncate(to row: Int, edit: NodeEdit) {
        guard row < rowCount else { return }
        precondition(firstLiveRow(from: row) == nil, "Truncation would remove a live row.")
        if row < frozenRows {
            // Other roots show these places, so they must not be overwritten in shared chunks.
            for column in 0..<slotCount {
                _ = writableRows(column, row: 0, edit: edit)
            }
            if !hasUniformVersion { ownVersions(edit) }
            frozenRows = row
        } else if !hasUniformVersion {
            ownVersions(edit)
        }
        // Rows can be added and discarded here any number of times.
        rewriteSparseTexts(edit: edit)
        for column in 0..<slotCount { slot(column).chunkExtent = 0 }
        versionExtent = 0
        rowCount = row
    }
}
