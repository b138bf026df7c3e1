internal import RegnumEngine

/// A property to sort by and a sort direction.
///
///     realm.objects(Message.self).sorted(by: .ascending(\.room), .descending(\.sentAt))
///     realm.objects(Person.self).sorted(by: .ascending(\.dog?.name))
///     realm.objects(Book.self).sorted(by: .ascending { $0.prices["EUR"] })
public struct SortOrder<Model: ObjectBase>: Hashable, Sendable {
    let term: SortTerm

    /// Returns the ascending order by a property: `nil` first, then NaN; strings by their UTF-8
    /// bytes; `false` before `true`. A property of a linked object is `nil` if there is no object.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public static func ascending<V: ScalarValue>(_ keyPath: KeyPath<Model, V>) -> SortOrder {
        SortOrder(keyPath, ascending: true)
    }

    /// Returns the descending order by a property: the reverse of ``ascending(_:)``, except that
    /// ties keep their order.
    ///
    /// - Precondition: The key path refers to a stored property of the objects or of a linked
    ///   object.
    public static func descending<V: ScalarValue>(_ keyPath: KeyPath<Model, V>) -> SortOrder {
        SortOrder(keyPath, ascending: false)
    }

    /// Returns the ascending order by a value given as in `where`: a map's value for a key, or one
    /// contained in an `AnyRealmValue`, possibly of a linked object. It is `nil` for objects for
    /// which the path leads to no value.
    ///
    ///     let cheapest = realm.objects(Book.self).sorted(by: .ascending { $0.prices["EUR"] })
    ///     let byAuthor = realm.objects(Note.self).sorted(
    ///         by: .descending { $0.content["author"]["name"] })
    ///
    /// - Precondition: The expression is a single stored value, not a condition, a count, or the
    ///   values of several objects.
    public static func ascending<V: ScalarValue>(
        value: (Query<Model>) -> Query<V>
    ) -> SortOrder {
        SortOrder(value, ascending: true)
    }

    /// Returns the descending order by a value given as in `where`: the reverse of
    /// ``ascending(value:)``, except that ties keep their order.
    ///
    /// - Precondition: As for ``ascending(value:)``.
    public static func descending<V: ScalarValue>(
        value: (Query<Model>) -> Query<V>
    ) -> SortOrder {
        SortOrder(value, ascending: false)
    }

    private init<V: ScalarValue>(_ value: (Query<Model>) -> Query<V>, ascending: Bool) {
        let schema = ClassSchema.of(Model.self)
        let scope = QueryScope(realm: nil, root: schema)
        let expression = value(Query<Model>(.objects([]), scope))
        guard scope.problem == nil, V._embeddedClass == nil, let column = expression.singleColumn
        else {
            fatalError(
                "\(schema.name) can only be sorted by a single stored value: a property, a map's "
                    + "value for a key, or a value contained in an AnyRealmValue.")
        }
        term = SortTerm(column: column, ascending: ascending)
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
