internal import FoundationEssentials
internal import Logging
internal import RegnumEngine
internal import RegnumStore

/// State shared by everything attached to one open realm: its coordinator and registered classes.
///
/// Held by the `Realm` actor, live handles, streams and frozen values.
final class RealmCore: Sendable {
    let coordinator: Coordinator
    let configuration: Realm.Configuration
    let external: ExternalCommits
    /// The queries that streams follow.
    let queries: MaintainedQueries
    let queryCounters = QueryCounters()
    /// The snapshots that keep old versions in memory.
    let snapshots = SnapshotRegistry()
    /// The cached result of `deleteRules(in:)`.
    let knownDeleteRules = Guarded<KnownDeleteRules?>(nil)
    /// Names of the classes that are being drained by tasks of this process.
    let drainedClasses = Guarded<Set<StoredText>>([])
    /// Whether `claimLaunch` was called.
    private let isLaunched = Guarded(false)
    private let sharing = Guarded(Sharing.unshared)
    private let classes = Guarded(Classes())
    private let actor = Guarded(WeakRealm())

    /// The registered classes.
    private struct Classes {
        var entries: [ObjectIdentifier: ClassEntry] = [:]
        /// The registered classes by name. Names are compared by their bytes, like stored names. If
        /// several classes have the same name, the first valid one is used.
        var byName: [StoredText: ClassEntry] = [:]
    }

    private enum Sharing {
        /// Only the caller that opened the realm first has it.
        case unshared
        case shared
        /// That caller is about to close it.
        case ended
    }

    private struct WeakRealm {
        weak var realm: Realm?
    }

    /// Registers the listed classes, whose declarations must already have been checked.
    init(_ coordinator: Coordinator, _ configuration: Realm.Configuration) {
        self.coordinator = coordinator
        self.configuration = configuration
        external = ExternalCommits(coordinator)
        queries = MaintainedQueries(coordinator)
        for type in configuration.objectTypes ?? [] { _ = join(type) }
    }

    /// Closes the coordinator without waiting, as no owner of the realm is left.
    deinit {
        HeldVersions.shared.remove(ObjectIdentifier(self))
        coordinator.closeSoon()
    }

    /// Returns the realm of a coordinator: the one that is open in this process, or a new one.
    /// Returns `nil` if the coordinator is being closed.
    ///
    /// - Parameter isFirst: Whether to fail if the realm is already open in this process.
    /// - Throws: `.alreadyOpen` if it is open with another configuration; for a new realm, the
    ///   problems of its classes.
    static func realm(
        _ coordinator: Coordinator, _ configuration: Realm.Configuration, isFirst: Bool = false
    ) throws(Realm.Error) -> Realm? {
        let options = try configuration.coordinatorOptions()
        let isFit =
            coordinator.options.isReadOnly == options.isReadOnly
            && coordinator.options.store.key == options.store.key
        var isNew = false
        let attached = coordinator.attached(mayMake: isFit) {
            isNew = true
            return RealmCore(coordinator, configuration)
        }
        guard let core = attached else {
            if !isFit { coordinator.closeSoon() }  // it has no users left
            return nil
        }
        if isFirst, !isNew {
            throw Realm.Error(
                .alreadyOpen,
                "The realm \"\(configuration.name)\" is open in this process: close it first.")
        }
        let differences = core.configuration.differences(from: configuration)
        guard differences.isEmpty else {
            throw Realm.Error(
                .alreadyOpen,
                "The realm \"\(configuration.name)\" is open in this process with a different "
                    + "configuration; these settings differ: "
                    + "\(differences.joined(separator: ", ")). Use the same configuration, or "
                    + "close the realm first.")
        }
        let schema = coordinator.published.schema
        try core.checkSchemaVersion(schema)
        if !core.isMigrationDue(schema), let problem = core.schemaProblems(in: schema) {
            throw problem
        }
        try core.checkComplete(in: schema)
        guard isNew || core.joinsOthers() else { return nil }
        return core.actor.withLock { actor in
            if let realm = actor.realm { return realm }
            let realm = Realm(core)
            actor.realm = realm
            return realm
        }
    }

    /// Records that another caller has opened the realm. Returns false if it is about to be closed.
    private func joinsOthers() -> Bool {
        sharing.withLock { sharing in
            if sharing == .unshared { sharing = .shared }
            return sharing == .shared
        }
    }

    /// Returns whether nobody else has opened the realm, so that the caller may close it. Whoever
    /// opens it from then on waits until it is closed, and opens it again.
    func endsUnshared() -> Bool {
        sharing.withLock { sharing in
            if sharing == .unshared { sharing = .ended }
            return sharing == .ended
        }
    }

    /// Returns whether this is the first call, by the opener that launches the realm in this
    /// process.
    func claimLaunch() -> Bool {
        isLaunched.withLock { isLaunched in
            defer { isLaunched = true }
            return !isLaunched
        }
    }

    /// Returns the class's entry in this realm, registering the class if it is new and
    /// `objectTypes` isn't set.
    ///
    /// - Precondition: The class is listed, if `objectTypes` is set.
    func entry(for type: ObjectBase.Type) -> ClassEntry {
        if let known = classes.withLock({ $0.entries[ObjectIdentifier(type)] }) { return known }
        if type._storedType != type { return projectionEntry(for: type) }
        guard configuration.objectTypes == nil else {
            fatalError(unlisted("\(type)").message)
        }
        return join(type)
    }

    /// Like `entry(for:)`, for a class that the user didn't name: throws `.invalidInput` instead of
    /// trapping.
    func listedEntry(for type: ObjectBase.Type) throws(Realm.Error) -> ClassEntry {
        if let known = classes.withLock({ $0.entries[ObjectIdentifier(type)] }) { return known }
        guard configuration.objectTypes == nil else {
            throw unlisted(_typeName(type, qualified: false))
        }
        return join(type)
    }

    /// Whether the program can read objects of a class: `objectTypes` has it, or isn't set.
    func isListed(_ type: ObjectBase.Type) -> Bool {
        configuration.objectTypes == nil
            || classes.withLock { $0.entries[ObjectIdentifier(type)] != nil }
    }

    /// Returns the error for a class that isn't among the realm's `objectTypes`.
    func unlisted(_ name: String) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "The class \(name) is not among the objectTypes of the realm "
                + "\"\(configuration.name)\": add it to the list.", className: name)
    }

    /// Returns the registered class with the given name, if any.
    func knownEntry(named name: String) -> ClassEntry? {
        classes.withLock { $0.byName[StoredText(name)] }
    }

    /// Whether writes add the missing indexes of the classes that they store. Those of listed
    /// classes are built when the realm is opened.
    var writesAddIndexes: Bool { configuration.objectTypes == nil && configuration.buildsIndexes }

    /// The number of registered classes.
    var joinedClassCount: Int { classes.withLock { $0.entries.count } }

    /// The schemas of the registered classes.
    var joinedSchemas: [ClassSchema] { entries.map(\.schema) }

    private func join(_ type: ObjectBase.Type) -> ClassEntry {
        let type = type._storedType
        let schema = ClassSchema.of(type)
        return classes.withLock { classes in
            if let known = classes.entries[ObjectIdentifier(type)] { return known }
            var problem = schema.declarationError
            let other = classes.byName[StoredText(schema.name)]
            if problem == nil, let other, other.problem == nil {
                problem = .clash(schema, other.schema)
            }
            let entry = ClassEntry(
                schema: schema, problem: problem ?? schema.linkError,
                schemaVersion: configuration.schemaVersion, writesAddIndexes: writesAddIndexes)
            classes.entries[ObjectIdentifier(type)] = entry
            if other == nil || other?.problem != nil {
                classes.byName[StoredText(schema.name)] = entry
            }
            return entry
        }
    }

    /// The actor, or `nil` if it has been released.
    var openRealm: Realm? { actor.withLock { $0.realm } }

    /// The schemas of the registered classes and, if `objectTypes` isn't set, of the classes that
    /// they link to.
    var knownClasses: [ClassSchema] {
        let joined = entries.filter { $0.problem == nil }.map(\.schema)
        return configuration.objectTypes == nil
            ? ClassSchema.reachable(from: joined) { $0.targetType } : joined
    }

    /// The entries of the registered classes.
    var entries: [ClassEntry] { classes.withLock { Array($0.entries.values) } }

    /// Returns the problems of the registered classes as one error with a line for each, or `nil`
    /// if there are none.
    func schemaProblems(in database: DatabaseSchema) -> Realm.Error? {
        let errors = entries.sorted { $0.schema.name < $1.schema.name }
            .compactMap { $0.mapping(in: database).mismatch }
        guard var first = errors.first else { return nil }
        first.message = errors.map(\.message).joined(separator: "\n")
        return first
    }

    /// Returns a snapshot of the newest published state.
    func snapshot(_ place: CallPlace) -> SnapshotCore {
        SnapshotCore(realm: self, root: coordinator.published, place: place)
    }

    /// Logs an error that couldn't be thrown.
    func report(_ error: Realm.Error) {
        configuration.logger?.error("\(error)", metadata: ["realm": "\(configuration.name)"])
    }

    /// Logs an error that leaves a read without a result, immediately before the process traps.
    func reportUnanswered(_ error: Realm.Error) {
        configuration.logger?.critical("\(error)", metadata: ["realm": "\(configuration.name)"])
    }
}

extension Realm.Error {
    fileprivate static func clash(_ new: ClassSchema, _ old: ClassSchema) -> Realm.Error {
        Realm.Error(
            .invalidInput,
            "Two classes are named \(new.name): \(String(reflecting: old.type)) and "
                + "\(String(reflecting: new.type)). Rename one of them.", className: new.name)
    }
}

extension Realm.Durability {
    /// The equivalent value of the engine's type.
    var engineDurability: RegnumEngine.Durability {
        switch self {
        case .full: .full
        case .relaxed(let duration): .relaxed(withinNanoseconds: duration.nanosecondsClamped)
        }
    }
}

extension Duration {
    /// About 146 years; can be added to any clock without overflow.
    private static let longestNanoseconds = UInt64.max / 4

    /// The duration in nanoseconds, clamped between 0 and about 146 years.
    var nanosecondsClamped: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return Self.longestNanoseconds }
        let (sum, carry) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return carry ? Self.longestNanoseconds : min(sum, Self.longestNanoseconds)
    }
}

extension RealmCore {
    /// Returns the result of `body`, which reads `root`.
    ///
    /// - Throws: The errors of `body`, and damage that it encounters: it read zeros instead, so
    ///   everything built on them is invalid. The realm then looks for an intact copy.
    func checked<R>(
        _ root: DatabaseRoot, _ body: () throws(StoreError) -> R
    ) throws(Realm.Error) -> R {
        do throws(StoreError) {
            return try DamageWatch.check(on: root, body)
        } catch {
            throw failure(error)
        }
    }

    /// Returns the error to throw. After damage the realm looks for an intact copy.
    func failure(_ error: StoreError) -> Realm.Error {
        if error.code == .invalidDatabase || error.code == .ioFailed { coordinator.heal() }
        return Realm.Error(error)
    }

    /// The maximum size of a commit record in bytes. An in-memory realm writes no records, except
    /// where the self-check verifies them.
    var maximumRecordByteCount: Int {
        if case .memory = coordinator.options.place, !SelfCheck.isOn { return 0 }
        return Limits.maximumRecordBodyByteCount
    }

    /// The current time for commit records.
    func wallClockMicroseconds() -> Int64 {
        coordinator.options.fileSystem.wallClockMicroseconds()
    }
}
