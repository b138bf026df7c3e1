public import FoundationEssentials
internal import RegnumEngine

extension ProjectionBasis where Self: RequiredValue {
    public static var _basisClass: ObjectBase.Type? { nil }
    public static var _basisProperty: _PropertyType { _property }
    public static var _basisStorage: _StorageType { _storage }
    public static func _basisDefault() -> Self { _makeDefault() }
    public static func _basisDecode(_ value: _StoredValue) -> Self? { _decode(value) }
    public func _basisEncode() -> _StoredValue { _encode() }
    public static var _basisForm: any Persistable.Type { Self.self }
    public static var _basisOptionalElement: any RealmCollectionValue.Type { Self?.self }
}

extension Bool: ProjectionBasis {}
extension Int: ProjectionBasis {}
extension Int8: ProjectionBasis {}
extension Int16: ProjectionBasis {}
extension Int32: ProjectionBasis {}
extension Int64: ProjectionBasis {}
extension Float: ProjectionBasis {}
extension Double: ProjectionBasis {}
extension String: ProjectionBasis {}
extension Data: ProjectionBasis {}
extension Date: ProjectionBasis {}
extension UUID: ProjectionBasis {}
extension ObjectId: ProjectionBasis {}
extension Decimal128: ProjectionBasis {}

extension EmbeddedObject: ProjectionBasis {
    public typealias _ColumnBasis = _NoColumn
}

extension ProjectionBasis where Self: EmbeddedObject {
    public static var _basisClass: ObjectBase.Type? { Self.self }
    public static var _basisProperty: _PropertyType { _optionalProperty }
    public static var _basisStorage: _StorageType { noValue() }
    public static func _basisDefault() -> Self { Self() }
    public static func _basisDecode(_ value: _StoredValue) -> Self? { nil }
    public func _basisEncode() -> _StoredValue { Self.noValue() }
    public static var _basisForm: any Persistable.Type { Self?.self }
    public static var _basisOptionalElement: any RealmCollectionValue.Type { Self.self }

    private static func noValue() -> Never {
        fatalError(
            "A type that is stored as a \(Self.self) can be compared with == and !=, but not used "
                + "for sorting, distinct or aggregates.")
    }
}

/// The column basis of types that are stored as embedded objects. It allows no primary
/// key, index or ordering.
public struct _NoColumn: RequiredValue {
    public static var _storage: _StorageType { _StorageType(.int, isOptional: true) }
    public static func _makeDefault() -> _NoColumn { _NoColumn() }
    public static func _decode(_ value: _StoredValue) -> _NoColumn? { nil }
    public func _encode() -> _StoredValue { _StoredValue(.null) }
}
