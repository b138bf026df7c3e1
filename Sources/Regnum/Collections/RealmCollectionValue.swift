internal import RegnumEngine

/// A type that a ``List`` or ``MutableSet`` can hold: the required values, their optionals, and model classes.
///
/// The requirements are underscored: do not conform types of your own.
public protocol RealmCollectionValue {
    /// What the elements of a list of this type are.
    static var _elementType: _ElementType { get }
    /// An element of a managed list, nil if the list has no such position, or the element is a value
    /// that was taken out since a loop began.
    static func _element(of list: _ManagedList, at position: Int) -> Self?
    /// Puts elements into a managed list, before the one at `position`.
    static func _insert(_ elements: [Self], into list: _ManagedList, at position: Int)
    /// Puts an element in the place of another one.
    static func _set(_ element: Self, in list: _ManagedList, at position: Int)
    /// Whether two elements are the same: values by their stored bits, objects by their rows.
    static func _areSame(_ a: Self, _ b: Self) -> Bool
    /// The element as the library handles it without knowing its type.
    func _elementContent() -> _PropertyContent
    /// The same of many.
    static func _contents(of elements: [Self]) -> _ElementContents
    /// The element of this type that `_elementContent` gives so, nil if it is none of this type's.
    static func _makeElement(_ content: _PropertyContent) -> Self?
    /// The position of the first element of a managed list that is the same.
    static func _position(of element: Self, in list: _ManagedList) -> Int?
    /// The objects of a managed list as results, without their type; nil for values, and after the body.
    static func _results(of list: _ManagedList) -> Any?
    /// The list of what is stored: see `Persistable._persistedForm`.
    static var _persistedListForm: any Persistable.Type { get }
    /// The set of what is stored.
    static var _persistedSetForm: any Persistable.Type { get }
}

/// What the elements of a list are. Part of the contract of ``RealmCollectionValue``.
public struct _ElementType: Sendable {
    let shape: ElementShape
}

/// What elements are to the library, which does not know their type. Part of the contract of
/// ``RealmCollectionValue``.
public struct _ElementContents {
    let contents: [_PropertyContent.Content]
}

extension RealmCollectionValue {
    // a requirement, so that each type has code of its own for it
    public static func _contents(of elements: [Self]) -> _ElementContents {
        _ElementContents(contents: elements.map { $0._elementContent().content })
    }

    public static func _results(of list: _ManagedList) -> Any? { nil }

    public static var _persistedListForm: any Persistable.Type { List<Self>.self }

    public static var _persistedSetForm: any Persistable.Type { MutableSet<Self>.self }
}

extension ScalarValue {
    public static var _elementType: _ElementType { _ElementType(shape: .scalar(_storage)) }

    public static func _element(of list: _ManagedList, at position: Int) -> Self? {
        guard let value = list.value(at: position) else { return nil }
        if let decoded = _decode(_StoredValue(value)) { return decoded }
        if !readsUnknownAsNil { list.reportUndecodable(value) }
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

    public static func _makeElement(_ content: _PropertyContent) -> Self? { _make(content) }

    public static func _position(of element: Self, in list: _ManagedList) -> Int? {
        list.position(of: element.engineValue)
    }
}

extension Optional: RealmCollectionValue where Wrapped: RequiredValue {
    public static var _persistedListForm: any Persistable.Type { Wrapped._optionalListForm }

    public static var _persistedSetForm: any Persistable.Type { Wrapped._optionalSetForm }

    public static var _elementType: _ElementType {
        if let type = Wrapped._embeddedClass {
            fatalError(
                "A list of optional \(Wrapped.self), which are stored as objects of \(type), was "
                    + "declared: a list has no nil objects.")
        }
        return _ElementType(shape: .scalar(_storage))
    }
}

extension RequiredValue {
    public static var _optionalListForm: any Persistable.Type { List<Self?>.self }

    public static var _optionalSetForm: any Persistable.Type { MutableSet<Self?>.self }
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
        // an array of instances lies in memory as one of its base class does
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
