internal import RegnumEngine
internal import RegnumStore

// The aggregates of a live collection are those of the newest published version.

extension Queryable {
    /// Returns the sum of a property of the objects or of linked objects (`\.dog?.age`), ignoring
    /// `nil`; 0 if there are no values.
    ///
    ///     let total = tx.objects(Order.self).sum(of: \.amount)
    ///
    /// Integer overflow fails the transaction; for frozen and live results it fails the read with
    /// `.invalidQuery` (see ``Snapshot/read(_:)``).
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    /// - Complexity: O(n), without creating objects. If the query uses an index, only the rows that
    ///   it finds are read.
    public func sum<V: SummableValue>(of keyPath: KeyPath<Model, V>) -> V.Total {
        let column = aggregated(keyPath)
        let zero = V.Total._storage.zero
        return V.Total.fromEngine(
            _ask(zero, through: column.dependencies) { plan, state throws(StoreError) in
                try plan.sum(of: column, state)
            })
    }

    /// Returns the mean of a property, ignoring `nil`, or `nil` if there are no values. Accepts
    /// the same key paths as `sum(of:)`.
    public func average<V: SummableValue>(of keyPath: KeyPath<Model, V>) -> V.Mean? {
        queriedAverage(of: keyPath).map { V.Mean.fromEngine($0) }
    }

    /// Returns the minimum value of a property, ignoring `nil` and NaN, or `nil` if there is none.
    /// Accepts the same key paths as `sum(of:)`.
    public func min<V: BoundedValue>(of keyPath: KeyPath<Model, V>) -> V.Required? {
        queriedBound(.minimum, of: keyPath)
    }

    /// Returns the maximum value of a property, ignoring `nil` and NaN, or `nil` if there is none.
    /// Accepts the same key paths as `sum(of:)`.
    public func max<V: BoundedValue>(of keyPath: KeyPath<Model, V>) -> V.Required? {
        queriedBound(.maximum, of: keyPath)
    }
}

extension Queryable {
    /// The binding of the results, if they are those of a recorder (see `ReadTracer`).
    private var recorded: ClassBinding? {
        _realm.core == nil ? (self as? Results<Model>)?.binding : nil
    }

    /// Whether these are results of a recorder that have an object.
    private var isRecorded: Bool { recorded?.recordedKeys.isEmpty == false }

    /// Returns the property at the end of a key path.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    func aggregated<V>(_ keyPath: KeyPath<Model, V>) -> ColumnReference {
        let column = modelSchema.requireColumn(keyPath)
        recorded?.noteQuery(Set(column.hops))
        return column
    }

    /// Returns the mean of a property in its stored form.
    func queriedAverage<V>(of keyPath: KeyPath<Model, V>) -> Value? {
        let column = aggregated(keyPath)
        if isRecorded { return column.type.zeroMean }
        return _ask(nil, through: column.dependencies) { plan, state throws(StoreError) in
            try plan.average(of: column, state)
        }
    }

    /// Returns the minimum or maximum of a property as a type that is stored like it.
    func queriedBound<V: ScalarValue, Bound: RequiredValue>(
        _ extreme: Extreme, of keyPath: KeyPath<Model, V>
    ) -> Bound? {
        let column = aggregated(keyPath)
        if isRecorded { return Bound.sampleElement }
        return _ask(nil, through: column.dependencies) { plan, state throws(StoreError) in
            try Bound.bound(
                extreme.find(plan, column, state), column.hops.last?.target ?? plan.tableName,
                column.name)
        }
    }
}

extension ValueType {
    /// A mean of values of this type.
    fileprivate var zeroMean: Value {
        switch self {
        case .decimal: .decimal(.zero)
        case .any: AnyContent.decimal(.zero).value
        default: .double(0)
        }
    }
}

extension FrozenValues {
    /// Returns the minimum or maximum value as a type that is stored like the elements.
    func bound<Bound: RequiredValue>(_ extreme: Extreme) -> Bound? {
        query.run(nil) { state throws(StoreError) in
            try Bound.bound(
                extreme.find(query.plan, column, state), query.table.schema.name, propertyName)
        }
    }

    /// The stored name of the property with these values.
    private var propertyName: String {
        let schema = query.table.schema
        let property = schema.property(withElements: query.plan.tableName)
        return property.map { schema.properties[$0].columnName } ?? ""
    }
}

extension RequiredValue {
    /// Returns the value that is stored as a minimum or maximum, or `nil` for no value.
    ///
    /// - Throws: `.invalidValue`, naming the class and property, if it isn't valid for the type.
    static func bound(
        _ value: Value?, _ className: String, _ property: @autoclosure () -> String
    ) throws(StoreError) -> Self? {
        guard let value else { return nil }
        if let bound = _decode(_StoredValue(value)) { return bound }
        let property = property()
        throw StoreError(
            .invalidValue,
            "The minimum or maximum of \(className).\(property) is stored as \(value.keyText), "
                + "which isn't valid for its type: another version of the program may have "
                + "written it.", className: className, property: property)
    }
}
