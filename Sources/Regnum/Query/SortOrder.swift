internal import RegnumEngine

/// A property to sort by, and the direction.
///
///     realm.objects(Message.self).sorted(by: .ascending(\.room), .descending(\.sentAt))
///     realm.objects(Person.self).sorted(by: .ascending(\.dog?.name))
public struct SortOrder<Model: ObjectBase>: Hashable, Sendable {
    let term: SortTerm

    /// From small to large: nil first, then NaN, strings by the bytes of their UTF-8 form, false
    /// before true. A property of a linked object is nil where there is none.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public static func ascending<V: ScalarValue>(_ keyPath: KeyPath<Model, V>) -> SortOrder {
        SortOrder(keyPath, ascending: true)
    }

    /// From large to small: the reverse of ``ascending(_:)``, but ties keep their order.
    ///
    /// - Precondition: the key path names a stored property, or one of a linked object.
    public static func descending<V: ScalarValue>(_ keyPath: KeyPath<Model, V>) -> SortOrder {
        SortOrder(keyPath, ascending: false)
    }

    init<V: ScalarValue>(_ keyPath: KeyPath<Model, V>, ascending: Bool) {
        let column = ClassSchema.of(Model.self).requireColumn(keyPath)
        term = SortTerm(column: column, ascending: ascending)
    }

    private init(_ term: SortTerm) {
        self.term = term
    }

    /// The same property in the other direction.
    public func reversed() -> SortOrder {
        SortOrder(SortTerm(column: term.column, ascending: !term.ascending))
    }
}
