package import RegnumStore

/// The entire content of a realm at one version: an immutable tree that shares parts with other
/// versions.
///
/// Holding a root keeps a snapshot. Reads use memory or the mapped nodes file and take no locks.
package final class DatabaseRoot: Sendable {
    /// The version of the commit that created this root. For the root of a running transaction, the
    /// version that it will commit as.
    package let version: UInt64
    let content: DatabaseContent
    /// The root's position in its lineage (`NodeStore`).
    let stamp: UInt64
    /// Whether the root is the beginning of a fork: an edit copies it, and leaves the lineage to
    /// the realm that it comes from.
    let isForked: Bool

    /// Creates a root and registers it in its store.
    init(version: UInt64, content: DatabaseContent, stamp: UInt64, isForked: Bool = false) {
        self.version = version
        self.content = content
        self.stamp = stamp
        self.isForked = isForked
        content.context.store.register(stamp: stamp, directory: content.directory)
    }

    deinit {
        content.context.store.release(stamp: stamp)
    }

    /// Creates the root of a new realm: version 0 without classes.
    ///
    /// - Parameter realmID: The seed of index key hashes; random by default.
    package static func makeEmpty(realmID: Identity128? = nil) -> DatabaseRoot {
        var generator = SystemRandomNumberGenerator()
        let seed = realmID ?? Identity128(high: generator.next(), low: generator.next())
        let context = TreeContext(seed: seed)
        return DatabaseRoot(
            version: 0, content: DatabaseContent(context: context),
            stamp: context.store.nextStamp())
    }

    /// A new root of an in-memory realm. Each access returns a different lineage.
    package static var empty: DatabaseRoot { makeEmpty() }

    /// The identity of the realm. A copy of the realm has the same identity.
    package var identity: Identity128 { content.context.seed }

    /// The classes and their columns.
    package var schema: DatabaseSchema { content.schema }

    /// Returns the table of a class, or `nil` if it doesn't exist at this version.
    func table(_ key: TableKey) -> Table? { content.table(key) }

    /// The number of rows of all classes.
    ///
    /// - Complexity: O(classes).
    var rowCount: Int { schema.tables.reduce(0) { $0 + count($1.key) } }

    /// Returns the version of the commit that last inserted or changed the row, or `nil` if the row
    /// doesn't exist.
    ///
    /// - Complexity: O(log n).
    package func contentVersion(_ table: TableKey, _ key: ObjectKey) -> UInt64? {
        guard let (cluster, place) = content.table(table)?.place(key.rawValue) else { return nil }
        return cluster.contentVersion(place)
    }

    /// Returns the keys of all rows, ascending.
    package func keys(_ table: TableKey) -> [ObjectKey] { content.keys(table) }

    /// Returns the bytes of nodes that this root and possibly older ones show, but no newer one.
    ///
    /// - Parameter published: The realm's current root. Once it has a different lineage, because of
    ///   a reload, the newest root of the old lineage also holds what wasn't replaced there.
    /// - Complexity: O(live roots of the lineage).
    package func heldByteCount(published: DatabaseRoot) -> Int {
        let store = content.context.store
        let held = store.held()
        guard store !== published.content.context.store, held.last?.stamp == stamp else {
            return held.first { $0.stamp == stamp }?.byteCount ?? 0
        }
        return max(0, store.usage.byteCount - held.dropLast().reduce(0) { $0 + $1.byteCount })
    }

    /// The bytes of heap nodes of all versions in the root's lineage.
    package var heapByteCount: Int { content.context.store.usage.byteCount }

    /// Returns the bytes of heap nodes in the lineages of the roots.
    package static func heapByteCount(of roots: [DatabaseRoot]) -> Int {
        var stores: [ObjectIdentifier: NodeStore] = [:]
        for root in roots {
            let store = root.content.context.store
            stores[ObjectIdentifier(store)] = store
        }
        return stores.values.reduce(0) { $0 + $1.usage.byteCount }
    }

    /// The first damage that any thread found in the nodes file that the root reads from, or `nil`.
    package var damage: StoreError? { content.context.source?.firstDamage }

    /// Whether any thread has encountered damage in the nodes file that the root reads from. Use
    /// `DamageWatch` to find out whether a particular read does.
    package var hasDamage: Bool { content.context.source?.hasDamage ?? false }

    /// Damage encountered while a commit was applied. Any value may be a copy of it.
    var inheritedDamage: StoreError? { content.context.source?.inheritedDamage }

    // MARK: DatabaseView

    package func count(_ table: TableKey) -> Int { content.table(table)?.count ?? 0 }

    package func contains(_ table: TableKey, _ key: ObjectKey) -> Bool {
        content.table(table)?.contains(key.rawValue) ?? false
    }

    package func value(_ table: TableKey, _ key: ObjectKey, _ column: ColumnKey) -> Value? {
        content.value(table, key, column)
    }

    package func find(_ table: TableKey, primaryKey value: Value) -> ObjectKey? {
        content.find(table, primaryKey: value)
    }

    package func keys(_ table: TableKey, from key: ObjectKey, limit: Int) -> [ObjectKey] {
        content.keys(table, from: key, limit: limit)
    }

    package func key(_ table: TableKey, at position: Int) -> ObjectKey {
        guard let state = content.table(table) else {
            preconditionFailure("The class doesn't exist.")
        }
        return ObjectKey(rawValue: state.key(at: position))
    }
}

extension DatabaseContent {
    func value(_ table: TableKey, _ key: ObjectKey, _ column: ColumnKey) -> Value? {
        guard let (cluster, place) = self.table(table)?.place(key.rawValue) else { return nil }
        let columns = schema.tables[table.index].columns
        return column.index < columns.count ? cluster.value(place, columns[column.index]) : nil
    }

    func keys(
        _ table: TableKey, from key: ObjectKey = ObjectKey(rawValue: 0), limit: Int = .max
    ) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        guard let state = self.table(table), limit > 0 else { return keys }
        keys.reserveCapacity(min(state.count, limit))
        state.forEachKey(from: key.rawValue) { key in
            keys.append(ObjectKey(rawValue: key))
            return keys.count < limit
        }
        return keys
    }
}
