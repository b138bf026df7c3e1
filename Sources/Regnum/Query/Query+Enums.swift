internal import RegnumEngine

// Enums as what they are stored as, and the least and greatest of them.

extension Query where Value: EnumValue {
    /// The property as what it is stored as, for the operators of that type.
    public var rawValue: Query<Value._RawProperty> { Query<Value._RawProperty>(rawNode(), scope) }
}

extension Query where Value: QueryCollection, Value.Element: EnumValue {
    /// The elements as what they are stored as.
    public var rawValue: Query<List<Value.Element._RawProperty>> {
        Query<List<Value.Element._RawProperty>>(rawNode(), scope)
    }
}

extension Query where Value: QueryMap, Value.Value: EnumValue {
    /// The map with the values as what they are stored as.
    public var rawValue: Query<Map<Value.Key, Value.Value._RawProperty>> {
        Query<Map<Value.Key, Value.Value._RawProperty>>(rawNode(), scope)
    }
}

// MARK: Bounds

extension Query where Value: EnumValue, Value._Enum.RawValue: BoundedValue {
    /// The case with the least raw value that the objects of a collection have in the property; nil
    /// is left out; nil for none.
    ///
    /// A path that leads through no list or inverse is an error, which the query reports when it is
    /// used.
    public var min: Query<Value._Enum?> { overObjects(.min) }

    /// The case with the greatest raw value that the objects of a collection have in the property;
    /// nil is left out; nil for none.
    ///
    /// A path that leads through no list or inverse is an error, which the query reports when it is
    /// used.
    public var max: Query<Value._Enum?> { overObjects(.max) }
}

extension Query
where
    Value: QueryCollection, Value.Element: EnumValue, Value.Element._Enum.RawValue: BoundedValue
{
    /// The element with the least raw value; nil is left out; nil for none.
    public var min: Query<Value.Element._Enum?> { .init(rawElements.min.rawNode(), scope) }

    /// The element with the greatest raw value; nil is left out; nil for none.
    public var max: Query<Value.Element._Enum?> { .init(rawElements.max.rawNode(), scope) }

    private var rawElements: Query<List<Value.Element._Enum.RawValue>> { .init(rawNode(), scope) }
}

extension Query
where Value: QueryMap, Value.Value: EnumValue, Value.Value._Enum.RawValue: BoundedValue {
    /// The value with the least raw value; nil is left out; nil for none.
    public var min: Query<Value.Value._Enum?> { .init(rawValues.min.rawNode(), scope) }

    /// The value with the greatest raw value; nil is left out; nil for none.
    public var max: Query<Value.Value._Enum?> { .init(rawValues.max.rawNode(), scope) }

    private var rawValues: Query<Map<Value.Key, Value.Value._Enum.RawValue>> {
        .init(rawNode(), scope)
    }
}

extension Query {
    /// The same expression as one of another type that is stored the same way.
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
