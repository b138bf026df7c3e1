extension SortedTree {
    /// A place in a tree: a subtree not entered yet, or an element.
    private struct Cursor {
        private var stack: [(node: Node, index: Int)] = []

        init(_ root: Node?) {
            // The root hangs below a place of its own, so that two equal roots are skipped whole.
            if let root {
                stack.append((Node.inner([root], height: root.height + 1), 0))
            }
        }

        var isAtEnd: Bool { stack.isEmpty }

        /// The subtree here, or nil if this is an element.
        var subtree: Node? {
            guard let top = stack.last, !top.node.isLeaf else { return nil }
            return top.node.child(top.index)
        }

        /// The element here; only where `subtree` is nil.
        var element: Element { stack[stack.count - 1].node.item(stack[stack.count - 1].index) }

        /// At most the smallest key from here on.
        var key: Key {
            let top = stack[stack.count - 1]
            return top.node.isLeaf
                ? Order.key(of: top.node.item(top.index)) : top.node.first(top.index)
        }

        mutating func enter(_ node: Node) { stack.append((node, 0)) }

        mutating func advance() {
            while let top = stack.last {
                if top.index + 1 < top.node.slotCount {
                    stack[stack.count - 1].index += 1
                    return
                }
                stack.removeLast()
            }
        }
    }

    /// Walks two trees side by side, skipping the nodes that they share, and reports what is not
    /// shared: an element only in `old`, only in `new`, or one of each with equal keys.
    ///
    /// The elements of a pair may still be equal; the caller compares them.
    /// - Complexity: O(differences x log n) where the trees are versions of each other.
    static func forEachDifference(
        _ old: SortedTree, _ new: SortedTree, _ body: (_ old: Element?, _ new: Element?) -> Void
    ) {
        let order = new.order
        var a = Cursor(old.root)
        var b = Cursor(new.root)
        while !a.isAtEnd, !b.isAtEnd {
            let x = a.subtree
            let y = b.subtree
            if let x, let y, x === y {
                a.advance()
                b.advance()
                continue
            }
            // Whoever is behind goes on first, so that the two meet again at shared nodes.
            let comparison = order.compare(a.key, b.key)
            if x == nil, y == nil {
                if comparison <= 0 {
                    body(a.element, comparison == 0 ? b.element : nil)
                    if comparison == 0 { b.advance() }
                    a.advance()
                } else {
                    body(nil, b.element)
                    b.advance()
                }
                continue
            }
            let heightA = x?.height ?? -1
            let heightB = y?.height ?? -1
            let entersA = comparison < 0 || (comparison == 0 && heightA >= heightB)
            let entersB = comparison > 0 || (comparison == 0 && heightB >= heightA)
            if entersA {
                if let x {
                    a.enter(x)
                } else {
                    body(a.element, nil)
                    a.advance()
                }
            }
            if entersB {
                if let y {
                    b.enter(y)
                } else {
                    body(nil, b.element)
                    b.advance()
                }
            }
        }
        drain(&a) { body($0, nil) }
        drain(&b) { body(nil, $0) }
    }

    private static func drain(_ cursor: inout Cursor, _ body: (Element) -> Void) {
        while !cursor.isAtEnd {
            if let subtree = cursor.subtree {
                cursor.enter(subtree)
            } else {
                body(cursor.element)
                cursor.advance()
            }
        }
    }
}
