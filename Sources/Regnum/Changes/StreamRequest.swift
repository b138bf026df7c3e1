internal import RegnumEngine
internal import RegnumStore

/// The parameters of a stream.
///
/// A class, because iterators, change sets and suspended tasks share it.
final class StreamRequest: Sendable {
    let realm: RealmCore
    /// The class of the objects; for a list of values or a map, the class of the objects that own
    /// it.
    let entry: ClassEntry
    /// The class of the owner of a list or inverse of objects; for a map of objects, and for values
    /// that are stored as embedded objects, the class of these objects.
    let otherEntry: ClassEntry?
    /// The call site that created the stream's handle.
    let place: CallPlace
    let plan: _Plan
    let query: StreamQuery
    private let filter: KeyPathFilter
    let policy: ChangePolicy
    let since: ChangeCursor?
    /// The labels of the commits that are skipped.
    private let excluded: Set<StoredText>
    /// Whether elements need the previous result. Otherwise results are edited in place.
    let keepsOld: Bool
    /// Whether commits that concern the stream but don't change the result are also delivered.
    let deliversAll: Bool
    /// Whether a closure of the caller is called with the objects of each version, and can read any
    /// object that they lead to.
    private let callsClosure: Bool

    /// - Parameter dependencies: The classes, by their declarations, whose changes concern the
    ///   stream; `nil` for those that the filter reaches from the class of the objects.
    init(
        realm: RealmCore, entry: ClassEntry, otherEntry: ClassEntry? = nil, place: CallPlace,
        plan: _Plan, owner: CollectionOwner? = nil, filter: KeyPathFilter,
        dependencies: Set<StoredText>? = nil, policy: ChangePolicy, since: ChangeCursor?,
        excluded: Set<String>, keepsOld: Bool = false, deliversAll: Bool = false,
        callsClosure: Bool = false
    ) {
        self.realm = realm
        self.entry = entry
        self.otherEntry = otherEntry
        self.place = place
        self.plan = plan
        query = StreamQuery(
            plan.plan, owner: owner, filter: filter.filter,
            declaredDependencies: dependencies ?? entry.schema.dependencies(filter.filter))
        self.filter = filter
        self.policy = policy
        self.since = since
        self.excluded = Set(excluded.map { StoredText($0) })
        self.keepsOld = keepsOld
        self.deliversAll = deliversAll
        self.callsClosure = callsClosure
    }

    /// Whether the stream needs each commit separately.
    var isStepwise: Bool { policy == .everyCommit || isSelective }

    /// Whether the stream skips commits.
    var isSelective: Bool { !excluded.isEmpty }

    /// Whether the changes of commits with a label aren't delivered.
    func excludes(_ origin: String?) -> Bool {
        guard isSelective, let origin else { return false }
        return excluded.contains(StoredText(origin))
    }

    /// Returns the class at a version.
    func table(_ root: DatabaseRoot) -> FrozenTable {
        FrozenTable(SnapshotCore(realm: realm, root: root, place: place), entry)
    }

    /// Throws the error of the query at a version, or the mismatch of a class that the stream
    /// reads: that of the objects, that of the owner of a collection, those whose links lead to the
    /// object or the owner, those that conditions and sorts lead to, and those of the objects that
    /// it follows.
    ///
    /// - Parameter old: The version that the stream has reached. If a newer program has migrated
    ///   the realm since, properties that it has replaced are errors too.
    func checkClasses(
        at root: DatabaseRoot, since old: DatabaseRoot? = nil
    ) throws(Realm.Error) {
        if let problem = problem(in: root.schema) { throw problem }
        if let old, old.schema.version < root.schema.version,
            let problem = problem(in: old.schema, before: root.schema)
        {
            throw problem
        }
    }

    /// Like `checkClasses(at:)`, for a version that is read from history. Throws `.historyTrimmed`
    /// if a migration has changed, renamed or replaced a property since then: the stream can't tell
    /// what it would have shown at that version. The classes along key paths are checked too, since
    /// the paths don't lead to properties that had another name or form; if a closure is called,
    /// those that it can read; and if there is a depth, the properties of the classes within it
    /// that were replaced, since that changed objects without setting anything.
    ///
    /// Throws `.schemaMismatch` if the newest version can't be read, because another program has
    /// changed it while the stream was behind: history isn't what the stream lacks.
    func checkClasses(
        at past: DatabaseRoot, before newest: DatabaseRoot
    ) throws(Realm.Error) {
        if let problem = problem(in: newest.schema) { throw problem }
        guard
            let problem = problem(in: past.schema, before: newest.schema)
                ?? (callsClosure ? reachedProblem(in: past.schema, before: newest.schema) : nil)
        else { return }
        // a newer program has migrated the realm
        if past.schema.version > realm.configuration.schemaVersion { throw problem }
        throw trimmed(past, problem)
    }

    /// Throws `.historyTrimmed` if a migration has changed, renamed or replaced a property of a
    /// class that objects of a past version lead to: reading it would fail, or show a default.
    func checkObjects(
        at past: DatabaseRoot, before newest: DatabaseRoot
    ) throws(Realm.Error) {
        if let problem = reachedProblem(in: past.schema, before: newest.schema) {
            throw trimmed(past, problem)
        }
    }

    /// Returns the mismatch of a class to which the objects or values lead, or `nil`. Values of any
    /// type can lead to every class, including those that were removed.
    private func reachedProblem(
        in past: DatabaseSchema, before newest: DatabaseSchema
    ) -> Realm.Error? {
        let isOwn = equalUTF8(plan.plan.tableName, entry.schema.name)
        let schema = isOwn ? entry.schema : otherEntry?.schema
        var reached = ClassSchema.reachable(from: [schema].compactMap { $0 }) { $0.objectType }
        let isOfAny = entry.schema.property(withElements: plan.plan.tableName).map {
            entry.schema.properties[$0].shape.hasAnyValues
        }
        if isOfAny ?? false || reached.contains(where: \.hasAnyValues) {
            if let problem = past.removedClass(before: newest) { return problem }
            reached = ClassSchema.reachable(from: reached + realm.knownClasses) { $0.objectType }
        }
        return realm.mismatch(
            of: Set(reached.map { StoredText($0.name) }), from: entry.schema, in: past,
            before: newest, skipsUnlisted: true)
    }

    private func trimmed(_ past: DatabaseRoot, _ problem: Realm.Error) -> Realm.Error {
        Realm.Error(
            .historyTrimmed,
            "The stream can't continue from version \(past.version), because a migration has "
                + "changed what it reads. \(problem.withoutMigrationHint().message) Start again "
                + "without a cursor.",
            className: problem.className, property: problem.property)
    }

    private func problem(
        in schema: DatabaseSchema, before newest: DatabaseSchema? = nil
    ) -> Realm.Error? {
        var classes = plan.plan.linkedDependencies
        // properties along key paths are found by name
        if newest != nil || schema.version > realm.configuration.schemaVersion {
            classes.formUnion(pathClasses)
        }
        return entry.problem(in: schema, before: newest)
            ?? otherEntry?.problem(in: schema, before: newest)
            ?? query.owner.flatMap { realm.mismatch(along: $0, in: schema, before: newest) }
            ?? realm.mismatch(of: classes, from: entry.schema, in: schema, before: newest)
            ?? followedMismatch(in: schema)
            ?? newest.flatMap { newest in
                // the classes within the depth
                realm.replacement(
                    of: query.declaredDependencies, from: entry.schema, since: schema, newest)
            } ?? plan.firstProblem(in: schema)
    }

    /// Returns the mismatch of a class of which the stream follows objects, because of its depth or
    /// its key paths, with the schema of a newer program, or of another one that has stored a
    /// property with another type first: the consumer is expected to read these objects. Those of a
    /// class that isn't stored don't exist. `nil` for a schema from before a migration.
    private func followedMismatch(in schema: DatabaseSchema) -> Realm.Error? {
        guard schema.version >= realm.configuration.schemaVersion else { return nil }
        let classes = query.declaredDependencies.union(filter.ends).union(pathClasses)
            .filter { schema.table(named: $0.wrappedValue) != nil }
        return realm.mismatch(of: classes, from: entry.schema, in: schema, skipsUnlisted: true)
    }

    /// The classes that the key paths lead through.
    private var pathClasses: Set<StoredText> {
        guard case .paths(let paths) = query.filter else { return [] }
        return Set(paths.flatMap(\.linkedClasses))
    }

    /// Returns the names of a mark's properties, in order of declaration, inverses last.
    func propertyNames(_ mark: RowMarks.Mark, _ table: FrozenTable) -> [String] {
        guard case .paths = query.filter else {
            return table.propertyNames(mark.columns.columns, lists: mark.lists)
        }
        if let names = filter.names { return names.names(mark.paths.map { $0 }) }
        let properties = Set(mark.paths.map { filter.firstProperties[$0] }).sorted()
            .map { table.schema.properties[$0] }
        return (properties.filter(\.isStored) + properties.filter { !$0.isStored }).map(\.name)
    }
}

extension Realm.Error {
    /// The error of a stream with a negative depth; `nil` for other depths.
    static func negativeDepth(_ depth: Int, _ className: String) -> Realm.Error? {
        depth >= 0
            ? nil
            : Realm.Error(
                .invalidInput, "The depth of a stream can't be negative: \(depth).",
                className: className)
    }
}

extension ClassSchema {
    fileprivate var hasAnyValues: Bool { properties.contains { $0.shape.hasAnyValues } }
}

extension DatabaseSchema {
    /// Returns the error for a class of objects that was removed, or `nil` if none was.
    fileprivate func removedClass(before newest: DatabaseSchema) -> Realm.Error? {
        let removed = zip(tables, newest.tables).first { before, after in
            before.kind == .object && !before.isDropped && after.isDropped
        }
        guard let name = removed?.0.name else { return nil }
        return Realm.Error(
            .schemaMismatch, "\(name) was removed, and a value of any type can link to it.",
            className: name)
    }
}

extension ChangePath {
    /// The classes that have the properties of the path, except the first one.
    fileprivate var linkedClasses: [StoredText] {
        let linked = hops.map { StoredText($0.target) }
        guard case .backlinks(_, let target) = last else { return linked }
        return linked + [target]
    }
}

/// The version and the result that a stream delivered last.
struct StreamPlace: Sendable {
    let table: FrozenTable
    let result: MaintainedResult

    var root: DatabaseRoot { table.snapshot.root }
}

/// One element of a stream, before it is converted to the public types.
enum StreamElement {
    case initial(StreamPlace)
    /// Includes the previous result, if the stream keeps it, and the trace context of the commit,
    /// if it delivers each one.
    case update(
        from: FrozenTable, old: MaintainedResult?, to: StreamPlace, ResultChange,
        origins: [String], trace: String?)
}
