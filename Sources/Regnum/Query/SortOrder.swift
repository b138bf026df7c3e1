internal import RegnumEngine

/// A property to sort by and a sort direction.
///
///     realm.objects(Message.self).sorted(by: .ascending(\.room), .descending(\.sentAt))
///     realm.objects(Person.self).sorted(by: .ascending(\.dog?.name))
public struct SortOrder<Model: ObjectBase>: Hashable, Sendable {
    let term: SortTerm

    /// Returns the ascending order by a property: `nil` first, then NaN; strings by their UTF-8
    /// bytes; `false` before `true`. A property of a linked object is `nil` if there is no object.
    ///
    /// - Precondition: The key path names a stored property, or one of a linked object.
    public static func ascending<V: ScalarValue>(_ keyPath: KeyPath<Model, V>) -> SortOrder {
        SortOrder(keyPath, ascending: true)
    }

    /// Returns the descending order by a property: the reverse of ``ascending(_:)``, except that
    /// ties keep their order.
    ///
    /// - Precondition: The key path names a stored property, or one of a linked object.
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

    /// Returns the order by the same property in the opposite direction.
    public func reversed() -> SortOrder {
        SortOrder(SortTerm(column: term.column, ascending: !term.ascending))
    }
}
