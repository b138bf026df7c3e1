/// The most children of an inner node. Small, because a commit copies a path of nodes and counts a
/// reference to every child.
let treeChildCountMax = 16

/// Where the counts of an inner node begin, behind its children, and its keys behind those.
private let treeCountsOffset = 16 * 8
private let treeFirstsOffset = 2 * 16 * 8

/// What a node tells of itself before its slots.
struct TreeNodeHeader {
    /// The number of elements below.
    var count: Int
    /// The number of elements in a leaf, or of children of an inner node.
    var slotCount: Int
    /// 0 for a leaf.
    let height: Int
    /// 1 if the elements of this leaf, or the keys of this inner node, hold no references. A whole
    /// word, so that the header takes 32 bytes and the slots behind it are aligned to 16.
    private let triviality: Int

    init(height: Int, isTrivial: Bool) {
        count = 0
        slotCount = 0
        self.height = height
        triviality = isTrivial ? 1 : 0
    }

    var isTrivial: Bool { triviality != 0 }
}

/// One node of a `SortedTree`, in one block of memory: a leaf of elements, or an inner node of
/// children, of the numbers of elements below each, and of the keys that they are filed under. A
/// child's key is at most the smallest one below it, and greater than all below the child before.
///
/// The numbers lie side by side, so that a position is found without a look at any sibling.
///
/// This file is where the raw memory is. The guard of every pointer is the closure that it is given
/// to: it does not leave it, and the slots up to `slotCount` are initialised. Nodes are edited only
/// through `TreeNode+Edit.swift`, by who owns them.
final class TreeNode<Order: TreeOrder>: ManagedBuffer<TreeNodeHeader, UInt8> {
    typealias Element = Order.Element
    typealias Key = Order.Key

    /// Whole regions at a time, and as little as can be asked of the type: a generic class's deinit
    /// is not specialised.
    deinit {
        withUnsafeMutablePointers { header, bytes in
            let raw = UnsafeMutableRawPointer(bytes)
            let count = header.pointee.slotCount
            if header.pointee.height > 0 {
                raw.assumingMemoryBound(to: AnyObject.self).deinitialize(count: count)
                if header.pointee.isTrivial { return }
                (raw + treeFirstsOffset).assumingMemoryBound(to: Key.self)
                    .deinitialize(count: count)
            } else if !header.pointee.isTrivial {
                raw.assumingMemoryBound(to: Element.self).deinitialize(count: count)
            }
        }
    }

    /// A node with room for all slots and none in use.
    private static func allocate(height: Int) -> TreeNode {
        assert(MemoryLayout<Element>.alignment <= 16 && MemoryLayout<Key>.alignment <= 16)
        assert(MemoryLayout<TreeNodeHeader>.size == 32)
        let byteCount =
            height == 0
            ? Order.leafSlotCountMax * MemoryLayout<Element>.stride
            : treeFirstsOffset + treeChildCountMax * MemoryLayout<Key>.stride
        let buffer = create(minimumCapacity: byteCount) { _ in
            TreeNodeHeader(
                height: height,
                isTrivial: height == 0 ? Order.isElementTrivial : Order.isKeyTrivial)
        }
        return unsafeDowncast(buffer, to: TreeNode.self)
    }

    // MARK: Slots

    @inline(__always)
    var isLeaf: Bool { height == 0 }

    @inline(__always)
    var height: Int { withUnsafeMutablePointerToHeader { $0.pointee.height } }

    @inline(__always)
    private(set) var slotCount: Int {
        get { withUnsafeMutablePointerToHeader { $0.pointee.slotCount } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.slotCount = newValue } }
    }

    /// The number of elements below.
    @inline(__always)
    private(set) var count: Int {
        get { withUnsafeMutablePointerToHeader { $0.pointee.count } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.count = newValue } }
    }

    /// The most slots that the node can have; one with less than a quarter of them after a removal
    /// joins a neighbour or borrows from it.
    var slotCountMax: Int { isLeaf ? Order.leafSlotCountMax : treeChildCountMax }

    /// The elements of a leaf.
    @inline(__always)
    func withItems<Result>(_ body: (UnsafeMutablePointer<Element>) throws -> Result) rethrows
        -> Result
    {
        try withUnsafeMutablePointerToElements { bytes in
            try body(
                UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Element.self))
        }
    }

    /// The children of an inner node and their keys.
    @inline(__always)
    func withChildren<Result>(
        _ body: (UnsafeMutablePointer<TreeNode>, UnsafeMutablePointer<Key>) throws -> Result
    ) rethrows -> Result {
        try withUnsafeMutablePointerToElements { bytes in
            let raw = UnsafeMutableRawPointer(bytes)
            return try body(
                raw.assumingMemoryBound(to: TreeNode.self),
                (raw + treeFirstsOffset).assumingMemoryBound(to: Key.self))
        }
    }

    /// How many elements lie below each child of an inner node.
    @inline(__always)
    func withCounts<Result>(_ body: (UnsafeMutablePointer<Int>) throws -> Result) rethrows
        -> Result
    {
        try withUnsafeMutablePointerToElements { bytes in
            let raw = UnsafeMutableRawPointer(bytes)
            return try body((raw + treeCountsOffset).assumingMemoryBound(to: Int.self))
        }
    }

    /// The number of elements below the children before a slot.
    @inline(__always)
    func countBefore(_ slot: Int) -> Int {
        withCounts { counts in
            var sum = 0
            for sibling in 0..<slot { sum &+= counts[sibling] }
            return sum
        }
    }

    @inline(__always)
    func item(_ slot: Int) -> Element { withItems { $0[slot] } }

    @inline(__always)
    func child(_ slot: Int) -> TreeNode { withChildren { children, _ in children[slot] } }

    /// The key that a parent files the node under; the node is not empty.
    func firstKey() -> Key {
        isLeaf ? Order.key(of: item(0)) : withChildren { _, firsts in firsts[0] }
    }

    @inline(__always)
    func first(_ slot: Int) -> Key { withChildren { _, firsts in firsts[slot] } }

    // MARK: Making nodes

    /// A leaf with some elements, at least one.
    static func leaf(_ elements: some RandomAccessCollection<Element>) -> TreeNode {
        let node = allocate(height: 0)
        node.withItems { items in
            for (slot, element) in elements.enumerated() {
                (items + slot).initialize(to: element)
            }
        }
        node.slotCount = elements.count
        node.count = elements.count
        return node
    }

    /// An inner node with some children, at least one, all of height `height - 1`.
    static func inner(_ nodes: some RandomAccessCollection<TreeNode>, height: Int) -> TreeNode {
        let node = allocate(height: height)
        node.withChildren { children, firsts in
            for (slot, child) in nodes.enumerated() {
                (children + slot).initialize(to: child)
                (firsts + slot).initialize(to: child.firstKey())
                node.withCounts { $0[slot] = child.count }
                node.count += child.count
            }
        }
        node.slotCount = nodes.count
        return node
    }

    /// The right part of a node that its owner splits, from `slot` on, moved into a new one.
    func splitOff(from slot: Int) -> TreeNode {
        let right = TreeNode.allocate(height: height)
        let moved = slotCount - slot
        if isLeaf {
            withItems { items in
                right.withItems { $0.moveInitialize(from: items + slot, count: moved) }
            }
            right.count = moved
        } else {
            withChildren { children, firsts in
                right.withChildren { newChildren, newFirsts in
                    newChildren.moveInitialize(from: children + slot, count: moved)
                    newFirsts.moveInitialize(from: firsts + slot, count: moved)
                }
            }
            withCounts { counts in
                right.withCounts { $0.update(from: counts + slot, count: moved) }
            }
            right.count = right.countBefore(moved)
        }
        right.slotCount = moved
        slotCount = slot
        count -= right.count
        return right
    }

    /// Moves all slots of `right`, which follow those of this node and have room here, to the end.
    func absorb(_ right: TreeNode) {
        let here = slotCount
        let moved = right.slotCount
        if isLeaf {
            withItems { items in
                right.withItems { (items + here).moveInitialize(from: $0, count: moved) }
            }
        } else {
            withChildren { children, firsts in
                right.withChildren { newChildren, newFirsts in
                    (children + here).moveInitialize(from: newChildren, count: moved)
                    (firsts + here).moveInitialize(from: newFirsts, count: moved)
                }
            }
            withCounts { counts in
                right.withCounts { (counts + here).update(from: $0, count: moved) }
            }
        }
        slotCount += moved
        count += right.count
        right.slotCount = 0
        right.count = 0
    }

    /// Makes `node` one that only the caller holds.
    @inline(__always)
    static func own(_ node: inout TreeNode) {
        if !isKnownUniquelyReferenced(&node) { node = node.copy() }
    }

    private func copy() -> TreeNode {
        let other = TreeNode.allocate(height: height)
        let slots = slotCount
        if isLeaf {
            withItems { items in
                other.withItems { copies in
                    for slot in 0..<slots { (copies + slot).initialize(to: items[slot]) }
                }
            }
        } else {
            withChildren { children, firsts in
                other.withChildren { newChildren, newFirsts in
                    for slot in 0..<slots { (newChildren + slot).initialize(to: children[slot]) }
                    for slot in 0..<slots { (newFirsts + slot).initialize(to: firsts[slot]) }
                }
            }
            withCounts { counts in
                other.withCounts { $0.update(from: counts, count: slots) }
            }
        }
        other.slotCount = slots
        other.count = count
        return other
    }

    // MARK: Changing slots of an owned node

    func insertItem(_ element: Element, at slot: Int) {
        let slots = slotCount
        withItems { items in
            (items + slot + 1).moveInitialize(from: items + slot, count: slots - slot)
            (items + slot).initialize(to: element)
        }
        slotCount = slots + 1
        count += 1
    }

    func removeItem(at slot: Int) -> Element {
        let slots = slotCount
        slotCount = slots - 1
        count -= 1
        return withItems { items in
            let element = (items + slot).move()
            (items + slot).moveInitialize(from: items + slot + 1, count: slots - slot - 1)
            return element
        }
    }

    /// Puts a child into its slot; its elements count as here already.
    func insertChild(_ child: TreeNode, at slot: Int) {
        let slots = slotCount
        withChildren { children, firsts in
            (children + slot + 1).moveInitialize(from: children + slot, count: slots - slot)
            (children + slot).initialize(to: child)
            (firsts + slot + 1).moveInitialize(from: firsts + slot, count: slots - slot)
            (firsts + slot).initialize(to: child.firstKey())
        }
        withCounts { counts in
            for later in stride(from: slots, to: slot, by: -1) { counts[later] = counts[later - 1] }
            counts[slot] = child.count
        }
        slotCount = slots + 1
    }

    /// Removes a child that has no elements left.
    func removeChild(at slot: Int) {
        let slots = slotCount
        withChildren { children, firsts in
            (children + slot).deinitialize(count: 1)
            (children + slot).moveInitialize(from: children + slot + 1, count: slots - slot - 1)
            (firsts + slot).deinitialize(count: 1)
            (firsts + slot).moveInitialize(from: firsts + slot + 1, count: slots - slot - 1)
        }
        withCounts { counts in
            for later in slot..<slots - 1 { counts[later] = counts[later + 1] }
        }
        slotCount = slots - 1
    }

    /// Files a child under its first key as it is now.
    func refile(_ slot: Int) {
        withChildren { children, firsts in firsts[slot] = children[slot].firstKey() }
    }

    /// Makes the child one that only this node holds, and returns it.
    @inline(__always)
    func ownedChild(_ slot: Int) -> TreeNode {
        withChildren { children, _ in
            TreeNode.own(&children[slot])
            return children[slot]
        }
    }

    func changeCount(by change: Int) { count += change }

    /// Notes how many elements lie below a child now.
    @inline(__always)
    func recount(_ slot: Int) {
        let below = child(slot).count
        withCounts { $0[slot] = below }
    }

    // MARK: Searching

    /// The first slot of a leaf whose key is not before `key`.
    @inline(__always)
    func lowerBound(_ key: Key, _ order: Order) -> Int {
        let count = slotCount
        return withItems { items in
            var low = 0
            var high = count
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
    }

    /// The child of an inner node that has `key`, if any has.
    @inline(__always)
    func childIndex(of key: Key, _ order: Order) -> Int {
        let count = slotCount
        return withChildren { _, firsts in
            var low = 1
            var high = count
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
}
