internal import RegnumEngine

// A projected type forwards to its persisted type and converts the values.

extension FailableCustomPersistable {
    public static var _isProjected: Bool { true }

    public static var _embeddedClass: ObjectBase.Type? { PersistedType._basisClass }

    public static var _storage: _StorageType { PersistedType._basisStorage }

    public static var _property: _PropertyType { PersistedType._basisProperty }

    public static var _persistedForm: any Persistable.Type { PersistedType._basisForm }

    /// Always `false`: reading runs the conversion, which is the program's code.
    @inlinable @inline(__always)
    public static var _isScalar: Bool { false }

    public static func _makeDefault() -> Self {
        let start = PersistedType._basisDefault()
        if let value = Self(persistedValue: start) { return value }
        fatalError(
            "\(Self.self) cannot be created from \(described(start)), the default of a property "
                + "without an initial value: give the property an initial value, or declare it as "
                + "optional.")
    }

    public static func _decode(_ value: _StoredValue) -> Self? {
        PersistedType._basisDecode(value).flatMap { Self(persistedValue: $0) }
    }

    public func _encode() -> _StoredValue { persistableValue._basisEncode() }

    @inlinable @inline(__always)
    public static func _read(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self? {
        guard case .some(.some(let stored)) = PersistedType._readOptional(cluster, column, place)
        else { return nil }
        return Self(persistedValue: stored)
    }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> Self {
        guard let binding = object._binding else { return _makeDefault() }
        if let sample = recorded(binding, column) { return sample }
        if let stored = PersistedType._managedOptional(object, column) {
            if let value = Self(persistedValue: stored) { return value }
            binding.reportUndecodable(
                described(stored), property: binding.propertyIndex(of: column))
            return placeholder()
        }
        if PersistedType._basisClass != nil { return _makeDefault() }  // no object stored yet
        binding.reportUndecodable(binding.value(row: object._row, column: column), column)
        return placeholder()
    }

    public func _write(to object: ObjectBase, _ column: Int32) {
        PersistedType._writeOptional(persistableValue, to: object, column)
    }

    public func _content() -> _PropertyContent {
        PersistedType._optionalContent(persistableValue)
    }

    public static func _make(_ content: _PropertyContent) -> Self? {
        guard case .some(.some(let stored)) = PersistedType._makeOptional(content) else {
            return nil
        }
        return Self(persistedValue: stored)
    }

    /// An arbitrary value of the type, or `nil` if none could be created.
    static var anyValue: Self? {
        if let value = Self(persistedValue: PersistedType._basisDefault()) { return value }
        guard PersistedType._basisClass == nil else { return nil }
        for probe in _storage.valueType.probes {
            if let value = _decode(_StoredValue(probe)) { return value }
        }
        return nil
    }

    fileprivate static func described(_ stored: PersistedType) -> String {
        if let object = stored as? ObjectBase { return "\(object)" }
        return describedWithType(stored)
    }
}

// MARK: Optional properties

extension FailableCustomPersistable {
    public static var _optionalProperty: _PropertyType { PersistedType._optionalProperty }

    public static var _optionalPersistedForm: any Persistable.Type {
        PersistedType._optionalPersistedForm
    }

    @inlinable @inline(__always)
    public static var _optionalIsScalar: Bool { false }

    @inlinable @inline(__always)
    public static func _readOptional(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self?? {
        guard let stored = PersistedType._readOptional(cluster, column, place) else { return nil }
        return .some(stored.flatMap { Self(persistedValue: $0) })
    }

    public static func _managedOptional(_ object: ObjectBase, _ column: Int32) -> Self? {
        if let binding = object._binding, PersistedType._basisClass != nil,
            let sample = recorded(binding, column)
        {
            return sample
        }
        return PersistedType._managedOptional(object, column)
            .flatMap { Self(persistedValue: $0) }
    }

    public static func _writeOptional(
        _ value: Self?, to object: ObjectBase, _ column: Int32
    ) {
        PersistedType._writeOptional(value?.persistableValue, to: object, column)
    }

    public static func _optionalContent(_ value: Self?) -> _PropertyContent {
        PersistedType._optionalContent(value?.persistableValue)
    }

    public static func _makeOptional(_ content: _PropertyContent) -> Self?? {
        guard let stored = PersistedType._makeOptional(content) else { return nil }
        guard let stored else { return .some(nil) }
        return Self(persistedValue: stored).map { .some($0) }
    }
}

// MARK: Elements of collections

extension FailableCustomPersistable {
    public static var _elementType: _ElementType { PersistedType._elementType }

    public static var _persistedElement: any RealmCollectionValue.Type { PersistedType.self }

    public static var _optionalElement: any RealmCollectionValue.Type {
        PersistedType._basisOptionalElement
    }

    public static func _element(of list: _ManagedList, at position: Int) -> Self? {
        guard let stored = PersistedType._element(of: list, at: position) else { return nil }
        if let value = Self(persistedValue: stored) { return value }
        list.binding.reportUndecodable(described(stored), property: list.property)
        return placeholder()
    }

    public static func _insert(
        _ elements: [Self], into list: _ManagedList, at position: Int
    ) {
        PersistedType._insert(elements.map(\.persistableValue), into: list, at: position)
    }

    public static func _set(_ element: Self, in list: _ManagedList, at position: Int) {
        PersistedType._set(element.persistableValue, in: list, at: position)
    }

    public static func _areSame(_ a: Self, _ b: Self) -> Bool {
        let (a, b) = (a.persistableValue, b.persistableValue)
        guard let a = a as? ObjectBase, let b = b as? ObjectBase else {
            return PersistedType._areSame(a, b)
        }
        return a.hasSameMembers(as: b)
    }

    public static func _position(of element: Self, in list: _ManagedList) -> Int? {
        let element = element.persistableValue
        guard let object = element as? ObjectBase else {
            return PersistedType._position(of: element, in: list)
        }
        return (0..<list.count).first { position in
            let stored = PersistedType._element(of: list, at: position) as? ObjectBase
            return stored?.hasSameMembers(as: object) ?? false
        }
    }
}
