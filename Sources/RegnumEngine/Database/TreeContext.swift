import RegnumStore

/// The state shared by all versions of one lineage: the roots that descend from one another by
/// edits.
///
/// A realm has one lineage at a time. Opening, reloading and cloning start a new one.
struct TreeContext: Sendable {
    /// The nodes on the heap.
    let store: NodeStore
    /// The seed of index key hashes: the identity of the realm. It is the same in every process, so
    /// that all build the same indexes, and secret, so that no one can construct colliding values.
    let seed: Identity128
    /// The nodes file from which leaves are loaded, or `nil` if everything is on the heap.
    let source: NodeSource?

    /// Creates a lineage without nodes.
    init(seed: Identity128, source: NodeSource? = nil) {
        store = NodeStore()
        self.seed = seed
        self.source = source
    }
}

/// Guard of the unchecked Sendable: nodes that roots show are never written again, and an edit is
/// confined to the writer's turn. The one exception, the unused end of tail chunks, is described in
/// `Cluster`.
extension Node: @unchecked Sendable {}
