internal import RegnumEngine

/// What the library knows of a `@Persisted` wrapper without knowing its value's type.
protocol PersistedField: SendableMetatype {
    /// What the property is.
    static var shape: PropertyShape { get }
    /// The type of the property.
    static var valueType: Any.Type { get }
    /// Stored values that the property's type has.
    static var examples: [Value] { get }
    /// What objects that are older than the property have where it has no initial value; nil for
    /// the zero of how it is stored.
    static var typeDefault: Value? { get }
    /// Whether a stored value is one of the type's.
    static func canHold(_ value: Value) -> Bool
    /// What the declaration in the wrapper at `offset` of `object` says.
    static func declaration(in object: ObjectBase, at offset: Int) -> PropertyDeclaration
    /// The value of the unmanaged `object`, making the default if it was never read; null for what is
    /// no value.
    static func unmanagedValue(in object: ObjectBase, at offset: Int) -> Value
    /// The link or collection of the unmanaged `object`, nil if it was never touched; of a projected
    /// type that makes an object of nothing, this one.
    static func reference(
        in object: ObjectBase, at offset: Int, isProjected: Bool
    ) -> _PropertyContent.Content?
    /// Lets go of what an object held before it was managed.
    static func forget(in object: ObjectBase, at offset: Int)
    /// The value of the property of any object in its Swift type, nil where that is nil.
    static func anyValue(in object: ObjectBase, at offset: Int) -> Any?
    /// The value as it is stored, of the persisted type where the property's is projected: for those
    /// who do not know the class.
    static func dynamicValue(in object: ObjectBase, at offset: Int) -> Any?
    /// What the projected type of the property, or of its elements, makes of an embedded object; nil if
    /// it makes nothing of it.
    static func projected(_ object: ObjectBase) -> Any?
    /// Whether the program converts what is stored: see ``CustomPersistable``.
    static var isProjected: Bool { get }
    /// Sets the property of any object, as an assignment does; false if it cannot hold that.
    static func set(
        _ content: _PropertyContent.Content, in object: ObjectBase, at offset: Int
    ) -> Bool
}

/// What a declaration says of its property beside its type.
struct PropertyDeclaration {
    let isPrimaryKey: Bool
    let isIndexed: Bool
    /// The initial value, nil where the type's default serves, and for links and lists.
    let initialValue: Value?
    /// The property of the other class whose inverse this is.
    let originProperty: String?
    /// What a deletion means for a link.
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
        // also the same again: a Float rounds
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
                initialValue: initialValue,
                originProperty: (wrapper._value as? any InverseDeclaration)?.originProperty,
                deleteRule: Realm.DeleteRule(flags: wrapper._flags))
        }
    }

    static func unmanagedValue(in object: ObjectBase, at offset: Int) -> RegnumEngine.Value {
        let content = object.withField(at: offset, as: Self.self) { wrapper in
            if let value = wrapper._value { return value._content().content }
            let value = Value._makeDefault()
            wrapper._value = value
            return value._content().content
        }
        if case .value(let value) = content { return value }
        return .null
    }

    static func reference(
        in object: ObjectBase, at offset: Int, isProjected: Bool
    ) -> _PropertyContent.Content? {
        object.withField(at: offset, as: Self.self) { wrapper in
            if isProjected, wrapper._value == nil,
                Value.self is any FailableCustomPersistable.Type
            {
                wrapper._value = Value._makeDefault()  // a required one has an object
            }
            return wrapper._value?._content().content
        }
    }

    static func forget(in object: ObjectBase, at offset: Int) {
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
        return object.withField(at: offset, as: Self.self) { wrapper in
            if let value = wrapper._value { return value }
            let value = Value._makeDefault()
            wrapper._value = value
            return value
        }
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
    /// What a property of an unmanaged object holds, as a value of this type; nil for nil.
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

/// What `LinkingObjects` tells of its declaration.
protocol InverseDeclaration {
    var originProperty: String { get }
}
