internal import RegnumEngine
internal import RegnumStore

/// An object accessed using only the stored schema, for tools and migrations.
///
///     for dog in tx.dynamicObjects("Dog") { print(dog.name ?? "", dog["age"] as? Int ?? 0) }
///
/// Properties are read and set by name, in their stored form: an enum as its raw value, a property
/// of a projected type as its persisted value. Links are dynamic objects; lists, sets and maps are
/// ``DynamicList``, ``DynamicMutableSet`` and ``DynamicMap``, including those in an
/// `AnyRealmValue`. The program doesn't need to declare the class. An inverse that the program's
/// class declares is a ``DynamicLinkingObjects`` (in an old object of a migration, only if its
/// links were stored under the current name); ``linkingObjects(ofType:property:)`` doesn't require
/// a class.
///
/// Confined to the body of its transaction.
@dynamicMemberLookup
public final class DynamicObject {
    let store: DynamicStore
    let table: TableKey
    let row: ObjectKey

    init(_ store: DynamicStore, _ table: TableKey, _ row: ObjectKey) {
        self.store = store
        self.table = table
        self.row = row
    }

    /// The name of the class.
    public var className: String {
        store.requireLive("className")
        return store.name(of: table)
    }

    /// The names of the stored properties, in alphabetical order.
    public var propertyNames: [String] {
        store.requireLive("propertyNames")
        guard store.stored(table) != nil else { return [] }
        return store.properties(of: table).keys.sorted().map(\.wrappedValue)
    }

    /// Whether the object was deleted, or the transaction has ended.
    public var isInvalidated: Bool {
        if case .ended = store.core.state { return true }
        return !store.contains(table, row)
    }

    /// The value of a property by name, which may be `nil`.
    ///
    /// Using an unknown property name or a deleted object, setting a value that the property cannot
    /// hold, and setting a property of a read-only object make the transaction fail when its body
    /// returns; until then reads return `nil`. ``value(of:)`` and ``set(_:of:)`` throw these errors
    /// immediately.
    ///
    /// - Precondition: The transaction hasn't ended.
    public subscript(_ name: String) -> Any? {
        get {
            guard let value = store.core.attempt({ () throws(Realm.Error) in try value(of: name) })
            else { return nil }
            return value
        }
        set {
            store.core.attempt { () throws(Realm.Error) in try set(newValue, of: name) }
        }
    }

    /// The value of a property by name, like ``subscript(_:)``.
    public subscript(dynamicMember name: String) -> Any? {
        get { self[name] }
        set { self[name] = newValue }
    }

    /// Returns the value of a property, which may be `nil`. If the program's class declares the
    /// property but it isn't stored yet, returns its default.
    ///
    /// - Throws: `.invalidInput` for an unknown property name, and for a deleted object;
    ///   `.schemaMismatch` for a declared name that a newer program has renamed or removed.
    /// - Precondition: The transaction hasn't ended.
    /// - Complexity: O(log n).
    public func value(of name: String) throws(Realm.Error) -> Any? {
        try requireReadable(name)
        var property = try store.property(name, of: table)
        // a collection is stored first, since it can be changed
        if case .unstored(let declared) = property, declared.shape.isStoredList,
            let transaction = store.core.writing
        {
            property = try store.stored(property, of: table, in: transaction)
        }
        return store.read(property, table, row)
    }

    /// Sets a property: to a value or `nil`; for links, to an object of the right class or a
    /// dictionary of its values; for lists and sets, to a sequence; for maps, to a dictionary.
    /// Dictionaries create new objects, and setting an embedded object always creates a new one. An
    /// `AnyRealmValue` property takes values, objects, sequences and dictionaries, nested up to 100
    /// levels deep; its previous contents are replaced.
    ///
    ///     try dog.set(["name": "Ann"], of: "owner")
    ///
    /// - Throws: `.invalidInput` for an unknown property name, and if the object was deleted or is
    ///   read-only; `.invalidValue` for a value that the property cannot hold, and for the primary
    ///   key.
    /// - Precondition: The transaction hasn't ended.
    public func set(_ value: Any?, of name: String) throws(Realm.Error) {
        if store.isReplaying { return }
        try requireReadable(name)
        let property = try store.property(name, of: table)
        let writer = DynamicWriter(
            store: store, transaction: try store.writing("\(store.name(of: table)).\(name)"))
        try writer.perform { () throws(Realm.Error) in
            try writer.assign(value, to: property, of: table, row)
        }
    }

    /// Returns the list stored in a property.
    ///
    /// - Throws: `.invalidInput` for a property that isn't a list.
    public func dynamicList(_ name: String) throws(Realm.Error) -> DynamicList {
        try collection(name, "a list")
    }

    /// Returns the set stored in a property.
    ///
    /// - Throws: `.invalidInput` for a property that isn't a set.
    public func dynamicMutableSet(_ name: String) throws(Realm.Error) -> DynamicMutableSet {
        try collection(name, "a set")
    }

    /// Returns the map stored in a property.
    ///
    /// - Throws: `.invalidInput` for a property that isn't a map.
    public func dynamicMap(_ name: String) throws(Realm.Error) -> DynamicMap {
        try collection(name, "a map")
    }

    /// Returns whether both objects are the same row in the same state. The old and the new object
    /// in a migration are never the same.
    public func isSameObject(as other: DynamicObject?) -> Bool {
        guard let other else { return false }
        return table == other.table && row == other.row && store.core === other.store.core
            && store.old === other.store.old
    }

    private func collection<Collection>(
        _ name: String, _ kind: String
    ) throws(Realm.Error) -> Collection {
        if let collection = try value(of: name) as? Collection { return collection }
        let className = store.name(of: table)
        throw Realm.Error(
            .invalidInput, "\(className).\(name) is not \(kind).", className: className,
            property: name)
    }

    func requireReadable(_ name: String) throws(Realm.Error) {
        store.requireLive("subscript")
        guard store.contains(table, row) else {
            throw .deletedObject(store.name(of: table), name, store.core.place)
        }
    }
}

extension DynamicObject: Hashable {
    public static func == (a: DynamicObject, b: DynamicObject) -> Bool { a.isSameObject(as: b) }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(table)
        hasher.combine(row)
    }
}

@available(*, unavailable, message: "objects are confined to the body of their transaction")
extension DynamicObject: Sendable {}
