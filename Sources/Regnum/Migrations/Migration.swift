internal import RegnumEngine
internal import RegnumStore

/// What a migration works with: each object as it was and as it will be.
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
/// The block runs once, when a realm of a lower ``Realm/Configuration/schemaVersion`` is opened, alone
/// and before anybody reads: what it does, and the new schema, is one commit. An error that it
/// throws, or that a property met, undoes all; ``Realm/open(_:)`` throws it.
///
/// Old objects go by the names under which properties are stored, new ones by those that the
/// program declares, and have no others. Objects of the program's classes can be given as values:
/// they are copied.
///
/// Before the block, properties that the classes have and the realm lacks are added; a property that
/// became optional keeps its values; one that changed otherwise is new, with the zero of its type or
/// nil, and its old values are read from the old objects. A primary key is a property like any other
/// until the block is over. After it, old forms are dropped, keys are checked, and objects of classes
/// that became embedded get one owner each: those without one are deleted, and of those with several
/// each further owner gets a copy. Objects of classes that became asymmetric wait for who drains them.
///
/// With ``Realm/Configuration/resumableMigration`` it is done in parts, and the block may run once more.
///
/// Confined to the block.
public final class Migration {
    let steps: MigrationSteps
    let core: TransactionCore
    let progress: (@Sendable (MigrationProgress) -> Void)?
    private let saving: MigrationSaving?
    /// How many bodies of `enumerateObjects` run, one within the other.
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
            declared: Dictionary(steps.classes.map { ($0.name, $0) }, uniquingKeysWith: { $1 }))
    }

    /// The stored classes before the migration.
    public var oldSchema: Schema { Schema(stored: transaction.base.schema) }

    /// The classes as they will be stored, as far as the block has come; with those that the program
    /// does not have. Keys and embedded classes are as the program declares them.
    public var newSchema: Schema {
        requireLive("newSchema")
        return Schema(stored: transaction.schema, as: steps.classes, version: steps.version)
    }

    /// The position of the object that ``enumerateObjects(ofType:_:)`` visits among those that the realm
    /// had of its class, from 0, in the order of their creation; nil outside of it. A migration that goes on
    /// after a kill goes on counting.
    public private(set) var position: Int?

    /// Notes a call of the block, or passes over it if it was done before the migration was killed.
    private func step(
        _ kind: MigrationJournal.Call.Kind, _ names: [String],
        _ body: () throws(Realm.Error) -> UInt64?
    ) throws(Realm.Error) -> UInt64? {
        guard depth == 0, let journal = saving?.journal else { return try body() }
        if let done = try journal.passes(kind, names) { return done.result }
        let result = try body()
        journal.note(kind, names, result: result)
        return result
    }

    /// Objects that are visited between two reports of progress.
    private var batchCount: Int { saving?.batchCount ?? 1_024 }

    /// Calls `body` with each object of a class as it was, to be read, and as it will be.
    ///
    /// The objects that the realm had come in the order of their creation; those that the block has
    /// deleted are left out, and so are those that it has made, unless the realm did not have the
    /// class: then there is no old object. Of a class that the program no longer has there is no new
    /// one. A class that neither has has no objects.
    ///
    /// - Throws: what `body` throws; what a property met; `CancellationError`.
    /// - Complexity: O(n). Memory: that of what is changed, until it is committed or, with
    ///   ``Realm/Configuration/resumableMigration``, written.
    public func enumerateObjects(
        ofType className: String, _ body: (DynamicObject?, DynamicObject?) throws -> Void
    ) throws {
        requireLive("enumerateObjects")
        let before = old.table(named: className)
        guard let table = before ?? new.table(named: className) else { return }
        let isDeclared = steps.isDeclared(className)
        let store = before == nil ? new : old
        // objects that the block makes meanwhile are not among them
        var visit = MigrationJournal.Visit(
            end: transaction.nextKeys[Int(table.key.rawValue)].rawValue)
        let journal = depth == 0 ? saving?.journal : nil
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

    /// Makes an object of a class of the program. What is not given has its default.
    ///
    /// - Throws: as ``Transaction/dynamicCreate(_:value:update:)-(_,[String:Any?],_)``. Keys are
    ///   compared when the block is over.
    @discardableResult
    public func create(
        _ className: String, value: [String: Any?] = [:]
    ) throws(Realm.Error) -> DynamicObject {
        try make(className, value)
    }

    /// Makes an object of a class of the program from an array of its values, in the order of their
    /// declaration, or from another object, which has all its properties.
    ///
    /// - Throws: as ``create(_:value:)-(_,[String:Any?])``.
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

    /// Deletes an object, with the embedded objects that belong to it. Delete rules have no say.
    ///
    /// - Throws: `.invalidInput` for an old object (delete the new one), and for one of another
    ///   transaction.
    public func delete(_ object: DynamicObject) throws(Realm.Error) {
        requireLive("delete")
        guard object.store.core === core else {
            let store = object.store
            let schema = store.old?.schema ?? store.core.schema
            let name = schema?.tables[Int(object.table.rawValue)].name
            throw Realm.Error(
                .invalidInput,
                "A \(name ?? "DynamicObject") of another transaction was passed to "
                    + "Migration.delete.", className: name)
        }
        let className = object.className
        _ = try object.store.writing(className)
        _ = try step(.delete, [className]) { () throws(Realm.Error) in
            if !object.isInvalidated { transaction.delete(object.table, object.row) }
            return nil
        }
        core.didEditAll()
    }

    /// Deletes all objects of a class. One that the program no longer has is dropped.
    ///
    /// - Returns: false if the realm has no such class.
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

    /// Gives a stored property the name that the program has for it, with all that it holds. Nothing is
    /// copied.
    ///
    /// Old objects go on having the old name. What the new name was given before is gone.
    ///
    /// - Throws: `.invalidInput` if the realm has no such class or property, the program still has the
    ///   old name, or the types differ; an optional property can be renamed to an optional one only.
    ///   When the block is over: a new name that the program does not have.
    /// - Complexity: O(1); O(n / 1,024) where the property becomes optional, O(n log n) where it gets
    ///   an index.
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

    /// Drops a stored property that the program no longer has, with all that it holds. Without this it
    /// stays in the file, for programs that know it.
    ///
    /// Old objects go on having it.
    ///
    /// - Throws: `.invalidInput` if the realm has no such class or property, or the program has it.
    /// - Complexity: O(n / 1,024); lists and links to embedded objects O(elements log n).
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
        fatalError("Migration.\(call) was used after the block of the migration had returned.")
    }
}

@available(*, unavailable, message: "a migration stays in its block")
extension Migration: Sendable {}

/// What opening a realm of a lower schema version runs: the migration, and the version that is stored.
/// Steps that build on each other ask for the version: `if oldVersion < 3 { … }`.
public typealias MigrationBlock =
    @Sendable (_ migration: Migration, _ oldVersion: UInt64) throws -> Void

/// How far a migration has come with the objects of a class.
public struct MigrationProgress: Sendable, Hashable {
    /// The class that is gone through.
    public let className: String
    /// How many of its objects were visited.
    public let objectsDone: Int
    /// How many there are.
    public let objectCount: Int
}
