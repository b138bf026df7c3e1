internal import RegnumEngine
internal import RegnumStore

extension _ManagedList {
    /// Returns the objects of the list as results, or `nil` after the
    /// transaction body has returned.
    func results<T: ObjectBase>(_ type: T.Type) -> Results<T>? {
        guard let core = binding.core else { return binding.recordedResults(type, property) }
        failIfInvalidated()
        let elements = core.binding(for: type)
        elements.refresh()
        return Results(elements, plan: _Plan(plan: plan(elements.tableName)))
    }

    /// Fails the transaction if the list no longer exists. Traps if the
    /// transaction body has returned.
    @discardableResult
    func failIfInvalidated() -> Bool {
        guard isInvalidated else { return false }
        if binding.isReadable(row: owner.rawValue) {
            binding.core?.fail(replacedError)
        } else {
            binding.failMissing(property, of: owner.rawValue)
        }
        return true
    }

    /// Returns the query of the elements.
    func plan(_ elementsName: String) -> QueryPlan {
        let property = binding.schema.properties[property]
        var (tableName, name) = (binding.tableName, property.columnName)
        if let slot, slot.elements == nil {
            name = property.anyItemsName
        } else if slot != nil {
            (tableName, name) = (elementsName, PropertySchema.anyItemsName)
        }
        let source = QuerySource.list(
            tableName: StoredText(tableName), row: row, name: StoredText(name))
        return QueryPlan(tableName: elementsName, source: source)
    }

    /// Runs a query on the elements of a list of values. An error fails the transaction and
    /// returns the placeholder.
    private func run<Element: ScalarValue, Answer>(
        _ type: Element.Type, _ placeholder: Answer,
        _ question: (QueryPlan, ColumnReference, QueryState) throws(StoreError) -> Answer
    ) -> Answer {
        guard !failIfInvalidated(), let core = binding.core, let state = core.queryState else {
            return placeholder
        }
        let name = binding.schema.elementsName(of: binding.schema.properties[property])
        return core.attempt { () throws(StoreError) in
            try question(plan(name), .element(Element._storage), state)
        } ?? placeholder
    }

    // Aggregates of the values in a list, set or map.

    func sum<Element: SummableValue>(_ type: Element.Type) -> Element.Total {
        let zero = Element.Total._storage.zero
        return Element.Total.fromEngine(
            run(type, zero) { plan, column, state throws(StoreError) in
                try plan.sum(of: column, state)
            })
    }

    func average<Element: SummableValue>(_ type: Element.Type) -> Element.Mean? {
        run(type, nil) { plan, column, state throws(StoreError) in
            try plan.average(of: column, state)
        }.map { Element.Mean.fromEngine($0) }
    }

    /// Returns the sum of values of a projected type. One that can't be converted to the type fails
    /// the transaction.
    func projectedSum<Element: ProjectedValue>(_ type: Element.Type) -> Element._Projected
    where Element._PersistedProperty: SummableValue {
        let sum = sum(Element._PersistedProperty.self).engineValue
        do throws(StoreError) {
            return try Element.summed(sum)
        } catch {
            binding.core?.fail(Realm.Error(error))
            return Element._Projected.placeholder()
        }
    }

    /// Returns the minimum or maximum value as a type that is stored like the elements.
    func bound<Bound: RequiredValue>(_ extreme: Extreme) -> Bound? {
        run(Bound.self, nil) { plan, column, state throws(StoreError) in
            try Bound.bound(
                extreme.find(plan, column, state), binding.schema.name,
                binding.schema.properties[property].columnName)
        }
    }
}

extension ClassBinding {
    /// Returns the results of a query of a recorder's collection; `nil` for that of a row.
    func recordedResults<T: ObjectBase>(_ type: T.Type, _ property: Int) -> Results<T>? {
        guard isRecorder, let tracer else { return nil }
        let number = tracer.noteElements(type, of: recorder, property)
        let elements = ClassBinding(recording: ClassSchema.of(type), tracer, number: number ?? -1)
        return Results(elements, plan: .all(of: type))
    }

    /// Records what a query of a recorder's results reads through links and collections.
    func noteQuery(_ hops: Set<Hop>) {
        guard isRecorder, recorder >= 0, !hops.isEmpty else { return }
        // at any position, and for any key
        let hops = hops.map { Hop($0.kind, $0.name, target: $0.target) }
        tracer?.noteObjects(along: Set(hops), from: recorder)
    }

    /// The rows of a recorder's results: one, unless they are empty.
    var recordedKeys: [ObjectKey] { isRecorder && recorder >= 0 ? [.nowhere] : [] }
}

extension Sequence {
    /// Returns the elements sorted by value. The sort is stable.
    func ordered(ascending: Bool, by value: (Element) -> Value) -> [Element] {
        let values = map { (element: $0, value: value($0)) }
        let order = values.indices.sorted { a, b in
            let order = Value.compare(values[a].value, values[b].value)
            if order == 0 { return a < b }
            return ascending ? order < 0 : order > 0
        }
        return order.map { values[$0].element }
    }
}

extension Sequence where Element: ScalarValue {
    /// Returns the elements sorted by value. The sort is stable.
    func ordered(ascending: Bool) -> [Element] {
        ordered(ascending: ascending) { $0.engineValue }
    }
}
