// Types that users of other libraries may expect to be supported as properties. The conformances
// exist only for the error messages that the compiler shows if one of these types is wrapped.

/// A type that cannot be a property. Exists only for compiler error messages.
public protocol _UnsupportedProperty: Persistable {}

extension _UnsupportedProperty {
    public static var _property: _PropertyType { unsupported() }
    public static func _makeDefault() -> Self { unsupported() }
    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> Self {
        unsupported()
    }
    public func _write(to object: ObjectBase, _ column: Int32) { Self.unsupported() }
    public func _content() -> _PropertyContent { Self.unsupported() }
    public static func _make(_ content: _PropertyContent) -> Self? { unsupported() }

    private static func unsupported() -> Never { fatalError("\(Self.self) cannot be stored.") }
}

@available(*, unavailable, message: "a link can be nil: declare it as optional")
extension ObjectBase: _UnsupportedProperty {}

@available(*, unavailable, message: "an array cannot be stored: declare a List")
extension Array: Persistable, _UnsupportedProperty {}

@available(*, unavailable, message: "a dictionary cannot be stored: declare a Map")
extension Dictionary: Persistable, _UnsupportedProperty {}

@available(*, unavailable, message: "a set cannot be stored: declare a MutableSet")
extension Set: Persistable, _UnsupportedProperty {}

@available(
    *, unavailable,
    message: "an object of a map can be deleted: declare the values as optional, Map<Key, Dog?>"
)
extension ObjectBase: MapValue {}

@available(*, unavailable, message: "unsigned integers cannot be stored: declare an Int")
extension UInt: Persistable, _UnsupportedProperty {}

@available(*, unavailable, message: "unsigned integers cannot be stored: declare an Int")
extension UInt8: Persistable, _UnsupportedProperty {}

@available(*, unavailable, message: "unsigned integers cannot be stored: declare an Int")
extension UInt16: Persistable, _UnsupportedProperty {}

@available(*, unavailable, message: "unsigned integers cannot be stored: declare an Int")
extension UInt32: Persistable, _UnsupportedProperty {}

@available(*, unavailable, message: "unsigned integers cannot be stored: declare an Int")
extension UInt64: Persistable, _UnsupportedProperty {}
