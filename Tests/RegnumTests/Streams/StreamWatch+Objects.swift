import Regnum

/// A consumer of the stream of a key.
final class ObjectWatch<Model: StreamModel>: StreamWatch {
    private let key: MirrorValue
    private let live: @Sendable (Realm) -> Live<Model>
    private let filter: MirrorFilter
    private var stream: ObjectChanges<Model>.AsyncIterator?
    private var version: UInt64 = 0
    private var hasBegun = false
    private var random: SeededRandom

    init(
        _ key: MirrorValue, _ filter: MirrorFilter, _ random: SeededRandom,
        _ live: @escaping @Sendable (Realm) -> Live<Model>
    ) {
        (self.key, self.filter, self.random, self.live) = (key, filter, random, live)
    }

    var name: String { "\(Model.mirrorClass.name) \(key), \(filter)" }

    func begin(_ realm: Realm, _ record: StreamRecord) async throws {
        stream = live(realm).changes.makeAsyncIterator()
        version = record.version
        if random.isOneIn(3) { return }
        try await pullInitial(record)
    }

    private func next() async throws -> ObjectChange<Model>? {
        guard var stream else { return nil }
        let element = try await stream.next(isolation: #isolation)
        self.stream = stream
        return element
    }

    private func row(_ world: MirrorWorld) -> Int? {
        world.row(Model.mirrorClass, key: key)?.serial
    }

    private func pullInitial(_ record: StreamRecord) async throws {
        hasBegun = true
        let world = record.world(version)
        guard case .initial(let object)? = try await next() else {
            throw StreamFailure("no initial object")
        }
        try check(object, row(world), world, "initial")
    }

    private func check(
        _ object: Frozen<Model>?, _ serial: Int?, _ world: MirrorWorld, _ what: String
    ) throws {
        try expectEqual(object.map(Model.serial), serial, what)
        guard let object, let serial else { return }
        try expectEqual(Model.content(object), world.content(serial), "\(what) \(serial)")
    }

    func pull(_ record: StreamRecord) async throws {
        if !hasBegun { try await pullInitial(record) }
        let newest = record.version
        if version == newest { return }
        let step = record.step(version, newest)
        let (old, new) = (row(step.old), row(step.new))
        if let old, old == new {
            let names = step.names(old, filter)
            if names.isEmpty { return }
            guard case .changed(let before, let after, let properties)? = try await next() else {
                throw StreamFailure("no change of \(old), \(names)")
            }
            try check(before, old, step.old, "before")
            try check(after, old, step.new, "after")
            try expectEqual(properties, names, "properties")
        } else {
            if old == nil, new == nil { return }
            if old != nil {
                guard case .deleted(let object)? = try await next() else {
                    throw StreamFailure("no deletion")
                }
                try check(object, old, step.old, "deleted")
            }
            if new != nil {
                guard case .inserted(let object)? = try await next() else {
                    throw StreamFailure("no insertion")
                }
                try check(object, new, step.new, "inserted")
            }
        }
        version = newest
    }

    func end() async throws {
        if let element = try await next() {
            throw StreamFailure("after the last version there is \(element)")
        }
    }
}

/// A consumer of the commits.
final class CommitWatch: StreamWatch {
    private var stream: CommitSequence.AsyncIterator?
    private var version: UInt64 = 0

    let name = "commits"

    func begin(_ realm: Realm, _ record: StreamRecord) async throws {
        stream = realm.commits.makeAsyncIterator()
        version = record.version
    }

    private func next() async throws -> CommitNotice? {
        guard var stream else { return nil }
        let element = try await stream.next(isolation: #isolation)
        self.stream = stream
        return element
    }

    func pull(_ record: StreamRecord) async throws {
        for commit in record.commits(version, record.version) {
            guard let notice = try await next() else { throw StreamFailure("no commit") }
            try expectEqual(notice.version, commit.version, "version")
            try expectEqual(notice.origin, commit.origin, "origin")
            try expectEqual(
                notice.classNames, record.touchedClasses(commit.version).sorted(), "classNames")
            version = commit.version
        }
    }

    func end() async throws {
        if let element = try await next() {
            throw StreamFailure("after the last version there is \(element)")
        }
    }
}
