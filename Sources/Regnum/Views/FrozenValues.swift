internal import RegnumEngine
internal import RegnumStore

/// The values of a list as they were in one snapshot: a collection that can be sent and kept.
///
///     let tags = person.tags                   // FrozenValues<String>
///     print(tags.sorted().distinct().first ?? "no tags")
///
/// Two are equal if they have the same values in the same order, wherever they come from; values are
/// the same if they are stored as the same bits.
public struct FrozenValues<Element: ScalarValue & Sendable>: Sendable {
    let query: FrozenQuery
    /// The hidden class of the elements, nil while nothing of the list was ever stored.
    private let elements: TableKey?

    init(_ query: FrozenQuery) {
        self.query = query
        elements = query.root.schema.table(named: query.plan.tableName)?.key
    }

    /// The version of the snapshot.
    public var version: UInt64 { query.root.version }

    /// The values as a plain array.
    ///
    /// - Complexity: O(n).
    public var array: [Element] { Array(self) }

    func element(_ row: ObjectKey) -> Element {
        if let type = Element._embeddedClass { return element(of: type, row) }
        if Element.self == FrozenAnyValue.self, let elements,
            let value = query.table.anyElement(row, elements) as? Element
        {
            return value
        }
        return query.table.element(value(row), query.plan.tableName)
    }

    /// An element that is stored as an embedded object.
    private func element(of type: ObjectBase.Type, _ row: ObjectKey) -> Element {
        query.table.other(type).compute(type, row) { object in
            if let made = Element._make(_PropertyContent(content: .link(object))) { return made }
            query.table.fail(.undecodableElement(query.plan.tableName, "\(object)"), nil, nil)
            return Element.placeholder()
        }
    }

    private func value(_ row: ObjectKey) -> Value {
        guard let elements else { return Element._storage.zero }
        return query.table.elementValue(row, elements, ColumnKey(0))
    }

    /// The values as a query names them.
    var column: ColumnReference {
        let storage = Element._storage
        return ColumnReference(name: "value", type: storage.valueType, missing: storage.zero)
    }
}

extension FrozenValues: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { count }

    /// The number of values.
    ///
    /// - Complexity: O(log n) for a list; values that are sorted or distinct are evaluated once.
    public var count: Int { query.count }

    /// The first value, nil if there is none.
    public var first: Element? { query.firstKeys(1).first.map { element($0) } }

    /// The value at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n), once the keys of the list's rows were found.
    public subscript(position: Int) -> Element {
        guard let key = query.key(at: position) else {
            fatalError(
                "Index \(position) of FrozenValues<\(Element.self)> of \(query.plan.tableName) is "
                    + "out of range: there are \(count) values.")
        }
        return element(key)
    }

    /// The values at a range of positions. Finds and sorts those before its end, not the others.
    ///
    /// - Precondition: the range lies within `0..<count`.
    public subscript(bounds: Range<Int>) -> Slice<FrozenValues> {
        guard bounds.lowerBound >= 0, query.hasKeys(bounds.upperBound) else {
            fatalError(
                "The range \(bounds) of FrozenValues<\(Element.self)> of \(query.plan.tableName) is out "
                    + "of range: there are \(count) values.")
        }
        return Slice(base: self, bounds: bounds)
    }

    /// The first values. Finds and sorts no more than those.
    ///
    /// - Precondition: `maxLength >= 0`.
    public func prefix(_ maxLength: Int) -> Slice<FrozenValues> {
        precondition(maxLength >= 0, "A prefix has a length of zero or more.")
        let known = query.firstKeys(maxLength).count
        return Slice(base: self, bounds: 0..<Swift.min(maxLength, known))
    }

    public func makeIterator() -> Iterator {
        Iterator(values: self, keys: query.tree.makeIterator())
    }

    /// Steps through the values in order.
    public struct Iterator: IteratorProtocol {
        let values: FrozenValues
        var keys: ResultTree.Iterator

        public mutating func next() -> Element? { keys.next().map { values.element($0) } }
    }

    /// The first position of a value, nil if it is not there.
    ///
    /// - Complexity: O(n).
    public func index(of element: Element) -> Int? {
        if Element._embeddedClass != nil { return firstIndex { FrozenValues.areSame($0, element) } }
        let wanted = element.engineValue
        return query.tree.firstIndex { value($0) == wanted }
    }

    /// The first position of a value, nil if it is not there.
    public func firstIndex(of element: Element) -> Int? { index(of: element) }

    /// Whether the value is among these.
    ///
    /// - Complexity: O(n).
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }
}

extension FrozenValues {
    /// The values in order: nil first, then NaN, strings by the bytes of their UTF-8 form, false
    /// before true. Equal ones keep their order.
    ///
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func sorted() -> FrozenValues { sorted(ascending: true) }

    /// The values in order; descending from large to small, nil last.
    ///
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func sorted(ascending: Bool) -> FrozenValues {
        var plan = query.plan
        plan.addSort([SortTerm(column: column, ascending: ascending)])
        return FrozenValues(FrozenQuery(query.table, plan))
    }

    /// Each value once, where it is first. Nil is one, and so is NaN.
    ///
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func distinct() -> FrozenValues {
        var plan = query.plan
        plan.steps.append(.distinct([column]))
        return FrozenValues(FrozenQuery(query.table, plan))
    }
}

extension FrozenValues where Element: SummableValue {
    /// The sum; nil values are left out, and the sum of nothing is 0.
    ///
    /// A sum of integers is an `Int`; one that does not fit is an `.invalidQuery` (see
    /// ``Snapshot/read(_:)``).
    /// - Complexity: O(n).
    public func sum() -> Element.Total {
        let zero = Element.Total._storage.zero
        return Element.Total.fromEngine(
            query.ask(zero) { state throws(StoreError) in
                try query.plan.sum(of: column, state)
            })
    }

    /// The mean; nil values are left out; nil for nothing.
    ///
    /// - Complexity: O(n).
    public func average() -> Element.Mean? {
        query.ask(nil) { state throws(StoreError) in
            try query.plan.average(of: column, state)
        }.map { Element.Mean.fromEngine($0) }
    }
}

extension FrozenValues where Element: BoundedValue {
    /// The least value; nil values and NaN are left out; nil for nothing.
    ///
    /// - Complexity: O(n).
    public func min() -> Element.Required? {
        query.ask(nil) { state throws(StoreError) in
            try query.plan.minimum(of: column, state)
        }.map { Element.Required.fromEngine($0) }
    }

    /// The greatest value; nil values and NaN are left out; nil for nothing.
    ///
    /// - Complexity: O(n).
    public func max() -> Element.Required? {
        query.ask(nil) { state throws(StoreError) in
            try query.plan.maximum(of: column, state)
        }.map { Element.Required.fromEngine($0) }
    }
}

extension FrozenValues: Hashable {
    /// Whether two elements that are stored as embedded objects are stored as the same.
    private static func areSame(_ a: Element, _ b: Element) -> Bool {
        func same<T: FailableCustomPersistable>(_ a: T) -> Bool {
            (b as? T).map { T._areSame(a, $0) } ?? false
        }
        return (a as? any FailableCustomPersistable).map { same($0) } ?? false
    }

    public static func == (left: FrozenValues, right: FrozenValues) -> Bool {
        if left.query === right.query { return true }
        if left.query.root === right.query.root, left.query.plan == right.query.plan {
            return true
        }
        if Element._embeddedClass != nil { return left.elementsEqual(right, by: areSame) }
        return left.count == right.count
            && zip(left.query.tree, right.query.tree)
                .allSatisfy { left.value($0) == right.value($1) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        if Element._embeddedClass != nil { return }
        for key in query.tree { hasher.combine(value(key)) }
    }
}

extension FrozenValues: Encodable where Element: Encodable {
    /// Encodes the values as an array, nil as null.
    public func encode(to encoder: any Encoder) throws {
        try ReadScope.run {
            var container = encoder.unkeyedContainer()
            for value in self { try container.encode(value) }
        }
    }
}
