// What queries lack for maps of objects: here for the sentences of the compiler alone.

extension Query where Value: QueryMap {
    @_disfavoredOverload
    @available(
        *, unavailable, message: "the objects of a map are asked as $0.map.objects().property"
    )
    public var values: Query<Value.Value> {
        fatalError("A map of objects has objects().")
    }

    @_disfavoredOverload
    @available(
        *, unavailable,
        message: "the objects of a map are asked as $0.map.objects().property, without their keys"
    )
    public subscript(key: Value.Key) -> Query<Value.Value> {
        fatalError("A map of objects has objects().")
    }
}
