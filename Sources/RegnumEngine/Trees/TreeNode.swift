/// The most children of an inner node. Small, because a commit copies a path of nodes and counts a
/// reference to every child.
let treeChildCountMax = 16

/// One node of a `SortedTree`: a leaf of elements, or an inner node of children.
///
/// `@unchecked Sendable`: the guard is ownership. A node is changed only by a tree value that holds
/// the one reference to it (`own`, by `isKnownUniquelyReferenced`); a node that two trees, hence two
/// threads, can reach is never changed again. The same guard makes it safe to do without the
/// run-time exclusivity checks.
final class TreeNode<Order: TreeOrder>: @unchecked Sendable {
    typealias Element = Order.Element
    typealias Key = Order.Key

    /// The elements of a leaf.
    @exclusivity(unchecked) var items: [Element]
    /// The children of an inner node.
    @exclusivity(unchecked) var children: [TreeNode]
    /// Parallel to `children`: at most the smallest key below the child, and greater than all keys
    /// below the child before.
    @exclusivity(unchecked) var firsts: [Key]
    /// The number of elements below.
    @exclusivity(unchecked) var count: Int
    /// 0 for a leaf.
    let height: Int

    init(items: [Element]) {
        self.items = items
        children = []
        firsts = []
        count = items.count
        height = 0
    }

    init(children: [TreeNode], firsts: [Key], height: Int) {
        items = []
        self.children = children
        self.firsts = firsts
        count = 0
        self.height = height
        recount()
    }

    private init(copying other: TreeNode) {
        items = other.items
        children = other.children
        firsts = other.firsts
        count = other.count
        height = other.height
        if height == 0 {
            reserve(&items, Order.leafSlotCountMax)
        } else {
            reserve(&children, treeChildCountMax)
            reserve(&firsts, treeChildCountMax)
        }
    }

    /// The number of elements in a leaf, or of children of an inner node.
    var slotCount: Int { height == 0 ? items.count : children.count }

    /// The most slots that the node can have; one with less than a quarter of them after a removal
    /// joins a neighbour or borrows from it.
    private var slotCountMax: Int { height == 0 ? Order.leafSlotCountMax : treeChildCountMax }

    /// The key that a parent files the node under; the node is not empty.
    var firstKey: Key { height == 0 ? Order.key(of: items[0]) : firsts[0] }

    /// Makes `node` one that only the caller holds.
    @inline(__always)
    static func own(_ node: inout TreeNode) {
        if !isKnownUniquelyReferenced(&node) { node = TreeNode(copying: node) }
    }

    private func recount() {
        count = 0
        for child in children { count += child.count }
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
        var high = firsts.count
        while low < high {
            let middle = (low + high) / 2
            if order.compare(firsts[middle], key) <= 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low - 1
    }
}

/// Gives the array storage of its own with room for a few more elements.
@inline(__always)
private func reserve<Element>(_ array: inout [Element], _ countMax: Int) {
    array.reserveCapacity(min(countMax, array.count + 4))
}

// MARK: - Edits of an owned node

extension TreeNode {
    /// Inserts an element that is not there; returns the right half if the node had to be split.
    func insert(_ element: Element, _ key: Key, _ order: Order, isRightEdge: Bool) -> TreeNode? {
        height == 0
            ? insertItem(element, key, order, isRightEdge)
            : insertBelow(element, key, order, isRightEdge)
    }

    @inline(__always)
    private func insertItem(
        _ element: Element, _ key: Key, _ order: Order, _ isRightEdge: Bool
    ) -> TreeNode? {
        let slot = lowerBound(key, order)
        if items.count < Order.leafSlotCountMax {
            items.insert(element, at: slot)
            count += 1
            return nil
        }
        // Ascending insertion leaves full leaves behind.
        if isRightEdge, slot == items.count { return TreeNode(items: [element]) }
        let middle = Order.leafSlotCountMax / 2
        var right = Array(items[middle...])
        items.removeSubrange(middle...)
        if slot <= middle {
            items.insert(element, at: slot)
        } else {
            right.insert(element, at: slot - middle)
        }
        count = items.count
        return TreeNode(items: right)
    }

    private func insertBelow(
        _ element: Element, _ key: Key, _ order: Order, _ isRightEdge: Bool
    ) -> TreeNode? {
        count += 1
        let index = childIndex(of: key, order)
        let isLast = index == children.count - 1
        TreeNode.own(&children[index])
        let split = children[index].insert(
            element, key, order, isRightEdge: isRightEdge && isLast)
        guard let split else { return nil }
        if children.count < treeChildCountMax {
            children.insert(split, at: index + 1)
            firsts.insert(split.firstKey, at: index + 1)
            return nil
        }
        if isRightEdge, isLast {
            count -= split.count
            return TreeNode(children: [split], firsts: [split.firstKey], height: height)
        }
        let middle = treeChildCountMax / 2
        let right = TreeNode(
            children: Array(children[middle...]), firsts: Array(firsts[middle...]), height: height)
        children.removeSubrange(middle...)
        firsts.removeSubrange(middle...)
        let half = index + 1 <= middle ? self : right
        let slot = index + 1 <= middle ? index + 1 : index + 1 - middle
        half.children.insert(split, at: slot)
        half.firsts.insert(split.firstKey, at: slot)
        recount()
        right.recount()
        return right
    }

    /// Removes the element with `key`, which is there. The node may be left empty.
    func remove(_ key: Key, _ order: Order) -> Element {
        count -= 1
        if height == 0 { return items.remove(at: lowerBound(key, order)) }
        let index = childIndex(of: key, order)
        TreeNode.own(&children[index])
        let element = children[index].remove(key, order)
        let left = children[index].slotCount
        if left == 0 {
            children.remove(at: index)
            firsts.remove(at: index)
        } else if left < children[index].slotCountMax / 4, children.count > 1 {
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
            TreeNode.own(&node.children[index])
            node = node.children[index]
        }
        change(&node.items[node.lowerBound(key, order)])
    }

    /// Joins children `index` and `index + 1`, or shares their slots evenly between them.
    private func balance(_ index: Int) {
        TreeNode.own(&children[index])
        TreeNode.own(&children[index + 1])
        let left = children[index]
        let right = children[index + 1]
        let total = left.slotCount + right.slotCount
        let keep = total <= left.slotCountMax * 3 / 4 ? total : total / 2
        if left.height == 0 {
            let all = left.items + right.items
            left.items = Array(all[..<keep])
            right.items = Array(all[keep...])
            left.count = left.items.count
            right.count = right.items.count
        } else {
            let all = left.children + right.children
            let keys = left.firsts + right.firsts
            left.children = Array(all[..<keep])
            right.children = Array(all[keep...])
            left.firsts = Array(keys[..<keep])
            right.firsts = Array(keys[keep...])
            left.recount()
            right.recount()
        }
        if keep == total {
            children.remove(at: index + 1)
            firsts.remove(at: index + 1)
        } else {
            firsts[index + 1] = right.firstKey
        }
    }

    /// A tree of elements that are in order; nil for none.
    static func build(_ elements: [Element]) -> TreeNode? {
        guard !elements.isEmpty else { return nil }
        var level: [TreeNode] = []
        level.reserveCapacity(elements.count / Order.leafSlotCountMax + 1)
        var start = 0
        while start < elements.count {
            let end = min(start + Order.leafSlotCountMax, elements.count)
            level.append(TreeNode(items: Array(elements[start..<end])))
            start = end
        }
        var height = 1
        while level.count > 1 {
            var next: [TreeNode] = []
            var start = 0
            while start < level.count {
                let children = Array(level[start..<min(start + treeChildCountMax, level.count)])
                let firsts = children.map(\.firstKey)
                next.append(TreeNode(children: children, firsts: firsts, height: height))
                start += treeChildCountMax
            }
            level = next
            height += 1
        }
        return level[0]
    }
}
