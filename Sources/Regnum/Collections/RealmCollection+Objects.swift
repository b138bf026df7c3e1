// The overloads of `where` differ in the result of the closure: the compiler tells them apart.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine

// Queries of collections of objects, which give results in the order of the collection, each object as often as
// it is in it. Those of results themselves are these too: the requirements of `Queryable` that they meet.

extension RealmCollection where Element: ObjectBase {
    /// The objects that meet a condition, in the order of the collection.
    ///
    /// - Precondition: the collection is managed.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        results("where").filtered(by: condition)
    }

    /// The objects whose `Bool?` property is true.
    @_disfavoredOverload
    public func `where`(_ condition: (Query<Element>) -> Query<Bool?>) -> Results<Element> {
        results("where").filtered(by: condition)
    }

    /// The objects sorted by a property, of the object or of a linked one (`\.owner?.name`), ascending.
    /// Ties stay in the order of the collection; of results, a sort that was there breaks them.
    ///
    /// - Precondition: the collection is managed; the key path names a stored property, or one of
    ///   a linked object.
    public func sorted<V: ScalarValue>(by keyPath: KeyPath<Element, V>) -> Results<Element> {
        sorted(by: keyPath, ascending: true)
    }

    /// The same in either direction.
    public func sorted<V: ScalarValue>(
        by keyPath: KeyPath<Element, V>, ascending: Bool
    ) -> Results<Element> {
        let order = SortOrder(keyPath, ascending: ascending)
        return results("sorted(by:)").ordered(by: [order.term])
    }

    /// The objects sorted by several properties, the first one first.
    public func sorted(by orders: SortOrder<Element>...) -> Results<Element> {
        results("sorted(by:)").ordered(by: orders.map(\.term))
    }

    /// The objects sorted by several properties, the first one first. At most 64 in all.
    public func sorted(by orders: [SortOrder<Element>]) -> Results<Element> {
        results("sorted(by:)").ordered(by: orders.map(\.term))
    }

    /// The objects sorted by a property, given by its name: see ``Queryable/sorted(byKeyPath:)``.
    ///
    /// - Throws: `.invalidInput` for a path that does not lead to a value through links.
    /// - Precondition: the collection is managed.
    public func sorted(byKeyPath keyPath: String) throws(Realm.Error) -> Results<Element> {
        try sorted(byKeyPath: keyPath, ascending: true)
    }

    /// The same in either direction.
    public func sorted(
        byKeyPath keyPath: String, ascending: Bool
    ) throws(Realm.Error) -> Results<Element> {
        let term = try elementSchema.term(along: keyPath, ascending: ascending)
        return results("sorted(byKeyPath:)").ordered(by: [term])
    }

    /// Of objects with the same values of all these properties the first one, in the order of the
    /// collection. Nil equals nil; objects for which a link on the way to a property is nil are left
    /// out.
    ///
    /// - Precondition: as `sorted(by:)`.
    public func distinct(by keyPaths: PartialKeyPath<Element>...) -> Results<Element> {
        let results = results("distinct(by:)")
        return results.reduced(by: results.binding.schema.columns(of: keyPaths))
    }

    /// As `distinct(by:)` of several key paths; none of them change nothing.
    public func distinct(by keyPaths: [PartialKeyPath<Element>]) -> Results<Element> {
        let results = results("distinct(by:)")
        return results.reduced(by: results.binding.schema.columns(of: keyPaths))
    }

    /// As `distinct(by:)`, with the names of properties.
    ///
    /// - Throws: `.invalidInput` for a path that does not lead to a value through links.
    /// - Precondition: the collection is managed.
    public func distinct(byKeyPaths keyPaths: [String]) throws(Realm.Error) -> Results<Element> {
        let columns = try elementSchema.columns(along: keyPaths)
        return results("distinct(byKeyPaths:)").reduced(by: columns)
    }

    /// The position of the first object that meets a condition, nil if none does.
    ///
    /// - Precondition: the collection is managed: `firstIndex(where:)` serves all of them.
    @_disfavoredOverload
    public func index(matching condition: (Query<Element>) -> Query<Bool>) -> Int? {
        results("index(matching:)").index(matching: condition)
    }

    /// Sets one property of all objects that are there now, whether they still are while that goes on.
    ///
    /// - Throws: as `Results.setValue`.
    /// - Precondition: used in a write if the collection is managed.
    public func setValue(_ value: Any?, forKey name: String) throws(Realm.Error) {
        if let results = objectResults { return try results.setValue(value, forKey: name) }
        try BulkAssignment(ClassSchema.of(Element.self), name, value, nil).assign(to: Array(self))
    }

    /// The objects as they were when the transaction started: a value that can be sent and kept. What the
    /// transaction itself changed does not show.
    ///
    /// - Throws: `.invalidInput` for the collection of an object that was added or deleted in this
    ///   transaction, and for an unmanaged one.
    /// - Precondition: the body is running.
    /// - Complexity: O(1): nothing is looked up before the result is used.
    public func freeze() throws(Realm.Error) -> FrozenResults<Element> {
        guard let place = try _frozenPlace() else { return results("freeze()").freeze() }
        return FrozenResults(place.table.other(Element.self), plan: _Plan(plan: place.plan))
    }

    /// The class of the objects. `Element` may be a superclass of it, as the static type of a metatype
    /// in a variable.
    private var elementSchema: ClassSchema {
        objectResults?.binding.schema ?? ClassSchema.of(Element.self)
    }

    /// The objects as results; nil for an unmanaged collection.
    var objectResults: Results<Element>? {
        // results themselves need no box: most queries are asked of them
        self as? Results<Element> ?? _erasedResults as? Results<Element>
    }

    func results(_ call: StaticString) -> Results<Element> {
        if let results = objectResults { return results }
        let name = (self as? any ObjectCollection)?._name ?? "\(Self.self)"
        fatalError(
            "\(call) was called on an unmanaged \(name): queries are asked of what is stored. Add "
                + "its object to a realm first.")
    }
}

// MARK: Aggregates

// Results have those of `Queryable` too, which the compiler prefers.

extension RealmCollection where Element: ObjectBase {
    /// The sum of a property over the objects, each as often as it is there; nil values are left out,
    /// and the sum of nothing is 0.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction; of an unmanaged list it
    /// ends the process.
    @_disfavoredOverload
    public func sum<V: SummableValue>(of keyPath: KeyPath<Element, V>) -> V.Total {
        objectResults?.sum(of: keyPath) ?? map { $0[keyPath: keyPath] }.engineSum()
    }

    /// The mean of a property; nil values are left out; nil for nothing.
    @_disfavoredOverload
    public func average<V: SummableValue>(of keyPath: KeyPath<Element, V>) -> V.Mean? {
        if let results = objectResults { return results.average(of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineAverage()
    }

    /// The least value of a property; nil values and NaN are left out; nil for nothing.
    @_disfavoredOverload
    public func min<V: BoundedValue>(of keyPath: KeyPath<Element, V>) -> V.Required? {
        if let results = objectResults { return results.min(of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineBound { $0 < 0 }
    }

    /// The greatest value of a property; nil values and NaN are left out; nil for nothing.
    @_disfavoredOverload
    public func max<V: BoundedValue>(of keyPath: KeyPath<Element, V>) -> V.Required? {
        if let results = objectResults { return results.max(of: keyPath) }
        return map { $0[keyPath: keyPath] }.engineBound { $0 > 0 }
    }
}
