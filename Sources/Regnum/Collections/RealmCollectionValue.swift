internal import RegnumEngine

/// A type that a ``List`` can hold: the required values, their optionals, and model classes.
///
/// The requirements are underscored: do not conform types of your own.
public protocol RealmCollectionValue {
    /// What the elements of a list of this type are.
    static var _elementType: _ElementType { get }
    /// An element of a managed list.
    static func _element(of list: _ManagedList, at position: Int) -> Self
    /// Puts elements into a managed list, before the one at `position`.
    static func _insert(_ elements: [Self], into list: _ManagedList, at position: Int)
    /// Puts an element in the place of another one.
    static func _set(_ element: Self, in list: _ManagedList, at position: Int)
    /// Whether two elements are the same: values by their stored bits, objects by their rows.
    static func _areSame(_ a: Self, _ b: Self) -> Bool
    /// The element as the library handles it without knowing its type.
    func _elementContent() -> _PropertyContent
}

/// What the elements of a list are. Part of the contract of ``RealmCollectionValue``.
public struct _ElementType: Sendable {
    let shape: ElementShape
}

extension ScalarValue {
    public static var _elementType: _ElementType { _ElementType(shape: .scalar(_storage)) }

    public static func _element(of list: _ManagedList, at position: Int) -> Self {
        let value = list.value(at: position)
        if let decoded = _decode(_StoredValue(value)) { return decoded }
        list.reportUndecodable(value)
        return fromEngine(value)
    }

    public static func _insert(
        _ elements: [Self], into list: _ManagedList, at position: Int
    ) {
        list.insert(elements.map(\.engineValue), at: position)
    }

    public static func _set(_ element: Self, in list: _ManagedList, at position: Int) {
        list.set(element.engineValue, at: position)
    }

    public static func _areSame(_ a: Self, _ b: Self) -> Bool { a.engineValue == b.engineValue }

    public func _elementContent() -> _PropertyContent {
        _PropertyContent(content: .value(engineValue))
    }
}

extension Optional: RealmCollectionValue where Wrapped: RequiredValue {}

extension ObjectBase: RealmCollectionValue {}

extension RealmCollectionValue where Self: ObjectBase {
    public static var _elementType: _ElementType { _ElementType(shape: .object(Self.self)) }

    public static func _element(of list: _ManagedList, at position: Int) -> Self {
        list.object(Self.self, at: position)
    }

    public static func _insert(
        _ elements: [Self], into list: _ManagedList, at position: Int
    ) {
        list.insert(objects: elements, at: position)
    }

    public static func _set(_ element: Self, in list: _ManagedList, at position: Int) {
        list.set(object: element, at: position)
    }

    public static func _areSame(_ a: Self, _ b: Self) -> Bool { a.isSameObject(as: b) }

    public func _elementContent() -> _PropertyContent { _PropertyContent(content: .link(self)) }
}
