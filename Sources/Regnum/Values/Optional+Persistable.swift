internal import RegnumEngine

extension RequiredValue {
    public static var _optionalProperty: _PropertyType {
        _PropertyType(shape: .scalar(_storage.optional))
    }

    public static var _optionalPersistedForm: any Persistable.Type { Self?.self }

    @inlinable @inline(__always)
    public static var _optionalIsScalar: Bool { true }

    @inlinable @inline(__always)
    public static func _readOptional(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self?? {
        guard column >= 0 else { return nil }
        guard _ClusterLayout.isPresent(cluster, column, place) else { return .some(.none) }
        return _read(cluster, column, place).map { .some($0) }
    }

    public static func _managedOptional(_ object: ObjectBase, _ column: Int32) -> Self? {
        guard let binding = object._binding else { return nil }
        let value = binding.readValue(row: object._row, column: column)
        // Invalid values read as nil: an enum may have lost a case.
        return Self?._decode(_StoredValue(value)) ?? nil
    }

    public static func _writeOptional(
        _ value: Self?, to object: ObjectBase, _ column: Int32
    ) {
        object._binding?.setValue(value.engineValue, row: object._row, column: column)
    }

    public static func _optionalContent(_ value: Self?) -> _PropertyContent {
        _PropertyContent(content: .value(value.engineValue))
    }

    public static func _makeOptional(_ content: _PropertyContent) -> Self?? {
        guard case .value(let value) = content.content else { return nil }
        return Self?._decode(_StoredValue(value))
    }
}

extension Optional: Persistable where Wrapped: OptionalPersistable {
    public static var _property: _PropertyType { Wrapped._optionalProperty }

    @inlinable @inline(__always)
    public static var _isScalar: Bool { Wrapped._optionalIsScalar }

    public static var _persistedForm: any Persistable.Type { Wrapped._optionalPersistedForm }

    public static func _makeDefault() -> Self { nil }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self? {
        Wrapped._readOptional(cluster, column, place)
    }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> Self {
        Wrapped._managedOptional(object, column)
    }

    public func _write(to object: ObjectBase, _ column: Int32) {
        Wrapped._writeOptional(self, to: object, column)
    }

    public func _content() -> _PropertyContent { Wrapped._optionalContent(self) }

    public static func _make(_ content: _PropertyContent) -> Self? {
        Wrapped._makeOptional(content)
    }
}

extension Optional: ScalarValue where Wrapped: RequiredValue {
    public typealias _Basis = Wrapped._Basis

    public static var _storage: _StorageType { Wrapped._storage.optional }

    public static func _decode(_ value: _StoredValue) -> Self? {
        if case .null = value.value { return .some(.none) }
        return Wrapped._decode(value).map { .some($0) }
    }

    public func _encode() -> _StoredValue {
        switch self {
        case .none: _StoredValue(.null)
        case .some(let wrapped): wrapped._encode()
        }
    }

    public static var _examples: [_StoredValue] { Wrapped._examples }

    public static var _isProjected: Bool { Wrapped._isProjected }

    public static var _embeddedClass: ObjectBase.Type? { Wrapped._embeddedClass }
}

extension Optional: PrimaryKeyValue where Wrapped: PrimaryKeyValue & RequiredValue {}
extension Optional: IndexableValue where Wrapped: IndexableValue & RequiredValue {}
extension Optional: OrderedValue where Wrapped: OrderedValue & RequiredValue {}
