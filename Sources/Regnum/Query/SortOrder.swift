internal import RegnumEngine

/// A property to sort by, and the direction.
///
///     realm.objects(Message.self).sorted(by: .ascending(\.room), .descending(\.sentAt))
public struct SortOrder<Model: ObjectBase>: Sendable {
    let term: SortTerm

    /// From small to large: nil first, then NaN, strings by the bytes of their UTF-8 form, false
    /// before true.
    ///
    /// - Precondition: the key path names a stored property.
    public static func ascending<V: ScalarValue>(_ keyPath: KeyPath<Model, V>) -> SortOrder {
        SortOrder(keyPath, ascending: true)
    }

    /// From large to small: the reverse of ``ascending(_:)``, but ties keep their order.
    ///
    /// - Precondition: the key path names a stored property.
    public static func descending<V: ScalarValue>(_ keyPath: KeyPath<Model, V>) -> SortOrder {
        SortOrder(keyPath, ascending: false)
    }

    init<V: ScalarValue>(_ keyPath: KeyPath<Model, V>, ascending: Bool) {
        let property = ClassSchema.of(Model.self).requireProperty(keyPath)
        term = SortTerm(column: property.reference, ascending: ascending)
    }
}
