// Operations that maps of objects don't have, declared only for their compiler messages.

extension Query where Value: QueryMap {
    @_disfavoredOverload
    @available(
        *, unavailable, message: "use $0.map.objects().property for the objects of a map"
    )
    public var values: Query<Value.Value> {
        fatalError("A map of objects has objects().")
    }

    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "use $0.map.objects().property, without keys, for the objects of a map"
    )
    public subscript(key: Value.Key) -> Query<Value.Value> {
        fatalError("A map of objects has objects().")
    }
}
