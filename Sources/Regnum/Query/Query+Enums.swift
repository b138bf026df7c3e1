internal import RegnumEngine

// Enums as their raw values, and their least and greatest cases.

extension Query where Value: EnumValue {
    /// The property as its stored raw value, for the operators of that type.
    ///
    ///     realm.objects(Order.self).where { $0.state.rawValue.starts(with: "open") }
    public var rawValue: Query<Value._RawProperty> { Query<Value._RawProperty>(rawNode(), scope) }
}

extension Query where Value: QueryCollection, Value.Element: EnumValue {
    /// The elements as their stored raw values.
    public var rawValue: Query<List<Value.Element._RawProperty>> {
        Query<List<Value.Element._RawProperty>>(rawNode(), scope)
    }
}

extension Query where Value: QueryMap, Value.Value: EnumValue {
    /// The map with its values as their stored raw values.
    public var rawValue: Query<Map<Value.Key, Value.Value._RawProperty>> {
        Query<Map<Value.Key, Value.Value._RawProperty>>(rawNode(), scope)
    }
}

// MARK: Bounds

extension Query where Value: EnumValue, Value._Enum.RawValue: BoundedValue {
    /// The case with the smallest raw value among the objects of a collection. Otherwise behaves
    /// like `min` of a property of the raw value's type.
    public var min: Query<Value._Enum?> { overObjects(.min) }

    /// The case with the greatest raw value among the objects of a collection. Otherwise behaves
    /// like `max` of a property of the raw value's type.
    public var max: Query<Value._Enum?> { overObjects(.max) }
}

extension Query
where
    Value: QueryCollection, Value.Element: EnumValue, Value.Element._Enum.RawValue: BoundedValue
{
    /// The element with the smallest raw value, ignoring `nil`; `nil` if there are none.
    public var min: Query<Value.Element._Enum?> { aggregate(.min) }

    /// The element with the greatest raw value, ignoring `nil`; `nil` if there are none.
    public var max: Query<Value.Element._Enum?> { aggregate(.max) }
}

extension Query
where Value: QueryMap, Value.Value: EnumValue, Value.Value._Enum.RawValue: BoundedValue {
    /// The value with the smallest raw value, ignoring `nil`; `nil` if there are none.
    public var min: Query<Value.Value._Enum?> { aggregate(.min) }

    /// The value with the greatest raw value, ignoring `nil`; `nil` if there are none.
    public var max: Query<Value.Value._Enum?> { aggregate(.max) }
}

extension Query {
    /// Returns the same expression for another type that is stored in the same way.
    func rawNode<Raw>() -> Query<Raw>.Node {
        switch node {
        case .objects(let hops): .objects(hops)
        case .column(let hops, let column): .column(hops, column)
        case .nested(let path): .nested(path)
        case .entry(let hops, let key, let column): .entry(hops, key, column)
        case .count(let outer, let hops, let predicate): .count(outer, hops, predicate)
        case .aggregate(let outer, let hops, let kind, let column):
            .aggregate(outer, hops, kind, column)
        case .predicate(let predicate): .predicate(predicate)
        }
    }
}
