/// A transaction's access to new and changed nodes. It edits its own nodes in place, copies older
/// nodes before changing them, and retires the originals, which are freed once no version needs
/// them (`NodeStore`).
///
/// An edit owns the nodes whose birth is the current `stamp`. `freeze` advances the stamp, so that
/// savepoints and roots taken in between keep their state.
///
/// Confined to the writer's turn, like `EngineTransaction`.
final class NodeEdit {
    let store: NodeStore
    /// The birth of nodes created from now on.
    @exclusivity(unchecked) private(set) var stamp: UInt64
    /// The stamp at the start of the edit. Nodes born earlier belong to older versions.
    let firstStamp: UInt64
    /// The replaced nodes, in order, each with the stamp at which it was replaced.
    @exclusivity(unchecked) private(set) var retired: [RetiredNode] = []
    /// The number of nodes copied because an older version shows them. For tests and benchmarks.
    @exclusivity(unchecked) private(set) var copyCount = 0
    /// The number of bytes in those copies.
    @exclusivity(unchecked) private(set) var copiedByteCount = 0
    /// The bytes in the nodes file that belonged to texts and large values removed by the edit.
    @exclusivity(unchecked) var freedFileByteCount: UInt64 = 0
    /// The bytes of the large values that the edit has stored, including those it has replaced.
    @exclusivity(unchecked) var largeByteCount = 0

    @exclusivity(unchecked) private var isEnded = false
    private var isLoose = false

    /// For `NodeStore.beginEdit`.
    init(_ store: NodeStore, firstStamp: UInt64) {
        self.store = store
        self.firstStamp = firstStamp
        stamp = firstStamp
    }

    /// Creates an edit that isn't registered with the store and need not be ended. For tests of
    /// trees.
    init(_ store: NodeStore) {
        self.store = store
        stamp = store.nextStamp()
        firstStamp = stamp
        isLoose = true
    }

    @inline(__always)
    func owns(_ node: Node) -> Bool { node.birth == stamp }

    /// Creates a node with its header set and undefined content.
    @inline(__always)
    func make(_ kind: NodeKind, byteCount: Int) -> Node {
        let node = store.allocate(byteCount)
        node.birth = stamp
        node.byteCount = byteCount
        node.store(UInt32(kind.rawValue), 12)
        return node
    }

    /// Creates a node with its header set and zeroed content.
    func makeZeroed(_ kind: NodeKind, byteCount: Int) -> Node {
        let node = make(kind, byteCount: byteCount)
        (node.address + Node.headerByteCount).initializeMemory(
            as: UInt8.self, repeating: 0, count: byteCount - Node.headerByteCount)
        return node
    }

    /// Returns the node if the edit owns it; otherwise retires it and returns a copy.
    @inline(__always)
    func own(_ node: Node) -> Node {
        checkLive(node)
        return owns(node) ? node : copy(node, byteCount: node.byteCount)
    }

    /// Returns a copy with another size and retires the original. The added bytes of a larger copy
    /// are undefined.
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

    /// Removes the node from the current state. From now on only older roots may follow pointers to
    /// it, not this edit.
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

    /// Returns the stamp for a root of the current state and advances the edit's own stamp, so that
    /// nodes of that root are no longer edited in place.
    func freeze() -> UInt64 {
        let frozen = stamp
        stamp = store.nextStamp()
        return frozen
    }

    /// Rolls back to the state at which `freeze` returned `stamp` and `count` nodes were retired:
    /// frees the nodes created since, and restores those retired since.
    ///
    /// Returns false and changes nothing if a root registered since then is still live, because its
    /// nodes can't be distinguished from those the edit will create.
    ///
    /// - Parameter directory: The current state; `nil` if it is empty. It must not be used
    ///   afterwards.
    func rollBack(to stamp: UInt64, retiredCount count: Int, directory: Node?) -> Bool {
        if let head = store.headStamp, head > stamp { return false }
        if let directory { NodeWalk.free(from: directory, bornAfter: stamp, store) }
        unretire(downTo: count, bornAfter: stamp)
        return true
    }

    /// Returns the nodes retired since the start and clears the list. Called at the end of the
    /// edit.
    func takeRetired() -> [RetiredNode] {
        defer { retired = [] }
        #if DEBUG || REGNUM_CHECKED_NODES
            retiredWords = []
        #endif
        return retired
    }

    /// Drops the retired nodes after the first `count`, which are part of the state again. Those
    /// born after `stamp` are no longer in use and are freed.
    func unretire(downTo count: Int, bornAfter stamp: UInt64) {
        while retired.count > count {
            let last = retired.removeLast()
            #if DEBUG || REGNUM_CHECKED_NODES
                retiredWords.remove(last.node.word)
            #endif
            if last.node.birth > stamp { store.free(last.node) }
        }
    }

    /// Ends the edit for `NodeStore.finish` and `abort`. It must not be used afterwards.
    func end() -> [RetiredNode] {
        precondition(!isEnded, "The edit was already ended.")
        isEnded = true
        return takeRetired()
    }

    deinit { assert(isEnded || isLoose, "An edit was released without being ended.") }

    // MARK: Checks

    #if DEBUG || REGNUM_CHECKED_NODES
        private var retiredWords: Set<UInt> = []

        private func checkRetire(_ node: Node) {
            precondition(store.tracker.contains(node), "A freed node was retired.")
            precondition(node.birth <= stamp, "A node of another store was retired.")
            precondition(!isEnded, "A node was retired after the end of its edit.")
            if owns(node) { return }
            let isNew = retiredWords.insert(node.word).inserted
            precondition(isNew, "A node was retired twice.")
        }

        private func checkLive(_ node: Node) {
            precondition(!isEnded, "A node was copied after the end of its edit.")
            if node.isMapped { return }
            precondition(store.tracker.contains(node), "A freed node was edited.")
            precondition(node.birth <= stamp, "A node of another store was edited.")
            precondition(
                !retiredWords.contains(node.word), "A retired node was edited.")
        }
    #else
        @inline(__always) private func checkRetire(_ node: Node) {}
        @inline(__always) private func checkLive(_ node: Node) {}
    #endif
}

/// A replaced node. Roots with a stamp of at least its birth and less than `stamp` show it.
struct RetiredNode {
    let node: Node
    let stamp: UInt64
}
