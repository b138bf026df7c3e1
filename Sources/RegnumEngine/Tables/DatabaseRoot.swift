package import RegnumStore

/// All content of a realm at one version: an immutable tree, shared in parts with other versions.
///
/// Holding one is a snapshot. Reads answer from memory, or from the mapped nodes file, and take no
/// locks.
package final class DatabaseRoot: Sendable {
    /// The version of the commit that made this root; for the root of a running transaction the
    /// version that it will commit as.
    package let version: UInt64
    let content: DatabaseContent
    /// The place of the root in its lineage (`NodeStore`).
    let stamp: UInt64

    /// Registers the root in its store.
    init(version: UInt64, content: DatabaseContent, stamp: UInt64) {
        self.version = version
        self.content = content
        self.stamp = stamp
        content.context.store.register(stamp: stamp, directory: content.directory)
    }

    deinit {
        content.context.store.release(stamp: stamp)
    }

    /// The root of a new realm: version 0, no classes.
    ///
    /// - Parameter realmID: what the hashes of index keys are made from; a random one by default.
    package static func makeEmpty(realmID: Identity128? = nil) -> DatabaseRoot {
        var generator = SystemRandomNumberGenerator()
        let seed = IndexSeed(
            high: realmID?.high ?? generator.next(), low: realmID?.low ?? generator.next())
        let context = TreeContext(seed: seed)
        return DatabaseRoot(
            version: 0, content: DatabaseContent(context: context),
            stamp: context.store.nextStamp())
    }

    /// The root of a new realm in memory; another one at each call.
    package static var empty: DatabaseRoot { makeEmpty() }

    /// What tells the realm from others: a copy of it has the same.
    package var identity: Identity128 {
        let seed = content.context.seed
        return Identity128(high: seed.high, low: seed.low)
    }

    /// The classes and their columns.
    package var schema: DatabaseSchema { content.schema }

    /// The number of rows of a class; 0 for a class that does not exist at this version.
    package func count(_ table: TableKey) -> Int { content.table(table)?.count ?? 0 }

    /// Whether there is such a row.
    ///
    /// - Complexity: O(log n).
    package func contains(_ table: TableKey, _ key: ObjectKey) -> Bool {
        content.table(table)?.contains(key.rawValue) ?? false
    }

    /// The version of the commit that inserted the row or changed it last; nil if there is no row.
    ///
    /// - Complexity: O(log n).
    package func contentVersion(_ table: TableKey, _ key: ObjectKey) -> UInt64? {
        content.contentVersion(table, key)
    }

    /// The value of a property, with the column's default where the row is older than the column;
    /// nil if there is no such row or column.
    ///
    /// - Complexity: O(log n).
    package func value(_ table: TableKey, _ key: ObjectKey, _ column: ColumnKey) -> Value? {
        content.value(table, key, column)
    }

    /// The row with that primary key, or nil (also for a class without one).
    ///
    /// - Complexity: O(log n).
    package func find(_ table: TableKey, primaryKey value: Value) -> ObjectKey? {
        content.find(table, primaryKey: value)
    }

    /// The key of the row at `position` in key order; `position` is in `0..<count(table)`.
    ///
    /// - Complexity: O(log n).
    package func key(_ table: TableKey, at position: Int) -> ObjectKey {
        guard let state = content.table(table) else {
            preconditionFailure("There is no such class.")
        }
        return ObjectKey(rawValue: state.key(at: position))
    }

    /// The keys of all rows, ascending.
    package func keys(_ table: TableKey) -> [ObjectKey] { content.keys(table) }

    /// Bytes of nodes that this root and possibly older ones show, and no newer one.
    ///
    /// - Complexity: O(live roots of the lineage).
    package var heldByteCount: Int {
        content.context.store.held().first { $0.stamp == stamp }?.byteCount ?? 0
    }

    /// Bytes of nodes on the heap in the root's lineage, in all its versions.
    package var heapByteCount: Int { content.context.store.usage.byteCount }

    /// The first inconsistency between the nodes of the root's lineage and its live roots, or nil.
    /// No transaction may be running on it. For tests.
    ///
    /// - Complexity: O(nodes of all live roots).
    package var nodeProblem: String? { content.context.store.fault }

    /// What was found damaged first in the nodes file that the root reads from; nil if nothing was.
    package var damage: StoreError? { content.context.source?.firstDamage }

    /// Whether anybody met damage in the nodes file that the root reads from, the calling thread
    /// included. `DamageWatch` tells whether a read meets it.
    package var hasDamage: Bool { content.context.source?.hasDamage ?? false }

    /// Damage that a commit met when it was applied: any of the values may be copies of it.
    var inheritedDamage: StoreError? { content.context.source?.inheritedDamage }
}

extension DatabaseContent {
    func contentVersion(_ table: TableKey, _ key: ObjectKey) -> UInt64? {
        guard let (cluster, place) = self.table(table)?.place(key.rawValue) else { return nil }
        return cluster.contentVersion(place)
    }

    func value(_ table: TableKey, _ key: ObjectKey, _ column: ColumnKey) -> Value? {
        guard let (cluster, place) = self.table(table)?.place(key.rawValue) else { return nil }
        let columns = schema.tables[table.index].columns
        return column.index < columns.count ? cluster.value(place, columns[column.index]) : nil
    }

    func keys(_ table: TableKey) -> [ObjectKey] {
        guard let state = self.table(table) else { return [] }
        var keys: [ObjectKey] = []
        keys.reserveCapacity(state.count)
        state.forEachKey { key in
            keys.append(ObjectKey(rawValue: key))
            return true
        }
        return keys
    }
}

// MARK: - For queries

extension DatabaseRoot {
    /// The table of a class, nil where it does not exist at this version.
    func table(_ key: TableKey) -> Table? { content.table(key) }
}

extension DatabaseContent {
    var indexSeed: IndexSeed { context.seed }
}
