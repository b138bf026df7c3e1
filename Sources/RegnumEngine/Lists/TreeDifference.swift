/// The differences between two trees of index nodes: the parts of each between the leaves they
/// share.
///
/// The nodes of each level are compared by address, from the roots down. Nodes that both trees have
/// are skipped with everything below; they divide the rest into gaps, which are compared on the
/// next lower level. The cost is proportional to the nodes that differ. Trees that share nothing
/// form one gap.
struct TreeDifference {
    /// Adjacent leaves of the old tree, and those that replace them in the new one.
    struct Gap {
        var old: ArraySlice<Piece>
        var new: ArraySlice<Piece>
    }

    /// A node and the position of its first entry.
    struct Piece {
        var node: Node
        var position: Int
        var count: Int
    }

    /// In ascending order.
    private(set) var gaps: [Gap] = []

    /// Compares two trees.
    ///
    /// - Parameters:
    ///   - oldRange, newRange: The relevant positions in each tree. An entry of a shared node must
    ///     be relevant in both trees or in neither.
    init(
        _ old: IndexTree, _ new: IndexTree, _ oldRange: Range<Int>, _ newRange: Range<Int>
    ) {
        if old.root == new.root { return }
        var (oldHeight, newHeight) = (old.height, new.height)
        var oldLevel = old.root.map { [Piece(node: $0, position: 0, count: old.count)] } ?? []
        var newLevel = new.root.map { [Piece(node: $0, position: 0, count: new.count)] } ?? []
        while oldHeight > newHeight {
            oldLevel = TreeDifference.children(oldLevel[...], oldRange)
            oldHeight -= 1
        }
        while newHeight > oldHeight {
            newLevel = TreeDifference.children(newLevel[...], newRange)
            newHeight -= 1
        }
        gaps = TreeDifference.divide(oldLevel, newLevel)
        while oldHeight > 0 {
            gaps = gaps.flatMap { gap in
                TreeDifference.divide(
                    TreeDifference.children(gap.old, oldRange),
                    TreeDifference.children(gap.new, newRange))
            }
            oldHeight -= 1
        }
    }

    private static func children(_ pieces: ArraySlice<Piece>, _ range: Range<Int>) -> [Piece] {
        var children: [Piece] = []
        for piece in pieces {
            let inner = IndexInner(piece.node)
            var position = piece.position
            for place in 0..<inner.count {
                let count = Int(inner.counts[place])
                if position < range.upperBound, position + count > range.lowerBound {
                    children.append(
                        Piece(node: inner.child(place), position: position, count: count))
                }
                position += count
            }
        }
        return children
    }

    /// Returns the gaps between the nodes that both have. Edits preserve the order of shared nodes;
    /// any that are out of order count as different.
    private static func divide(_ old: [Piece], _ new: [Piece]) -> [Gap] {
        var gaps: [Gap] = []
        var places: [UInt: Int]?
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if i < old.count, j < new.count, old[i].node == new[j].node {
                i += 1
                j += 1
                continue
            }
            let (oldEnd, newEnd) =
                nearby(old, i, new, j) ?? next(old, i, new, j, &places)
            gaps.append(Gap(old: old[i..<oldEnd], new: new[j..<newEnd]))
            (i, j) = (oldEnd, newEnd)
        }
        return gaps
    }

    /// Returns the next common node if it is at most a few nodes away: most edits change one node,
    /// or split or merge two.
    private static func nearby(
        _ old: [Piece], _ i: Int, _ new: [Piece], _ j: Int
    ) -> (Int, Int)? {
        for (a, b) in [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1)]
        where i + a < old.count && j + b < new.count && old[i + a].node == new[j + b].node {
            return (i + a, j + b)
        }
        return nil
    }

    /// Returns the next common node, or the ends of both.
    private static func next(
        _ old: [Piece], _ i: Int, _ new: [Piece], _ j: Int, _ places: inout [UInt: Int]?
    ) -> (Int, Int) {
        if places == nil {
            var found: [UInt: Int] = [:]
            for (place, piece) in old.enumerated() { found[piece.node.word] = place }
            places = found
        }
        for place in j..<new.count {
            if let oldPlace = places?[new[place].node.word], oldPlace >= i {
                return (oldPlace, place)
            }
        }
        return (old.count, new.count)
    }
}

extension SequenceTree {
    /// Returns the owners whose lists may differ between two versions, including all whose lists
    /// do.
    ///
    /// - Complexity: O(entries of the leaves that differ).
    static func changedOwners(_ old: SequenceTree, _ new: SequenceTree) -> [UInt64] {
        var owners: Set<UInt64> = []
        let difference = TreeDifference(
            old.tree, new.tree, 0..<old.tree.count, 0..<new.tree.count)
        for gap in difference.gaps {
            for piece in [gap.old, gap.new].joined() {
                let leaf = IndexLeaf(piece.node)
                for place in 0..<leaf.count { owners.insert(leaf.keys[place]) }
            }
        }
        return owners.sorted()
    }

    /// Returns the splices that turn an owner's list in one version into that of another, by
    /// comparing both. Leaves that both trees share are skipped, and their elements retained.
    /// Between them, elements that both have in the same order are retained if that takes at most
    /// `SequenceEdits.maximumDistance` edits; otherwise everything between the common prefix and
    /// suffix is replaced.
    ///
    /// - Complexity: O(entries of the leaves that differ x edits).
    static func difference(
        _ old: SequenceTree, _ new: SequenceTree, _ owner: UInt64
    ) -> [ListSplice] {
        let oldStart = old.start(owner)
        let newStart = new.start(owner)
        let oldRange = oldStart..<oldStart + old.count(owner)
        let newRange = newStart..<newStart + new.count(owner)
        let difference = TreeDifference(old.tree, new.tree, oldRange, newRange)
        var splices: [ListSplice] = []
        for gap in difference.gaps {
            let before = elements(gap.old, owner, oldRange)
            let after = elements(gap.new, owner, newRange)
            if before.elements.isEmpty, after.elements.isEmpty { continue }
            // If the gap has no entries of the owner in the old tree, derive the position from the
            // splices before it.
            let base: Int
            if let position = before.position {
                base = position - oldStart
            } else {
                let shift = splices.reduce(0) { $0 + $1.inserted.count - $1.removedCount }
                let end = splices.last.map { $0.position + $0.removedCount } ?? 0
                // only in a forged file is it outside of the rest of the old list
                base = min(
                    max((after.position ?? newStart) - newStart - shift, end), oldRange.count)
            }
            SequenceEdits.append(before.elements, after.elements, at: base, to: &splices)
        }
        return ListSplices(splices).splices
    }

    /// Returns the elements of an owner in adjacent leaves, and the position of the first in the
    /// tree.
    ///
    /// - Parameter range: The positions of the owner's list. In a forged file, it may have elements
    ///   elsewhere too.
    private static func elements(
        _ pieces: ArraySlice<TreeDifference.Piece>, _ owner: UInt64, _ range: Range<Int>
    ) -> (elements: [UInt64], position: Int?) {
        var elements: [UInt64] = []
        var position: Int?
        for piece in pieces {
            let leaf = IndexLeaf(piece.node)
            for place in 0..<leaf.count
            where leaf.keys[place] == owner && range.contains(piece.position + place) {
                if position == nil { position = piece.position + place }
                elements.append(leaf.rows[place])
            }
        }
        return (elements, position)
    }
}
