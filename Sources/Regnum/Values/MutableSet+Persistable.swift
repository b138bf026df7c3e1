internal import RegnumEngine

extension MutableSet: Persistable {
    public static var _property: _PropertyType {
        _PropertyType(shape: .set(Element._elementType.shape))
    }

    @inlinable @inline(__always)
    public static var _isScalar: Bool { false }

    public static var _persistedForm: any Persistable.Type { Element._persistedSetForm }

    public static func _makeDefault() -> MutableSet { MutableSet() }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> MutableSet {
        _ManagedList.of(object, column).map { MutableSet($0) } ?? MutableSet()
    }

    /// Replaces the elements with those of this set. Assigning an object's own set changes nothing.
    public func _write(to object: ObjectBase, _ column: Int32) {
        let target = MutableSet._managedValue(object, column)
        if let managed, let other = target.managed, managed.isSame(as: other) { return }
        target.assign(Array(self))
    }

    public static func _assigned(_ new: MutableSet, over current: MutableSet?) -> MutableSet {
        guard let set = current else { return MutableSet(Array(new)) }
        if set !== new { set.assign(Array(new)) }
        return set
    }

    public func _content() -> _PropertyContent { _PropertyContent(content: .list(self)) }

    public static func _make(_ content: _PropertyContent) -> MutableSet? {
        if case .list(let set) = content.content { set as? MutableSet } else { nil }
    }
}

extension MutableSet: UnmanagedList {
    static func content(of instance: AnyObject) -> _PropertyContent.Content {
        .list(unsafeDowncast(instance, to: MutableSet.self))  // the declared type of the field
    }

    var contents: [_PropertyContent.Content] {
        Element._contents(of: isManaged ? Array(self) : elements.array).contents
    }

    var anyElements: [Any] { map { $0 as Any } }

    static var elementType: Any.Type { Element.self }

    static func makeEmpty() -> any UnmanagedList { MutableSet() }

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
        elements = UnmanagedSetElements()
    }
}
