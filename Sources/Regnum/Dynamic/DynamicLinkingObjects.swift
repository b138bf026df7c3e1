internal import RegnumEngine
internal import RegnumStore

/// The objects that refer to a given object through a property, accessed by name: in creation
/// order, once for each occurrence.
///
///     for owner in try dog.linkingObjects(ofType: "Person", property: "dogs") { … }
///     let owners = dog["owners"] as? DynamicLinkingObjects  // a declared inverse
///
/// The collection is computed, not stored: every access shows the current state of the transaction.
/// For a map property, an owner appears once for each key. Confined to the body of its transaction.
public final class DynamicLinkingObjects: _ConfinedCollection {
    public typealias Iterator = ConfinedIterator<DynamicObject>

    private let store: DynamicStore
    private let row: ObjectKey
    private let table: TableKey
    private let originClass: String
    private let property: String
    /// The inverse, or the property of the other class, for error messages.
    private let name: String
    private var known: (keys: [ObjectKey], edit: UInt64)?

    init(
        _ store: DynamicStore, _ row: ObjectKey, of table: TableKey, originClass: String,
        property: String, name: String
    ) {
        self.store = store
        self.row = row
        self.table = table
        self.originClass = originClass
        self.property = property
        self.name = name
    }

    /// The number of objects.
    ///
    /// - Complexity: O(log n + m) for m links, once for each state of the transaction; then O(1).
    public var endIndex: Int { keys.count }

    /// The object at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    public subscript(position: Int) -> DynamicObject {
        let keys = keys
        guard keys.indices.contains(position), let origin = store.schema.table(named: originClass)
        else {
            if store.core.hasFailed { return DynamicObject(store, table, .nowhere) }
            fatalError(
                "Index \(position) of DynamicLinkingObjects is out of range: the count is "
                    + "\(keys.count)."
                    + ReadScope.callSiteMessage)
        }
        return DynamicObject(store, origin.key, keys[position])
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<DynamicObject> {
        let keys = keys
        guard let origin = store.schema.table(named: originClass)?.key else {
            return _TakenElements(count: 0) { _ in nil }
        }
        return store.objects(origin, Array(keys[positions.clamped(to: keys.indices)]))
    }

    private var keys: [ObjectKey] {
        store.requireLive("linkingObjects")
        guard store.contains(table, row) else {
            store.core.fail(.deletedObject(store.name(of: table), name, store.core.place))
            return []
        }
        let edit = store.core.editCount
        if let known, known.edit == edit { return known.keys }
        let keys = store.origins(of: row, table, originClass, property)
        known = (keys, edit)
        return keys
    }
}

@available(*, unavailable) extension DynamicLinkingObjects: Sendable {}

extension DynamicObject {
    /// Returns the objects of a class that refer to this one through a given link, list, set or
    /// map.
    ///
    /// - Parameter property: The stored name of the property.
    /// - Throws: `.invalidInput` if there is no class with that name, or the property doesn't refer
    ///   to objects of this object's class.
    /// - Precondition: The transaction hasn't ended.
    public func linkingObjects(
        ofType className: String, property: String
    ) throws(Realm.Error) -> DynamicLinkingObjects {
        try requireReadable(property)
        let origin = store.table(named: className)
        var leadsHere = origin.map { store.leads($0, property, to: table) } ?? false
        if !leadsHere,
            let type = try store.unstored(property, of: className)?.shape.targetType
        {
            leadsHere = equalUTF8(ClassSchema.of(type).name, self.className)
        }
        guard leadsHere else {
            guard origin != nil || store.core.realm.knownEntry(named: className) != nil else {
                throw .unknownClass(className)
            }
            throw Realm.Error(
                .invalidInput,
                "\(className).\(property) is not a property that leads to objects of "
                    + "\(self.className).",
                className: className, property: property)
        }
        return DynamicLinkingObjects(
            store, row, of: table, originClass: className, property: property,
            name: property)
    }
}

extension DynamicStore {
    /// Returns the inverse with a name that the program's class declares.
    func inverse(_ name: String, of className: String) -> PropertySchema? {
        guard let schema = core.realm.knownEntry(named: className)?.schema,
            let index = schema.property(named: name),
            case .linkingObjects = schema.properties[index].shape
        else { return nil }
        return schema.properties[index]
    }

    /// Throws for an old object of a migration if the property that an inverse belongs to wasn't
    /// stored under its present name. Otherwise there would seem to be no links.
    func requireOrigin(of inverse: PropertySchema, in table: TableKey) throws(Realm.Error) {
        guard old != nil, case .linkingObjects(let type) = inverse.shape else { return }
        let (origin, property) = (ClassSchema.of(type).name, inverse.originColumnName ?? "")
        if let stored = self.table(named: origin), leads(stored, property, to: table) { return }
        let className = name(of: table)
        throw Realm.Error(
            .invalidInput,
            "\(className).\(inverse.name) is the inverse of \(origin).\(property), which wasn't "
                + "stored before the migration: use linkingObjects(ofType:property:) with the "
                + "name that it had.", className: className, property: inverse.name)
    }

    /// Whether a property leads to objects of a class.
    fileprivate func leads(_ origin: TableSchema, _ property: String, to target: TableKey) -> Bool {
        if let column = origin.column(named: property) { return column.linkTarget == target }
        guard let list = origin.list(named: property) else { return false }
        return schema.leads(list, to: target)
    }

    /// Returns the rows whose property contains a row, ascending, once for each occurrence.
    func origins(
        of row: ObjectKey, _ table: TableKey, _ className: String, _ property: String
    ) -> [ObjectKey] {
        guard let origin = schema.table(named: className), leads(origin, property, to: table) else {
            // it isn't stored yet, unless a newer program has renamed it
            _ = core.attempt { () throws(Realm.Error) in try unstored(property, of: className) }
            return []
        }
        guard let view else { return [] }
        if let column = origin.column(named: property) {
            return view.backlinks(of: row, through: column.key, of: origin.key)
        }
        guard let list = origin.list(named: property) else { return [] }
        if list.target == table {
            return view.backlinks(of: row, through: list.key, of: origin.key).flatMap { owner in
                view.list(origin.key, owner, list.key).filter { $0 == row }.map { _ in owner }
            }
        }
        return view.backlinks(of: row, through: ColumnKey(0), of: list.target)
            .flatMap { view.backlinks(of: $0, through: list.key, of: origin.key) }.sorted()
    }

}
