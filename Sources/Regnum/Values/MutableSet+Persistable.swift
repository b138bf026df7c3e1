internal import RegnumEngine

extension MutableSet: Persistable {
    public static var _property: _PropertyType {
        _PropertyType(shape: .set(Element._elementType.shape))
    }

    @inlinable @inline(__always)
    public static var _isScalar: Bool { false }

    public static var _persistedForm: any Persistable.Type { Element._persistedElement.set }

    public static func _makeDefault() -> MutableSet { MutableSet() }

    public static func _managedValue(_ object: ObjectBase, _ column: Int32) -> MutableSet {
        _ManagedList.of(object, column).map { MutableSet($0) }
            ?? MutableSet(recordedElements(Element.self, of: object)).recorded(by: object)
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

/// A set of elements, which isn't treated as a list in a value of any type.
protocol MemberCollection {}

extension MutableSet: UnmanagedList, MemberCollection {
    var contents: [_PropertyContent.Content] {
        Element._contents(of: isManaged ? Array(self) : elements.array).contents
    }

    func bind(to managed: _ManagedList) {
        guard self.managed == nil else { return }
        self.managed = managed
        elements = UnmanagedSetElements()
    }
}

extension RealmCollectionValue {
    fileprivate static var set: any Persistable.Type { MutableSet<Self>.self }
}
