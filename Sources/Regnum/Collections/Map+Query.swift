internal import RegnumEngine

// MARK: Maps of values

extension Map where Value: SummableValue {
    /// Returns the sum of the values, ignoring `nil`; 0 if there are none.
    ///
    /// Integer overflow fails the transaction; in an unmanaged map, it traps.
    public func sum() -> Value.Total { managed?.sum(Value.self) ?? values.engineSum() }

    /// Returns the average of the values, ignoring `nil`; `nil` if there are none.
    public func average() -> Value.Mean? {
        guard let managed else { return values.engineAverage() }
        return managed.average(Value.self)
    }
}

extension Map where Value: BoundedValue {
    /// Returns the minimum value, ignoring `nil` and NaN; `nil` if there are none.
    public func min() -> Value.Required? { bound(.minimum) }

    /// Returns the maximum value, ignoring `nil` and NaN; `nil` if there are none.
    public func max() -> Value.Required? { bound(.maximum) }
}

extension Map where Value: ScalarValue {
    /// Returns the minimum or maximum value as a type that is stored like the values.
    func bound<Bound: RequiredValue>(_ extreme: Extreme) -> Bound? {
        guard let managed else { return values.engineBound(extreme) }
        return managed.bound(extreme)
    }

    /// Returns the values sorted: `nil` first, then NaN; strings by their UTF-8 bytes; `false`
    /// before `true`. Equal values stay in key order.
    ///
    /// - Complexity: O(n log n).
    public func sorted(ascending: Bool = true) -> [Value] { values.ordered(ascending: ascending) }
}

// MARK: Maps of objects

extension Map {
    /// Returns the objects that match a condition, in key order, once for each of their keys.
    ///
    ///     let namesakes = dog.friends.where { $0.name == "Rex" }
    ///
    /// - Precondition: The map is managed.
    /// - Complexity: O(1). The query is evaluated when the results are used.
    public func `where`<T: ObjectBase>(
        _ condition: (Query<T>) -> Query<Bool>
    ) -> Results<T> where Value == T? {
        guard let objects: Results<T> = managedObjects() else {
            fatalError(
                "where was called on an unmanaged Map<\(Key.self), \(Value.self)>: only managed "
                    + "collections can be queried. Add its object to a realm first.")
        }
        return objects.where(condition)
    }

    /// Returns the objects in key order, once for each of their keys; `nil` for an unmanaged map.
    private func managedObjects<T: ObjectBase>() -> Results<T>? where Value == T? {
        guard let managed else { return nil }
        guard let core = managed.binding.core else {
            return managed.binding.recordedResults(T.self, managed.property)
        }
        managed.failIfInvalidated()
        let schema = managed.binding.schema
        let plan = schema.plan(
            ofMap: schema.properties[managed.property], T.self, row: managed.row)
        return Results(core.binding(for: T.self), plan: _Plan(plan: plan))
    }
}

extension Map {
    /// Returns the sum of a property of the objects, ignoring `nil`; 0 if there are no values.
    ///
    /// Integer overflow fails the transaction; in an unmanaged map, it traps.
    public func sum<T: ObjectBase, V: SummableValue>(of keyPath: KeyPath<T, V>) -> V.Total
    where Value == T? {
        managedObjects()?.sum(of: keyPath) ?? properties(keyPath).engineSum()
    }

    /// Returns the average of a property of the objects, ignoring `nil`; `nil` if
    /// there are no values.
    public func average<T: ObjectBase, V: SummableValue>(of keyPath: KeyPath<T, V>) -> V.Mean?
    where Value == T? {
        guard let objects: Results<T> = managedObjects() else {
            return properties(keyPath).engineAverage()
        }
        return objects.average(of: keyPath)
    }

    /// Returns the minimum of a property of the objects, ignoring `nil` and NaN; `nil` if
    /// there are no values.
    public func min<T: ObjectBase, V: BoundedValue>(of keyPath: KeyPath<T, V>) -> V.Required?
    where Value == T? {
        if let objects: Results<T> = managedObjects() { return objects.min(of: keyPath) }
        return properties(keyPath).engineBound(.minimum)
    }

    /// Returns the maximum of a property of the objects, ignoring `nil` and NaN; `nil` if
    /// there are no values.
    public func max<T: ObjectBase, V: BoundedValue>(of keyPath: KeyPath<T, V>) -> V.Required?
    where Value == T? {
        if let objects: Results<T> = managedObjects() { return objects.max(of: keyPath) }
        return properties(keyPath).engineBound(.maximum)
    }

    /// Returns the objects sorted by a property: `nil` first, then NaN; strings by their UTF-8
    /// bytes; `false` before `true`. Objects with equal values stay in key order; entries without
    /// an object are omitted.
    ///
    /// - Complexity: O(n log n).
    public func sorted<T: ObjectBase, V: ScalarValue>(
        by keyPath: KeyPath<T, V>, ascending: Bool = true
    ) -> [T] where Value == T? {
        compactMap(\.value).ordered(ascending: ascending) { $0[keyPath: keyPath].engineValue }
    }

    private func properties<T: ObjectBase, V>(_ keyPath: KeyPath<T, V>) -> [V]
    where Value == T? {
        compactMap { $0.value.map { $0[keyPath: keyPath] } }
    }
}
