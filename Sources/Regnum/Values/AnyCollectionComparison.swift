/// Compares `AnyRealmValue` lists and dictionaries. Unmanaged ones may contain themselves, so pairs
/// that are already being compared count as equal. Doesn't recurse.
struct AnyCollectionComparison {
    private struct Pair: Hashable {
        let first: ObjectIdentifier
        let second: ObjectIdentifier
    }

    private var pending: [(AnyRealmValue, AnyRealmValue)]
    private var seen: Set<Pair> = []
    /// Whether stored collections are compared by their contents, and values by their bits.
    private let comparesContent: Bool

    /// - Complexity: O(values), comparing each pair of collections once.
    static func areEqual(
        _ left: AnyRealmValue, _ right: AnyRealmValue, comparesContent: Bool = false
    ) -> Bool {
        var comparison = AnyCollectionComparison(
            pending: [(left, right)], comparesContent: comparesContent)
        return comparison.run()
    }

    private mutating func run() -> Bool {
        while let (left, right) = pending.popLast() {
            let isEqual =
                switch (left, right) {
                case (.list(let a), .list(let b)): areEqual(a, b)
                case (.dictionary(let a), .dictionary(let b)): areEqual(a, b)
                default: areEqualValues(left, right)
                }
            if !isEqual { return false }
        }
        return true
    }

    private mutating func areEqual(
        _ a: List<AnyRealmValue>, _ b: List<AnyRealmValue>
    ) -> Bool {
        if let result = result(a, a.managed, b, b.managed) { return result }
        return a.count == b.count && zip(a, b).allSatisfy { compare($0, $1) }
    }

    private mutating func areEqual(
        _ a: Map<String, AnyRealmValue>, _ b: Map<String, AnyRealmValue>
    ) -> Bool {
        if let result = result(a, a.managed, b, b.managed) { return result }
        return a.count == b.count
            && zip(a, b).allSatisfy {
                $0.key.utf8.elementsEqual($1.key.utf8) && compare($0.value, $1.value)
            }
    }

    /// Compares values immediately and defers the comparison of collections.
    private mutating func compare(_ a: AnyRealmValue, _ b: AnyRealmValue) -> Bool {
        switch (a, b) {
        case (.list, .list), (.dictionary, .dictionary):
            pending.append((a, b))
            return true
        default: return areEqualValues(a, b)
        }
    }

    private func areEqualValues(_ a: AnyRealmValue, _ b: AnyRealmValue) -> Bool {
        comparesContent ? AnyRealmValue._areSame(a, b) : a == b
    }

    /// Returns whether two collections are equal, or `nil` if their contents have to be compared.
    private mutating func result(
        _ a: AnyObject, _ stored: _ManagedList?, _ b: AnyObject, _ other: _ManagedList?
    ) -> Bool? {
        if a === b { return true }
        guard stored == nil, other == nil else {
            if comparesContent { return nil }
            guard let stored, let other else { return false }
            return stored.isSame(as: other)
        }
        let pair = Pair(first: ObjectIdentifier(a), second: ObjectIdentifier(b))
        return seen.insert(pair).inserted ? nil : true
    }
}
