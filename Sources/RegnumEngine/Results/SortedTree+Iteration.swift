extension SortedTree: Sequence {
    /// An iterator over the elements in order. It retains the nodes it visits, so edits of other
    /// copies don't affect it.
    struct Iterator: IteratorProtocol {
        /// The inner nodes above the leaf, each with the index of the next child to enter.
        private var stack: [(node: Node, next: Int)] = []
        private var leaf: Node?
        private var slot = 0

        init(_ root: Node?) {
            if let root { descend(root) }
        }

        /// Starts at the first element that isn't before `key`.
        init(_ root: Node?, from key: Key, _ order: Order) {
            guard var node = root else { return }
            while !node.isLeaf {
                let index = node.childIndex(of: key, order)
                stack.append((node, index + 1))
                node = node.child(index)
            }
            leaf = node
            slot = node.lowerBound(key, order)
        }

        private mutating func descend(_ start: Node) {
            var node = start
            while !node.isLeaf {
                stack.append((node, 1))
                node = node.child(0)
            }
            leaf = node
            slot = 0
        }

        mutating func next() -> Element? {
            while let leaf {
                if slot < leaf.slotCount {
                    slot += 1
                    return leaf.item(slot - 1)
                }
                self.leaf = nil
                while let top = stack.last {
                    if top.next < top.node.slotCount {
                        stack[stack.count - 1].next += 1
                        descend(top.node.child(top.next))
                        break
                    }
                    stack.removeLast()
                }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(root) }

    /// Returns an iterator that starts at the first element that isn't before `key`.
    func iterator(from key: Key) -> Iterator { Iterator(root, from: key, order) }

    var underestimatedCount: Int { count }

    /// Calls `body` for each element in order until it returns false.
    ///
    /// - Complexity: O(n). Allocates no stack, so it is the fastest way to traverse the tree.
    @inline(__always)
    func visit(_ body: (borrowing Element) throws -> Bool) rethrows {
        if let root { _ = try SortedTree.visit(root, body) }
    }

    /// Calls `body` like `visit(_:)`, starting at the first element that isn't before `key`.
    ///
    /// - Complexity: O(log n + visited).
    @inline(__always)
    func visit(from key: Key, _ body: (borrowing Element) throws -> Bool) rethrows {
        if let root { _ = try visit(root, from: key, body) }
    }

    private func visit(
        _ node: Node, from key: Key, _ body: (borrowing Element) throws -> Bool
    ) rethrows -> Bool {
        if node.isLeaf {
            return try SortedTree.visitItems(node, from: node.lowerBound(key, order), body)
        }
        let first = node.childIndex(of: key, order)
        if try !visit(node.child(first), from: key, body) { return false }
        for index in first + 1..<node.slotCount {
            if try !SortedTree.visit(node.child(index), body) { return false }
        }
        return true
    }

    private static func visit(
        _ node: Node, _ body: (borrowing Element) throws -> Bool
    ) rethrows -> Bool {
        if node.isLeaf {
            return try visitItems(node, from: 0, body)
        }
        for index in 0..<node.slotCount {
            if try !visit(node.child(index), body) { return false }
        }
        return true
    }

    @inline(__always)
    private static func visitItems(
        _ node: Node, from start: Int, _ body: (borrowing Element) throws -> Bool
    ) rethrows -> Bool {
        let count = node.slotCount
        return try node.withItems { items in
            for slot in start..<count where try !body(items[slot]) { return false }
            return true
        }
    }
}
