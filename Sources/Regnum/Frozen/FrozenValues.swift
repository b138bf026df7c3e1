internal import RegnumEngine
internal import RegnumStore

/// The values of a list or set as they were in one snapshot: an immutable, `Sendable` collection.
///
///     let tags = person.tags                   // FrozenValues<String>
///     print(tags.sorted().distinct().first ?? "no tags")
///
/// Two collections are equal if they have the same values in the same order, even if they are from
/// different snapshots or objects. Values are compared by their stored bits, lists and dictionaries
/// by their contents, and objects by their rows.
public struct FrozenValues<Element: ScalarValue & Sendable>: Sendable {
    let query: FrozenQuery
    /// The hidden class of the elements, or `nil` if nothing was ever stored in the list.
    private let elements: TableKey?

    init(_ query: FrozenQuery) {
        self.query = query
        elements = query.root.schema.table(named: query.plan.tableName)?.key
    }

    /// The version of the snapshot.
    public var version: UInt64 { query.root.version }

    /// The values as an array.
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

    /// Returns an element that is stored as an embedded object.
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

    /// The column of the values, for queries.
    var column: ColumnReference { .element(Element._storage) }
}

extension FrozenValues: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { count }

    /// The number of values.
    ///
    /// - Complexity: O(log n) for a list; sorted or distinct values are evaluated once.
    public var count: Int { query.count }

    /// The first value, or `nil` if there is none.
    public var first: Element? { query.firstKeys(1).first.map { element($0) } }

    /// The value at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n), once the elements have been located.
    public subscript(position: Int) -> Element {
        guard let key = query.key(at: position) else {
            fatalError(
                "Index \(position) of \(fullName) is out of range: the count is \(count)."
                    + query.table.snapshot.callSiteMessage)
        }
        return element(key)
    }

    /// The values in a range of positions. Finds and sorts only as many values as needed.
    ///
    /// - Precondition: The range is within `0..<count`.
    public subscript(bounds: Range<Int>) -> Slice<FrozenValues> {
        query.check(bounds, fullName)
        return Slice(base: self, bounds: bounds)
    }

    /// The values in a range of positions such as `2...4` or `3...`.
    public subscript(range: some RangeExpression<Int>) -> Slice<FrozenValues> {
        self[range.positions(from: 0, to: endIndex)]
    }

    /// Returns the values from a position to the end.
    ///
    /// - Precondition: `0 <= position <= count`.
    public func suffix(from position: Int) -> Slice<FrozenValues> { self[position...] }

    /// Returns the values before a position.
    ///
    /// - Precondition: `0 <= position <= count`.
    public func prefix(upTo position: Int) -> Slice<FrozenValues> { self[..<position] }

    /// Returns up to `maxLength` values from the start of the collection. Finds and sorts only as
    /// many values as needed.
    ///
    /// - Precondition: `maxLength >= 0`.
    public func prefix(_ maxLength: Int) -> Slice<FrozenValues> {
        Slice(base: self, bounds: query.positions(ofPrefix: maxLength, fullName))
    }

    private var fullName: String { "FrozenValues<\(Element.self)> of \(query.plan.tableName)" }

    public func makeIterator() -> Iterator {
        Iterator(values: self, keys: query.keys)
    }

    /// An iterator over the values in order.
    public struct Iterator: IteratorProtocol {
        let values: FrozenValues
        var keys: FrozenKeys

        public mutating func next() -> Element? { keys.next().map { values.element($0) } }
    }

    /// Returns the first position of a value, or `nil` if it isn't found.
    ///
    /// - Complexity: O(n).
    public func index(of element: Element) -> Int? {
        if Element._embeddedClass != nil { return firstIndex { FrozenValues.areSame($0, element) } }
        if let element = element as? FrozenAnyValue, element.engineValue.isAnyReference {
            return query.tree.firstIndex { anyValue($0)?.isSame(as: element) ?? false }
        }
        let wanted = element.engineValue
        return query.tree.firstIndex { value($0) == wanted }
    }

    /// Returns an element that is an object, a list or a dictionary; `nil` for other elements.
    private func anyValue(_ row: ObjectKey) -> FrozenAnyValue? {
        value(row).isAnyReference ? element(row) as? FrozenAnyValue : nil
    }

    /// Returns whether two elements of any type are the same.
    private func isSame(_ row: ObjectKey, _ other: FrozenValues, _ otherRow: ObjectKey) -> Bool {
        let (value, otherValue) = (value(row), other.value(otherRow))
        guard value.isAnyReference, otherValue.isAnyReference else { return value == otherValue }
        if row == otherRow, value == otherValue, elements == other.elements,
            query.table.snapshot.realm === other.query.table.snapshot.realm,
            contentVersion(row) == other.contentVersion(otherRow)
        {
            return true
        }
        guard let mine = anyValue(row), let theirs = other.anyValue(otherRow) else { return false }
        return mine.isSame(as: theirs)
    }

    /// Returns the version that last set an element, or something in its lists and dictionaries.
    private func contentVersion(_ row: ObjectKey) -> UInt64? {
        elements.flatMap { elements in
            query.table.checked { query.root.contentVersion(elements, row) }
        }
    }

    /// Returns the first position of a value, or `nil` if it isn't found.
    public func firstIndex(of element: Element) -> Int? { index(of: element) }

    /// Returns whether the collection contains a value.
    ///
    /// - Complexity: O(n).
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }
}

extension FrozenValues {
    /// Returns the values in ascending order: `nil` first, then NaN; strings by their UTF-8 bytes;
    /// `false` before `true`. The sort is stable.
    ///
    /// - Complexity: O(1). Nothing is evaluated before the result is used.
    public func sorted() -> FrozenValues { sorted(ascending: true) }

    /// Returns the values in ascending or descending order. In descending order, `nil` is last.
    ///
    /// - Complexity: O(1). Nothing is evaluated before the result is used.
    public func sorted(ascending: Bool) -> FrozenValues {
        var plan = query.plan
        plan.addSort([SortTerm(column: column, ascending: ascending)])
        return FrozenValues(FrozenQuery(query.table, plan, problem: query.problem))
    }

    /// Returns each value once, at its first position. `nil` and NaN each count as one value.
    ///
    /// - Complexity: O(1). Nothing is evaluated before the result is used.
    public func distinct() -> FrozenValues {
        var plan = query.plan
        plan.steps.append(.distinct([column]))
        return FrozenValues(FrozenQuery(query.table, plan, problem: query.problem))
    }
}

extension FrozenValues where Element: SummableValue {
    /// Returns the sum of the values, ignoring `nil`. The sum of no values is 0.
    ///
    /// The sum of integers is an `Int`; overflow fails the read with `.invalidQuery` (see
    /// ``Snapshot/read(_:)``).
    ///
    /// - Complexity: O(n).
    public func sum() -> Element.Total {
        let zero = Element.Total._storage.zero
        return Element.Total.fromEngine(
            query.run(zero) { state throws(StoreError) in
                try query.plan.sum(of: column, state)
            })
    }

    /// Returns the mean of the values, ignoring `nil`, or `nil` if there are none.
    ///
    /// - Complexity: O(n).
    public func average() -> Element.Mean? {
        query.run(nil) { state throws(StoreError) in
            try query.plan.average(of: column, state)
        }.map { Element.Mean.fromEngine($0) }
    }
}

extension FrozenValues where Element: BoundedValue {
    /// Returns the minimum value, ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    public func min() -> Element.Required? { bound(.minimum) }

    /// Returns the maximum value, ignoring `nil` and NaN, or `nil` if there is none.
    ///
    /// - Complexity: O(n).
    public func max() -> Element.Required? { bound(.maximum) }
}

extension FrozenValues: Hashable {
    /// Returns whether two elements of an embedded projected type have the same stored form.
    private static func areSame(_ a: Element, _ b: Element) -> Bool {
        func same<T: FailableCustomPersistable>(_ a: T) -> Bool {
            (b as? T).map { T._areSame(a, $0) } ?? false
        }
        return (a as? any FailableCustomPersistable).map { same($0) } ?? false
    }

    public static func == (left: FrozenValues, right: FrozenValues) -> Bool {
        if left.query === right.query || left.query.isSame(as: right.query) { return true }
        if Element._embeddedClass != nil { return left.elementsEqual(right, by: areSame) }
        guard left.count == right.count else { return false }
        if Element.self == FrozenAnyValue.self {
            return zip(left.query.tree, right.query.tree)
                .allSatisfy { left.isSame($0, right, $1) }
        }
        return zip(left.query.tree, right.query.tree)
            .allSatisfy { left.value($0) == right.value($1) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        if Element._embeddedClass != nil { return }
        for key in query.tree {
            let value = value(key)
            // a stored list or dictionary has a unique number, so equal ones differ
            if value.isAnyCollection { continue }
            hasher.combine(value)
        }
    }
}

extension FrozenValues: Encodable where Element: Encodable {
    /// Encodes the values as an array, `nil` as null.
    ///
    /// - Throws: The errors of ``Snapshot/read(_:)`` and of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try ReadScope.run {
            var container = encoder.unkeyedContainer()
            for value in self { try container.encode(value) }
        }
    }
}
