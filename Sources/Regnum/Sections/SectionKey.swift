internal import RegnumEngine

/// The keys of sections: values of all types that a property with a single value can have,
/// optionals, enums and projected types included. `nil` is a key like any other.
///
/// Keys are the same if their stored forms are: strings are compared by their UTF-8 bytes, and NaN
/// is a key. Objects can't be keys, and neither can lists, dictionaries, or projected types that
/// are stored as embedded objects: such keys are an error (`.invalidQuery`), which is reported when
/// the sections are used. The key of an ``AnyRealmValue`` property is a ``FrozenAnyValue``.
public typealias SectionKey = ScalarValue & Hashable & Sendable

extension _Plan {
    /// Returns the query of sections whose key is a property, which has to be the primary order.
    func sectioned<Key: SectionKey>(
        by column: ColumnReference, _: Key.Type, _ orders: [SortTerm]
    ) -> _Plan {
        var plan = sectioned(Key.self, orders)
        let name = plan.plan.tableName
        if orders.isEmpty {
            plan.refuse("Sections by a property of \(name) need at least one sort descriptor.")
        } else if orders[0].column != column {
            plan.refuse(
                "The section key \(column.name) of \(name) must match the primary sort "
                    + "descriptor, which is \(orders[0].column.name).")
        }
        return plan
    }

    /// Returns the query of sections whose keys a closure returns.
    func sectioned<Key: SectionKey>(_: Key.Type, _ orders: [SortTerm]) -> _Plan {
        var plan = self
        if !orders.isEmpty { plan.plan.addSort(orders) }
        if Key._embeddedClass != nil {
            plan.problem = plan.problem ?? .linkAsSectionKey(plan.plan.tableName)
        }
        return plan
    }

    private mutating func refuse(_ message: String) {
        problem =
            problem ?? Realm.Error(.invalidQuery, message, className: plan.tableName)
    }
}

extension Realm.Error {
    /// Returns the error for objects, lists and dictionaries as section keys.
    static func linkAsSectionKey(_ className: String) -> Realm.Error {
        Realm.Error(
            .invalidQuery,
            "Links, lists and dictionaries are not supported as section keys of \(className).",
            className: className)
    }
}
