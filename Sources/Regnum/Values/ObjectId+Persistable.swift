internal import RegnumEngine

extension ObjectId: RequiredValue, PrimaryKeyValue, IndexableValue, OrderedValue {
    public static var _storage: _StorageType { _StorageType(.objectId) }

    /// Returns a newly generated id.
    public static func _makeDefault() -> ObjectId { .generate() }

    public static func _decode(_ value: _StoredValue) -> ObjectId? {
        guard case .objectId(let stored) = value.value else { return nil }
        return ObjectId(high: stored.high, low: stored.low)
    }

    public func _encode() -> _StoredValue { _StoredValue(.objectId(bytes)) }

    var bytes: ObjectIdBytes { ObjectIdBytes(high: high, low: low) }
}
