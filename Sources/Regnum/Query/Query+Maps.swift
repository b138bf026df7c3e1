internal import RegnumEngine

/// A map property in a query: ``Map``.
///
/// Don't conform your own types to this protocol.
public protocol QueryMap: QueryCollection {
    associatedtype Key: MapKey
    associatedtype Value: MapValue
}

extension Map: QueryMap {}

extension Query where Value: QueryMap {
    /// The keys. A condition on them holds if it holds for at least one key.
    ///
    ///     realm.objects(Dog.self).where { $0.favoriteParksByCity.keys.starts(with: "New") }
    public var keys: Query<String> { with(.column(hops, .mapKey)) }

    private var linked: [Hop] {
        guard case .link(let type) = Value.Value._property.shape else { return hops }
        return hops + [.link("value", to: ClassSchema.of(type).name)]
    }

    /// The objects of a map of objects. A condition on them holds if it holds for at least one
    /// object.
    ///
    ///     realm.objects(Person.self).where { $0.dogsByName.objects().age > 3 }
    public func objects<T: ObjectBase>() -> Query<T?> where Value.Value == T? {
        with(.objects(linked))
    }

    /// Whether the object is one of the values; for `nil`, whether there is an entry without an
    /// object. An object from another realm is an error, which is reported when the query is used.
    public func contains<T: ObjectBase>(_ object: T?) -> Query<Bool> where Value.Value == T? {
        objects() == object
    }

    /// Whether the map contains any of the objects as a value.
    public func containsAny<T: ObjectBase>(in objects: some Sequence<T>) -> Query<Bool>
    where Value.Value == T? {
        self.objects().in(objects)
    }
}

extension Query where Value: QueryMap, Value.Value: ScalarValue {
    /// The values. A condition on them holds if it holds for at least one value.
    public var values: Query<Value.Value> {
        guard let type = Value.Value._embeddedClass else {
            return with(.column(hops, valueColumn))
        }
        return with(.objects(hops + [.link("value", to: ClassSchema.of(type).name)]))
    }

    /// The value for a key. If there is no such entry, the value is `nil`, which equals only `nil`
    /// and differs from every other value.
    ///
    ///     realm.objects(Dog.self).where { $0.favoriteParksByCity["New York"] == "Central Park" }
    public subscript(key: Value.Key) -> Query<Value.Value> {
        with(.entry(hops, key._text, valueColumn))
    }

    /// The values, as a column of the hidden class of the map's entries; a link for embedded
    /// objects.
    var valueColumn: ColumnReference {
        if Value.Value._embeddedClass != nil {
            return ColumnReference(name: "value", type: .int, missing: .null)
        }
        return .element(Value.Value._storage)
    }

    /// Whether the value is one of the values.
    public func contains(_ value: Value.Value) -> Query<Bool> { values == value }

    /// Whether the map contains any of `values`.
    public func containsAny(in values: some Sequence<Value.Value>) -> Query<Bool> {
        self.values.in(values)
    }

    func aggregate<Result>(_ kind: AggregateKind) -> Query<Result> {
        let (outer, inner) = hops.splitBeforeLastCollection
        return with(.aggregate(outer, inner, kind, valueColumn))
    }
}

extension Query where Value: QueryMap, Value.Value: BoundedValue {
    /// The minimum of the values, ignoring `nil` and NaN; `nil` if there are none.
    public var min: Query<Value.Value.Required?> { aggregate(.min) }

    /// The maximum of the values, ignoring `nil` and NaN; `nil` if there are none.
    public var max: Query<Value.Value.Required?> { aggregate(.max) }
}

extension Query where Value: QueryMap, Value.Value: SummableValue {
    /// The sum of the values, ignoring `nil`; 0 if there are none.
    public var sum: Query<Value.Value.Total> { aggregate(.sum) }

    /// The mean of the values, ignoring `nil`; `nil` if there are none.
    public var avg: Query<Value.Value.Mean?> { aggregate(.average) }
}

extension Query
where Value: QueryMap, Value.Value: BoundedValue, Value.Value.Required: Comparable {
    /// Whether the map has values and *all* of them are in the half-open range (as in Realm). `nil`
    /// and NaN values are ignored.
    public func contains(_ range: Range<Value.Value.Required>) -> Query<Bool> {
        all(of: valueColumn, range.lowerBound, .less, range.upperBound)
    }

    /// Whether the map has values and *all* of them are in the closed range (as in Realm). `nil`
    /// and NaN values are ignored.
    public func contains(_ range: ClosedRange<Value.Value.Required>) -> Query<Bool> {
        all(of: valueColumn, range.lowerBound, .lessOrEqual, range.upperBound)
    }
}

extension ColumnReference {
    /// The values of a collection, as a column of the hidden class of its elements.
    static func element(_ storage: _StorageType) -> ColumnReference {
        ColumnReference(name: "value", type: storage.valueType, missing: storage.zero)
    }

    /// The keys, as a column of the hidden class of the map's entries.
    static var mapKey: ColumnReference {
        ColumnReference(name: "key", type: .string, missing: .string(""))
    }
}

extension Predicate {
    /// The condition that a map's value for a key matches.
    ///
    /// - Parameters:
    ///   - hops: The path to the entries of the map.
    ///   - holdsForNil: Whether the condition holds if there is no such entry.
    static func entry(
        _ hops: [Hop], _ key: String, _ predicate: Predicate, holdsForNil: Bool
    ) -> Predicate {
        let (outer, inner) = hops.splitBeforeLastCollection
        let isEntry = Predicate.compare(.mapKey, .equal, .string(key))
        let found = Predicate.exists(inner, .and([isEntry, predicate]))
        guard holdsForNil else { return .exists(outer, found) }
        return .exists(outer, .or([found, .not(.exists(inner, isEntry))]), holdsForNil: true)
    }
}
