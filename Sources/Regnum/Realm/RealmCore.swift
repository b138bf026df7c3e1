internal import FoundationEssentials
internal import Logging
internal import RegnumEngine
internal import RegnumStore

/// What everything that belongs to one realm shares: the coordinator and the classes that joined.
///
/// Held by the `Realm` actor, by live handles, streams and frozen values.
final class RealmCore: Sendable {
    let coordinator: Coordinator
    let configuration: Realm.Configuration
    let external: ExternalCommits
    /// What streams follow.
    let queries: MaintainedQueries
    let queryCounters = QueryCounters()
    /// What holds old versions in memory.
    let snapshots = SnapshotRegistry()
    /// What `deleteRules(in:)` found last.
    let knownDeleteRules = Guarded<KnownDeleteRules?>(nil)
    /// The names of the classes that tasks of this process drain.
    let drainedClasses = Guarded<Set<String>>([])
    private let classes = Guarded<[ObjectIdentifier: ClassEntry]>([:])
    private let actor = Guarded(WeakRealm())

    private struct WeakRealm {
        weak var realm: Realm?
    }

    /// Joins the listed classes. Their declarations must have been checked.
    init(_ coordinator: Coordinator, _ configuration: Realm.Configuration) {
        self.coordinator = coordinator
        self.configuration = configuration
        external = ExternalCommits(coordinator)
        queries = MaintainedQueries(coordinator)
        for type in configuration.objectTypes ?? [] { _ = join(type) }
    }

    /// Nobody holds the realm, nor anything of it: what a close does is done without waiting.
    deinit { coordinator.closeSoon() }

    /// The realm of a coordinator: the one that is open in this process, or a new one.
    ///
    /// - Parameter isFirst: whether nobody in this process may have it open.
    ///
    /// Returns nil if the coordinator is being closed. Throws `alreadyOpen` if it is open with another configuration; what is wrong with the
    /// classes of a new one.
    static func realm(
        _ coordinator: Coordinator, _ configuration: Realm.Configuration, isFirst: Bool = false
    ) throws(Realm.Error) -> Realm? {
        let isFit = coordinator.options.isReadOnly == configuration.readOnly
        var isNew = false
        let attached = coordinator.attached(mayMake: isFit) {
            isNew = true
            return RealmCore(coordinator, configuration)
        }
        guard let core = attached else {
            if !isFit { coordinator.closeSoon() }  // nobody uses it any more
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
                "The realm \"\(configuration.name)\" is open in this process with another "
                    + "configuration (\(differences.joined(separator: ", "))).")
        }
        let schema = coordinator.published.schema
        try core.checkSchemaVersion(schema)
        if !core.isMigrationDue(schema), let problem = core.schemaProblems(in: schema) {
            throw problem
        }
        try core.checkComplete(in: schema)
        return core.actor.withLock { actor in
            if let realm = actor.realm { return realm }
            let realm = Realm(core)
            actor.realm = realm
            return realm
        }
    }

    /// The class in this realm; it joins if it is new and there is no list of classes.
    ///
    /// - Precondition: the class is listed, if there is a list.
    func entry(for type: ObjectBase.Type) -> ClassEntry {
        if let known = classes.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        if type._storedType != type { return projectionEntry(for: type) }
        guard configuration.objectTypes == nil else {
            fatalError(
                "The class \(type) is not among the objectTypes of the realm "
                    + "\"\(configuration.name)\": add it to the list.")
        }
        return join(type)
    }

    /// As `entry(for:)`, for a class that the user did not name: throws `.invalidInput` where that
    /// traps.
    func listedEntry(for type: ObjectBase.Type) throws(Realm.Error) -> ClassEntry {
        if let known = classes.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        guard configuration.objectTypes == nil else {
            let name = _typeName(type, qualified: false)
            throw Realm.Error(
                .invalidInput,
                "The class \(name), which a listed class links to, is not among the objectTypes of "
                    + "the realm \"\(configuration.name)\": add it to the list.", className: name)
        }
        return join(type)
    }

    /// The class of that name, if it has joined.
    func knownEntry(named name: String) -> ClassEntry? {
        classes.withLock { $0.values.first { $0.schema.name == name } }
    }

    /// How many classes have joined.
    var joinedClassCount: Int { classes.withLock { $0.count } }

    /// The classes that have joined.
    var joinedSchemas: [ClassSchema] { classes.withLock { $0.values.map(\.schema) } }

    private func join(_ type: ObjectBase.Type) -> ClassEntry {
        let type = type._storedType
        let schema = ClassSchema.of(type)
        return classes.withLock { classes in
            if let known = classes[ObjectIdentifier(type)] { return known }
            var problem = schema.declarationError
            let other = classes.values.first { $0.schema.name == schema.name }
            if problem == nil, let other, other.problem == nil {
                problem = .clash(schema, other.schema)
            }
            let entry = ClassEntry(
                schema: schema, problem: problem ?? schema.linkError,
                schemaVersion: configuration.schemaVersion)
            classes[ObjectIdentifier(type)] = entry
            return entry
        }
    }

    /// The actor, nil if nobody holds it any more.
    var openRealm: Realm? { actor.withLock { $0.realm } }

    /// The classes that have joined, and those that they link to where there is no list.
    var knownClasses: [ClassSchema] {
        let joined = classes.withLock { $0.values.filter { $0.problem == nil }.map(\.schema) }
        let all = joined.flatMap { configuration.objectTypes == nil ? $0.reachable : [$0] }
        var known: Set<ObjectIdentifier> = []
        return all.filter { known.insert(ObjectIdentifier($0.type)).inserted }
    }

    /// The classes that have joined.
    var entries: [ClassEntry] { classes.withLock { Array($0.values) } }

    /// What is wrong with the classes that have joined, as one error with a line for each problem;
    /// nil if nothing is.
    func schemaProblems(in database: DatabaseSchema) -> Realm.Error? {
        let errors = entries.sorted { $0.schema.name < $1.schema.name }
            .compactMap { $0.mapping(in: database).mismatch }
        guard var first = errors.first else { return nil }
        first.message = errors.map(\.message).joined(separator: "\n")
        return first
    }

    /// The newest published state, as a snapshot.
    func snapshot(_ place: CallPlace) -> SnapshotCore {
        SnapshotCore(realm: self, root: coordinator.published, place: place)
    }

    /// Logs an error that could not be thrown.
    func report(_ error: Realm.Error) {
        configuration.logger?.error("\(error)", metadata: ["realm": "\(configuration.name)"])
    }

    /// Logs an error that leaves a read without an answer, which ends the process.
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
    /// The durability as the store takes it.
    var engineDurability: RegnumEngine.Durability {
        switch self {
        case .full: .full
        case .relaxed(let duration): .relaxed(withinNanoseconds: duration.nanosecondsClamped)
        }
    }
}

extension Duration {
    /// About 146 years: added to any clock it does not overflow.
    private static let longestNanoseconds = UInt64.max / 4

    /// The duration in nanoseconds, between 0 and a very long one.
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
    /// Throws the damage that reads of a root have met, which gave zeros: what was built on them is
    /// void. The realm then looks for a sound copy.
    func checkUndamaged(_ root: DatabaseRoot) throws(StoreError) {
        guard let damage = root.damage else { return }
        coordinator.heal()
        throw damage
    }

    /// As `checkUndamaged`, for what a stream is about to deliver.
    func checkDelivery(of root: DatabaseRoot) throws(Realm.Error) {
        do throws(StoreError) {
            try checkUndamaged(root)
        } catch {
            throw Realm.Error(error)
        }
    }

    /// The most bytes that a commit record may have. A realm in memory needs none, and has them
    /// where they are checked.
    var recordByteCountMax: Int {
        if case .memory = coordinator.options.place, !SelfCheck.isOn { return 0 }
        return Limits.recordBodyByteCountMax
    }

    /// What commit records tell as their time.
    func wallClockMicroseconds() -> Int64 {
        coordinator.options.fileSystem.wallClockMicroseconds()
    }
}
