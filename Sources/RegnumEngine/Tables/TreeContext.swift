/// What all versions of one lineage share: roots that were made from one another by edits.
///
/// A realm has one lineage at a time; opening, re-rooting and cloning begin a new one.
struct TreeContext: Sendable {
    /// The nodes on the heap.
    let store: NodeStore
    /// What the hashes of index keys begin with: the same in every process of the realm.
    let seed: IndexSeed
    /// Where the leaves lie that were not read yet; nil where all is on the heap.
    let source: NodeSource?

    /// A lineage without nodes.
    init(seed: IndexSeed, source: NodeSource? = nil) {
        store = NodeStore()
        self.seed = seed
        self.source = source
    }
}

/// Guard of the unchecked Sendable: what roots show is never written again, and an edit is confined
/// to the writer's turn. Both sides of the one exception, the unused end of tail chunks, are told in
/// `Cluster`.
extension Node: @unchecked Sendable {}
