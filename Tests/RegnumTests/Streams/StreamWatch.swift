import Regnum

/// A consumer of a stream, and what it was told.
protocol StreamWatch: AnyObject {
    var name: String { get }
    /// Starts at the newest version, which the record ends with.
    func begin(_ realm: Realm, _ record: StreamRecord) async throws
    /// Takes all that there must be, and checks it. The realm shows the newest version.
    func pull(_ record: StreamRecord) async throws
    /// The realm is closed: there must be nothing more.
    func end() async throws
}

struct StreamFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func expectEqual<T: Equatable>(
    _ found: T, _ expected: T, _ what: @autoclosure () -> String
) throws {
    if found != expected {
        throw StreamFailure("\(what()): found \(found), expected \(expected)")
    }
}

/// Where the rows of a stream come from.
struct StreamSource<Model: StreamModel>: Sendable {
    let name: String
    /// Whether it has an order of its own that commits edit: that of a list.
    let isList: Bool
    /// The classes that it asks about.
    let classes: Set<String>
    let live: @Sendable (Realm) -> LiveResults<Model>
    let plain: @Sendable (MirrorWorld) -> [MirrorEntry]

    /// All objects of the class.
    static var all: StreamSource {
        StreamSource(
            name: "all", isList: false, classes: [Model.mirrorClass.name],
            live: { $0.objects(Model.self) },
            plain: { $0.serials(Model.mirrorClass).map { MirrorEntry(serial: $0) } })
    }
}

final class CollectionWatch<Model: StreamModel>: StreamWatch {
    let source: StreamSource<Model>
    let query: StreamQuery<Model>
    let filter: MirrorFilter
    let classes: Set<String>
    private var stream: CollectionChanges<Model>.AsyncIterator?
    /// The version that was delivered last.
    private var version: UInt64 = 0
    private var hasBegun = false
    /// Made of the change sets alone.
    private var mirror: [Int] = []
    private var random: SeededRandom

    init(
        _ source: StreamSource<Model>, _ query: StreamQuery<Model>, _ filter: MirrorFilter,
        _ random: SeededRandom
    ) {
        self.source = source
        self.query = query
        self.filter = filter
        self.random = random
        classes = source.classes.union(query.classes).union(Model.mirrorClass.contentNames)
    }

    var name: String { "\(query.name) of \(source.name), \(filter)" }

    func begin(_ realm: Realm, _ record: StreamRecord) async throws {
        stream = query.live(source.live(realm)).changes.makeAsyncIterator()
        version = record.version
        if random.isOneIn(3) { return }
        try await pullInitial(record)
    }

    private func next() async throws -> CollectionChange<Model>? {
        guard var stream else { return nil }
        let element = try await stream.next(isolation: #isolation)
        self.stream = stream
        return element
    }

    private func entries(_ world: MirrorWorld) -> [MirrorEntry] {
        query.select(world, source.plain(world))
    }

    private func pullInitial(_ record: StreamRecord) async throws {
        hasBegun = true
        guard case .initial(let collection)? = try await next() else {
            throw StreamFailure("no initial collection")
        }
        try expectEqual(collection.version, version, "initial version")
        mirror = collection.map(Model.serial)
        try expectEqual(mirror, entries(record.world(version)).map(\.serial), "initial")
        for object in collection { try check(object, record.world(version), "initial") }
    }

    func pull(_ record: StreamRecord) async throws {
        if !hasBegun { try await pullInitial(record) }
        let newest = record.version
        if version == newest { return }
        let step = record.step(version, newest)
        let (old, new) = (entries(step.old), entries(step.new))
        let expected = expect(old, new, step)
        guard !expected.isEmpty else { return }
        let origins = origins(record, newest)
        guard case .update(let collection, let delta)? = try await next() else {
            throw StreamFailure("no update")
        }
        do {
            try check(delta, expected, old, new, step)
            try expectEqual(delta.version, newest, "version")
            try expectEqual(delta.origins, origins, "origins")
            try apply(delta, collection, new, step)
        } catch {
            throw StreamFailure(
                "\(error)\n  from \(version) \(old.map(\.serial)) to \(newest) "
                    + "\(new.map(\.serial)): \(expected), origins \(origins)")
        }
        version = newest
    }

    /// The commits that the stream asks about, as far as they have labels.
    private func origins(_ record: StreamRecord, _ newest: UInt64) -> [String] {
        var origins: [String] = []
        for commit in record.commits(version, newest) {
            // the first one makes the classes
            guard let origin = commit.origin, !origins.contains(origin),
                commit.version == 1 || !record.touchedClasses(commit.version).isDisjoint(with: classes)
            else { continue }
            origins.append(origin)
        }
        return origins
    }

    private func expect(
        _ old: [MirrorEntry], _ new: [MirrorEntry], _ step: MirrorStep
    ) -> MirrorChange {
        let isListed = source.isList && query.sorts.isEmpty && query.distinct == nil
        let stays =
            isListed
            ? MirrorPositions.listed(old, new)
            : MirrorPositions.sorted(old, new) { serial in
                guard let before = step.old[serial], let after = step.new[serial] else {
                    return true
                }
                return step.own[serial] != nil
                    || zip(
                        query.sortValues(step.old, before), query.sortValues(step.new, after)
                    ).contains { MirrorValue.compare($0, $1) != 0 }
            }
        return MirrorChange(old, new, stays: stays) { step.names($0, filter) }
    }

    private func check(
        _ delta: ChangeSet<Model>, _ expected: MirrorChange, _ old: [MirrorEntry],
        _ new: [MirrorEntry], _ step: MirrorStep
    ) throws {
        try expectEqual(delta.deletions, expected.deletions, "deletions")
        try expectEqual(delta.insertions, expected.insertions, "insertions")
        try expectEqual(delta.modifications, expected.modifications, "modifications")
        try expectEqual(delta.newModifications, expected.newModifications, "newModifications")
        try expectEqual(
            delta.deleted.map(Model.serial), expected.deletions.map { old[$0].serial }, "deleted")
        for object in delta.deleted { try check(object, step.old, "deleted") }
        try expectEqual(
            delta.inserted.map(Model.serial), expected.insertions.map { new[$0].serial },
            "inserted")
        for object in delta.inserted { try check(object, step.new, "inserted") }
        let modified = expected.modifications.map { old[$0].serial }
        try expectEqual(delta.modified.map { Model.serial($0.old) }, modified, "modified, old")
        try expectEqual(delta.modified.map { Model.serial($0.new) }, modified, "modified, new")
        try expectEqual(delta.modified.map(\.properties), expected.properties, "properties")
        for object in delta.modified {
            try check(object.old, step.old, "modified, old")
            try check(object.new, step.new, "modified, new")
        }
    }

    private func check(_ object: Frozen<Model>, _ world: MirrorWorld, _ what: String) throws {
        let serial = Model.serial(object)
        try expectEqual(Model.content(object), world.content(serial), "\(what) \(serial)")
    }

    /// Brings the mirror to the new collection, by the positions or by the standard difference.
    private func apply(
        _ delta: ChangeSet<Model>, _ collection: FrozenResults<Model>, _ new: [MirrorEntry],
        _ step: MirrorStep
    ) throws {
        try expectEqual(collection.version, step.new.version, "the collection's version")
        let serials = collection.map(Model.serial)
        try expectEqual(serials, new.map(\.serial), "the collection")
        if let position = serials.indices.randomElement(using: &random) {
            try check(collection[position], step.new, "collection[\(position)]")
        }
        if random.isOneIn(4) {
            let changes = delta.difference.map { change -> CollectionDifference<Int>.Change in
                switch change {
                case .insert(let offset, let element, let other):
                    .insert(
                        offset: offset, element: Model.serial(element), associatedWith: other)
                case .remove(let offset, let element, let other):
                    .remove(
                        offset: offset, element: Model.serial(element), associatedWith: other)
                }
            }
            guard let difference = CollectionDifference(changes),
                let applied = mirror.applying(difference)
            else { throw StreamFailure("the difference cannot be applied") }
            mirror = applied
        } else {
            for position in delta.deletions.reversed() { mirror.remove(at: position) }
            for (position, object) in zip(delta.insertions, delta.inserted) {
                mirror.insert(Model.serial(object), at: position)
            }
        }
        try expectEqual(mirror, serials, "the mirror")
    }

    func end() async throws {
        if let element = try await next() {
            throw StreamFailure("after the last version there is \(element)")
        }
    }
}

extension MirrorClass {
    /// The class and those that hold the elements of its lists of values.
    var contentNames: Set<String> {
        Set([name] + properties.filter(\.kind.isValues).map { "\(name).\($0.name)" })
    }
}
