/// Edits of a node that only the caller references (`own`).
extension TreeNode {
    /// Inserts an element whose key is absent. Returns the right part if the node had to be split.
    ///
    /// - Parameter position: Incremented by the number of elements before it in this node.
    func insert(
        _ element: Element, _ key: Key, _ order: Order, isRightEdge: Bool, _ position: inout Int
    ) -> TreeNode? {
        isLeaf
            ? insertHere(element, key, order, isRightEdge, &position)
            : insertBelow(element, key, order, isRightEdge, &position)
    }

    @inline(__always)
    private func insertHere(
        _ element: Element, _ key: Key, _ order: Order, _ isRightEdge: Bool,
        _ position: inout Int
    ) -> TreeNode? {
        let slot = lowerBound(key, order)
        position += slot
        if slotCount < Order.maximumLeafSlotCount {
            insertItem(element, at: slot)
            return nil
        }
        // Ascending insertion leaves full leaves behind.
        if isRightEdge, slot == slotCount { return TreeNode.leaf(CollectionOfOne(element)) }
        let middle = Order.maximumLeafSlotCount / 2
        let right = splitOff(from: middle)
        if slot <= middle {
            insertItem(element, at: slot)
        } else {
            right.insertItem(element, at: slot - middle)
        }
        return right
    }

    private func insertBelow(
        _ element: Element, _ key: Key, _ order: Order, _ isRightEdge: Bool,
        _ position: inout Int
    ) -> TreeNode? {
        let slot = childIndex(of: key, order)
        let isLast = slot == slotCount - 1
        position += countBefore(slot)
        let split = ownedChild(slot).insert(
            element, key, order, isRightEdge: isRightEdge && isLast, &position)
        changeCount(by: 1)
        recount(slot)
        guard let split else { return nil }
        if slotCount < maximumTreeChildCount {
            insertChild(split, at: slot + 1)
            return nil
        }
        if isRightEdge, isLast {
            changeCount(by: -split.count)
            return TreeNode.inner(CollectionOfOne(split), height: height)
        }
        // The split-off part is counted here and moves with its left sibling.
        let middle = maximumTreeChildCount / 2
        changeCount(by: -split.count)
        let right = splitOff(from: middle)
        let half = slot < middle ? self : right
        half.insertChild(split, at: slot < middle ? slot + 1 : slot + 1 - middle)
        half.changeCount(by: split.count)
        return right
    }

    /// Removes the element with `key`, or returns `nil` if there is none. The node may become
    /// empty.
    ///
    /// - Parameter position: Incremented by the number of elements before it in this node.
    func remove(_ key: Key, _ order: Order, _ position: inout Int) -> Element? {
        if isLeaf {
            let slot = lowerBound(key, order)
            guard slot < slotCount, order.compare(Order.key(of: item(slot)), key) == 0 else {
                return nil
            }
            position += slot
            return removeItem(at: slot)
        }
        let slot = childIndex(of: key, order)
        guard let element = ownedChild(slot).remove(key, order, &position) else { return nil }
        position += countBefore(slot)
        changeCount(by: -1)
        recount(slot)
        let left = child(slot).slotCount
        if left == 0 {
            removeChild(at: slot)
        } else if left < child(slot).maximumSlotCount / 4, slotCount > 1 {
            balance(slot == 0 ? 0 : slot - 1)
        }
        return element
    }

    /// Merges children `slot` and `slot + 1`, or distributes their slots evenly between them.
    private func balance(_ slot: Int) {
        let left = ownedChild(slot)
        let right = ownedChild(slot + 1)
        let total = left.slotCount + right.slotCount
        if total <= left.maximumSlotCount * 3 / 4 {
            left.absorb(right)
            removeChild(at: slot + 1)
            recount(slot)
            return
        }
        // The larger sibling gives up slots, which move through a temporary node.
        let half = total / 2
        if left.slotCount > half {
            let moved = left.splitOff(from: half)
            moved.absorb(right)
            right.absorb(moved)
        } else {
            let rest = right.splitOff(from: half - left.slotCount)
            left.absorb(right)
            right.absorb(rest)
        }
        updateKey(slot + 1)
        recount(slot)
        recount(slot + 1)
    }

    /// Builds a tree of sorted elements, or returns `nil` if there are none.
    static func build(_ elements: [Element]) -> TreeNode? {
        guard !elements.isEmpty else { return nil }
        var level: [TreeNode] = []
        level.reserveCapacity(elements.count / Order.maximumLeafSlotCount + 1)
        var start = 0
        while start < elements.count {
            let end = min(start + Order.maximumLeafSlotCount, elements.count)
            level.append(leaf(elements[start..<end]))
            start = end
        }
        var height = 1
        while level.count > 1 {
            var next: [TreeNode] = []
            var start = 0
            while start < level.count {
                let end = min(start + maximumTreeChildCount, level.count)
                next.append(inner(level[start..<end], height: height))
                start = end
            }
            level = next
            height += 1
        }
        return level[0]
    }
}
