internal import RegnumEngine

// MARK: Maps of values

extension Map where Value: SummableValue {
    /// The sum of the values; nil is left out, and the sum of nothing is 0.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction; of an unmanaged map
    /// it ends the process.
    public func sum() -> Value.Total { handle?.sum(Value.self) ?? values.engineSum() }

    /// The mean of the values; nil is left out; nil for nothing.
    public func average() -> Value.Mean? {
        guard let handle else { return values.engineAverage() }
        return handle.average(Value.self)
    }
}

extension Map where Value: BoundedValue {
    /// The least value; nil and NaN are left out; nil for nothing.
    public func min() -> Value.Required? {
        guard let handle else { return values.engineBound { $0 < 0 } }
        return handle.min(Value.self)
    }

    /// The greatest value; nil and NaN are left out; nil for nothing.
    public func max() -> Value.Required? {
        guard let handle else { return values.engineBound { $0 > 0 } }
        return handle.max(Value.self)
    }
}

extension Map where Value: ScalarValue {
    /// The values from small to large, or the other way round: nil first, then NaN, strings by
    /// their bytes, false before true. Equal ones are in the order of their keys.
    ///
    /// - Complexity: O(n log n)
    public func sorted(ascending: Bool = true) -> [Value] { values.ordered(ascending: ascending) }
}

// MARK: Maps of objects

extension Map {
    /// The objects of the map that meet a condition, in the order of its keys, each once for each
    /// of its keys.
    ///
    /// - Precondition: the map is managed.
    /// - Complexity: O(1): nothing is evaluated before the result is used.
    public func `where`<T: ObjectBase>(
        _ condition: (Query<T>) -> Query<Bool>
    ) -> Results<T> where Value == T? {
        guard let objects: Results<T> = managedObjects() else {
            fatalError(
                "where was called on an unmanaged Map<\(Key.self), \(Value.self)>: queries are asked of "
                    + "what is stored. Add its object to a realm first.")
        }
        return objects.where(condition)
    }

    /// The objects in the order of the keys, each once for each of its keys; nil for an unmanaged
    /// map.
    private func managedObjects<T: ObjectBase>() -> Results<T>? where Value == T? {
        guard let handle, let core = handle.binding.core else { return nil }
        handle.failIfInvalidated()
        let schema = handle.binding.schema
        let plan = schema.plan(
            ofMap: schema.properties[handle.property], T.self, row: handle.row)
        return Results(core.binding(for: T.self), plan: _Plan(plan: plan))
    }
}

extension Map {
    /// The sum of a property over the objects; nil values are left out, and the sum of nothing is
    /// 0.
    ///
    /// A sum of integers that does not fit into an `Int` fails the transaction; of an unmanaged map
    /// it ends the process.
    public func sum<T: ObjectBase, V: SummableValue>(of keyPath: KeyPath<T, V>) -> V.Total
    where Value == T? {
        managedObjects()?.sum(of: keyPath) ?? properties(keyPath).engineSum()
    }

    /// The mean of a property over the objects; nil values are left out; nil for nothing.
    public func average<T: ObjectBase, V: SummableValue>(of keyPath: KeyPath<T, V>) -> V.Mean?
    where Value == T? {
        guard let objects: Results<T> = managedObjects() else {
            return properties(keyPath).engineAverage()
        }
        return objects.average(of: keyPath)
    }

    /// The least value of a property of the objects; nil values and NaN are left out; nil for
    /// nothing.
    public func min<T: ObjectBase, V: BoundedValue>(of keyPath: KeyPath<T, V>) -> V.Required?
    where Value == T? {
        guard let objects: Results<T> = managedObjects() else {
            return properties(keyPath).engineBound { $0 < 0 }
        }
        return objects.min(of: keyPath)
    }

    /// The greatest value of a property of the objects; nil values and NaN are left out; nil for
    /// nothing.
    public func max<T: ObjectBase, V: BoundedValue>(of keyPath: KeyPath<T, V>) -> V.Required?
    where Value == T? {
        guard let objects: Results<T> = managedObjects() else {
            return properties(keyPath).engineBound { $0 > 0 }
        }
        return objects.max(of: keyPath)
    }

    /// The objects sorted by a property: nil first, then NaN, strings by their bytes, false before
    /// true. Equal ones are in the order of their keys; entries without an object are left out.
    ///
    /// - Complexity: O(n log n)
    public func sorted<T: ObjectBase, V: ScalarValue>(
        by keyPath: KeyPath<T, V>, ascending: Bool = true
    ) -> [T] where Value == T? {
        let objects = compactMap(\.value)
        let values = objects.map { $0[keyPath: keyPath].engineValue }
        let order = objects.indices.sorted { a, b in
            let order = RegnumEngine.Value.compare(values[a], values[b])
            if order == 0 { return a < b }
            return ascending ? order < 0 : order > 0
        }
        return order.map { objects[$0] }
    }

    private func properties<T: ObjectBase, V>(_ keyPath: KeyPath<T, V>) -> [V]
    where Value == T? {
        compactMap { $0.value.map { $0[keyPath: keyPath] } }
    }
}
