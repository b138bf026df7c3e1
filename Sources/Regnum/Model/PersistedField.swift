internal import RegnumEngine

/// What the library knows of a `@Persisted` wrapper without knowing its value's type.
protocol PersistedField: SendableMetatype {
    /// How values of the property are stored.
    static var storageType: _StorageType { get }
    /// What the declaration in the wrapper at `offset` of `object` says.
    static func declaration(in object: ObjectBase, at offset: Int) -> PropertyDeclaration
    /// The value of the unmanaged `object`, making the default if it was never read.
    static func unmanagedValue(in object: ObjectBase, at offset: Int) -> Value
}

/// What a declaration says of its property beside its type.
struct PropertyDeclaration {
    let isPrimaryKey: Bool
    let isIndexed: Bool
    /// The initial value, nil where the type's default serves.
    let initialValue: Value?
}

extension Persisted: PersistedField {
    static var storageType: _StorageType { Value._storage }

    static func declaration(in object: ObjectBase, at offset: Int) -> PropertyDeclaration {
        object.withField(at: offset, as: Self.self) { wrapper in
            PropertyDeclaration(
                isPrimaryKey: wrapper._flags & 1 != 0, isIndexed: wrapper._flags & 2 != 0,
                initialValue: wrapper._value?.engineValue)
        }
    }

    static func unmanagedValue(in object: ObjectBase, at offset: Int) -> RegnumEngine.Value {
        object.withField(at: offset, as: Self.self) { wrapper in
            if let value = wrapper._value { return value.engineValue }
            let value = Value._makeDefault()
            wrapper._value = value
            return value.engineValue
        }
    }
}
