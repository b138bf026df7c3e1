import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

typealias IndexTreeEntry = IndexTree.Entry

/// A tree together with the sorted array that it has to match, and older versions of both.
struct IndexModel {
    let store: NodeStore
    let edit: NodeEdit
    var tree = IndexTree()
    var hint = IndexHint()
    var entries: [IndexTreeEntry] = []
    private(set) var versions: [(tree: IndexTree, entries: [IndexTreeEntry])] = []

    init() {
        store = NodeStore()
        edit = NodeEdit(store)
    }

    /// Adds an entry to both.
    mutating func insert(_ key: UInt64, _ row: UInt64) {
        let place = position(key, row)
        let isNew = place == entries.count || entries[place] != IndexTreeEntry(key: key, row: row)
        expectEqual(tree.insert(key, row, edit, &hint), isNew)
        if isNew { entries.insert(IndexTreeEntry(key: key, row: row), at: place) }
    }

    /// Removes an entry from both.
    mutating func remove(_ key: UInt64, _ row: UInt64) {
        let place = position(key, row)
        let isThere = place < entries.count && entries[place] == IndexTreeEntry(key: key, row: row)
        expectEqual(removeFromTree(key, row), isThere)
        if isThere { entries.remove(at: place) }
    }

    /// Removes an entry from the tree, as edits of tables do.
    mutating func removeFromTree(_ key: UInt64, _ row: UInt64) -> Bool {
        hint.clear()
        return tree.remove(key, row, edit)
    }

    /// Returns the number of smaller entries.
    func position(_ key: UInt64, _ row: UInt64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle] < IndexTreeEntry(key: key, row: row) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Retains the current state, which later edits must not change.
    mutating func keepVersion() {
        versions.append((tree, entries))
        _ = edit.freeze()
    }

    /// Checks that all versions have their original content, in valid nodes.
    func check() {
        for version in versions { checkIndexContent(version.tree, version.entries) }
        checkIndexContent(tree, entries)
    }

    /// Frees all versions and checks that nothing is left.
    func close() {
        for retired in edit.takeRetired() { store.free(retired.node) }
        if let root = tree.root { free(root, height: tree.height) }
        expectEqual(store.usage.nodeCount, 0)
        expectEqual(store.usage.byteCount, 0)
    }

    private func free(_ node: Node, height: Int) {
        if height > 0 {
            let inner = IndexInner(node)
            for place in 0..<inner.count {
                guard let child = Node(word: inner.storedChild(place)), !child.isMapped else {
                    continue
                }
                free(child, height: height - 1)
            }
        }
        store.free(node)
    }
}

/// Checks that the tree has the entries, and that its nodes are as specified by `IndexTree`. The
/// entries of a sequence are sorted by key alone, so it can't be searched for its first one.
func checkIndexContent(
    _ tree: IndexTree, _ entries: [IndexTreeEntry], isSequence: Bool = false
) {
    var content: [IndexTreeEntry] = []
    func append(_ key: UInt64, _ row: UInt64) -> Bool {
        content.append(IndexTreeEntry(key: key, row: row))
        return true
    }
    if isSequence { tree.visitRepeated(from: 0, append) } else { tree.visit(from: 0, 0, append) }
    let difference = content.indices.first { $0 >= entries.count || content[$0] != entries[$0] }
    expectNil(difference)
    expectEqual(content.count, entries.count)
    expectEqual(tree.count, entries.count)
    expectTrue((tree.root == nil) == entries.isEmpty)
    guard let root = tree.root else { return }
    expectTrue(tree.height == 0 || root.count >= 2)
    expectEqual(checkIndexNode(root, height: tree.height), entries.count)
}

/// Checks a node and all nodes below it; returns the number of entries.
private func checkIndexNode(_ node: Node, height: Int) -> Int {
    expectTrue(node.count >= 1 && node.count <= 128)
    if height == 0 {
        expectTrue(node.kind == .indexLeaf && node.byteCount == IndexLeaf.byteCount)
        return node.count
    }
    let inner = IndexInner(node)
    expectTrue(node.kind == .indexInner && inner.height == height)
    expectEqual(node.byteCount, IndexInner.byteCount(height: height))
    var sum = 0
    for place in 0..<inner.count {
        let child = inner.child(place)
        let count = checkIndexNode(child, height: height - 1)
        expectEqual(Int(inner.counts[place]), count)
        let (leaf, below) = (IndexLeaf(child), IndexInner(child))
        expectTrue(inner.keys[place] == (height == 1 ? leaf.keys[0] : below.keys[0]))
        expectTrue(inner.rows[place] == (height == 1 ? leaf.rows[0] : below.rows[0]))
        if place > 0 { expectTrue(child.count + inner.child(place - 1).count >= 32) }
        sum += count
    }
    return sum
}

/// A nodes file in memory.
final class IndexNodesFile: NodeBytes {
    /// Guard: written by `append` before any other thread sees it.
    private nonisolated(unsafe) let base: UnsafeMutableRawBufferPointer
    private nonisolated(unsafe) var end = 64

    init(byteCount: Int) {
        base = .allocate(byteCount: byteCount, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { base.deallocate() }

    /// Writes the image of a leaf.
    func append(_ leaf: Node) -> UInt64 {
        let offset = end
        let image = UnsafeMutableRawBufferPointer(rebasing: base[offset..<offset + leaf.byteCount])
        image.copyMemory(from: UnsafeRawBufferPointer(start: leaf.address, count: leaf.byteCount))
        image.storeBytes(of: 0, as: UInt64.self)
        image[13] = 1
        end = (end + leaf.byteCount + 63) & ~63
        return UInt64(offset)
    }

    /// Changes a byte.
    func damage(at offset: UInt64) { base[Int(offset)] ^= 0x40 }

    func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        guard offset <= base.count, count <= base.count - Int(offset) else {
            throw StoreError(.invalidDatabase, "The range is beyond the end of the file.")
        }
        return UnsafeRawBufferPointer(rebasing: base[Int(offset)..<Int(offset) + count])
    }
}
