import Regnum
import RegnumSimulation
import RegnumTestSupport

/// A consumer of the stream of an object with a key.
final class ObjectWatch<Row: StreamModel>: StreamWatch {
    typealias Open =
        @Sendable (Realm, ChangePolicy, ChangeCursor?) throws -> ObjectChanges<Row>

    let name: String
    private let owner: MirrorOwner
    private let filter: MirrorFilter
    private let opens: Open
    private var stream: ObjectChanges<Row>.AsyncIterator?
    private var position: StreamPosition
    private var cursor: ChangeCursor?
    private var realm: Realm?
    private var random: SeededRandom

    init(
        _ key: MirrorValue, _ filter: MirrorFilter, _ filterName: String, _ policy: ChangePolicy,
        _ random: SeededRandom, _ open: @escaping Open
    ) {
        owner = MirrorOwner(kind: Row.mirrorClass, key: key)
        (self.filter, self.random, opens) = (filter, random, open)
        position = StreamPosition(policy)
        name = "\(Row.self) \(key), \(filterName), \(policy)"
    }

    private func open(_ realm: Realm, since cursor: ChangeCursor?) throws {
        stream = try opens(realm, position.policy, cursor).makeAsyncIterator()
        self.realm = realm
    }

    func begin(_ realm: Realm, _ record: StreamRecord) async throws {
        try open(realm, since: nil)
        position.begin(record)
        if random.oneIn(3) { return }
        try await pullInitial(record)
    }

    func resume(_ realm: Realm, _ record: StreamRecord) async throws {
        // Elements have no version, so it couldn't be seen which step a comparison reports.
        guard position.hasBegun, let cursor, cursor.version == position.version,
            !position.isCompared
        else { return try await begin(realm, record) }
        try open(realm, since: cursor)
        position.resume(record)
    }

    private func next() async throws -> ObjectChange<Row>? {
        guard var stream else { return nil }
        let element = try await stream.next(isolation: #isolation)
        self.stream = stream
        return element
    }

    private func pullInitial(_ record: StreamRecord) async throws {
        position.hasBegun = true
        let world = record.world(position.version)
        guard case .initial(let object)? = try await next() else {
            throw StreamFailure.missing(
                "no initial object", from: position.version, to: position.version)
        }
        try check(object, owner.row(world), [world], "initial")
    }

    private func check(
        _ object: Frozen<Row>?, _ serial: Int?, _ worlds: [MirrorWorld], _ what: String
    ) throws {
        try requireEqual(object.map(Row.serial), serial, what)
        if let object { try Row.check(object, worlds, what) }
    }

    func pull(_ record: StreamRecord) async throws {
        if !position.hasBegun { try await pullInitial(record) }
        while let step = nextStep(record) {
            try await pull(record, step)
            position.reach(step.to)
        }
        if position.version == record.version { cursor = realm?.snapshot().cursor }
    }

    private func nextStep(_ record: StreamRecord) -> (from: UInt64, to: UInt64)? {
        position.steps(record).first { from, to in
            let step =
                position.isCompared ? record.comparison(from, to) : record.step(from, to)
            let (old, new) = (owner.row(step.old), owner.row(step.new))
            return old != new || old.map { !step.names($0, filter).isEmpty } ?? false
        }
    }

    private func pull(
        _ record: StreamRecord, _ place: (from: UInt64, to: UInt64)
    ) async throws {
        let first = position.policy == .everyCommit ? position.version : place.from
        let olds = (first...place.from).map { record.world($0) }
        let step = record.step(place.from, place.to)
        let (old, new) = (owner.row(step.old), owner.row(step.new))
        if let old, old == new {
            guard case .changed(let before, let after, let told)? = try await next() else {
                throw StreamFailure.missing(
                    "no change of \(old)", from: place.from, to: place.to)
            }
            try check(before, old, olds, "before")
            try check(after, old, [step.new], "after")
            if position.isCompared {
                let must = record.comparison(place.from, place.to).names(old, filter)
                let may = record.possibility(place.from, place.to).names(old, filter)
                guard Set(told).isSuperset(of: must), Set(told).isSubset(of: may) else {
                    throw StreamFailure("\(told) is reported, expected \(must) to \(may)")
                }
            } else {
                try requireEqual(told, step.names(old, filter), "properties")
            }
            return
        }
        if old != nil {
            guard case .deleted(let object)? = try await next() else {
                throw StreamFailure.missing("no deletion", from: place.from, to: place.to)
            }
            try check(object, old, olds, "deleted")
        }
        if new != nil {
            guard case .inserted(let object)? = try await next() else {
                throw StreamFailure.missing("no insertion", from: place.from, to: place.to)
            }
            try check(object, new, [step.new], "inserted")
        }
    }

    func end(_ record: StreamRecord) async throws {
        guard let element = try await next() else { return }
        if position.isCompared, case .changed = element { return }
        throw StreamFailure("after the last version there is \(element)")
    }
}

extension ObjectWatch where Row: StreamQueried & Object {
    convenience init(
        _ key: MirrorValue, _ filter: StreamFilter<Row>, _ policy: ChangePolicy,
        _ random: SeededRandom, _ live: @escaping @Sendable (Realm) -> Live<Row>
    ) {
        self.init(
            key, filter.mirror, filter.name, policy, random,
            { realm, policy, cursor in
                let handle = live(realm)
                switch filter {
                case .deep(0) where policy == .coalesce && cursor == nil: return handle.changes
                case .deep(let depth):
                    return handle.changes(depth: depth, policy: policy, since: cursor)
                case .paths(let paths, isTyped: true):
                    let keyPaths = paths.compactMap { $0.typed?() }
                    return handle.changes(keyPaths: keyPaths, policy: policy, since: cursor)
                case .paths(let paths, isTyped: false):
                    let keyPaths = paths.map(\.text)
                    return try handle.changes(keyPaths: keyPaths, policy: policy, since: cursor)
                }
            })
    }
}

/// A consumer of the commits.
final class CommitWatch: StreamWatch {
    private var stream: CommitSequence.AsyncIterator?
    private var version: UInt64 = 0
    private var cursor: ChangeCursor?

    let name = "commits"

    func begin(_ realm: Realm, _ record: StreamRecord) async throws {
        stream = realm.commits.makeAsyncIterator()
        version = record.version
        cursor = realm.snapshot().cursor
    }

    func resume(_ realm: Realm, _ record: StreamRecord) async throws {
        guard let cursor else { return try await begin(realm, record) }
        stream = realm.commits(since: cursor).makeAsyncIterator()
    }

    private func next() async throws -> CommitNotice? {
        guard var stream else { return nil }
        let element = try await stream.next(isolation: #isolation)
        self.stream = stream
        return element
    }

    func pull(_ record: StreamRecord) async throws {
        for commit in record.commits(version, record.version) {
            guard let notice = try await next() else {
                throw StreamFailure.missing("no commit", from: version, to: commit.version)
            }
            try requireEqual(notice.version, commit.version, "version")
            try requireEqual(notice.cursor.version, commit.version, "cursor")
            try requireEqual(notice.origin, commit.origin, "origin")
            let names = record.touchedClasses(commit.version).map { name in
                String(name.prefix { $0 != "." })
            }
            try requireEqual(notice.classNames, Set(names).sorted(), "classNames")
            version = commit.version
            cursor = notice.cursor
        }
    }

    func end(_ record: StreamRecord) async throws {
        if let element = try await next() {
            throw StreamFailure("after the last version there is \(element)")
        }
    }
}
