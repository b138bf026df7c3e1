import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// A sequence tree together with the arrays that it has to match, and older versions of both.
private struct SequenceModel {
    var index = IndexModel()
    var tree = SequenceTree()
    var lists: [UInt64: [UInt64]] = [:]
    private(set) var versions: [(tree: SequenceTree, lists: [UInt64: [UInt64]])] = []
    var edit: NodeEdit { index.edit }

    mutating func insert(_ elements: [UInt64], _ owner: UInt64, at position: Int) {
        let isDone = tree.insert(elements[...], owner, at: position, edit)
        expectTrue(isDone)
        lists[owner, default: []].insert(contentsOf: elements, at: position)
    }

    mutating func remove(_ owner: UInt64, _ range: Range<Int>) {
        tree.remove(owner, range, edit)
        lists[owner]?.removeSubrange(range)
    }

    mutating func set(_ element: UInt64, _ owner: UInt64, at position: Int) {
        let isDone = tree.set(element, owner, at: position, edit)
        expectTrue(isDone)
        lists[owner]?[position] = element
    }

    mutating func keepVersion() {
        versions.append((tree, lists))
        _ = edit.freeze()
    }

    static func entries(_ lists: [UInt64: [UInt64]]) -> [IndexTreeEntry] {
        lists.sorted { $0.key < $1.key }
            .flatMap { (owner, list) in list.map { IndexTreeEntry(key: owner, row: $0) } }
    }

    func check() {
        for version in versions + [(tree, lists)] {
            let entries = SequenceModel.entries(version.lists)
            checkIndexContent(version.tree.tree, entries, isSequence: true)
        }
    }

    mutating func close() {
        index.tree = tree.tree
        index.close()
    }
}

@Suite struct SequenceTreeTests {
    @Test(arguments: [1, 3, 400])
    func randomEditsAgreeWithArraysInAllVersions(ownerCount: Int) {
        var random = SeededRandom("randomEditsAgreeWithArraysInAllVersions \(ownerCount)")
        var model = SequenceModel()
        for round in 0..<8 {
            for _ in 0..<300 {
                let owner = UInt64(random.below(ownerCount) * 3)
                let count = model.lists[owner]?.count ?? 0
                switch random.below(round < 5 ? 10 : 4) {
                case 0 where count > 0:
                    let start = random.below(count)
                    let length = 1 + random.below(min(count - start, random.oneIn(5) ? 400 : 3))
                    model.remove(owner, start..<start + length)
                case 1 where count > 0:
                    model.set(UInt64(random.below(50)), owner, at: random.below(count))
                case 2 where round >= 5:
                    model.tree.remove(owner, 0..<model.tree.count(owner), model.edit)
                    model.lists[owner] = nil
                default:
                    let length = random.oneIn(6) ? 1 + random.below(300) : 1
                    let position = random.oneIn(3) ? count : random.below(count + 1)
                    model.insert(
                        (0..<length).map { _ in UInt64(random.below(50)) }, owner, at: position)
                }
            }
            checkReads(model, ownerCount, &random)
            model.keepVersion()
        }
        model.check()
        for index in 1..<model.versions.count {
            checkDifference(model.versions[index - 1], model.versions[index], ownerCount)
        }
        if let first = model.versions.first, let last = model.versions.last {
            checkDifference(first, last, ownerCount)
        }
        for owner in model.lists.keys {
            model.tree.remove(owner, 0..<model.tree.count(owner), model.edit)
        }
        model.lists = [:]
        expectNil(model.tree.tree.root)
        model.check()
        model.close()
    }

    private func checkReads(
        _ model: SequenceModel, _ ownerCount: Int, _ random: inout SeededRandom
    ) {
        for _ in 0..<60 {
            let owner = UInt64(random.below(ownerCount * 3 + 2))
            let list = model.lists[owner] ?? []
            expectEqual(model.tree.count(owner), list.count)
            let start = model.lists.reduce(0) { $0 + ($1.key < owner ? $1.value.count : 0) }
            expectEqual(model.tree.start(owner), start)
            let position = random.below(list.count + 2)
            expectTrue(
                model.tree.element(owner, at: position)
                    == (position < list.count ? list[position] : nil))
            expectEqual(model.tree.elements(owner), list)
            let range = min(position, list.count)..<list.count
            expectEqual(model.tree.elements(owner, range), Array(list[range]))
            for wanted in [Set([7]), Set([3, 4, 5])] as [Set<UInt64>] {
                let found = model.tree.positions(owner, of: wanted)
                expectEqual(found, list.indices.filter { wanted.contains(list[$0]) })
            }
        }
        expectNil(model.tree.element(0, at: -1))
    }

    private func checkDifference(
        _ old: (tree: SequenceTree, lists: [UInt64: [UInt64]]),
        _ new: (tree: SequenceTree, lists: [UInt64: [UInt64]]), _ ownerCount: Int
    ) {
        let changed = Set(SequenceTree.changedOwners(old.tree, new.tree))
        for owner in (0..<ownerCount).map({ UInt64($0 * 3) }) {
            let (before, after) = (old.lists[owner] ?? [], new.lists[owner] ?? [])
            let splices = SequenceTree.difference(old.tree, new.tree, owner)
            expectEqual(apply(splices, before), after)
            if before != after { expectTrue(changed.contains(owner)) }
            expectEqual(splices, ListSplices(splices).splices)
        }
    }

    /// A list that fills a leaf is removed at once, so the leaves beside it become siblings.
    @Test func smallLeavesAreMergedOnceTheLeafBetweenThemIsGone() throws {
        var model = SequenceModel()
        let (first, last) = (0..<128 as Range<UInt64>, 300..<428 as Range<UInt64>)
        for owner in first { model.insert([1], owner, at: 0) }
        for position in 0..<128 { model.insert([2], 200, at: position) }
        for owner in last { model.insert([3], owner, at: 0) }
        model.keepVersion()
        for owner in Array(first.dropFirst(5)) + Array(last.dropFirst(5)) {
            model.remove(owner, 0..<1)
        }
        let root = try IndexInner(requireValue(model.tree.tree.root))
        expectEqual((0..<root.count).map { root.child($0).count }, [5, 128, 5])
        model.remove(200, 0..<128)
        expectEqual(model.tree.tree.height, 0)
        model.check()
        model.close()
    }

    @Test func positionsThatAListDoesNotHaveChangeNothing() {
        var model = SequenceModel()
        model.insert(Array(0..<200), 5, at: 0)
        model.insert([7], 9, at: 0)
        let answers = [
            model.tree.insert([1], 5, at: 201, model.edit),
            model.tree.insert([1, 2], 5, at: 201, model.edit),
            model.tree.insert([1], 6, at: 1, model.edit),
            // the last list of the tree, with nothing behind it
            model.tree.insert([1], 9, at: 2, model.edit),
            model.tree.insert([1, 2], 9, at: 3, model.edit),
            model.tree.insert([1], 9, at: .max, model.edit),
            model.tree.set(1, 9, at: 1, model.edit),
            model.tree.set(1, 5, at: 200, model.edit),
            model.tree.set(1, 4, at: 0, model.edit),
        ]
        expectEqual(answers, [Bool](repeating: false, count: 9))
        model.tree.remove(6, 0..<3, model.edit)
        model.check()
        model.close()
    }

    @Test func noElementIsAtAPositionNearTheGreatestInteger() {
        var model = SequenceModel()
        for owner: UInt64 in [0, 7] {
            model.insert([UInt64](repeating: 7, count: 5_000), owner, at: 0)
        }
        let found = (0..<5_000).count { model.tree.element(7, at: .max - $0) != nil }
        expectEqual(found, 0)
        model.close()
    }

    /// A leaf with fewer entries than its parent counts, as elements that were inserted into the
    /// empty leaf that stands for a damaged one leave it.
    @Test func anInsertionThatFailsHalfwayLeavesTheListWithItsNewNodes() throws {
        let start = EngineTransaction(base: .makeEmpty())
        let song = try start.addTable(name: "Song", columns: [])
        let album = try start.addTable(name: "Album", columns: [])
        let list = try start.addList(album, name: "songs", target: song)
        let element = try start.insert(song, [])
        let albums = try (0..<3).map { _ in try start.insert(album, []) }
        for row in albums {
            let elements = Array(repeating: element, count: IndexLeaf.capacity / 2)
            try start.insertIntoList(album, row, list, at: 0, elements)
        }
        let base = try start.commit(timestampMicroseconds: 0).root
        let root = try requireValue(base.content[album.index].elements(list.index).tree.root)
        IndexInner(root).counts[0] += 70
        let edited = base.content.edited(on: base.stamp)
        var content = edited.content
        let edit = edited.edit.nodes
        // The first element splits the leaf, after which the second isn't behind it.
        let isDone = content.splice(
            ListPlace(table: album, list: list), albums[1].rawValue, at: IndexLeaf.capacity / 2,
            removing: 0, inserting: [element.rawValue, element.rawValue], edit)
        expectTrue(!isDone)
        let newRoot = try requireValue(content[album.index].elements(list.index).tree.root)
        expectTrue(edit.owns(newRoot))
        edit.store.abort(edit, directory: content.directory)
        withExtendedLifetime(base) {}
    }

    @Test func fewEditsOfALongListAreFoundWithFewSplices() {
        var random = SeededRandom("fewEditsOfALongListAreFoundWithFewSplices")
        var model = SequenceModel()
        model.insert((0..<40_000).map { _ in random.next() }, 3, at: 0)
        model.keepVersion()
        let before = model.lists[3] ?? []
        for _ in 0..<10 {
            model.insert([random.next()], 3, at: random.below(40_000))
            model.remove(3, 200..<201)
        }
        let splices = SequenceTree.difference(model.versions[0].tree, model.tree, 3)
        expectEqual(apply(splices, before), model.lists[3])
        expectTrue(splices.reduce(0) { $0 + $1.removedCount + $1.inserted.count } <= 20)
        model.check()
        model.close()
    }
}

/// Applies splices as an observer does: from the back, so that earlier positions stay valid.
func apply(_ splices: [ListSplice], _ list: [UInt64]) -> [UInt64] {
    var list = list
    for splice in splices.reversed() {
        list.replaceSubrange(
            splice.position..<splice.position + splice.removedCount,
            with: splice.inserted.map(\.rawValue))
    }
    return list
}
