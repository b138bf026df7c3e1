extension List: Persistable {
    public static var _property: _PropertyType {
        _PropertyType(shape: .list(Element._elementType.shape))
    }

    @inlinable @inline(__always)
    public static var _isScalar: Bool { false }

    public static var _persistedForm: any Persistable.Type { Element._persistedListForm }

    public static func _makeDefault() -> List { List() }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> List {
        _ManagedList.of(object, column).map { List($0) } ?? List()
    }

    /// Makes the elements those of this list; the list of the object itself changes nothing.
    public func _write(to object: ObjectBase, _ column: Int32) {
        let target = List._managedValue(object, column)
        if let managed, let other = target.managed, managed.isSame(as: other) { return }
        target.assign(Array(self))
    }

    public static func _assigned(_ new: List, over current: List?) -> List {
        guard let list = current else { return List(Array(new)) }
        if list !== new { list.assign(Array(new)) }
        return list
    }

    public func _content() -> _PropertyContent { _PropertyContent(content: .list(self)) }

    public static func _make(_ content: _PropertyContent) -> List? {
        if case .list(let list) = content.content { list as? List } else { nil }
    }
}

/// A class of collections of one kind, without the type of the elements.
protocol UnmanagedCollection: AnyObject, SendableMetatype {
    /// What a property holds that has this instance of the class.
    static func content(of instance: AnyObject) -> _PropertyContent.Content
    /// The type of the elements, of a map that of its values.
    static var elementType: Any.Type { get }
}

/// A list or set without its element type.
protocol UnmanagedList: UnmanagedCollection {
    /// What the list holds.
    var contents: [_PropertyContent.Content] { get }
    /// The elements.
    var anyElements: [Any] { get }
    /// A list of this type without elements.
    static func makeEmpty() -> any UnmanagedList
    /// The element that a list of this type has of a content, nil if it cannot have it.
    static func element(_ content: _PropertyContent) -> Any?
    /// Makes the list an accessor of what was stored from it.
    func bind(to managed: _ManagedList)
    /// Makes the elements those of the contents. If one is none of the list's type, its position, and
    /// nothing is changed.
    func replaceAll(with contents: [_PropertyContent.Content]) -> Int?
}

extension List: UnmanagedList {
    static func content(of instance: AnyObject) -> _PropertyContent.Content {
        .list(unsafeDowncast(instance, to: List.self))  // the field is declared so
    }

    var contents: [_PropertyContent.Content] {
        Element._contents(of: isManaged ? Array(self) : elements).contents
    }

    var anyElements: [Any] { map { $0 as Any } }

    static var elementType: Any.Type { Element.self }

    static func makeEmpty() -> any UnmanagedList { List() }

    static func element(_ content: _PropertyContent) -> Any? { Element._makeElement(content) }

    func replaceAll(with contents: [_PropertyContent.Content]) -> Int? {
        var new: [Element] = []
        new.reserveCapacity(contents.count)
        for (position, content) in contents.enumerated() {
            guard let element = Element._makeElement(_PropertyContent(content: content)) else {
                return position
            }
            new.append(element)
        }
        assign(new)
        return nil
    }

    func bind(to managed: _ManagedList) {
        guard self.managed == nil else { return }
        self.managed = managed
        elements = []
    }
}
