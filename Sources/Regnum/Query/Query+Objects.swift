internal import RegnumEngine

// Conditions on the object that a link or a collection contains. Nothing links to an object that is
// unmanaged or deleted; one from another realm is an error, reported when the query is used.

extension Query {
    /// Whether the link refers to this object or, for `nil`, is `nil`. False for an object that is
    /// unmanaged or deleted. An object from another realm is an error, which is reported when the
    /// query is used.
    ///
    ///     realm.objects(Person.self).where { $0.dog == rex }
    public static func == <Target: ObjectBase>(left: Query, right: Target?) -> Query<Bool>
    where Value == Target? {
        left.link(.equal, right.map { left.scope.row(of: $0, of: Target.self) })
    }

    /// The exact complement of `==`.
    public static func != <Target: ObjectBase>(left: Query, right: Target?) -> Query<Bool>
    where Value == Target? {
        left.link(.notEqual, right.map { left.scope.row(of: $0, of: Target.self) })
    }

    /// Whether two links refer to the same object, or are both `nil`.
    public static func == <Target: ObjectBase>(left: Query, right: Query) -> Query<Bool>
    where Value == Target? {
        left.links(.equal, right)
    }

    /// The exact complement of `==`.
    public static func != <Target: ObjectBase>(left: Query, right: Query) -> Query<Bool>
    where Value == Target? {
        left.links(.notEqual, right)
    }

    /// Whether the link refers to one of the objects.
    public func `in`<Target: ObjectBase>(_ objects: some Sequence<Target>) -> Query<Bool>
    where Value == Target? {
        link(in: objects.compactMap { scope.row(of: $0, of: Target.self) })
    }

    /// - Parameter row: `nil` for no object; an inner `nil` for an object that nothing can link to.
    func link(_ comparison: Comparison, _ row: ObjectKey??) -> Query<Bool> {
        let (hops, column) = self.hops.linkColumn
        guard let row else {
            return condition(.exists(hops, .compare(column, comparison, .null)))
        }
        guard let row else {
            return condition(.exists(hops, .constant(comparison == .notEqual)))
        }
        return condition(.exists(hops, .compare(column, comparison, row.linkValue)))
    }

    private func links(_ comparison: Comparison, _ other: Query) -> Query<Bool> {
        scope.requireSame(other.scope)
        let (left, right) = (hops.linkColumn, other.hops.linkColumn)
        requireOneElement(left.hops, right.hops)
        return condition(
            .exists(left.hops, .compareColumns(left.column, comparison, right.column)))
    }

    func link(in rows: [ObjectKey]) -> Query<Bool> {
        let (hops, column) = self.hops.linkColumn
        return condition(.exists(hops, .isIn(column, rows.map(\.linkValue))))
    }
}

extension Query where Value: QueryCollection, Value.Element: ObjectBase {
    /// Whether the object is one of the elements. An object from another realm is an error, which
    /// is reported when the query is used.
    public func contains(_ object: Value.Element) -> Query<Bool> {
        containsRow(in: [scope.row(of: object, of: Value.Element.self)])
    }

    /// Whether the collection contains any of the objects.
    public func containsAny(in objects: some Sequence<Value.Element>) -> Query<Bool> {
        containsRow(in: objects.map { scope.row(of: $0, of: Value.Element.self) })
    }

    func containsRow(in rows: [ObjectKey?]) -> Query<Bool> {
        condition(.exists(hops, .isRow(rows.compactMap { $0 })))
    }
}

extension QueryScope {
    /// Returns the row of an object. Returns `nil` if nothing can link to it: it is unmanaged,
    /// deleted, or of a derived class. Reports an object from another realm.
    ///
    /// - Precondition: The object's transaction is running.
    func row(of object: ObjectBase, of type: ObjectBase.Type) -> ObjectKey? {
        guard let binding = object._binding, let core = binding.core else { return nil }
        if case .ended = core.state {
            fatalError(
                "An object of \(binding.tableName) was used in a query after the body of its "
                    + "transaction at \(core.place) had returned.")
        }
        guard checkRealm(core.realm, binding.tableName), binding.schema.type == type,
            binding.isReadable(row: object._row)
        else { return nil }
        note(OperandClass(name: StoredText(binding.tableName), table: binding.place.tableKey))
        return ObjectKey(rawValue: object._row)
    }

    /// Returns the operand of a condition in its stored form. Reports a value of any type that is
    /// an object from another realm.
    func operand<Operand: ScalarValue>(_ operand: Operand) -> Value {
        if Operand.self == AnyRealmValue.self,  // a cast of each of many values would be slow
            case .object(let object)? = operand as? AnyRealmValue
        {
            _ = row(of: object, of: type(of: object))
        }
        return operand.engineValue
    }

    func checkRealm(_ other: RealmCore, _ className: String) -> Bool {
        guard let realm, realm !== other else { return true }
        report(
            Realm.Error(
                .invalidQuery,
                "A query on the realm \"\(realm.configuration.name)\" was given "
                    + "\(className.withArticle) from the realm \"\(other.configuration.name)\".",
                className: className))
        return false
    }
}
