internal import RegnumEngine

// Links: properties of type `Other?`, stored as the object key of the target row.

extension ObjectBase: OptionalPersistable {}

extension OptionalPersistable where Self: ObjectBase {
    public static var _optionalProperty: _PropertyType { _PropertyType(shape: .link(Self.self)) }

    public static var _optionalPersistedForm: any Persistable.Type { Self?.self }

    @inlinable @inline(__always)
    public static var _optionalIsScalar: Bool { false }

    @inlinable @inline(__always)
    public static func _readOptional(
        _ cluster: UnsafeRawPointer, _ column: Int, _ place: Int
    ) -> Self?? { nil }

    public static func _managedOptional(_ object: ObjectBase, _ column: Int32) -> Self? {
        object._binding?.link(Self.self, row: object._row, column: column)
    }

    public static func _writeOptional(
        _ value: Self?, to object: ObjectBase, _ column: Int32
    ) {
        object._binding?.setLink(value, row: object._row, column: column)
    }

    public static func _optionalContent(_ value: Self?) -> _PropertyContent {
        _PropertyContent(content: .link(value))
    }

    public static func _makeOptional(_ content: _PropertyContent) -> Self?? {
        guard case .link(let object) = content.content else { return nil }
        guard let object else { return .some(nil) }
        return (object as? Self).map { .some($0) }
    }
}
