package import RegnumEngine

/// The declared type of a property's values or elements, for code that only knows how the property
/// is stored. The declared type may have fewer values than the stored type.
package struct DeclaredValueType: Sendable {
    private let property: PropertySchema

    /// Returns `nil` for objects, for values of any type, and for a property whose declared storage
    /// type is not `stored`.
    init?(_ property: PropertySchema, stored: ValueType) {
        self.property = property
        guard let type, type._embeddedClass == nil, type._storage.valueType == stored,
            stored != .any
        else { return nil }
    }

    private var type: (any ScalarValue.Type)? {
        (property.collection?.elementType ?? property.field.valueType) as? any ScalarValue.Type
    }

    /// The name of the type as written in a declaration.
    package var name: String { type.map(declaredTypeName) ?? property.declaredName }

    /// The type of the whole property, as written in its declaration.
    var propertyType: String { property.declaredName }

    /// Returns whether the type can represent a stored value: an `Int8` cannot represent 300, an
    /// enum cannot represent a value that is no case's raw value, and a projected type cannot
    /// represent a value that fails to convert.
    package func hasValue(for stored: Value) -> Bool {
        type.map { DeclaredValueType.hasValue($0, stored) } ?? true
    }

    private static func hasValue<T: ScalarValue>(_ type: T.Type, _ stored: Value) -> Bool {
        guard let value = type._decode(_StoredValue(stored)) else { return false }
        // Float rounds, and converted values may have more than one stored form.
        return type._isProjected || value.engineValue == stored
    }
}

extension ClassSchema {
    /// Returns the declared type of the property with the given stored name, or of its elements, if
    /// its values are stored as `type`.
    func valueType(ofStored name: String, _ type: ValueType) -> DeclaredValueType? {
        properties.first { $0.isStored && equalUTF8($0.columnName, name) }
            .flatMap { DeclaredValueType($0, stored: type) }
    }
}
