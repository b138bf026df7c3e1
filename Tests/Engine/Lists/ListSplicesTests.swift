import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// A list whose elements know their origin: the definition of the net effect of edits.
private struct TracedList {
    var elements: [(old: Int?, key: ObjectKey)]
    let oldCount: Int

    init(count: Int) {
        elements = (0..<count).map { ($0, ObjectKey(rawValue: UInt64($0))) }
        oldCount = count
    }

    mutating func edit(at position: Int, removing count: Int, inserting keys: [ObjectKey]) {
        let new = keys.map { key -> (old: Int?, key: ObjectKey) in (nil, key) }
        elements.replaceSubrange(position..<position + count, with: new)
    }

    var splices: [ListSplice] {
        var splices: [ListSplice] = []
        var next = 0
        var inserted: [ObjectKey] = []
        for element in elements + [(oldCount, ObjectKey(rawValue: 0))] {
            guard let old = element.old else {
                inserted.append(element.key)
                continue
            }
            if old > next || !inserted.isEmpty {
                splices.append(
                    ListSplice(position: next, removedCount: old - next, inserted: inserted))
            }
            next = old + 1
            inserted = []
        }
        return splices
    }
}

@Suite struct ListSplicesTests {
    @Test func editsAndCompositionsAreTheNetOfTheDefinition() {
        var random = SeededRandom("editsAndCompositionsAreTheNetOfTheDefinition")
        for _ in 0..<600 {
            let count = random.below(12)
            var traced = TracedList(count: count)
            var whole = ListSplices()
            var parts: [ListSplices] = []
            for _ in 0..<1 + random.below(4) {
                var part = ListSplices()
                for _ in 0..<random.below(8) {
                    let size = traced.elements.count
                    let position = random.below(size + 1)
                    let removed = random.below(min(4, size - position + 1))
                    let keys = (0..<random.below(3)).map { _ in
                        ObjectKey(rawValue: 100 + UInt64(random.below(9)))
                    }
                    whole.edit(at: position, removing: removed, inserting: keys)
                    part.edit(at: position, removing: removed, inserting: keys)
                    traced.edit(at: position, removing: removed, inserting: keys)
                    expectEqual(whole.splices, traced.splices)
                }
                parts.append(part)
            }
            let composed = parts.reduce(ListSplices()) { $0.followed(by: $1) }
            expectEqual(composed, whole)
            expectEqual(ListSplices(whole.splices), whole)
        }
    }

    @Test func removedPositionsAreNeighborsOrApart() {
        let splices = ListSplices(removed: [0, 1, 4, 6, 7]).splices
        expectEqual(splices.map(\.position), [0, 4, 6])
        expectEqual(splices.map(\.removedCount), [2, 1, 2])
    }

    @Test func boundedEditsTurnTheOldSequenceIntoTheNew() {
        var random = SeededRandom("boundedEditsTurnTheOldSequenceIntoTheNew")
        for round in 0..<300 {
            let size = round % 10 == 0 ? 700 : 20
            let old = (0..<random.below(size)).map { _ in UInt64(random.below(size / 3)) }
            var new = old
            for _ in 0..<random.below(12) {
                let position = random.below(new.count + 1)
                if random.oneIn(2), position < new.count {
                    new.remove(at: position)
                } else {
                    new.insert(UInt64(random.below(size / 3)), at: position)
                }
            }
            if random.oneIn(10) { new.shuffle(using: &random) }
            var splices: [ListSplice] = []
            SequenceEdits.append(old, new, at: 0, to: &splices)
            expectEqual(apply(splices, old), new)
        }
    }
}
