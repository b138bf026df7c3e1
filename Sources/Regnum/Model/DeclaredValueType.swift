internal import RegnumEngine

/// The declared type of a property's values, or of those of its elements, for those who know only
/// how the property is stored: it may have fewer values than are stored alike.
struct DeclaredValueType: Sendable {
    private let property: PropertySchema

    /// Nil for objects, for values of any type, and for a property that is declared with another
    /// stored type than `stored`.
    init?(_ property: PropertySchema, stored: ValueType) {
        self.property = property
        guard let type, type._embeddedClass == nil, type._storage.valueType == stored,
            stored != .any
        else { return nil }
    }

    private var type: (any ScalarValue.Type)? {
        (property.collection?.elementType ?? property.field.valueType) as? any ScalarValue.Type
    }

    /// The name of the type.
    var name: String { type.map { "\($0)" } ?? property.declaredName }

    /// Whether the type has a value for a stored one: an `Int8` has none for 300, an enum none for
    /// what is the raw value of no case, a projected type none for what it cannot be made of.
    func hasValue(for stored: Value) -> Bool {
        type.map { DeclaredValueType.hasValue($0, stored) } ?? true
    }

    private static func hasValue<T: ScalarValue>(_ type: T.Type, _ stored: Value) -> Bool {
        guard let value = type._decode(_StoredValue(stored)) else { return false }
        // a Float rounds; what the program converts may be stored in several ways
        return type._isProjected || value.engineValue == stored
    }
}

extension ClassSchema {
    /// The declared type of the property with that name in storage, or of its elements, whose
    /// values are stored as `type`.
    func valueType(ofStored name: String, _ type: ValueType) -> DeclaredValueType? {
        properties.first { $0.isStored && $0.columnName == name }
            .flatMap { DeclaredValueType($0, stored: type) }
    }
}
