import RegnumStore

@testable import RegnumEngine

extension DatabaseRoot {
    /// The first inconsistency between the nodes of the root's lineage and its live roots, or
    /// `nil`. No transaction may be running on it.
    ///
    /// - Complexity: O(nodes of all live roots).
    var nodeProblem: String? { content.context.store.fault }
}

extension NodeStore {
    /// The first inconsistency between the nodes on the heap and those reachable from live roots,
    /// or `nil`. Retains the roots while it walks them; no edit may be in progress.
    ///
    /// - Complexity: O(nodes of all live roots).
    var fault: String? {
        let roots = registry.withLock { $0.holdLiveRoots() }
        defer { for root in roots { release(stamp: root.stamp) } }
        return NodeWalk.fault(in: self, directories: roots.compactMap(\.directory))
    }

    /// The number of registered roots.
    var liveRootCount: Int { registry.withLock { $0.liveCount } }

    /// The addresses of replaced nodes held for a root.
    fileprivate func heldAddresses() -> Set<UnsafeMutableRawPointer> {
        registry.withLock { registry in
            Set(registry.held().flatMap { $0.nodes.nodes.map(\.node.address) })
        }
    }
}

extension NodeWalk {
    /// Returns the addresses of `directory` and all heap nodes below it.
    static func collect(from directory: Node) -> Set<UnsafeMutableRawPointer> {
        var found: Set<UnsafeMutableRawPointer> = []
        if directory.isMapped { return found }
        var open = [directory]
        while let node = open.popLast() {
            let isNew = found.insert(node.address).inserted
            precondition(isNew, "A tree contains a node twice.")
            forEachChild(of: node) { open.append($0) }
        }
        return found
    }

    /// Returns a description of what is wrong with a store whose live roots have these directories,
    /// or `nil` if its nodes are exactly those that a root shows, including those waiting for an
    /// older root to be released. No edit may be in progress. If addresses aren't tracked, only
    /// counts are compared.
    static func fault(in store: NodeStore, directories: [Node]) -> String? {
        var shown = store.heldAddresses()
        for directory in directories { shown.formUnion(collect(from: directory)) }
        guard let addresses = store.tracker.addresses else {
            let count = store.usage.nodeCount
            return count == shown.count
                ? nil : "\(shown.count) nodes are reachable or held, but \(count) exist."
        }
        let leaked = addresses.subtracting(shown).compactMap { Node($0) }
        let missing = shown.subtracting(addresses)
        if leaked.isEmpty, missing.isEmpty { return nil }
        let kinds = leaked.prefix(20).map { "\($0.kind.rawValue) born \($0.birth)" }
        return "\(missing.count) nodes are reachable but freed; \(leaked.count) leaked, of kinds "
            + kinds.joined(separator: ", ")
    }
}
