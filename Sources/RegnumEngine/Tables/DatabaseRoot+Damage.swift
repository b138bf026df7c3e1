internal import RegnumStore

// The effects of damage in the nodes file on a root.

extension DatabaseRoot {
    /// Whether part of the content can't be read any more, though an older checkpoint and the log
    /// may still have it.
    var needsHealing: Bool {
        guard hasDamage, let source = content.context.source else { return false }
        return source.permanentDamage != nil || source.inheritedDamage != nil
    }

    /// The number of the nodes file from which leaves are loaded, or `nil` if there is none.
    var nodesFileNumber: UInt64? { (content.context.source?.file as? NodesFile)?.number }

    /// Whether the root refers to an image that was found damaged through `other`, or may have the
    /// same contradiction between intact images.
    ///
    /// - Complexity: O(n / 1,024). Reads no image.
    func sharesDamage(with other: DatabaseRoot) -> Bool {
        guard let own = content.context.source, let damaged = other.content.context.source,
            own.file === damaged.file
        else { return false }
        let offsets = damaged.damagedOffsets
        if offsets.isEmpty { return damaged.inheritedDamage == nil }
        return hasImage(at: offsets)
    }

    private func hasImage(at offsets: Set<UInt64>) -> Bool {
        schema.tables.contains { table in
            let state = content[table.key.index]
            var isFound = false
            state.forEachCluster { cluster in
                cluster.forEachLeaf { leaf in
                    if offsets.contains(leaf.extent & ~63) { isFound = true }
                }
                return !isFound
            }
            var trees = (0..<state.indexCount).map { state.index(at: $0) }
            for list in table.lists {
                trees.append(state.elements(list.key.index).tree)
                trees.append(state.backlinks(list.key.index))
            }
            for tree in trees where !isFound {
                tree.forEachLeaf { if offsets.contains($0.extent) { isFound = true } }
            }
            return isFound
        }
    }
}
