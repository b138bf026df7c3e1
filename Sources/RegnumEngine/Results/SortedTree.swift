/// The element type of a sorted tree and its order.
///
/// Orders are small values that may carry parameters, such as the directions of a sort.
protocol TreeOrder: Sendable {
    associatedtype Element: Sendable
    associatedtype Key: Sendable

    /// The maximum number of elements in a leaf. Choose a small one if copying an element retains
    /// references.
    static var maximumLeafSlotCount: Int { get }
    /// Whether elements are trivial, that is, contain no references.
    static var isElementTrivial: Bool { get }
    /// Whether keys are trivial, that is, contain no references.
    static var isKeyTrivial: Bool { get }
    /// Returns the part of an element that determines its position. No two elements of a tree have
    /// equal keys.
    static func key(of element: Element) -> Key
    /// Compares two keys: negative, zero or positive if `a` orders before, equal to or after `b`.
    /// The order must be total.
    func compare(_ a: Key, _ b: Key) -> Int
}

extension TreeOrder {
    static var maximumLeafSlotCount: Int { 24 }
    static var isElementTrivial: Bool { false }
    static var isKeyTrivial: Bool { false }
}

extension TreeOrder where Key == Element {
    @inline(__always)
    static func key(of element: Element) -> Element { element }
}

/// A persistent, counted, sorted tree. Copying it takes a snapshot at the cost of one retain.
///
/// A B+tree whose nodes are shared between copies. An edit changes nodes in place if only this
/// value references them and copies the others, so it never affects another copy. Each inner node
/// stores the number of elements below each child, so positions are found in O(log n).
///
/// `@unchecked Sendable`: the guard is ownership. A node is changed only through a tree value that
/// holds the one reference to it (`TreeNode.own`, by `isKnownUniquelyReferenced`); a node that two
/// trees, hence two threads, can reach is never changed again.
struct SortedTree<Order: TreeOrder>: @unchecked Sendable {
    typealias Element = Order.Element
    typealias Key = Order.Key
    typealias Node = TreeNode<Order>

    private(set) var root: Node?
    private(set) var count = 0
    let order: Order

    /// Creates an empty tree.
    init(order: Order) {
        self.order = order
    }

    /// Creates a tree of `elements`, which must be sorted and without duplicates.
    ///
    /// - Complexity: O(n).
    init(order: Order, sorted elements: [Element]) {
        self.order = order
        count = elements.count
        root = Node.build(elements)
    }

    /// Whether no other tree shares the root, so that edits need not copy it.
    var isUnshared: Bool {
        mutating get {
            guard var node = root else { return true }
            root = nil
            defer { root = node }
            return isKnownUniquelyReferenced(&node)
        }
    }

    /// Returns the element with that key, or `nil`.
    ///
    /// - Complexity: O(log n).
    func find(_ key: Key) -> Element? {
        guard var node = root else { return nil }
        while !node.isLeaf {
            node = node.child(node.childIndex(of: key, order))
        }
        let slot = node.lowerBound(key, order)
        guard slot < node.slotCount else { return nil }
        let element = node.item(slot)
        return order.compare(Order.key(of: element), key) == 0 ? element : nil
    }

    /// Returns the first element that isn't before `key`, or `nil`.
    ///
    /// - Complexity: O(log n).
    func firstElement(from key: Key) -> Element? {
        guard var node = root else { return nil }
        var following: Node?
        while !node.isLeaf {
            let index = node.childIndex(of: key, order)
            if index + 1 < node.slotCount { following = node.child(index + 1) }
            node = node.child(index)
        }
        let slot = node.lowerBound(key, order)
        if slot < node.slotCount { return node.item(slot) }
        guard var next = following else { return nil }
        while !next.isLeaf { next = next.child(0) }
        return next.item(0)
    }

    /// Returns the number of elements before `key`, and whether the tree contains it.
    ///
    /// - Complexity: O(log n).
    func rank(of key: Key) -> (position: Int, isPresent: Bool) {
        guard var node = root else { return (0, false) }
        var position = 0
        while !node.isLeaf {
            let index = node.childIndex(of: key, order)
            position += node.countBefore(index)
            node = node.child(index)
        }
        let slot = node.lowerBound(key, order)
        let isPresent =
            slot < node.slotCount
            && order.compare(Order.key(of: node.item(slot)), key) == 0
        return (position + slot, isPresent)
    }

    /// The element at `position`, which must be in `0..<count`.
    ///
    /// - Complexity: O(log n).
    subscript(position: Int) -> Element {
        precondition(position >= 0 && position < count, "The position is out of range.")
        guard var node = root else { preconditionFailure("An empty tree has no positions.") }
        var left = position
        while !node.isLeaf {
            let index = node.withCounts { counts in
                var index = 0
                while left >= counts[index] {
                    left -= counts[index]
                    index += 1
                }
                return index
            }
            node = node.child(index)
        }
        return node.item(left)
    }

    /// Inserts `element`, whose key must be absent, and returns its position.
    ///
    /// - Complexity: O(log n).
    @discardableResult
    mutating func insertNew(_ element: Element, _ key: Key) -> Int {
        count += 1
        guard var node = root else {
            root = Node.leaf(CollectionOfOne(element))
            return 0
        }
        root = nil
        Node.own(&node)
        var position = 0
        let split = node.insert(element, key, order, isRightEdge: true, &position)
        root = split.map { Node.inner([node, $0], height: node.height + 1) } ?? node
        return position
    }

    /// Removes the element with that key and returns it with its former position. Returns `nil` and
    /// changes nothing if there is none.
    ///
    /// - Complexity: O(log n).
    @discardableResult
    mutating func remove(_ key: Key) -> (element: Element, position: Int)? {
        guard var node = root else { return nil }
        root = nil
        Node.own(&node)
        var position = 0
        let element = node.remove(key, order, &position)
        if let element {
            count -= 1
            while !node.isLeaf, node.slotCount == 1 { node = node.child(0) }
            root = node.slotCount == 0 ? nil : node
            return (element, position)
        }
        root = node
        return nil
    }
}
