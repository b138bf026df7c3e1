package import RegnumStore

/// A query's result at one version: an immutable sequence of object keys that shares structure with
/// the results of neighboring versions.
package struct ResultTree: Sendable, RandomAccessCollection {
    /// The representation, which depends on the shape of the plan (`ResultShape`). A result that
    /// was never advanced is an array, which costs no more to make than to read. The first
    /// `advance` turns it into a tree.
    enum Storage: Sendable {
        case keyList([UInt64])
        case rankList([RankedKey])
        /// For a plan that isn't plain: keys in any order, which may repeat.
        case sequence([UInt64])
        /// Keys in ascending order, not copied.
        case lazy(LazyRows)
        /// The elements of a list, not copied.
        case list(LazyRows)
        case keys(SortedTree<KeyOrder>)
        case ranks(SortedTree<RankOrder>)
        case values(SortedTree<ResultOrder>)
    }

    let storage: Storage
    /// For a result that follows commits: the plan as last resolved. The storage then includes the
    /// rows beyond the limit.
    let followed: FollowedPlan?
    /// The rows that each distinct of the plan chooses from.
    let groups: [SortedTree<GroupOrder>]
    /// The matching rows of a list, if the plan filters or sorts one.
    let chosen: ChosenRows?

    init(
        _ storage: Storage, _ followed: FollowedPlan? = nil,
        _ groups: [SortedTree<GroupOrder>] = [], chosen: ChosenRows? = nil
    ) {
        self.storage = storage
        self.followed = followed
        self.groups = groups
        self.chosen = chosen
    }

    /// Creates an empty result.
    package init() {
        self.init(.keyList([]))
    }

    /// Creates a result of the given rows.
    package init(_ keys: [ObjectKey]) {
        self.init(.sequence(keys.map(\.rawValue)))
    }

    package var count: Int { Swift.min(storedCount, followed?.limit ?? .max) }

    private var storedCount: Int {
        switch storage {
        case .keyList(let list), .sequence(let list): list.count
        case .rankList(let list): list.count
        case .lazy(let rows), .list(let rows): rows.count
        case .keys(let tree): tree.count
        case .ranks(let tree): tree.count
        case .values(let tree): tree.count
        }
    }

    /// Returns the same result as a tree, which `advance` works on. Use it for a result that will
    /// be advanced, so that the first step is as fast as the others.
    ///
    /// - Complexity: O(n), once.
    package func prepared() -> ResultTree {
        switch storage {
        case .keyList(let list):
            ResultTree(.keys(SortedTree(order: KeyOrder(), sorted: list)))
        case .rankList(let list):
            ResultTree(.ranks(SortedTree(order: RankOrder(), sorted: list)))
        case .lazy(let rows):
            ResultTree(.keys(SortedTree(order: KeyOrder(), sorted: rows.keys)))
        case .sequence, .list, .keys, .ranks, .values: self
        }
    }

    /// The root that it holds and reads from; `nil` if it contains its keys itself.
    package var heldRoot: DatabaseRoot? {
        switch storage {
        case .lazy(let rows), .list(let rows): rows.root
        case .keyList, .rankList, .sequence, .keys, .ranks, .values: nil
        }
    }

    /// Whether it holds a root and reads from it.
    package var holdsRoot: Bool { heldRoot != nil }

    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    /// The key of the row at `position`, which must be in `0..<count`.
    ///
    /// - Complexity: O(log n); iterating takes O(1) for each element.
    package subscript(position: Int) -> ObjectKey {
        switch storage {
        case .keyList(let list), .sequence(let list): ObjectKey(rawValue: list[position])
        case .rankList(let list): ObjectKey(rawValue: list[position].key)
        case .lazy(let rows), .list(let rows): ObjectKey(rawValue: rows[position])
        case .keys(let tree): ObjectKey(rawValue: tree[position])
        case .ranks(let tree): ObjectKey(rawValue: tree[position].key)
        case .values(let tree): ObjectKey(rawValue: tree[position].key)
        }
    }

    package func makeIterator() -> Iterator {
        switch storage {
        case .keyList(let list), .sequence(let list): Iterator(.keyList(list, 0), count)
        case .rankList(let list): Iterator(.rankList(list, 0), count)
        case .lazy(let rows), .list(let rows): Iterator(.lazy(rows, 0), count)
        case .keys(let tree): Iterator(.keys(tree.makeIterator()), count)
        case .ranks(let tree): Iterator(.ranks(tree.makeIterator()), count)
        case .values(let tree): Iterator(.values(tree.makeIterator()), count)
        }
    }

    package struct Iterator: IteratorProtocol {
        enum Base {
            /// An array of keys and the next position.
            case keyList([UInt64], Int)
            case rankList([RankedKey], Int)
            case lazy(LazyRows, Int)
            case keys(SortedTree<KeyOrder>.Iterator)
            case ranks(SortedTree<RankOrder>.Iterator)
            case values(SortedTree<ResultOrder>.Iterator)
        }

        private var base: Base
        /// Keys read from `base` but not yet returned, the next one last.
        private var ahead: [UInt64] = []
        /// The number of keys that are left.
        private var left: Int
        /// Damage encountered while reading keys. The code that iterates must report it and set
        /// this to `nil`.
        package var damage: StoreError?

        init(_ base: Base, _ count: Int) {
            self.base = base
            left = count
            ahead.reserveCapacity(64)
        }

        package mutating func next() -> ObjectKey? {
            if left == 0 { return nil }
            left -= 1
            if ahead.isEmpty { fill() }
            return ahead.popLast().map { ObjectKey(rawValue: $0) }
        }

        /// Reads several keys at once, so that `base` isn't unpacked for each of them.
        private mutating func fill() {
            switch base {
            case .keyList(let list, let start):
                let end = Swift.min(start + 64, list.count)
                ahead.append(contentsOf: list[start..<end])
                base = .keyList(list, end)
            case .rankList(let list, let start):
                let end = Swift.min(start + 64, list.count)
                for pair in list[start..<end] { ahead.append(pair.key) }
                base = .rankList(list, end)
            case .lazy(let rows, let start):
                if let met = rows.fill(&ahead, from: start, 64) { damage = met }
                base = .lazy(rows, start + ahead.count)
                return
            case .keys(var iterator):
                while ahead.count < 64, let next = iterator.next() { ahead.append(next) }
                base = .keys(iterator)
            case .ranks(var iterator):
                while ahead.count < 64, let next = iterator.next() { ahead.append(next.key) }
                base = .ranks(iterator)
            case .values(var iterator):
                while ahead.count < 64, let next = iterator.next() { ahead.append(next.key) }
                base = .values(iterator)
            }
            ahead.reverse()
        }
    }
}
