internal import RegnumEngine

/// A type that a ``List`` or ``MutableSet`` can hold: scalar types, their
/// optionals, and model classes.
///
/// The requirements are underscored: do not conform your own types.
public protocol RealmCollectionValue {
    /// The declaration of a list's elements of this type.
    static var _elementType: _ElementType { get }
    /// Returns an element of a managed list, or `nil` if the position is out of range or the
    /// element is a value that was removed since a loop started.
    static func _element(of list: _ManagedList, at position: Int) -> Self?
    /// Inserts elements into a managed list before the one at `position`.
    static func _insert(_ elements: [Self], into list: _ManagedList, at position: Int)
    /// Replaces an element of a managed list.
    static func _set(_ element: Self, in list: _ManagedList, at position: Int)
    /// Returns whether two elements are the same: values are compared by their stored bits,
    /// objects by their rows.
    static func _areSame(_ a: Self, _ b: Self) -> Bool
    /// Returns the element in type-erased form.
    func _elementContent() -> _PropertyContent
    /// Returns many elements in type-erased form.
    static func _contents(of elements: [Self]) -> _ElementContents
    /// Converts from the type-erased form returned by `_elementContent`; returns `nil` if this type
    /// cannot represent the content.
    static func _makeElement(_ content: _PropertyContent) -> Self?
    /// Returns the position of the first element of a managed list that is the
    /// same as the given one.
    static func _position(of element: Self, in list: _ManagedList) -> Int?
    /// Returns the objects of a managed list as type-erased results; `nil` for values, and after
    /// the transaction body has returned.
    static func _results(of list: _ManagedList) -> Any?
    /// The type of the elements as seen by code that works with any class: see
    /// `Persistable._persistedForm`.
    static var _persistedElement: any RealmCollectionValue.Type { get }
}

/// The declaration of a list's elements. Part of the contract of ``RealmCollectionValue``.
public struct _ElementType: Sendable {
    let shape: ElementShape
}

/// The type-erased form of elements. Part of the contract of ``RealmCollectionValue``.
public struct _ElementContents {
    let contents: [_PropertyContent.Content]
}

extension RealmCollectionValue {
    // A protocol requirement, so that each type gets its own specialization.
    public static func _contents(of elements: [Self]) -> _ElementContents {
        _ElementContents(contents: elements.map { $0._elementContent().content })
    }

    public static func _results(of list: _ManagedList) -> Any? { nil }

    public static var _persistedElement: any RealmCollectionValue.Type { Self.self }
}

extension ScalarValue {
    public static var _elementType: _ElementType { _ElementType(shape: .scalar(_storage)) }

    public static func _element(of list: _ManagedList, at position: Int) -> Self? {
        guard let value = list.value(at: position) else { return nil }
        if let decoded = _decode(_StoredValue(value)) { return decoded }
        if !readsUnknownAsNil { list.binding.reportUndecodable(value, property: list.property) }
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

    public func _elementContent() -> _PropertyContent { _content() }

    public static func _makeElement(_ content: _PropertyContent) -> Self? { _make(content) }

    public static func _position(of element: Self, in list: _ManagedList) -> Int? {
        list.position(of: element.engineValue)
    }
}

extension Optional: RealmCollectionValue where Wrapped: RequiredValue {
    public static var _persistedElement: any RealmCollectionValue.Type { Wrapped._optionalElement }

    public static var _elementType: _ElementType {
        if let type = Wrapped._embeddedClass {
            fatalError(
                "A list of optional \(Wrapped.self) was declared, but \(Wrapped.self) is stored as "
                    + "\(type) objects: a list cannot hold nil objects.")
        }
        return _ElementType(shape: .scalar(_storage))
    }
}

extension RequiredValue {
    public static var _optionalElement: any RealmCollectionValue.Type { Self?.self }
}

extension ObjectBase: RealmCollectionValue {}

extension RealmCollectionValue where Self: ObjectBase {
    public static var _elementType: _ElementType { _ElementType(shape: .object(Self.self)) }

    public static func _element(of list: _ManagedList, at position: Int) -> Self? {
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

    public static func _contents(of elements: [Self]) -> _ElementContents {
        // An array of instances has the same layout as an array of their base class.
        let objects = unsafeBitCast(elements, to: [ObjectBase].self)
        return _ElementContents(contents: objects.map { .link($0) })
    }

    public static func _makeElement(_ content: _PropertyContent) -> Self? {
        guard case .link(let object?) = content.content else { return nil }
        return object as? Self
    }

    public static func _position(of element: Self, in list: _ManagedList) -> Int? {
        list.position(of: element)
    }

    public static func _results(of list: _ManagedList) -> Any? { list.results(Self.self) }
}
