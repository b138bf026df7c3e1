import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// The elements of the tree in these tests: values with keys.
private struct KeyedNumber: Sendable {
    let key: UInt64
    let value: Int64
}

private struct KeyOrder: TreeOrder {
    static var maximumLeafSlotCount: Int { 24 }
    static var isElementTrivial: Bool { true }
    static var isKeyTrivial: Bool { true }

    static func key(of element: KeyedNumber) -> UInt64 { element.key }
    func compare(_ a: UInt64, _ b: UInt64) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
}

/// The sorted tree against a sorted array.
@Suite struct TreeTests {
    private typealias Tree = SortedTree<KeyOrder>

    private func entry(_ key: UInt64, _ value: Int64) -> KeyedNumber {
        KeyedNumber(key: key, value: value)
    }

    private func isEqual(_ tree: Tree, _ oracle: [(key: UInt64, value: Int64)]) -> Bool {
        guard tree.count == oracle.count else { return false }
        var iterator = tree.makeIterator()
        for (key, value) in oracle {
            guard let next = iterator.next(), next.key == key, next.value == value
            else { return false }
        }
        return iterator.next() == nil
    }

    @Test func agreesWithASortedArrayAndOldCopiesStayAsTheyWere() throws {
        var generator = SeededRandom("TreeTests.agreesWithASortedArray")
        for round in 0..<30 {
            var tree = Tree(order: KeyOrder())
            var oracle: [(key: UInt64, value: Int64)] = []
            var copies: [(Tree, [(key: UInt64, value: Int64)])] = []
            let range = [20, 300, 3000][round % 3]
            let isAscending = round % 5 == 0
            for step in 0..<1500 {
                let key = isAscending && step < 700 ? UInt64(step) : UInt64(generator.below(range))
                let place = oracle.firstIndex { $0.key >= key } ?? oracle.count
                let isPresent = place < oracle.count && oracle[place].key == key
                let shrinks = step > 900
                switch generator.below(10) {
                case 0..<(shrinks ? 3 : 6):
                    expectEqual(tree.find(key)?.value, isPresent ? oracle[place].value : nil)
                    if !isPresent {
                        expectEqual(tree.insertNew(entry(key, Int64(step)), key), place)
                        oracle.insert((key, Int64(step)), at: place)
                    }
                default:
                    expectTrue(tree.remove(key)?.position == (isPresent ? place : nil))
                    if isPresent { oracle.remove(at: place) }
                }
                let rank = tree.rank(of: key)
                let isThere = oracle.contains { $0.key == key }
                expectTrue(rank.isPresent == isThere && rank.position == place)
                expectEqual(tree.firstElement(from: key)?.key, oracle.first { $0.key >= key }?.key)
                if generator.oneIn(50) { copies.append((tree, oracle)) }
                if generator.oneIn(100), !oracle.isEmpty {
                    let position = generator.below(oracle.count)
                    expectEqual(tree[position].key, oracle[position].key)
                }
            }
            expectTrue(isEqual(tree, oracle))
            for (copy, expected) in copies { expectTrue(isEqual(copy, expected)) }
            let built = Tree(order: KeyOrder(), sorted: Array(tree))
            expectTrue(isEqual(built, oracle))
        }
    }
}
