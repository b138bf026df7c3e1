import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite struct NodeWalkTests {
    /// One node of each kind, linked according to the layouts, with all other words set to values
    /// that must not be followed.
    @Test func theWalkFindsTheChildrenOfEveryKind() throws {
        let store = NodeStore()
        let edit = try requireValue(store.beginEdit(on: nil))
        let directory = edit.makeZeroed(.directory, byteCount: 16 + 8 * 3)
        let table = edit.makeZeroed(.table, byteCount: 64 + 32 * 2)
        table.count = 2
        directory.store(table.word, 16 + 8 * 2)
        let inner = edit.makeZeroed(.clusterInner, byteCount: 400)
        table.store(inner.word, 16)
        table.store(7 as UInt64, 24)
        inner.store(9 as UInt32, 272)

        let cluster = edit.makeZeroed(
            .cluster, byteCount: Cluster.byteCount(slotCount: 2, optionalCount: 1))
        cluster.count = 2
        inner.store(cluster.word, 16 + 8 * 31)
        let versions = edit.makeZeroed(.chunk, byteCount: 144)
        cluster.store(versions.word, 40)
        let integers = edit.makeZeroed(.chunk, byteCount: 144)
        cluster.store(integers.word | 3, ClusterOffsets.words)
        let slot = Cluster(cluster).slot(0)
        slot.store(12345 as UInt64, 0)
        slot.store(-1 as Int64, 8)
        slot.store(1 as UInt8, 24)
        let cells = edit.makeZeroed(.chunk, byteCount: 272)
        cluster.store(cells.word, ClusterOffsets.words + 8)
        let text = edit.makeZeroed(.text, byteCount: 272)
        let large = edit.makeZeroed(.largeList, byteCount: 16 + 24 * 2)
        let value = edit.makeZeroed(.largeValue, byteCount: 200_000)
        large.store(value.word, 16 + 24)
        large.store(640 as UInt64, 24)
        let texts = Cluster(cluster).slot(1)
        texts.store(text.word, 0)
        texts.store(large.word, 8)
        texts.store(16 as UInt8, 24)

        let leaf = edit.makeZeroed(.indexLeaf, byteCount: 2064)
        table.store(leaf.word, 64)
        let entries = edit.makeZeroed(.indexInner, byteCount: 5152)
        entries.count = 2
        entries.store(0xDEAD as UInt64, 16)
        table.store(entries.word, 64 + 32)
        let second = edit.makeZeroed(.indexLeaf, byteCount: 2064)
        entries.store(second.word, 2080 + 8)
        // An image in a file, which doesn't belong to the store.
        let image = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
        defer { image.deallocate() }
        image.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
        Node(image).kind = .indexLeaf
        Node(image).store(1 as UInt8, 13)
        entries.store(Node(image).word, 2080)

        let all = [
            directory, table, inner, cluster, versions, integers, cells, text, large, value, leaf,
            entries, second,
        ]
        expectEqual(NodeWalk.collect(from: directory), Set(all.map(\.address)))
        expectNil(NodeWalk.fault(in: store, directories: [directory]))
        let lost = edit.make(.chunk, byteCount: 144)
        expectTrue(NodeWalk.fault(in: store, directories: [directory]) != nil)
        store.free(lost)

        store.register(stamp: edit.freeze(), directory: directory)
        store.finish(edit)
        let stamp = try requireValue(store.headStamp)
        expectEqual(store.usage.nodeCount, all.count)
        store.release(stamp: stamp)
        expectTrue(store.usage == (0, 0))
    }

    @Test func freeingStopsAtOlderNodes() throws {
        let store = NodeStore()
        let edit = NodeEdit(store)
        let directory = edit.makeZeroed(.directory, byteCount: 16 + 8 * 2)
        let old = edit.makeZeroed(.table, byteCount: 64)
        directory.store(old.word, 16)
        let stamp = edit.freeze()
        let changed = edit.own(directory)
        let new = edit.makeZeroed(.table, byteCount: 64)
        changed.store(new.word, 24)
        expectEqual(store.usage.nodeCount, 4)
        expectTrue(edit.rollBack(to: stamp, retiredCount: 0, directory: changed))
        expectTrue(edit.retired.isEmpty)
        expectNil(NodeWalk.fault(in: store, directories: [directory]))
        NodeWalk.free(from: directory, bornAfter: 0, store)
        expectTrue(store.usage == (0, 0))
    }
}
