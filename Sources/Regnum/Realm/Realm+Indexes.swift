internal import RegnumEngine
internal import RegnumStore

extension Realm {
    /// Builds the declared indexes that aren't stored yet, each in a commit of its own, so that
    /// other writes get their turns in between. Opening the realm does the same for listed classes;
    /// see ``Configuration/buildsIndexes``.
    ///
    /// Building the index of a large class can take seconds, during which the realm can be read but
    /// not written. If the task is cancelled or a commit fails, the indexes built so far remain.
    ///
    /// - Parameter progress: Called before each index.
    /// - Returns: The number of indexes built. Those of classes that aren't stored aren't counted:
    ///   they are created with the class.
    /// - Throws: `CancellationError`; `.schemaMismatch` for a class that doesn't match the realm;
    ///   the errors of `write`.
    /// - Complexity: O(n log n) for each index of a class with n objects. While an index is built,
    ///   it takes about 32 bytes of memory for each object, or for each word of a full-text index.
    @discardableResult
    @concurrent public nonisolated func buildIndexes(
        progress: (@Sendable (IndexProgress) -> Void)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> Int {
        let place = CallPlace(file: file, line: line)
        return try await change(core.missingIndexes(in: newest(place)), place, progress)
    }

    /// Drops the stored indexes of known properties that are no longer declared, each in a commit
    /// of its own.
    ///
    /// `open` never drops an index by itself, because another program with the same
    /// ``Configuration/schemaVersion`` may declare it; such a program would build the index again
    /// when it opens the realm. Opening the realm with a higher version, which shuts out older
    /// programs, drops such indexes, and so does a migration.
    ///
    /// - Returns: The number of indexes dropped.
    /// - Throws: The errors of ``buildIndexes(progress:file:line:)``.
    /// - Complexity: Doesn't depend on the number of objects, apart from freeing the index.
    @discardableResult
    @concurrent public nonisolated func dropUndeclaredIndexes(
        file: StaticString = #fileID, line: UInt = #line
    ) async throws -> Int {
        let place = CallPlace(file: file, line: line)
        return try await change(core.undeclaredIndexes(in: newest(place)), place)
    }

    /// Builds the missing indexes of the listed classes, if the configuration says so.
    nonisolated func buildListedIndexes(
        _ progress: (@Sendable (IndexProgress) -> Void)?
    ) async throws {
        guard configuration.objectTypes != nil, configuration.buildsIndexes,
            !configuration.readOnly
        else { return }
        let missing = try core.missingIndexes(in: core.coordinator.published)
        if missing.isEmpty { return }
        try await change(missing, CallPlace(file: "Realm.open", line: 0), progress)
    }

    /// Returns the newest state of all processes.
    private nonisolated func newest(_ place: CallPlace) async throws -> DatabaseRoot {
        try await written(nil, nil, place) { _ in }.root
    }

    /// Makes changes, without holding a version from one to the next.
    @discardableResult
    private nonisolated func change(
        _ changes: [IndexChange], _ place: CallPlace,
        _ progress: (@Sendable (IndexProgress) -> Void)? = nil
    ) async throws -> Int {
        var count = 0
        for (position, change) in changes.enumerated() {
            progress?(
                IndexProgress(
                    className: change.schema.name, propertyName: change.propertyName,
                    objectCount: change.objectCount, indexesDone: position,
                    indexCount: changes.count))
            let isMade = try await written(nil, nil, place, isLong: true) { tx in
                try tx.make(change)
            }.result
            if isMade { count += 1 }
        }
        return count
    }
}

/// An index to be built or dropped.
private struct IndexChange: Sendable {
    let schema: ClassSchema
    let index: ClassIndex
    let isDropped: Bool
    /// The number of objects of the class when the change was found to be due.
    let objectCount: Int

    var propertyName: String { schema.properties[index.property].name }
}

extension RealmCore {
    fileprivate func missingIndexes(in root: DatabaseRoot) throws(Realm.Error) -> [IndexChange] {
        try indexChanges(in: root, areDropped: false)
    }

    fileprivate func undeclaredIndexes(
        in root: DatabaseRoot
    ) throws(Realm.Error) -> [IndexChange] {
        try indexChanges(in: root, areDropped: true)
    }

    private func indexChanges(
        in root: DatabaseRoot, areDropped: Bool
    ) throws(Realm.Error) -> [IndexChange] {
        var changes: [IndexChange] = []
        for schema in knownClasses {
            let indexes = try differences(of: schema, in: root.schema, areDropped)
            changes += indexes.map {
                IndexChange(
                    schema: schema, index: $0, isDropped: areDropped,
                    objectCount: root.count($0.table))
            }
        }
        return changes.sorted {
            let order = compareUTF8($0.schema.name, $1.schema.name)
            return order == 0 ? $0.index.property < $1.index.property : order < 0
        }
    }

    /// Returns the missing or undeclared indexes of a class.
    fileprivate func differences(
        of schema: ClassSchema, in database: DatabaseSchema, _ areDropped: Bool
    ) throws(Realm.Error) -> [ClassIndex] {
        let mapping = try listedEntry(for: schema.type).mapping(in: database)
        if let mismatch = mapping.mismatch { throw mismatch }
        guard let table = mapping.table else { return [] }
        return areDropped
            ? schema.undeclaredIndexes(in: table) : schema.missingIndexes(in: table)
    }
}

extension Transaction {
    /// Builds or drops an index, unless another writer has done so. Returns whether it did.
    fileprivate func make(_ change: IndexChange) throws(Realm.Error) -> Bool {
        let transaction = requireWriting("make")
        let differences = try core.realm.differences(
            of: change.schema, in: transaction.schema, change.isDropped)
        guard differences.contains(change.index) else { return false }
        try engine { () throws(StoreError) in
            if change.isDropped {
                try transaction.drop(change.index)
            } else {
                try transaction.build(change.index)
            }
        }
        return true
    }
}
