/// Copies of entire trees, for edits that can't continue the lineage of their base because the base
/// isn't its newest root or another edit is in progress.
///
/// Happens when a batch couldn't be written while a transaction based on it is still running, with
/// the first transaction of a fork, and in tests that continue one version in two ways.
extension DatabaseContent {
    /// Returns the content to edit: this content if an edit can continue its lineage from the root
    /// with that stamp, otherwise a copy.
    func edited(on stamp: UInt64) -> (content: DatabaseContent, edit: ContentEdit) {
        if let edit = context.store.beginEdit(on: stamp) {
            return (self, ContentEdit(edit, context.source))
        }
        let (content, edit) = cloned()
        return (content, ContentEdit(edit, content.context.source))
    }

    /// Returns a copy in a new lineage, with an edit for it.
    ///
    /// - Complexity: O(n).
    fileprivate func cloned() -> (content: DatabaseContent, edit: NodeEdit) {
        let context = TreeContext(seed: context.seed, source: context.source)
        guard let edit = context.store.beginEdit(on: nil) else {
            preconditionFailure("A new store can't have another edit in progress.")
        }
        let directory = directory.map { TreeClone(edit: edit).directory($0) }
        return (DatabaseContent(schema: schema, directory: directory, context: context), edit)
    }
}

extension DatabaseRoot {
    /// Returns a root with the same state, for another realm. It shares all nodes until that realm
    /// is edited.
    ///
    /// - Complexity: O(1). The first edit is O(n).
    func forked() -> DatabaseRoot {
        DatabaseRoot(version: version, content: content, stamp: stamp, isForked: true)
    }

    /// Returns the content to edit: that of the root if an edit can continue its lineage, otherwise
    /// a copy.
    func edited() -> (content: DatabaseContent, edit: ContentEdit) {
        if !isForked { return self.content.edited(on: stamp) }
        let (content, edit) = content.cloned()
        return (content, ContentEdit(edit, content.context.source))
    }

    /// Returns a root with the same state in a new lineage.
    ///
    /// - Complexity: O(n).
    func copied() -> DatabaseRoot {
        let (content, edit) = content.cloned()
        let root = DatabaseRoot(version: version, content: content, stamp: edit.stamp)
        edit.store.finish(edit)
        return root
    }
}

private struct TreeClone {
    let edit: NodeEdit

    /// Copies a node without its children. If `byteCount` is given, only that many bytes, because
    /// another edit may be writing to the rest.
    private func copy(_ node: Node, byteCount: Int? = nil) -> Node {
        let copy = edit.make(node.kind, byteCount: node.byteCount)
        let end = min(byteCount ?? node.byteCount, node.byteCount)
        copy.count = node.count
        (copy.address + Node.headerByteCount).copyMemory(
            from: node.address + Node.headerByteCount, byteCount: end - Node.headerByteCount)
        return copy
    }

    /// Replaces the child at `offset` of a copied parent with a copy.
    private func child(_ parent: Node, _ offset: Int, _ copy: (Node) -> Node) {
        guard let node = Node(word: parent.load(offset)), !node.isMapped else { return }
        parent.store(copy(node).word, offset)
    }

    func directory(_ node: Node) -> Node {
        let own = copy(node)
        for offset in stride(from: Node.headerByteCount, to: node.byteCount, by: 8) {
            child(own, offset, table)
        }
        return own
    }

    private func table(_ node: Node) -> Node {
        let own = copy(node)
        let height: UInt32 = own.load(40)
        child(own, 16) { clusters($0, Int(height)) }
        for slot in 0..<own.count { child(own, 64 + 32 * slot, index) }
        return own
    }

    private func clusters(_ node: Node, _ height: Int) -> Node {
        if height == 0 { return cluster(node) }
        let own = copy(node)
        for slot in 0..<32 { child(own, 16 + 8 * slot) { clusters($0, height - 1) } }
        return own
    }

    private func cluster(_ node: Node) -> Node {
        let cluster = Cluster(node).copied { copy($0) }
        let own = cluster.node
        child(own, ClusterOffsets.versionWord) {
            copy($0, byteCount: Node.headerByteCount + 8 * cluster.rowCount)
        }
        child(own, ClusterOffsets.versionPatch) { copy($0) }
        for column in 0..<cluster.slotCount {
            chunk(own, column, cluster.rowCount)
            let slot = cluster.slot(column)
            guard (slot.load(24) as UInt8) & 16 != 0 else { continue }
            let base = slot.address - own.address
            child(own, base) { text in
                copy(text, byteCount: Node.headerByteCount + Int(slot.load(16) as UInt32))
            }
            child(own, base + 8, largeList)
        }
        return own
    }

    private func chunk(_ cluster: Node, _ column: Int, _ rowCount: Int) {
        let offset = ClusterOffsets.words + 8 * column
        let word: UInt = cluster.load(offset)
        guard let chunk = Node(word: word & ~63), !chunk.isMapped else { return }
        let byteCount = Node.headerByteCount + rowCount * chunk.count
        cluster.store(copy(chunk, byteCount: byteCount).word | word & 63, offset)
    }

    private func largeList(_ node: Node) -> Node {
        let own = copy(node)
        for offset in stride(from: Node.headerByteCount, to: node.byteCount - 23, by: 24) {
            child(own, offset) { copy($0) }
        }
        return own
    }

    private func index(_ node: Node) -> Node {
        let own = copy(node)
        guard node.kind == .indexInner else { return own }
        for slot in 0..<node.count { child(own, 2080 + 8 * slot, index) }
        return own
    }
}
