extension List: Persistable {
    public static var _property: _PropertyType {
        _PropertyType(shape: .list(Element._elementType.shape))
    }

    @inlinable @inline(__always)
    public static var _isScalar: Bool { false }

    public static var _persistedForm: any Persistable.Type { Element._persistedElement.list }

    public static func _makeDefault() -> List { List() }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> List {
        _ManagedList.of(object, column).map { List($0) }
            ?? List(recordedElements(Element.self, of: object)).recorded(by: object)
    }

    /// Replaces the elements with those of this list. Assigning an object's own
    /// list changes nothing.
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

/// A type-erased collection class.
protocol UnmanagedCollection: AnyObject, SendableMetatype {
    /// Returns the property content for an instance of the class.
    static func content(of instance: AnyObject) -> _PropertyContent.Content
    /// The type of the elements; for a map, that of its values.
    static var elementType: Any.Type { get }
    /// The stored collection; `nil` for an unmanaged one.
    var managed: _ManagedList? { get }
}

/// A type-erased list or set.
protocol UnmanagedList: UnmanagedCollection, Sequence where Element: RealmCollectionValue {
    /// Creates an empty list.
    init()
    /// The contents of the list.
    var contents: [_PropertyContent.Content] { get }
    /// Turns the list into an accessor of the stored list that was created from it.
    func bind(to managed: _ManagedList)
    /// Replaces all elements.
    func assign(_ new: [Element])
}

extension UnmanagedList {
    static func content(of instance: AnyObject) -> _PropertyContent.Content {
        .list(unsafeDowncast(instance, to: Self.self))  // the declared type of the field
    }

    static var elementType: Any.Type { Element.self }

    /// The elements.
    var anyElements: [Any] { map { $0 as Any } }

    /// Returns an empty list of this type.
    static func makeEmpty() -> any UnmanagedList { Self() }

    /// Converts content to an element of this type of list; returns `nil` if it cannot hold it.
    static func element(_ content: _PropertyContent) -> Any? { Element._makeElement(content) }

    func trapIndex(_ index: Int, _ call: StaticString, _ count: Int) -> Never {
        let name = managed?.name ?? "\(Self.self)"
        let message =
            index < 0
            ? "\(call) of \(name) was given the negative index \(index)."
            : "\(call) of \(name) was given the index \(index), but the count is \(count)."
        fatalError(message + (managed?.binding.core?.callSiteMessage ?? ""))
    }

    /// Replaces all elements with the given contents. If the list cannot hold one of them, returns
    /// its position and changes nothing.
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
}

extension List: UnmanagedList {
    var contents: [_PropertyContent.Content] {
        Element._contents(of: isManaged ? Array(self) : elements).contents
    }

    func bind(to managed: _ManagedList) {
        guard self.managed == nil else { return }
        self.managed = managed
        elements = []
    }
}

extension RealmCollectionValue {
    fileprivate static var list: any Persistable.Type { List<Self>.self }
}
