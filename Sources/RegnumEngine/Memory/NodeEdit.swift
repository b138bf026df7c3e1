/// One transaction's way to new and changed nodes: its own nodes are edited in place, older ones are
/// copied first, replaced ones are freed as soon as no version needs them (`NodeStore`).
///
/// A node is the edit's own if its birth is the current `stamp`. `freeze` raises the stamp, so that
/// a savepoint or a root that was taken in between keeps what it shows.
///
/// Confined to the writer's turn, as `EngineTransaction` is.
final class NodeEdit {
    let store: NodeStore
    /// The birth of nodes made from now on.
    @exclusivity(unchecked) private(set) var stamp: UInt64
    /// The stamp at the beginning: nodes born before it belong to older versions.
    let firstStamp: UInt64
    /// What was replaced, with the stamp at that time, in order.
    @exclusivity(unchecked) private(set) var retired: [RetiredNode] = []
    /// Nodes copied because an older version shows them, for tests and benchmarks.
    @exclusivity(unchecked) private(set) var copyCount = 0
    /// The bytes of those copies.
    @exclusivity(unchecked) private(set) var copiedByteCount = 0

    @exclusivity(unchecked) private var isEnded = false
    private var isLoose = false

    /// For `NodeStore.beginEdit`.
    init(_ store: NodeStore, firstStamp: UInt64) {
        self.store = store
        self.firstStamp = firstStamp
        stamp = firstStamp
    }

    /// An edit that the store does not know of and that needs no end: for tests of trees.
    init(_ store: NodeStore) {
        self.store = store
        stamp = store.nextStamp()
        firstStamp = stamp
        isLoose = true
    }

    @inline(__always)
    func owns(_ node: Node) -> Bool { node.birth == stamp }

    /// A new node: header set, the rest undefined.
    @inline(__always)
    func make(_ kind: NodeKind, byteCount: Int) -> Node {
        let node = store.allocate(byteCount)
        node.birth = stamp
        node.byteCount = byteCount
        node.store(UInt32(kind.rawValue), 12)
        return node
    }

    /// A new node filled with zeros behind its header.
    func makeZeroed(_ kind: NodeKind, byteCount: Int) -> Node {
        let node = make(kind, byteCount: byteCount)
        (node.address + Node.headerByteCount).initializeMemory(
            as: UInt8.self, repeating: 0, count: byteCount - Node.headerByteCount)
        return node
    }

    /// The node itself if it is the edit's own, else a copy in its place; the original is retired.
    @inline(__always)
    func own(_ node: Node) -> Node {
        checkLive(node)
        return owns(node) ? node : copy(node, byteCount: node.byteCount)
    }

    /// A copy of another size in the node's place; the original is retired. What a larger copy has
    /// more is undefined.
    @inline(never)
    func copy(_ node: Node, byteCount: Int) -> Node {
        checkLive(node)
        let copy = store.allocate(byteCount)
        copyCount += 1
        copiedByteCount += byteCount
        copy.address.copyMemory(from: node.address, byteCount: min(byteCount, node.byteCount))
        copy.birth = stamp
        copy.byteCount = byteCount
        copy.store(0 as UInt8, 13)
        retire(node)
        return copy
    }

    /// Says that the current state has the node no longer. Nobody follows a pointer to it through
    /// this edit from here on; older roots may.
    @inline(__always)
    func retire(_ node: Node) {
        if node.isMapped { return }
        checkRetire(node)
        if owns(node) {
            store.free(node)
        } else {
            retired.append(RetiredNode(node: node, stamp: stamp))
        }
    }

    /// Ends what is edited in place so far: returns the stamp that a root of the current state
    /// has, and raises the edit's own.
    func freeze() -> UInt64 {
        let frozen = stamp
        stamp = store.nextStamp()
        return frozen
    }

    /// Goes back to what `freeze` returned `stamp` for, when `count` nodes were retired: frees what
    /// was made since, and forgets what was replaced since, which the state has again.
    ///
    /// Returns false, with nothing changed, if a root of the time since is live: what it shows
    /// cannot be told from what the edit will make.
    ///
    /// - Parameter directory: the current state; nil if there is none. Not to be used afterwards.
    func rollBack(to stamp: UInt64, retiredCount count: Int, directory: Node?) -> Bool {
        if let head = store.headStamp, head > stamp { return false }
        if let directory { NodeWalk.free(from: directory, bornAfter: stamp, store) }
        unretire(downTo: count, bornAfter: stamp)
        return true
    }

    /// Takes what was retired since the beginning; for the end of the edit.
    func takeRetired() -> [RetiredNode] {
        defer { retired = [] }
        #if DEBUG || REGNUM_CHECKED_NODES
            retiredWords = []
        #endif
        return retired
    }

    /// Forgets what was retired after the first `count`, which the state has again; of those, the
    /// ones that were born after `stamp` belong to nobody any more and are freed.
    func unretire(downTo count: Int, bornAfter stamp: UInt64) {
        while retired.count > count {
            let last = retired.removeLast()
            #if DEBUG || REGNUM_CHECKED_NODES
                retiredWords.remove(last.node.word)
            #endif
            if last.node.birth > stamp { store.free(last.node) }
        }
    }

    /// For `NodeStore.finish` and `abort`: nothing is made or retired any more.
    func end() -> [RetiredNode] {
        precondition(!isEnded, "An edit was ended twice.")
        isEnded = true
        return takeRetired()
    }

    deinit { assert(isEnded || isLoose, "An edit was let go of without an end.") }

    // MARK: Checks

    #if DEBUG || REGNUM_CHECKED_NODES
        private var retiredWords: Set<UInt> = []

        private func checkRetire(_ node: Node) {
            precondition(store.tracker.contains(node), "A node was retired that was freed.")
            precondition(node.birth <= stamp, "A node was retired that is of another store.")
            precondition(!isEnded, "A node was retired after the end of its edit.")
            if owns(node) { return }
            let isNew = retiredWords.insert(node.word).inserted
            precondition(isNew, "A node was retired twice.")
        }

        private func checkLive(_ node: Node) {
            precondition(!isEnded, "A node was copied after the end of its edit.")
            if node.isMapped { return }
            precondition(store.tracker.contains(node), "A node was edited that was freed.")
            precondition(node.birth <= stamp, "A node was edited that is of another store.")
            precondition(
                !retiredWords.contains(node.word), "A node was edited that the state replaced.")
        }
    #else
        @inline(__always) private func checkRetire(_ node: Node) {}
        @inline(__always) private func checkLive(_ node: Node) {}
    #endif
}

/// A node that was replaced: roots whose stamp is at least its birth and less than `stamp` show it.
struct RetiredNode {
    let node: Node
    let stamp: UInt64
}
