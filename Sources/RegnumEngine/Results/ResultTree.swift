/// The place of a row in a result: its sort values, then its key.
struct ResultEntry: Sendable {
    /// The value of the first sort term; null where there is none.
    var first: Value = .null
    /// The values of the other sort terms.
    var rest: [Value] = []
    var key: UInt64

    init(key: UInt64) {
        self.key = key
    }

    /// Whether the two are stored the same, so that one need not replace the other.
    func isIdentical(to other: ResultEntry) -> Bool {
        key == other.key && first == other.first && rest == other.rest
    }
}

/// The order of a result: bit i of `descending` turns sort term i around; ties go by key.
struct ResultOrder: TreeOrder {
    static var leafSlotCountMax: Int { 24 }
    static var isElementTrivial: Bool { false }
    static var isKeyTrivial: Bool { false }

    let descending: UInt64

    @inline(__always)
    static func key(of element: ResultEntry) -> ResultEntry { element }

    @inline(__always)
    func compare(_ a: ResultEntry, _ b: ResultEntry) -> Int {
        let order = Value.compare(a.first, b.first)
        if order != 0 { return descending & 1 == 0 ? order : -order }
        if !a.rest.isEmpty {
            for index in a.rest.indices {
                let order = Value.compare(a.rest[index], b.rest[index])
                if order == 0 { continue }
                return descending >> UInt64(index + 1) & 1 == 0 ? order : -order
            }
        }
        return a.key < b.key ? -1 : (a.key == b.key ? 0 : 1)
    }
}

/// A query's result at one version: object keys in order, immutable, sharing structure with the
/// results of neighbouring versions.
package struct ResultTree: Sendable, RandomAccessCollection {
    var tree: SortedTree<ResultOrder>

    init(_ tree: SortedTree<ResultOrder>) {
        self.tree = tree
    }

    /// The empty result.
    package init() {
        tree = SortedTree(order: ResultOrder(descending: 0))
    }

    package var count: Int { tree.count }
    package var startIndex: Int { 0 }
    package var endIndex: Int { tree.count }

    /// The key of the row at `position`, which must be in `0..<count`.
    ///
    /// - Complexity: O(log n); iteration is O(1) a step.
    package subscript(position: Int) -> ObjectKey { ObjectKey(rawValue: tree[position].key) }

    package func makeIterator() -> Iterator { Iterator(base: tree.makeIterator()) }

    package struct Iterator: IteratorProtocol {
        var base: SortedTree<ResultOrder>.Iterator

        package mutating func next() -> ObjectKey? {
            base.next().map { ObjectKey(rawValue: $0.key) }
        }
    }
}
