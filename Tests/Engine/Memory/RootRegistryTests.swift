import RegnumTestSupport
import Testing

@testable import RegnumEngine

/// Releases while the walk of another root that frees its nodes isn't completed yet.
@Suite struct RootRegistryTests {
    /// Registers a root in an edit of another one.
    private func commit(
        _ registry: inout RootRegistry, on base: UInt64?, retiring node: Node? = nil
    ) throws -> UInt64 {
        let stamp = try requireValue(registry.beginEdit(on: base))
        registry.register(stamp, nil)
        registry.endEdit(stamp)
        if let node {
            expectEqual(registry.retire([RetiredNode(node: node, stamp: stamp)]).count, 0)
        }
        return stamp
    }

    /// Makes a store with one node, born at 1.
    private func makeNode() throws -> (store: NodeStore, edit: NodeEdit, node: Node) {
        let store = NodeStore()
        let edit = try requireValue(store.beginEdit(on: nil))
        return (store, edit, edit.make(.largeValue, byteCount: 24))
    }

    /// The first root becomes the head, and owns the node that the released one had replaced.
    @Test func headReleasedDuringAWalkGivesBackWhatItReplaced() throws {
        let (store, edit, node) = try makeNode()
        var registry = RootRegistry()
        let first = try commit(&registry, on: nil)
        let second = try commit(&registry, on: first, retiring: node)
        let third = try commit(&registry, on: second)
        let walk = try requireValue(registry.release(third).walk)
        let pending = registry.release(second)
        expectTrue(pending.freed.isEmpty && pending.walk == nil)
        let fourth = try commit(&registry, on: first)
        expectEqual(registry.release(first).freed.count, 0)
        let next = try requireValue(registry.finishWalk(walk.place).walk)
        expectEqual(next.bornAfter, first)
        expectEqual(registry.finishWalk(next.place).freed.count, 0)
        expectEqual(registry.liveCount, 1)
        expectEqual(registry.head, fourth)
        edit.retire(node)
        store.finish(edit)
    }

    /// Nodes that a released root held don't go to one that is being freed.
    @Test func replacedNodesPassTheRootsThatAreFreed() throws {
        let (store, edit, node) = try makeNode()
        var registry = RootRegistry()
        let first = try commit(&registry, on: nil)
        let second = try commit(&registry, on: first)
        let walk = try requireValue(registry.release(second).walk)
        let third = try commit(&registry, on: first)
        let fourth = try commit(&registry, on: third, retiring: node)
        expectEqual(registry.release(third).freed.count, 0)
        let other = try requireValue(registry.release(fourth).walk)
        expectEqual(registry.finishWalk(other.place).freed.count, 0)
        expectEqual(registry.finishWalk(walk.place).freed.count, 0)
        let fifth = try commit(&registry, on: first)
        expectEqual(registry.release(first).freed.count, 0)
        expectEqual(registry.head, fifth)
        edit.retire(node)
        store.finish(edit)
    }
}
