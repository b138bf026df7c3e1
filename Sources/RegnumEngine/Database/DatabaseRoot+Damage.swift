internal import RegnumStore

// The effects of damage in the nodes file on a root.

/// Images in a nodes file that were found damaged.
struct DamagedImages {
    let fileNumber: UInt64
    var offsets: Set<UInt64>
}

extension DatabaseContent {
    /// Whether values may have been read as zeros and lists as empty: by the calling thread, in the
    /// innermost watch, or when an earlier commit was applied.
    var mayBeMisread: Bool {
        guard let source = context.source, source.hasDamage else { return false }
        return DamageWatch.encountered != nil || source.inheritedDamage != nil
    }
}

extension DatabaseRoot {
    /// The images that were found damaged, or `nil` if there is no nodes file.
    var damagedImages: DamagedImages? {
        guard let source = content.context.source, let fileNumber = nodesFileNumber else {
            return nil
        }
        return DamagedImages(fileNumber: fileNumber, offsets: source.damagedOffsets)
    }

    /// Whether all damage that was found is in `known`, and no commit was applied to it.
    func isDamaged(onlyIn known: DamagedImages) -> Bool {
        guard inheritedDamage == nil, let images = damagedImages,
            images.fileNumber == known.fileNumber
        else { return false }
        return images.offsets.isSubset(of: known.offsets)
    }

    /// Whether part of the content can no longer be read, though an older checkpoint and the log
    /// may still have it.
    var needsHealing: Bool {
        guard hasDamage, let source = content.context.source else { return false }
        return source.permanentDamage != nil || source.inheritedDamage != nil
    }

    /// The damage found by reads or by applying commits, if any.
    var anyDamage: StoreError? { damage ?? inheritedDamage }

    /// The number of the nodes file that leaves are loaded from; `nil` without one.
    var nodesFileNumber: UInt64? { (content.context.source?.file as? NodesFile)?.number }

    /// Reads all values, indexes, lists and backlinks, so that `damage` is any damage in them.
    ///
    /// - Complexity: O(n).
    func readAll() {
        for table in schema.tables {
            let state = content[table.key.index]
            state.forEachPlace { cluster, place in
                _ = cluster.contentVersion(place)
                for column in table.columns { _ = cluster.value(place, column) }
                return true
            }
            for slot in 0..<state.indexCount { state.index(at: slot).visit { _, _ in true } }
            for list in table.lists {
                state.elements(list.key.index).tree.visitRepeated { _, _ in true }
                state.backlinks(list.key.index).visitRepeated { _, _ in true }
            }
        }
    }

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

    /// Whether the root refers to one of the images.
    ///
    /// - Complexity: O(n / 1,024). Reads no image.
    func refers(to damaged: DamagedImages) -> Bool {
        nodesFileNumber == damaged.fileNumber && hasImage(at: damaged.offsets)
    }

    /// Whether the root has the damage of `other`, or was itself created with permanent damage.
    func hasSameDamage(as other: DatabaseRoot) -> Bool {
        inheritedDamage?.isPermanentDamage == true || sharesDamage(with: other)
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
