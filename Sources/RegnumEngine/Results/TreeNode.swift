/// The maximum number of children of an inner node. Small, because a commit copies a path of nodes
/// and retains each of their children.
let maximumTreeChildCount = 16

/// The offsets of an inner node's counts, which follow its children, and its keys.
private let treeCountsOffset = 16 * 8
private let treeFirstsOffset = 2 * 16 * 8

/// The header of a node.
struct TreeNodeHeader {
    /// The number of elements below.
    var count: Int
    /// The number of elements of a leaf, or of children of an inner node.
    var slotCount: Int
    /// 0 for a leaf.
    let height: Int
    /// 1 if the elements of this leaf, or the keys of this inner node, are trivial. An entire word,
    /// so that the header takes 32 bytes and the slots are aligned to 16.
    private let triviality: Int

    init(height: Int, isTrivial: Bool) {
        count = 0
        slotCount = 0
        self.height = height
        triviality = isTrivial ? 1 : 0
    }

    var isTrivial: Bool { triviality != 0 }
}

/// A node of a `SortedTree` in one block of memory: a leaf of elements, or an inner node with its
/// children, the number of elements below each, and their keys. A child's key is at most the
/// smallest one below it, and greater than all keys below the preceding child.
///
/// The counts are contiguous, so finding a position doesn't access the siblings.
///
/// This file contains all access to raw memory. The guard of every pointer is the closure that it
/// is passed to: it doesn't escape, and the slots up to `slotCount` are initialized. Nodes are
/// edited only through `TreeNode+Edit.swift`, by their owner.
final class TreeNode<Order: TreeOrder>: ManagedBuffer<TreeNodeHeader, UInt8> {
    typealias Element = Order.Element
    typealias Key = Order.Key

    /// Deinitializes entire regions at a time and queries the type as little as possible, because
    /// the deinit of a generic class isn't specialized.
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

    /// Creates a node with capacity for all slots and none in use.
    private static func allocate(height: Int) -> TreeNode {
        assert(MemoryLayout<Element>.alignment <= 16 && MemoryLayout<Key>.alignment <= 16)
        assert(MemoryLayout<TreeNodeHeader>.size == 32)
        let byteCount =
            height == 0
            ? Order.maximumLeafSlotCount * MemoryLayout<Element>.stride
            : treeFirstsOffset + maximumTreeChildCount * MemoryLayout<Key>.stride
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

    /// The maximum number of slots. A node that a removal leaves with less than a quarter of them
    /// is merged with a sibling or borrows from it.
    var maximumSlotCount: Int { isLeaf ? Order.maximumLeafSlotCount : maximumTreeChildCount }

    /// Calls `body` with the elements of a leaf.
    @inline(__always)
    func withItems<Result>(_ body: (UnsafeMutablePointer<Element>) -> Result) -> Result {
        withUnsafeMutablePointerToElements { bytes in
            body(UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Element.self))
        }
    }

    /// Calls `body` with the children of an inner node and their keys.
    @inline(__always)
    func withChildren<Result>(
        _ body: (UnsafeMutablePointer<TreeNode>, UnsafeMutablePointer<Key>) -> Result
    ) -> Result {
        withUnsafeMutablePointerToElements { bytes in
            let raw = UnsafeMutableRawPointer(bytes)
            return body(
                raw.assumingMemoryBound(to: TreeNode.self),
                (raw + treeFirstsOffset).assumingMemoryBound(to: Key.self))
        }
    }

    /// Calls `body` with the number of elements below each child of an inner node.
    @inline(__always)
    func withCounts<Result>(_ body: (UnsafeMutablePointer<Int>) -> Result) -> Result {
        withUnsafeMutablePointerToElements { bytes in
            let raw = UnsafeMutableRawPointer(bytes)
            return body((raw + treeCountsOffset).assumingMemoryBound(to: Int.self))
        }
    }

    /// Returns the number of elements below the children before a slot.
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

    /// Returns the key under which a parent stores the node, which must not be empty.
    func firstKey() -> Key {
        isLeaf ? Order.key(of: item(0)) : withChildren { _, firsts in firsts[0] }
    }

    // MARK: Creating nodes

    /// Creates a leaf with at least one element.
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

    /// Creates an inner node with at least one child, all of height `height - 1`.
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

    /// Splits the node, which the caller must own, and returns the slots from `slot` on in a new
    /// one.
    func splitOff(from slot: Int) -> TreeNode {
        let right = TreeNode.allocate(height: height)
        moveSlots(from: slot, to: right)
        right.count = isLeaf ? right.slotCount : right.countBefore(right.slotCount)
        count -= right.count
        return right
    }

    /// Appends all slots of `right`, which follow those of this node. There must be room.
    func absorb(_ right: TreeNode) {
        right.moveSlots(from: 0, to: self)
        count += right.count
        right.count = 0
    }

    /// Moves the slots from `start` on after those of another node. Doesn't update `count`.
    private func moveSlots(from start: Int, to other: TreeNode) {
        let moved = slotCount - start
        let end = other.slotCount
        if isLeaf {
            withItems { items in
                other.withItems { ($0 + end).moveInitialize(from: items + start, count: moved) }
            }
        } else {
            withChildren { children, firsts in
                other.withChildren { newChildren, newFirsts in
                    (newChildren + end).moveInitialize(from: children + start, count: moved)
                    (newFirsts + end).moveInitialize(from: firsts + start, count: moved)
                }
            }
            withCounts { counts in
                other.withCounts { ($0 + end).update(from: counts + start, count: moved) }
            }
        }
        slotCount = start
        other.slotCount = end + moved
    }

    /// Replaces `node` with a copy if it is shared.
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

    // MARK: Editing the slots of an owned node

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

    /// Inserts a child whose elements are already counted.
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

    /// Updates the key of a child to its current first key.
    func updateKey(_ slot: Int) {
        withChildren { children, firsts in firsts[slot] = children[slot].firstKey() }
    }

    /// Returns the child, copying it first if it is shared.
    @inline(__always)
    func ownedChild(_ slot: Int) -> TreeNode {
        withChildren { children, _ in
            TreeNode.own(&children[slot])
            return children[slot]
        }
    }

    func changeCount(by change: Int) { count += change }

    /// Updates the number of elements below a child.
    @inline(__always)
    func recount(_ slot: Int) {
        let below = child(slot).count
        withCounts { $0[slot] = below }
    }

    // MARK: Searching

    /// Returns the first slot of a leaf whose key isn't before `key`.
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

    /// Returns the child of an inner node that contains `key`, if any does.
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
