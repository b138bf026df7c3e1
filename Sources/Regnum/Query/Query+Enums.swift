/// `E?` of an enum.
public protocol OptionalEnum: ScalarValue {
    /// The optional of the raw value.
    associatedtype RawProperty: ScalarValue
}

extension Optional: OptionalEnum where Wrapped: PersistableEnum {
    public typealias RawProperty = Wrapped.RawValue?
}

extension Query where Value: PersistableEnum {
    /// The property as what it is stored as, for the operators of that type.
    public var rawValue: Query<Value.RawValue> { Query<Value.RawValue>(rawNode(), scope) }
}

extension Query where Value: OptionalEnum {
    /// The property as what it is stored as, for the operators of that type.
    public var rawValue: Query<Value.RawProperty> { Query<Value.RawProperty>(rawNode(), scope) }
}

extension Query where Value: QueryCollection, Value.Element: PersistableEnum {
    /// The elements as what they are stored as.
    public var rawValue: Query<List<Value.Element.RawValue>> {
        Query<List<Value.Element.RawValue>>(rawNode(), scope)
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
