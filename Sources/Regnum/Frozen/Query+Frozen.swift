internal import RegnumEngine

// Conditions on objects of a snapshot that a link or a collection contains.

extension Query {
    /// Whether the link refers to this object. An object from another realm is an error, which is
    /// reported when the query is used.
    @_disfavoredOverload
    public static func == <Target: ObjectBase>(left: Query, right: Frozen<Target>?) -> Query<Bool>
    where Value == Target? {
        left.link(.equal, right.map { left.scope.row(of: $0) })
    }

    /// The exact complement of `==`.
    @_disfavoredOverload
    public static func != <Target: ObjectBase>(left: Query, right: Frozen<Target>?) -> Query<Bool>
    where Value == Target? {
        left.link(.notEqual, right.map { left.scope.row(of: $0) })
    }

    /// Whether the link refers to one of the objects.
    public func `in`<Target: ObjectBase>(_ objects: some Sequence<Frozen<Target>>) -> Query<Bool>
    where Value == Target? {
        link(in: objects.compactMap { scope.row(of: $0) })
    }
}

extension Query where Value: QueryCollection, Value.Element: ObjectBase {
    /// Whether the object is one of the elements. An object from another realm is an error, which
    /// is reported when the query is used.
    public func contains(_ object: Frozen<Value.Element>) -> Query<Bool> {
        containsRow(in: [scope.row(of: object)])
    }

    /// Whether the collection contains any of the objects.
    public func containsAny(in objects: some Sequence<Frozen<Value.Element>>) -> Query<Bool> {
        containsRow(in: objects.map { scope.row(of: $0) })
    }
}

extension Query where Value: QueryMap {
    /// Whether the object is one of the values. An object from another realm is an error, which is
    /// reported when the query is used.
    public func contains<T: ObjectBase>(_ object: Frozen<T>) -> Query<Bool>
    where Value.Value == T? {
        objects() == object
    }

    /// Whether the map contains any of the objects as a value.
    public func containsAny<T: ObjectBase>(in objects: some Sequence<Frozen<T>>) -> Query<Bool>
    where Value.Value == T? {
        self.objects().in(objects)
    }
}

extension QueryScope {
    fileprivate func row<Model>(of object: Frozen<Model>) -> ObjectKey? {
        row(object.row, in: object.table)
    }

    fileprivate func row(_ row: ObjectKey, in table: FrozenTable) -> ObjectKey? {
        let name = table.schema.name
        guard checkRealm(table.snapshot.realm, name) else { return nil }
        if let stored = table.mapping.table {
            note(OperandClass(name: StoredText(name), table: stored.key))
        }
        return row
    }
}

extension Frozen: FrozenOperand {
    var operandClass: String { table.schema.name }

    var operandTable: TableSchema? { table.mapping.table }

    func row(in scope: QueryScope) -> ObjectKey? { scope.row(of: self) }
}

extension FrozenAnyObject: FrozenOperand {
    var operandClass: String { className }

    var operandTable: TableSchema? { table.mapping.table }

    func row(in scope: QueryScope) -> ObjectKey? { scope.row(row, in: table) }
}

extension FrozenAnyValue: FrozenContent {
    var operand: Any {
        switch self {
        case .object(let object): object
        case .list: AnyRealmValue.list(List())
        case .dictionary: AnyRealmValue.dictionary(Map())
        default: AnyRealmValue._decode(_encode()) ?? AnyRealmValue.none
        }
    }
}
