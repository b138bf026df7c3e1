internal import RegnumEngine

/// A type-erased interface to `@Persisted` wrappers.
protocol PersistedField: SendableMetatype {
    /// The shape of the property.
    static var shape: PropertyShape { get }
    /// The type of the property.
    static var valueType: Any.Type { get }
    /// Known stored values of the property's type.
    static var examples: [Value] { get }
    /// The value of the property in objects stored before it was added, if it has no initial value;
    /// `nil` for the zero value of its storage type.
    static var typeDefault: Value? { get }
    /// Returns whether the property's type can represent a stored value.
    static func canHold(_ value: Value) -> Bool
    /// Returns the declaration in the wrapper at `offset` of `object`.
    static func declaration(in object: ObjectBase, at offset: Int) -> PropertyDeclaration
    /// Returns the value of the unmanaged `object`, creating the default if it was never read; null
    /// if the property is not a value.
    static func unmanagedValue(in object: ObjectBase, at offset: Int) -> Value
    /// Returns the link or collection of the unmanaged `object`, or `nil` if it was never accessed.
    /// A required property of a projected type gets its default object first.
    static func reference(
        in object: ObjectBase, at offset: Int, isProjected: Bool
    ) -> _PropertyContent.Content?
    /// Clears the value that an object held before it became managed.
    static func clear(in object: ObjectBase, at offset: Int)
    /// Returns the value of the property, of a managed or unmanaged object, in its Swift type;
    /// `nil` if the value is `nil`.
    static func anyValue(in object: ObjectBase, at offset: Int) -> Any?
    /// Returns the value in its stored form, as the persisted type if the property's type is
    /// projected, for callers that don't know the class.
    static func dynamicValue(in object: ObjectBase, at offset: Int) -> Any?
    /// Converts an embedded object to the projected type of the property or of its elements; `nil`
    /// if the conversion fails.
    static func projected(_ object: ObjectBase) -> Any?
    /// Whether the stored value is converted by the program: see ``CustomPersistable``.
    static var isProjected: Bool { get }
    /// Sets the property of a managed or unmanaged object, like an assignment. Returns `false` if
    /// the property cannot hold the value.
    static func set(
        _ content: _PropertyContent.Content, in object: ObjectBase, at offset: Int
    ) -> Bool
}

/// The declaration of a property, apart from its type.
struct PropertyDeclaration {
    let isPrimaryKey: Bool
    let isIndexed: Bool
    let isFullTextIndexed: Bool
    let isGeoIndexed: Bool
    /// The initial value; `nil` if the type's default is used, and for links and collections.
    let initialValue: Value?
    /// The property of the origin class that this property is the inverse of.
    let originProperty: String?
    /// The delete rule of a link.
    let deleteRule: Realm.DeleteRule
}

extension Persisted: PersistedField {
    static var shape: PropertyShape { Value._property.shape }

    static var valueType: Any.Type { Value.self }

    static var examples: [RegnumEngine.Value] {
        (Value.self as? any ScalarValue.Type)?._examples.map(\.value) ?? []
    }

    static var typeDefault: RegnumEngine.Value? {
        (Value.self as? any PersistableEnum.Type)?.firstStored
    }

    static func canHold(_ value: RegnumEngine.Value) -> Bool {
        guard let type = Value.self as? any ScalarValue.Type else { return false }
        // The value must also round-trip, because Float rounds.
        return type._decode(_StoredValue(value))?.engineValue == value
    }

    static func declaration(in object: ObjectBase, at offset: Int) -> PropertyDeclaration {
        object.withField(at: offset, as: Self.self) { wrapper in
            var initialValue: RegnumEngine.Value?
            if case .value(let value)? = wrapper._value?._content().content {
                initialValue = value
            }
            return PropertyDeclaration(
                isPrimaryKey: wrapper._flags & 1 != 0, isIndexed: wrapper._flags & 2 != 0,
                isFullTextIndexed: wrapper._flags & 16 != 0,
                isGeoIndexed: wrapper._flags & 32 != 0,
                initialValue: initialValue,
                originProperty: (wrapper._value as? any InverseDeclaration)?.originProperty,
                deleteRule: Realm.DeleteRule(flags: wrapper._flags))
        }
    }

    static func unmanagedValue(in object: ObjectBase, at offset: Int) -> RegnumEngine.Value {
        let content = object.withField(at: offset, as: Self.self) {
            $0.unmanaged()._content().content
        }
        if case .value(let value) = content { return value }
        return .null
    }

    /// The value in an unmanaged object. Creates the default if it was never read.
    @inline(__always)
    mutating func unmanaged() -> Value {
        if let _value { return _value }
        let value = Value._makeDefault()
        _value = value
        return value
    }

    static func reference(
        in object: ObjectBase, at offset: Int, isProjected: Bool
    ) -> _PropertyContent.Content? {
        object.withField(at: offset, as: Self.self) { wrapper in
            if isProjected, wrapper._value == nil,
                Value.self is any FailableCustomPersistable.Type
            {
                wrapper._value = Value._makeDefault()  // a required property always has an object
            }
            return wrapper._value?._content().content
        }
    }

    static func clear(in object: ObjectBase, at offset: Int) {
        object.withField(at: offset, as: Self.self) { $0._value = nil }
    }

    static func anyValue(in object: ObjectBase, at offset: Int) -> Any? {
        unwrapped(value(in: object, at: offset))
    }

    static var isProjected: Bool { Value._persistedForm != Value.self }

    static func projected(_ object: ObjectBase) -> Any? {
        let content = _PropertyContent(content: .link(object))
        if let list = Value.self as? any UnmanagedList.Type { return list.element(content) }
        if let map = Value.self as? any UnmanagedMap.Type { return map.value(content) }
        return Value._make(content).flatMap { unwrapped($0) }
    }

    static func dynamicValue(in object: ObjectBase, at offset: Int) -> Any? {
        guard isProjected else { return anyValue(in: object, at: offset) }
        guard object.isManaged else {
            return Value._persistedForm.dynamicValue(value(in: object, at: offset)._content())
        }
        let column = object.withField(at: offset, as: Self.self) { $0._column }
        return unwrapped(Value._persistedForm._managedValue(object, column))
    }

    private static func value(in object: ObjectBase, at offset: Int) -> Value {
        if object.isManaged {
            let column = object.withField(at: offset, as: Self.self) { $0._column }
            return Value._managedValue(object, column)
        }
        return object.withField(at: offset, as: Self.self) { $0.unmanaged() }
    }

    static func set(
        _ content: _PropertyContent.Content, in object: ObjectBase, at offset: Int
    ) -> Bool {
        guard let value = Value._make(_PropertyContent(content: content)) else { return false }
        if object.isManaged {
            let column = object.withField(at: offset, as: Self.self) { $0._column }
            value._write(to: object, column)
            return true
        }
        object.withField(at: offset, as: Self.self) { wrapper in
            if Value._isScalar {
                wrapper._value = value
            } else {
                wrapper._value = Value._assigned(value, over: wrapper._value)
            }
        }
        return true
    }
}

extension Persistable {
    /// Returns the content of an unmanaged object's property as a value of this type;
    /// `nil` if it is `nil`.
    fileprivate static func dynamicValue(_ content: _PropertyContent) -> Any? {
        switch content.content {
        case .list(let list):
            guard let made = (Self.self as? any UnmanagedList.Type)?.makeEmpty() else { break }
            return made.replaceAll(with: list.contents) == nil ? made : nil
        case .map(let map):
            guard let made = (Self.self as? any UnmanagedMap.Type)?.makeEmpty() else { break }
            return made.replaceAll(with: map.contents) == nil ? made : nil
        default: break
        }
        return _make(content).flatMap { unwrapped($0) }
    }
}

/// The declaration in a `LinkingObjects`.
protocol InverseDeclaration {
    var originProperty: String { get }
}

/// A type-erased interface to `@Projected` wrappers.
protocol ProjectedField: SendableMetatype {
    /// Returns the key path of a projection's property.
    static func keyPath(in projection: ObjectBase, at offset: Int) -> AnyKeyPath
    /// Returns the stored properties that a projection's property exposes or is computed from;
    /// empty if there are none.
    static func paths(in projection: ObjectBase, at offset: Int) -> [PropertyPath]
    /// Returns whether the property exposes a single stored property unchanged.
    static func isStoredProperty(in projection: ObjectBase, at offset: Int) -> Bool
    /// Returns the value of the property.
    static func value(in projection: ObjectBase, at offset: Int) -> Any
}
