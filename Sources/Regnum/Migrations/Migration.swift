internal import RegnumEngine
internal import RegnumStore

/// The object that a migration block receives, which provides access to the old and the new form of
/// each object.
///
///     configuration.schemaVersion = 2
///     configuration.migration = { migration, oldVersion in
///         if oldVersion < 1 {
///             try migration.renameProperty(onType: "Person", from: "yrs", to: "age")
///         }
///         if oldVersion < 2 {
///             try migration.enumerateObjects(ofType: "Person") { old, new in
///                 new?["fullName"] = "\(old?["first"] ?? "") \(old?["last"] ?? "")"
///             }
///         }
///     }
///
/// The block runs once, with exclusive access and before any reads, when a realm with a lower
/// ``Realm/Configuration/schemaVersion`` is opened. Its changes and the new schema are committed
/// together. An error that the block throws, or that a property reports, rolls back everything and
/// is thrown by ``Realm/open(_:)``.
///
/// Old objects have the properties that are stored, new objects only those that the program
/// declares. Objects of the program's classes can be assigned as values; they are copied.
///
/// Before the block runs, properties missing from the realm are added. A property that became
/// optional keeps its values; one that changed in any other way starts with the zero value of its
/// type or `nil`, and its old values are available from the old objects. A primary key is an
/// ordinary property until the block returns. After the block returns, the old forms of properties
/// are dropped, keys are checked, and objects of classes that became embedded are given exactly one
/// owner: those without an owner are deleted, and if there are several owners, each one after the
/// first receives a copy. Objects of classes that became asymmetric are kept until they are
/// drained.
///
/// With ``Realm/Configuration/resumableMigration`` the migration is saved in parts, and the block
/// may run again.
///
/// The migration must only be used inside the block.
public final class Migration {
    let steps: MigrationSteps
    let core: TransactionCore
    let progress: (@Sendable (MigrationProgress) -> Void)?
    private let saving: MigrationSaving?
    /// The nesting depth of running `enumerateObjects` bodies.
    private var depth = 0
    private let old: DynamicStore
    private let new: DynamicStore
    private var transaction: EngineTransaction { steps.transaction }

    init(
        _ steps: MigrationSteps, _ core: TransactionCore,
        progress: (@Sendable (MigrationProgress) -> Void)?, saving: MigrationSaving? = nil
    ) {
        self.saving = saving
        self.steps = steps
        self.core = core
        self.progress = progress
        old = DynamicStore(core, old: steps.transaction.base)
        new = DynamicStore(
            core,
            declared: Dictionary(
                steps.classes.map { (StoredText($0.name), $0) }, uniquingKeysWith: { $1 }),
            isReplaying: { [journal = saving?.journal] in !(journal?.isPassed ?? true) })
    }

    /// The stored classes before the migration.
    public var oldSchema: Schema { Schema(stored: transaction.base.schema) }

    /// The classes as they will be stored, including the changes made by the block so far and
    /// classes that the program doesn't declare. Primary keys and embedded classes are as the
    /// program declares them.
    public var newSchema: Schema {
        requireLive("newSchema")
        return Schema(stored: transaction.schema, as: steps.classes, version: steps.version)
    }

    /// The zero-based index of the object that ``enumerateObjects(ofType:_:)`` is visiting, among
    /// the objects of its class that existed before the migration, in creation order; `nil` outside
    /// of that call. A migration that resumes after being killed continues counting.
    public private(set) var position: Int?

    /// Runs and records a call of the block, or skips it if it was done before the migration was
    /// killed.
    private func step(
        _ kind: MigrationJournal.Call.Kind, _ names: [String],
        _ body: () throws(Realm.Error) -> UInt64?
    ) throws(Realm.Error) -> UInt64? {
        guard depth == 0, let journal = currentJournal else { return try body() }
        if let done = try journal.passes(kind, names) { return done.result }
        let result = try body()
        journal.note(kind, names, result: result)
        return result
    }

    /// The journal, which knows whether the block has failed.
    private var currentJournal: MigrationJournal? {
        if core.violation != nil { saving?.journal.noteFailure() }
        return saving?.journal
    }

    /// The number of objects visited between two progress reports.
    private var batchCount: Int { saving?.batchCount ?? 1_024 }

    /// Calls `body` with each object of a class: the read-only old object, and the new object.
    ///
    ///     try migration.enumerateObjects(ofType: "Person") { old, new in
    ///         new?["age"] = old?["yrs"]
    ///     }
    ///
    /// Visits the objects that existed before the migration, in creation order. Skips objects
    /// deleted by the block. Objects created by the block are visited only if the realm didn't have
    /// the class before; they have no old object. For a class that the program no longer declares,
    /// there is no new object. If neither the realm nor the program has the class, no objects are
    /// visited.
    ///
    /// - Throws: The errors of `body` and of properties; `CancellationError`.
    /// - Complexity: O(n) for n objects. Changes are held in memory until they are committed or,
    ///   with ``Realm/Configuration/resumableMigration``, saved.
    public func enumerateObjects(
        ofType className: String, _ body: (DynamicObject?, DynamicObject?) throws -> Void
    ) throws {
        requireLive("enumerateObjects")
        let before = old.table(named: className)
        guard let table = before ?? new.table(named: className) else { return }
        let isDeclared = steps.isDeclared(className)
        let store = before == nil ? new : old
        // leaves out objects that the block creates from here on
        var visit = MigrationJournal.Visit(
            end: transaction.nextKeys[Int(table.key.rawValue)].rawValue)
        let journal = depth == 0 ? currentJournal : nil
        if let journal {
            guard let next = try journal.beginVisit(className, end: visit.end) else { return }
            visit = next
        }
        let outer = position
        depth += 1
        defer {
            depth -= 1
            position = outer
        }
        let end = ObjectKey(rawValue: visit.end)
        let total = store.count(table.key)
        while true {
            try Task.checkCancellation()
            let keys = store.keys(
                table.key, from: ObjectKey(rawValue: visit.next), limit: batchCount)
            guard let last = keys.last else { break }
            for (index, key) in keys.enumerated()
            where key < end && transaction.contains(table.key, key) {
                position = visit.done + index
                try body(
                    before.map { DynamicObject(old, $0.key, key) },
                    isDeclared ? DynamicObject(new, table.key, key) : nil)
                if let violation = core.violation { throw violation }
            }
            visit.next = last.rawValue + 1
            visit.done += keys.count
            progress?(
                MigrationProgress(
                    className: className, objectsDone: visit.done, objectCount: total))
            guard let journal else { continue }
            journal.update(visit)
            try saving?.saveIfDue(steps, core)
        }
        journal?.update(nil)
    }

    /// Creates an object of a class that the program declares. Properties that aren't given get
    /// their defaults.
    ///
    ///     let owner = try migration.create("Person", value: ["name": "Ann"])
    ///
    /// - Throws: The errors of ``Transaction/dynamicCreate(_:value:update:)-(_,[String:Any?],_)``,
    ///   except that duplicate primary keys are only detected after the block returns.
    @discardableResult
    public func create(
        _ className: String, value: [String: Any?] = [:]
    ) throws(Realm.Error) -> DynamicObject {
        try make(className, value)
    }

    /// Creates an object of a class that the program declares, from an array of values in
    /// declaration order or from another object that has all properties of the class.
    ///
    /// - Throws: The errors of ``create(_:value:)-(_,[String:Any?])``.
    @discardableResult
    @_disfavoredOverload
    public func create(_ className: String, value: Any) throws(Realm.Error) -> DynamicObject {
        try make(className, value)
    }

    private func make(_ className: String, _ value: Any) throws(Realm.Error) -> DynamicObject {
        requireLive("create")
        guard let table = new.table(named: className) else { throw .unknownClass(className) }
        let row = try step(.create, [className]) { () throws(Realm.Error) in
            try new.create(table, value, .error, transaction).row.rawValue
        }
        return DynamicObject(new, table.key, ObjectKey(rawValue: row ?? 0))
    }

    /// Deletes an object and the embedded objects that it owns. Delete rules don't apply.
    ///
    /// - Throws: `.invalidInput` for an old object (delete the new one instead), and for an object
    ///   from another transaction.
    public func delete(_ object: DynamicObject) throws(Realm.Error) {
        requireLive("delete")
        guard object.store.core === core else {
            let store = object.store
            let schema = store.old?.schema ?? store.core.schema
            let name = schema?.tables[Int(object.table.rawValue)].name
            throw Realm.Error(
                .invalidInput,
                "The \(name ?? "DynamicObject") passed to Migration.delete belongs to another "
                    + "transaction.", className: name)
        }
        let className = object.className
        _ = try object.store.writing(className)
        _ = try step(.delete, [className]) { () throws(Realm.Error) in
            if !object.isInvalidated { transaction.delete(object.table, object.row) }
            return nil
        }
        core.didEditAll()
    }

    /// Deletes all objects of a class. A class that the program no longer declares is dropped.
    ///
    /// - Returns: Whether the realm has such a class.
    @discardableResult
    public func deleteData(forType className: String) -> Bool {
        requireLive("deleteData")
        defer { core.didEditAll() }
        do throws(Realm.Error) {
            let found = try step(.deleteData, [className]) { () throws(Realm.Error) in
                guard let table = new.table(named: className) else { return 0 }
                transaction.deleteAllRows(table.key)
                if !steps.isDeclared(className) { steps.dropsTable(table.key) }
                return 1
            }
            return found == 1
        } catch {
            core.fail(error)
            return false
        }
    }

    /// Renames a stored property to the name that the program declares, keeping its values without
    /// copying them.
    ///
    ///     try migration.renameProperty(onType: "Person", from: "yrs", to: "age")
    ///
    /// Old objects keep the old name. Values that were assigned under the new name before the call
    /// are lost.
    ///
    /// - Throws: `.invalidInput` if the realm has no such class or property, the program still
    ///   declares the old name, or the types differ; an optional property can only be renamed to an
    ///   optional one. A new name that the program doesn't declare is only detected after the block
    ///   returns.
    /// - Complexity: O(1); O(n / 1,024) if the property becomes optional, O(n log n) if it gets an
    ///   index.
    public func renameProperty(
        onType className: String, from oldName: String, to newName: String
    ) throws(Realm.Error) {
        requireLive("renameProperty")
        _ = try step(.rename, [className, oldName, newName]) { () throws(Realm.Error) in
            try steps.rename(className, oldName, newName)
            return nil
        }
        core.didEditAll()
    }

    /// Drops a stored property that the program no longer declares, along with its values.
    /// Properties that aren't dropped remain in the file for programs that still declare them.
    ///
    /// Old objects still have the property.
    ///
    /// - Throws: `.invalidInput` if the realm has no such class or property, or the program
    ///   declares the property.
    /// - Complexity: O(n / 1,024) for n objects; for lists, and for links to embedded objects, O(m
    ///   log n) for m elements.
    public func deleteProperty(onType className: String, _ name: String) throws(Realm.Error) {
        requireLive("deleteProperty")
        _ = try step(.deleteProperty, [className, name]) { () throws(Realm.Error) in
            try steps.deleteProperty(className, name)
            return nil
        }
        core.didEditAll()
    }

    private func requireLive(_ call: StaticString) {
        guard case .ended = core.state else { return }
        fatalError("Migration.\(call) was used after the migration block had returned.")
    }
}

@available(*, unavailable, message: "a migration can only be used in its block")
extension Migration: Sendable {}

/// The block that runs when a realm with a lower schema version is opened. Receives the migration
/// and the stored version. To support upgrades from several versions, check the stored version
/// before each step: `if oldVersion < 3 { … }`.
public typealias MigrationBlock =
    @Sendable (_ migration: Migration, _ oldVersion: UInt64) throws -> Void
