import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite struct IndexTreeTests {
    @Test(arguments: [UInt64(40), 2_000, .max])
    func randomEditsAgreeWithSortedArrayInAllVersions(maximumKey: UInt64) {
        var random = SeededRandom("randomEditsAgreeWithSortedArrayInAllVersions \(maximumKey)")
        var model = IndexModel()
        for round in 0..<8 {
            // Grows first, then shrinks.
            let removesOneIn = round < 5 ? 5 : 1
            for _ in 0..<700 {
                if random.oneIn(removesOneIn), !model.entries.isEmpty {
                    let entry = model.entries[random.below(model.entries.count)]
                    model.remove(entry.key, entry.row)
                } else {
                    model.insert(
                        UInt64.random(in: 0...maximumKey, using: &random), UInt64(random.below(300))
                    )
                }
            }
            model.remove(maximumKey, 1_000)
            checkReads(model, &random)
            model.keepVersion()
        }
        model.check()
        model.close()
    }

    /// Checks that every way of reading matches the array.
    private func checkReads(_ model: IndexModel, _ random: inout SeededRandom) {
        let (tree, entries) = (model.tree, model.entries)
        guard let least = entries.first, let greatest = entries.last else { return }
        for _ in 0..<60 {
            var from = entries[random.below(entries.count)]
            if random.oneIn(2) { from.key = .random(in: least.key...greatest.key, using: &random) }
            if random.oneIn(2) { from.row = UInt64(random.below(301)) }
            let place = model.position(from.key, from.row)
            expectEqual(tree.rank(below: from.key), model.position(from.key, 0))
            let isThere = place < entries.count && entries[place] == from
            expectEqual(tree.contains(from.key, from.row), isThere)
            expectTrue(
                tree.first(from: from.key, from.row)
                    == (place < entries.count ? entries[place] : nil))
            let sameKey = entries.filter { $0.key == from.key }.map(\.row)
            expectEqual(tree.firstRow(from.key), sameKey.first)
            var rows: [UInt64] = []
            tree.forEachRow(from.key) {
                rows.append($0)
                return true
            }
            expectEqual(rows, sameKey)
            if place < entries.count { expectEqual(tree.entry(at: place), entries[place]) }

            let to = entries[random.below(entries.count)]
            rows = []
            tree.rows(from: from, through: to, into: &rows)
            expectEqual(rows, entries.filter { !($0 < from) && !(to < $0) }.map(\.row))
            let keys = min(from.key, to.key)...max(from.key, to.key)
            expectEqual(tree.count(in: keys), entries.count { keys.contains($0.key) })
        }
        expectEqual(tree.count(in: 0...UInt64.max), entries.count)
    }

    @Test(arguments: ["ascending", "descending", "random", "ascending within blocks"])
    func insertsInAnyOrderThenRemovesDownToEmpty(order: String) {
        var random = SeededRandom("insertsInAnyOrderThenRemovesDownToEmpty \(order)")
        let count = 20_000
        var keys = (0..<UInt64(count)).map { $0 }
        switch order {
        case "descending": keys.reverse()
        case "random": keys.shuffle(using: &random)
        case "ascending within blocks":
            keys.sort { ($0 % 10, $0) < ($1 % 10, $1) }
        default: break
        }
        var model = IndexModel()
        let (store, edit) = (model.store, model.edit)
        for key in keys { expectTrue(model.tree.insert(key, key * 3, edit, &model.hint)) }
        model.entries = (0..<UInt64(count)).map { IndexTreeEntry(key: $0, row: $0 * 3) }
        model.check()
        if order == "ascending" {
            // 157 full leaves, two inner nodes above them and the root.
            expectEqual(store.usage.nodeCount, 160)
            expectEqual(model.tree.height, 2)
        }
        model.keepVersion()
        for (index, key) in keys.enumerated() {
            expectEqual(model.removeFromTree(key, key * 3), true)
            if index == count / 2 {
                let rest = keys[(index + 1)...].sorted()
                checkIndexContent(model.tree, rest.map { IndexTreeEntry(key: $0, row: $0 * 3) })
            }
        }
        model.entries = []
        expectTrue(model.tree.root == nil && model.tree.height == 0)
        model.check()
        model.close()
    }

    @Test func repeatedEntriesAreCounted() {
        var model = IndexModel()
        for (key, count) in [(4, 1), (7, 300), (8, 128), (9, 2), (12, 1_000)] as [(UInt64, Int)] {
            for index in 0..<count {
                model.tree.insertAgain(key, UInt64(index / 200), model.edit)
            }
        }
        expectEqual(model.tree.count(in: 7...7), 300)
        expectEqual(model.tree.count(in: 8...8), 128)
        expectEqual(model.tree.count(in: 12...12), 1_000)
        expectEqual(model.tree.count(in: 5...6), 0)
        expectEqual(model.tree.count(in: 13...UInt64.max), 0)
        expectEqual(model.tree.count(in: 0...8), 429)
        expectEqual(model.tree.count(in: 0...UInt64.max), 1_431)
    }

    @Test func builtTreeHasFullLeavesAndTakesEdits() {
        var random = SeededRandom("builtTreeHasFullLeavesAndTakesEdits")
        for count in [0, 1, 127, 128, 129, 128 * 128, 128 * 128 + 1, 18_000] {
            var model = IndexModel()
            model.entries = (0..<UInt64(count)).map { IndexTreeEntry(key: $0 / 3 * 10, row: $0) }
            model.tree = model.entries.withUnsafeBufferPointer {
                IndexTree.build($0, model.edit)
            }
            checkIndexContent(model.tree, model.entries)
            var leafCounts: [Int] = []
            model.tree.forEachLeaf { leafCounts.append(Int($0.count)) }
            expectTrue(leafCounts.dropLast().allSatisfy { $0 == 128 })
            model.keepVersion()
            for _ in 0..<300 {
                model.insert(UInt64(random.below(10 * count + 10)), UInt64(random.below(9)))
                if random.oneIn(2) {
                    let entry = model.entries[random.below(model.entries.count)]
                    model.remove(entry.key, entry.row)
                }
            }
            model.check()
            model.close()
        }
    }

    @Test func firstInsertOfAnEditCopiesOneNodeALevel() {
        var model = IndexModel()
        for key in 0..<UInt64(20_000) {
            expectTrue(model.tree.insert(key * 2, 0, model.edit, &model.hint))
        }
        expectEqual(model.edit.copyCount, 0)
        let copiesOfAll: [(UInt64, Int)] = [(5_001, 3), (5_003, 0), (39_999, 2), (40_000, 0)]
        model.keepVersion()
        for (key, copies) in copiesOfAll {
            let before = model.edit.copyCount
            expectTrue(model.tree.insert(key, 0, model.edit, &model.hint))
            expectEqual(model.edit.copyCount - before, copies)
        }
        // Adding existing entries and removing missing ones copies nothing.
        model.keepVersion()
        let before = model.edit.copyCount
        expectTrue(!model.tree.insert(40_000, 0, model.edit, &model.hint))
        expectEqual(model.removeFromTree(40_002, 0), false)
        expectEqual(model.edit.copyCount, before)
        expectEqual(model.removeFromTree(40_000, 0), true)
        expectEqual(model.edit.copyCount - before, 3)
        model.close()
    }

    @Test func hintDoesNotOutliveTheStateItWasMadeIn() {
        var model = IndexModel()
        for key in 0..<UInt64(200) { model.insert(key, 0) }
        model.keepVersion()
        let kept = (model.tree, model.entries)
        let retiredCount = model.edit.retired.count
        let stamp = model.edit.stamp
        for key in 200..<UInt64(300) { model.insert(key, 0) }
        // Back to the retained state, as with a savepoint.
        let lost = model.tree
        (model.tree, model.entries) = kept
        lost.forEachLeaf { place in
            if let leaf = Node(word: UInt(place.word)), leaf.birth == stamp {
                model.store.free(leaf)
            }
        }
        if let root = lost.root { model.store.free(root) }
        model.edit.unretire(downTo: retiredCount, bornAfter: stamp - 1)
        for key in 250..<UInt64(600) { model.insert(key, 0) }
        model.check()
        model.close()
    }

    @Test func hintTellsKeysBeyondTheLast() {
        var model = IndexModel()
        expectTrue(!model.tree.isBeyondLast(1, model.edit, model.hint))
        for key in 0..<UInt64(200) { model.insert(key * 2, 0) }
        expectTrue(model.tree.isBeyondLast(399, model.edit, model.hint))
        expectTrue(!model.tree.isBeyondLast(398, model.edit, model.hint))
        // The hint doesn't apply to other edits of the tree, or to older states of it.
        model.remove(0, 0)
        expectTrue(!model.tree.isBeyondLast(399, model.edit, model.hint))
        model.insert(400, 0)
        expectTrue(model.tree.isBeyondLast(401, model.edit, model.hint))
        model.keepVersion()
        expectTrue(!model.tree.isBeyondLast(401, model.edit, model.hint))
        model.check()
        model.close()
    }

    @Test func entriesOfOneKeySpanLeaves() {
        var model = IndexModel()
        for row in 0..<UInt64(1_000) { model.insert(7, row * 2) }
        model.insert(6, 5)
        model.insert(8, 5)
        expectEqual(model.tree.firstRow(7), 0)
        expectEqual(model.tree.count(in: 7...7), 1_000)
        expectEqual(model.tree.rank(below: 7), 1)
        expectEqual(model.tree.rank(below: 8), 1_001)
        for row in 0..<UInt64(1_000) { model.insert(7, row * 2 + 1) }
        model.check()
        model.close()
    }
}
