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

    var underestimatedCount: Int { count }
}
