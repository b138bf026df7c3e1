import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// A tree of a directory, inner nodes and numbered leaves, edited by copying like tables.
private struct Tree {
    static let innerCount = 4

    var directory: Node
    /// The expected content of the leaves, by position.
    var numbers: [Int: UInt64] = [:]

    init(_ edit: NodeEdit) {
        directory = edit.makeZeroed(.directory, byteCount: 16 + 8 * Tree.innerCount)
    }

    /// Replaces, creates or (if `number` is `nil`) removes the leaf at a position.
    mutating func set(_ place: Int, _ number: UInt64?, _ byteCount: Int, _ edit: NodeEdit) {
        directory = edit.own(directory)
        let innerOffset = 16 + 8 * (place / 32)
        var inner = Node(word: directory.load(innerOffset)).map { edit.own($0) }
        if inner == nil { inner = edit.makeZeroed(.clusterInner, byteCount: 400) }
        guard let inner else { return }
        directory.store(inner.word, innerOffset)
        let offset = 16 + 8 * (place % 32)
        if let old = Node(word: inner.load(offset)) {
            if let number, old.byteCount == byteCount {
                let leaf = edit.own(old)
                leaf.store(number, 16)
                inner.store(leaf.word, offset)
                numbers[place] = number
                return
            }
            edit.retire(old)
        }
        numbers[place] = number
        guard let number else {
            inner.store(0 as UInt, offset)
            return
        }
        let leaf = edit.make(.largeValue, byteCount: byteCount)
        leaf.store(number, 16)
        inner.store(leaf.word, offset)
    }

    var isIntact: Bool {
        for place in 0..<(Tree.innerCount * 32) {
            let inner = Node(word: directory.load(16 + 8 * (place / 32)))
            let leaf = inner.flatMap { Node(word: $0.load(16 + 8 * (place % 32))) }
            if leaf.map({ $0.load(16) as UInt64 }) != numbers[place] { return false }
        }
        return true
    }
}

/// Guard of the unchecked Sendable: the content of a registered root is immutable.
private struct Root: @unchecked Sendable {
    let stamp: UInt64
    let tree: Tree
}

@Suite struct NodeStoreTests {
    /// Commits, aborts, savepoints and roots made inside edits, released in any order: at all times
    /// the store has exactly the nodes that a live root or the edit refers to.
    @Test func nodesAreFreedWithTheLastRootThatShowsThem() {
        var random = SeededRandom("nodesAreFreedWithTheLastRootThatShowsThem")
        for _ in 0..<10 {
            let store = NodeStore()
            var world = World(store: store)
            for _ in 0..<40 {
                world.step(&random)
                if let fault = world.fault() {
                    Issue.record("\(fault)")
                    store.allowLeftNodes()
                    return
                }
            }
            while !world.roots.isEmpty {
                world.release(random.below(world.roots.count))
                if random.oneIn(4) { expectNil(world.fault()) }
            }
            expectTrue(store.usage == (0, 0))
            expectEqual(store.liveRootCount, 0)
        }
    }

    private struct World {
        let store: NodeStore
        var roots: [Root] = []
        var number: UInt64 = 0

        mutating func step(_ random: inout SeededRandom) {
            if !roots.isEmpty, random.below(3) == 0 {
                release(random.oneIn(3) ? roots.count - 1 : random.below(roots.count))
                return
            }
            // Now and then a root has two holders.
            if let root = roots.randomElement(using: &random), random.oneIn(5) {
                store.register(stamp: root.stamp, directory: root.tree.directory)
                roots.append(root)
                roots.sort { $0.stamp < $1.stamp }
                return
            }
            edit(&random)
        }

        mutating func edit(_ random: inout SeededRandom) {
            let base = roots.last
            guard let edit = store.beginEdit(on: base?.stamp) else {
                Issue.record("The head can be edited.")
                return
            }
            expectNil(store.beginEdit(on: base?.stamp))
            var tree = base?.tree ?? Tree(edit)
            var savepoint: (stamp: UInt64, retiredCount: Int, tree: Tree)?
            for _ in 0..<random.below(25) {
                switch random.below(12) {
                case 0:
                    let stamp = edit.freeze()
                    savepoint = (stamp, edit.retired.count, tree)
                case 1:
                    guard let saved = savepoint else { continue }
                    let isFree = !roots.contains { $0.stamp > saved.stamp }
                    let didRollBack = edit.rollBack(
                        to: saved.stamp, retiredCount: saved.retiredCount,
                        directory: tree.directory)
                    expectEqual(didRollBack, isFree)
                    if didRollBack { tree = saved.tree }
                case 2: register(edit.freeze(), tree)
                case 3:
                    // A root made inside the edit is released while the edit is ongoing.
                    if let last = roots.last, last.stamp >= edit.firstStamp {
                        release(roots.count - 1)
                    }
                default:
                    number += 1
                    tree.set(
                        random.below(128), random.oneIn(4) ? nil : number,
                        24 + random.below(3) * 500, edit)
                }
                if random.oneIn(16) {
                    expectNil(fault(tree, edit.retired.map(\.node.address)))
                }
            }
            if random.oneIn(4) {
                // Without a base, the tree may still be the edit's first directory.
                store.abort(edit, directory: tree.directory)
            } else {
                register(edit.freeze(), tree)
                store.finish(edit)
            }
        }

        mutating func register(_ stamp: UInt64, _ tree: Tree) {
            store.register(stamp: stamp, directory: tree.directory)
            roots.append(Root(stamp: stamp, tree: tree))
        }

        mutating func release(_ index: Int) {
            store.release(stamp: roots.remove(at: index).stamp)
        }

        func fault(
            _ current: Tree? = nil, _ pending: [UnsafeMutableRawPointer] = []
        ) -> String? {
            if !roots.allSatisfy(\.tree.isIntact) { return "a root changed" }
            let trees = roots.map(\.tree) + (current.map { [$0] } ?? [])
            if current == nil {
                let held = store.held()
                let stamps = Set(roots.map(\.stamp)).sorted()
                if held.map(\.stamp) != stamps { return "held for other roots" }
                if held.last?.byteCount ?? 0 != 0 { return "the head holds unreferenced nodes" }
                let nodes = NodeWalk.fault(in: store, directories: trees.map(\.directory))
                if let nodes { return nodes }
            }
            var shown = Set(pending)
            for tree in trees { shown.formUnion(NodeWalk.collect(from: tree.directory)) }
            if store.usage.nodeCount != shown.count { return "\(shown.count) nodes are in use" }
            if let addresses = store.tracker.addresses, addresses != shown {
                return "the store has other nodes"
            }
            return nil
        }
    }

    @Test func rootsAreReleasedByAnyThread() async {
        var random = SeededRandom("rootsAreReleasedByAnyThread")
        let store = NodeStore()
        let waiting = Guarded<[Root]>([])
        let isOver = Guarded(false)
        let seeds = (0..<3).map { _ in random.next() }
        let damagedCount = await withTaskGroup(of: Int.self) { group in
            for seed in seeds {
                group.addTask {
                    var random = SeededRandom(seed)
                    var damaged = 0
                    while true {
                        let over = isOver.withLock { $0 }
                        let index = Int(random.next() >> 1)
                        let root = waiting.withLock { roots -> Root? in
                            if roots.isEmpty { return nil }
                            return roots.remove(at: index % roots.count)
                        }
                        if let root {
                            if !root.tree.isIntact { damaged += 1 }
                            store.release(stamp: root.stamp)
                        } else if over {
                            return damaged
                        } else {
                            await Task.yield()
                        }
                    }
                }
            }
            var head: Root?
            for number in 1...1500 as ClosedRange<UInt64> {
                guard let edit = store.beginEdit(on: head?.stamp) else {
                    Issue.record("The head can be edited.")
                    break
                }
                var tree = head?.tree ?? Tree(edit)
                for _ in 0...random.below(3) {
                    tree.set(
                        random.below(128), random.oneIn(4) ? nil : number,
                        24 + random.below(3) * 500, edit)
                }
                let root = Root(stamp: edit.freeze(), tree: tree)
                store.register(stamp: root.stamp, directory: tree.directory)
                store.finish(edit)
                if random.oneIn(4) {
                    // An abandoned commit.
                    store.release(stamp: root.stamp)
                    continue
                }
                store.register(stamp: root.stamp, directory: tree.directory)
                waiting.withLock { $0.append(root) }
                if let head { store.release(stamp: head.stamp) }
                head = root
                // So that heads are released while older roots are released concurrently.
                if random.oneIn(20), let last = head {
                    while store.liveRootCount > 1 { await Task.yield() }
                    _ = last
                }
            }
            if let head { store.release(stamp: head.stamp) }
            isOver.withLock { $0 = true }
            return await group.reduce(0, +)
        }
        expectEqual(damagedCount, 0)
        expectTrue(store.usage == (0, 0))
    }

    @Test func snapshotsAreCountedWithWhatTheyHold() throws {
        let store = NodeStore()
        let first = try requireValue(store.beginEdit(on: nil))
        var tree = Tree(first)
        tree.set(0, 1, 1024, first)
        let old = first.freeze()
        store.register(stamp: old, directory: tree.directory)
        store.finish(first)
        let second = try requireValue(store.beginEdit(on: old))
        tree.set(0, 2, 1024, second)
        let new = second.freeze()
        store.register(stamp: new, directory: tree.directory)
        store.finish(second)
        // Directory, inner node and leaf.
        expectEqual(store.held().map(\.byteCount), [48 + 400 + 1024, 0])
        expectEqual(store.held().map(\.stamp), [old, new])
        expectNil(store.beginEdit(on: old))
        store.release(stamp: old)
        expectTrue(store.usage == (3, 48 + 400 + 1024))
        store.release(stamp: new)
        expectTrue(store.usage == (0, 0))
    }

    @Test func releasingManySnapshotsFromTheNewestKeepsWhatOlderOnesShow() {
        let store = NodeStore()
        var roots: [Root] = []
        var tree: Tree?
        for number in 1...800 as ClosedRange<UInt64> {
            guard let edit = store.beginEdit(on: roots.last?.stamp) else { break }
            var next = tree ?? Tree(edit)
            next.set(Int(number * 7 % 128), number, 24, edit)
            tree = next
            let root = Root(stamp: edit.freeze(), tree: next)
            store.register(stamp: root.stamp, directory: next.directory)
            store.finish(edit)
            roots.append(root)
        }
        // From the middle towards the older ones.
        for index in stride(from: 798, through: 1, by: -1) {
            store.release(stamp: roots[index].stamp)
        }
        expectTrue(roots[0].tree.isIntact && roots[799].tree.isIntact)
        expectNil(
            NodeWalk.fault(
                in: store, directories: [roots[0].tree.directory, roots[799].tree.directory]))
        store.release(stamp: roots[799].stamp)
        expectEqual(store.usage.nodeCount, 3)
        store.release(stamp: roots[0].stamp)
        expectTrue(store.usage == (0, 0))
    }
}
