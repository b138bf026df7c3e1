// The overloads of `where` differ in the closure's result type, so the compiler
// can distinguish them.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine

// Queries of object collections. Their results are in collection order, each object as
// often as the collection contains it. For results, these methods also implement the
// requirements of `Queryable`.

extension RealmCollection where Element: ObjectBase {
    /// Returns the objects that match a condition, in collection order.
    ///
    ///     let adults = family.members.where { $0.age >= 18 }
    ///
    /// - Precondition: The collection is managed.
    /// - Complexity: O(1). The query is evaluated when the results are used.
    public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        results("where").filtered(by: condition)
    }

    /// Returns the objects whose `Bool?` property is true.
    @_disfavoredOverload
    public func `where`(_ condition: (Query<Element>) -> Query<Bool?>) -> Results<Element> {
        results("where").filtered(by: condition)
    }

    /// Returns the objects that match a condition given as text, in collection order; see
    /// ``Queryable/filter(_:_:)``.
    ///
    ///     let adults = try family.members.filter("age >= %@", 18)
    ///
    /// - Throws: `.invalidQuery`; the message contains the position in the text.
    /// - Precondition: The collection is managed.
    public func filter(
        _ predicate: String, _ values: Any?...
    ) throws(Realm.Error) -> Results<Element> {
        try results("filter").filtered(by: predicate, .positions(values), elementSchema)
    }

    /// Returns the objects that match a condition given as text, with values given by name.
    /// Otherwise behaves like ``filter(_:_:)``.
    public func filter(
        _ predicate: String, named values: [String: Any?]
    ) throws(Realm.Error) -> Results<Element> {
        try results("filter").filtered(by: predicate, .names(values), elementSchema)
    }

    /// Returns the objects sorted by a property of the object or of a linked object
    /// (`\.owner?.name`), in ascending order. The sort is stable; for results, an existing
    /// sort order breaks ties.
    ///
    /// - Precondition: The collection is managed; the key path refers to a stored property, or to
    ///   one of a linked object.
    public func sorted<V: ScalarValue>(by keyPath: KeyPath<Element, V>) -> Results<Element> {
        sorted(by: keyPath, ascending: true)
    }

    /// Returns the objects sorted by a property in ascending or descending order.
    public func sorted<V: ScalarValue>(
        by keyPath: KeyPath<Element, V>, ascending: Bool
    ) -> Results<Element> {
        results("sorted(by:)").ordered(by: [SortOrder(keyPath, ascending: ascending)])
    }

    /// Returns the objects sorted by several properties, most significant first.
    public func sorted(by orders: SortOrder<Element>...) -> Results<Element> {
        results("sorted(by:)").ordered(by: orders)
    }

    /// Returns the objects sorted by several properties, most significant first. A query with more
    /// than 64 sort properties in total fails with `.invalidQuery`.
    public func sorted(by orders: [SortOrder<Element>]) -> Results<Element> {
        results("sorted(by:)").ordered(by: orders)
    }

    /// Returns the objects sorted by a property given by name; see
    /// ``Queryable/sorted(byKeyPath:)``.
    ///
    /// - Throws: `.invalidInput` for a path that doesn't lead to a value, directly or through
    ///   links.
    /// - Precondition: The collection is managed.
    public func sorted(byKeyPath keyPath: String) throws(Realm.Error) -> Results<Element> {
        try sorted(byKeyPath: keyPath, ascending: true)
    }

    /// Returns the objects sorted by a property given by name, in ascending or descending order.
    /// Otherwise behaves like ``sorted(byKeyPath:)``.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool
    ) throws(Realm.Error) -> Results<Element> {
        let term = try elementSchema.term(along: keyPath, ascending: ascending)
        return results("sorted(byKeyPath:)").ordered(by: [term])
    }

    /// Returns the first object for each combination of the properties' values, in
    /// collection order. `nil` equals `nil`. Objects for which a link on the path to a
    /// property is `nil` are omitted.
    ///
    /// - Precondition: See `sorted(by:)`.
    public func distinct(by keyPaths: PartialKeyPath<Element>...) -> Results<Element> {
        let results = results("distinct(by:)")
        return results.reduced(by: results.binding.schema.columns(of: keyPaths))
    }

    /// Returns the distinct objects for an array of key paths. An empty array changes nothing.
    public func distinct(by keyPaths: [PartialKeyPath<Element>]) -> Results<Element> {
        let results = results("distinct(by:)")
        return results.reduced(by: results.binding.schema.columns(of: keyPaths))
    }

    /// Returns the distinct objects for properties given by name.
    ///
    /// - Throws: `.invalidInput` for a path that doesn't lead to a value, directly or through
    ///   links.
    /// - Precondition: The collection is managed.
    public func distinct(byKeyPaths keyPaths: [String]) throws(Realm.Error) -> Results<Element> {
        let columns = try elementSchema.columns(along: keyPaths)
        return results("distinct(byKeyPaths:)").reduced(by: columns)
    }

    /// Returns a page of the objects: the first ones or, with the cursor of another page, those
    /// that follow it. See ``FrozenResults/page(after:limit:)``.
    ///
    /// - Precondition: The collection is managed.
    public func page(
        after cursor: PageCursor? = nil, limit: Int
    ) throws(Realm.Error) -> ResultsPage<Element> {
        let results = results("page(after:limit:)")
        let found =
            try results.rowPage(after: cursor, limit: limit)
            ?? FoundPage(keys: Array(results.keys()))
        return ResultsPage(found) { results.binding.accessor(Element.self, row: $0) }
    }

    /// Returns the position of the first object that matches a condition, or
    /// `nil` if there is none.
    ///
    /// - Precondition: The collection is managed. Use `firstIndex(where:)` for unmanaged
    ///   collections.
    @_disfavoredOverload
    public func index(matching condition: (Query<Element>) -> Query<Bool>) -> Int? {
        results("index(matching:)").index(matching: condition)
    }

    /// Returns the position of the first object that matches a condition given as text, or `nil` if
    /// there is none.
    ///
    /// - Throws: The errors of ``filter(_:_:)``; `.invalidQuery` for text with `SORT`, `DISTINCT`
    ///   or `LIMIT`.
    /// - Precondition: The collection is managed.
    public func index(
        matching predicate: String, _ values: Any?...
    ) throws(Realm.Error) -> Int? {
        try results("index(matching:)").position(matching: predicate, values, elementSchema)
    }

    /// Sets a property of all objects that are currently in the collection, including objects that
    /// leave it while values are being set.
    ///
    /// - Throws: See `Results.setValue`.
    /// - Precondition: Called in a write transaction if the collection is managed.
    public func setValue(_ value: Any?, forKey name: String) throws(Realm.Error) {
        if let results = objectResults { return try results.setValue(value, forKey: name) }
        try BulkAssignment(ClassSchema.of(Element.self), name, value, nil).assign(to: Array(self))
    }

    /// Returns the objects in their state at the start of the transaction, as a `Sendable`
    /// collection. Changes made by the transaction itself aren't included.
    ///
    /// - Throws: `.invalidInput` for the collection of an object that was added or deleted in this
    ///   transaction, and for an unmanaged collection.
    /// - Precondition: The transaction body is running.
    /// - Complexity: O(1). The objects are looked up when the result is used.
    public func freeze() throws(Realm.Error) -> FrozenResults<Element> {
        guard let place = try erased.frozenPlace() else { return results("freeze()").freeze() }
        return FrozenResults(place.table.other(Element.self), plan: _Plan(plan: place.plan))
    }

    /// The class of the objects. `Element` may be a superclass of it, as the static type of a
    /// metatype in a variable.
    private var elementSchema: ClassSchema {
        objectResults?.binding.schema ?? ClassSchema.of(Element.self)
    }

    /// The objects as results; `nil` for an unmanaged collection.
    var objectResults: Results<Element>? {
        // Avoid boxing results, because most queries start from them.
        self as? Results<Element> ?? erased.erasedResults as? Results<Element>
    }

    func results(_ call: StaticString) -> Results<Element> {
        if let results = objectResults { return results }
        fatalError(
            "\(call) was called on an unmanaged \(Self.self): only managed collections can be "
                + "queried. Add its object to a realm first.")
    }
}

// MARK: Aggregates

// Results also have those of `Queryable`, which the compiler prefers.

extension RealmCollection where Element: ObjectBase {
    /// Returns the sum of a property of the objects, counting each occurrence of an object and
    /// ignoring `nil`; 0 if there are no values.
    ///
    /// Integer overflow fails the transaction; in an unmanaged collection, it traps.
    @_disfavoredOverload
    public func sum<V: SummableValue>(of keyPath: KeyPath<Element, V>) -> V.Total {
        objectResults?.sum(of: keyPath) ?? map { $0[keyPath: keyPath] }.engineSum()
    }

    /// Returns the average of a property, ignoring `nil`; `nil` if there are no values.
    @_disfavoredOverload
    public func average<V: SummableValue>(of keyPath: KeyPath<Element, V>) -> V.Mean? {
        if let results = objectResults { return results.average(of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineAverage()
    }

    /// Returns the minimum of a property, ignoring `nil` and NaN; `nil` if there are no values.
    @_disfavoredOverload
    public func min<V: BoundedValue>(of keyPath: KeyPath<Element, V>) -> V.Required? {
        bound(.minimum, of: keyPath)
    }

    /// Returns the maximum of a property, ignoring `nil` and NaN; `nil` if there are no values.
    @_disfavoredOverload
    public func max<V: BoundedValue>(of keyPath: KeyPath<Element, V>) -> V.Required? {
        bound(.maximum, of: keyPath)
    }

    /// Returns the minimum or maximum of a property as a type that is stored like it.
    func bound<V: ScalarValue, Bound: RequiredValue>(
        _ extreme: Extreme, of keyPath: KeyPath<Element, V>
    ) -> Bound? {
        if let results = objectResults { return results.queriedBound(extreme, of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineBound(extreme)
    }
}
