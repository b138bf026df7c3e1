/// The most elements of a leaf and the most children of an inner node. Small, because a commit
/// copies a path of nodes and counts a reference to everything that they name.
let treeSlotCountMax = 32
/// A node with fewer after a removal joins or borrows from a neighbour.
private let treeSlotCountMin = treeSlotCountMax / 4

/// One node of a `SortedTree`: a leaf of elements, or an inner node of children.
///
/// `@unchecked Sendable`: the guard is ownership. A node is changed only by a tree value that holds
/// the one reference to it (`own`, by `isKnownUniquelyReferenced`); a node that two trees, hence two
/// threads, can reach is never changed again. The same guard makes it safe to do without the
/// run-time exclusivity checks.
final class TreeNode<Order: TreeOrder>: @unchecked Sendable {
    typealias Element = Order.Element
    typealias Key = Order.Key

    /// One child of an inner node, with what is asked of it most.
    struct Child {
        var node: TreeNode
        /// The number of elements below.
        var count: Int
        /// At most the smallest key below, and greater than all keys below the child before.
        var first: Key

        init(_ node: TreeNode) {
            self.node = node
            count = node.elementCount
            first = node.firstKey
        }
    }

    @exclusivity(unchecked) var items: [Element]
    @exclusivity(unchecked) var children: [Child]
    let height: Int

    init(items: [Element]) {
        self.items = items
        children = []
        height = 0
    }

    init(children: [Child], height: Int) {
        items = []
        self.children = children
        self.height = height
    }

    /// The number of elements in a leaf, or of children of an inner node.
    var slotCount: Int { height == 0 ? items.count : children.count }

    /// The number of elements below.
    var elementCount: Int {
        if height == 0 { return items.count }
        var sum = 0
        for child in children { sum += child.count }
        return sum
    }

    /// The key that a parent files the node under; the node is not empty.
    var firstKey: Key { height == 0 ? Order.key(of: items[0]) : children[0].first }

    /// Makes `node` one that only the caller holds, with room to grow.
    @inline(__always)
    static func own(_ node: inout TreeNode) {
        if !isKnownUniquelyReferenced(&node) { node = node.copy() }
    }

    private func copy() -> TreeNode {
        if height == 0 {
            var items: [Element] = []
            items.reserveCapacity(min(treeSlotCountMax, self.items.count + 4))
            items.append(contentsOf: self.items)
            return TreeNode(items: items)
        }
        var children: [Child] = []
        children.reserveCapacity(min(treeSlotCountMax, self.children.count + 1))
        children.append(contentsOf: self.children)
        return TreeNode(children: children, height: height)
    }

    /// The first slot of a leaf whose key is not before `key`.
    @inline(__always)
    func lowerBound(_ key: Key, _ order: Order) -> Int {
        var low = 0
        var high = items.count
        while low < high {
            let middle = (low + high) / 2
            if order.compare(Order.key(of: items[middle]), key) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// The child of an inner node that has `key`, if any has.
    @inline(__always)
    func childIndex(of key: Key, _ order: Order) -> Int {
        var low = 1
        var high = children.count
        while low < high {
            let middle = (low + high) / 2
            if order.compare(children[middle].first, key) <= 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low - 1
    }
}

// MARK: - Edits of an owned node

extension TreeNode {
    /// Inserts an element that is not there; returns the right half if the node had to be split.
    func insert(_ element: Element, _ key: Key, _ order: Order, isRightEdge: Bool) -> Child? {
        if height == 0 {
            let slot = lowerBound(key, order)
            if items.count < treeSlotCountMax {
                items.insert(element, at: slot)
                return nil
            }
            // Ascending insertion leaves full leaves behind.
            if isRightEdge, slot == items.count { return Child(TreeNode(items: [element])) }
            let middle = treeSlotCountMax / 2
            var right = Array(items[middle...])
            items.removeSubrange(middle...)
            if slot <= middle {
                items.insert(element, at: slot)
            } else {
                right.insert(element, at: slot - middle)
            }
            return Child(TreeNode(items: right))
        }
        let index = childIndex(of: key, order)
        let isLast = index == children.count - 1
        TreeNode.own(&children[index].node)
        let split = children[index].node.insert(
            element, key, order, isRightEdge: isRightEdge && isLast)
        guard let split else {
            children[index].count += 1
            return nil
        }
        children[index].count += 1 - split.count
        if children.count < treeSlotCountMax {
            children.insert(split, at: index + 1)
            return nil
        }
        if isRightEdge, isLast {
            return Child(TreeNode(children: [split], height: height))
        }
        let middle = treeSlotCountMax / 2
        var right = Array(children[middle...])
        children.removeSubrange(middle...)
        if index + 1 <= middle {
            children.insert(split, at: index + 1)
        } else {
            right.insert(split, at: index + 1 - middle)
        }
        return Child(TreeNode(children: right, height: height))
    }

    /// Removes the element with `key`, which is there. The node may be left empty.
    func remove(_ key: Key, _ order: Order) -> Element {
        if height == 0 { return items.remove(at: lowerBound(key, order)) }
        let index = childIndex(of: key, order)
        TreeNode.own(&children[index].node)
        let element = children[index].node.remove(key, order)
        children[index].count -= 1
        let left = children[index].node.slotCount
        if left == 0 {
            children.remove(at: index)
        } else if left < treeSlotCountMin, children.count > 1 {
            balance(index == 0 ? 0 : index - 1)
        }
        return element
    }

    /// Changes the element with `key`, which is there.
    @inline(__always)
    func update(_ key: Key, _ order: Order, _ change: (inout Element) -> Void) {
        var node = self
        while node.height > 0 {
            let index = node.childIndex(of: key, order)
            TreeNode.own(&node.children[index].node)
            node = node.children[index].node
        }
        change(&node.items[node.lowerBound(key, order)])
    }

    /// Joins children `index` and `index + 1`, or shares their slots evenly between them.
    private func balance(_ index: Int) {
        TreeNode.own(&children[index].node)
        TreeNode.own(&children[index + 1].node)
        let left = children[index].node
        let right = children[index + 1].node
        let total = left.slotCount + right.slotCount
        let keep = total <= treeSlotCountMax * 3 / 4 ? total : total / 2
        if left.height == 0 {
            let all = left.items + right.items
            left.items = Array(all[..<keep])
            right.items = Array(all[keep...])
        } else {
            let all = left.children + right.children
            left.children = Array(all[..<keep])
            right.children = Array(all[keep...])
        }
        children[index] = Child(left)
        if keep == total {
            children.remove(at: index + 1)
        } else {
            children[index + 1] = Child(right)
        }
    }

    /// A tree of elements that are in order; nil for none.
    static func build(_ elements: [Element]) -> TreeNode? {
        guard !elements.isEmpty else { return nil }
        var level: [Child] = []
        level.reserveCapacity(elements.count / treeSlotCountMax + 1)
        var start = 0
        while start < elements.count {
            let end = min(start + treeSlotCountMax, elements.count)
            level.append(Child(TreeNode(items: Array(elements[start..<end]))))
            start = end
        }
        var height = 1
        while level.count > 1 {
            var next: [Child] = []
            var start = 0
            while start < level.count {
                let end = min(start + treeSlotCountMax, level.count)
                next.append(Child(TreeNode(children: Array(level[start..<end]), height: height)))
                start = end
            }
            level = next
            height += 1
        }
        return level[0].node
    }
}
