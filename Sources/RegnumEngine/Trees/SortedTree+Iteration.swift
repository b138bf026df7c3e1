extension SortedTree: Sequence {
    /// Walks the tree in order; holds the nodes that it walks, so edits of other copies do not
    /// disturb it.
    struct Iterator: IteratorProtocol {
        /// The inner nodes above the leaf, each with the child to enter next.
        private var stack: [(node: Node, next: Int)] = []
        private var leaf: Node?
        private var slot = 0

        init(_ root: Node?) {
            if let root { descend(root) }
        }

        /// Starts at the first element that is not before `key`.
        init(_ root: Node?, from key: Key, _ order: Order) {
            guard var node = root else { return }
            while node.height > 0 {
                let index = node.childIndex(of: key, order)
                stack.append((node, index + 1))
                node = node.children[index]
            }
            leaf = node
            slot = node.lowerBound(key, order)
        }

        private mutating func descend(_ start: Node) {
            var node = start
            while node.height > 0 {
                stack.append((node, 1))
                node = node.children[0]
            }
            leaf = node
            slot = 0
        }

        mutating func next() -> Element? {
            while let leaf {
                if slot < leaf.items.count {
                    slot += 1
                    return leaf.items[slot - 1]
                }
                self.leaf = nil
                while let top = stack.last {
                    if top.next < top.node.children.count {
                        stack[stack.count - 1].next += 1
                        descend(top.node.children[top.next])
                        break
                    }
                    stack.removeLast()
                }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(root) }

    /// The elements from the first that is not before `key`.
    func iterator(from key: Key) -> Iterator { Iterator(root, from: key, order) }

    var underestimatedCount: Int { count }

    /// Calls `body` for each element in order until it returns false, which is the result then.
    ///
    /// - Complexity: O(n), without a stack in memory: the fastest way through the tree.
    @inline(__always)
    func visit(_ body: (borrowing Element) throws -> Bool) rethrows {
        if let root { _ = try SortedTree.visit(root, body) }
    }

    /// As `visit(_:)`, from the first element that is not before `key`.
    ///
    /// - Complexity: O(log n + visited).
    @inline(__always)
    func visit(from key: Key, _ body: (borrowing Element) throws -> Bool) rethrows {
        if let root { _ = try visit(root, from: key, body) }
    }

    private func visit(
        _ node: Node, from key: Key, _ body: (borrowing Element) throws -> Bool
    ) rethrows -> Bool {
        if node.height == 0 {
            for index in node.lowerBound(key, order)..<node.items.count {
                if try !body(node.items[index]) { return false }
            }
            return true
        }
        let first = node.childIndex(of: key, order)
        if try !visit(node.children[first], from: key, body) { return false }
        for index in first + 1..<node.children.count {
            if try !SortedTree.visit(node.children[index], body) { return false }
        }
        return true
    }

    private static func visit(
        _ node: Node, _ body: (borrowing Element) throws -> Bool
    ) rethrows -> Bool {
        if node.height == 0 {
            for index in node.items.indices {
                if try !body(node.items[index]) { return false }
            }
            return true
        }
        for index in node.children.indices {
            if try !visit(node.children[index], body) { return false }
        }
        return true
    }
}
