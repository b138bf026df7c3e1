import Regnum
import RegnumSimulation
import RegnumTestSupport

/// A consumer of a collection's stream.
final class CollectionWatch<Row: StreamModel>: StreamWatch {
    private let followed: StreamFollowed<Row>
    private var stream: CollectionChanges<Row>.AsyncIterator?
    private var position: StreamPosition
    private var cursor: ChangeCursor?
    /// Built from the change sets alone.
    private var mirror: [Int] = []
    /// The last collection.
    private var last: FrozenResults<Row>?
    private var random: SeededRandom

    private var filter: MirrorFilter { followed.filter }

    init(_ followed: StreamFollowed<Row>, _ policy: ChangePolicy, _ random: SeededRandom) {
        self.followed = followed
        self.random = random
        position = StreamPosition(policy)
    }

    var name: String { "\(followed.name), \(position.policy)" }

    private func open(_ realm: Realm, since cursor: ChangeCursor?) throws {
        stream = try followed.open(realm, position.policy, cursor).makeAsyncIterator()
    }

    func begin(_ realm: Realm, _ record: StreamRecord) async throws {
        try open(realm, since: nil)
        position.begin(record)
        if random.oneIn(3) { return }
        try await pullInitial(record)
    }

    func resume(_ realm: Realm, _ record: StreamRecord) async throws {
        guard position.hasBegun, let cursor else { return try await begin(realm, record) }
        try open(realm, since: ChangeCursor(cursor.description))
        position.resume(record)
        last = nil  // it may be of another realm
    }

    private func next() async throws -> CollectionChange<Row>? {
        guard var stream else { return nil }
        let element = try await stream.next(isolation: #isolation)
        self.stream = stream
        return element
    }

    private func entries(_ world: MirrorWorld) -> [MirrorEntry] {
        followed.entries(world)
    }

    private func pullInitial(_ record: StreamRecord) async throws {
        position.hasBegun = true
        guard case .initial(let collection)? = try await next() else {
            throw StreamFailure.missing(
                "no initial collection", from: position.version, to: position.version)
        }
        let world = record.world(position.version)
        try requireEqual(collection.version, world.version, "initial version")
        try requireEqual(collection.cursor.version, world.version, "initial cursor")
        mirror = collection.map(Row.serial)
        try requireEqual(mirror, entries(world).map(\.serial), "initial")
        for object in collection { try Row.check(object, [world], "initial") }
        last = collection
        cursor = collection.cursor
    }

    func pull(_ record: StreamRecord) async throws {
        if !position.hasBegun { try await pullInitial(record) }
        while let step = nextStep(record) {
            guard case .update(let collection, let delta)? = try await next() else {
                throw StreamFailure.missing(
                    "no update from \(step.from) to \(step.to)", from: step.from, to: step.to)
            }
            try check(record, position.told(step, delta.version, record), collection, delta)
        }
    }

    /// Returns the step of the next element; `nil` if no element is due.
    private func nextStep(_ record: StreamRecord) -> (from: UInt64, to: UInt64)? {
        position.steps(record).first { from, to in
            if position.isCompared { return isDue(record.comparison(from, to)) }
            let step = record.step(from, to)
            return !expected(entries(step.old), entries(step.new), step).isEmpty
        }
    }

    /// Whether a comparison of two versions is guaranteed to show a difference.
    private func isDue(_ step: MirrorStep) -> Bool {
        let (old, new) = (entries(step.old), entries(step.new))
        return old.map(\.serial) != new.map(\.serial)
            || new.contains { !step.names($0.serial, filter).isEmpty }
    }

    private func check(
        _ record: StreamRecord, _ step: (from: UInt64, to: UInt64),
        _ collection: FrozenResults<Row>, _ delta: ChangeSet<Row>
    ) throws {
        let first = position.policy == .everyCommit ? position.version : step.from
        let olds = (first...step.from).map { record.world($0) }
        let net = record.step(step.from, step.to)
        let (old, new) = (entries(net.old), entries(net.new))
        let change: MirrorChange
        do {
            if position.isCompared {
                change = try told(delta, old, new, record, step)
            } else {
                change = expected(old, new, net)
            }
            try check(delta, change, old, new, olds, net.new)
            try requireEqual(delta.version, step.to, "version")
            try requireEqual(delta.cursor.version, step.to, "cursor")
            try followed.interest.check(delta.origins, record, step)
            try apply(delta, collection, new, net.new)
            if let last { try Row.checkEquality(last, collection, record) }
        } catch {
            throw StreamFailure(
                "\(error)\n  from \(step.from) \(old.map(\.serial)) to \(step.to) "
                    + "\(new.map(\.serial)): \(expected(old, new, net))")
        }
        position.reach(step.to)
        last = collection
        cursor = delta.cursor
    }

    private func expected(
        _ old: [MirrorEntry], _ new: [MirrorEntry], _ step: MirrorStep
    ) -> MirrorChange {
        let stays: [Int]
        if followed.owner?.row(step.old) != followed.owner?.row(step.new) {
            stays = old.map { _ in -1 }
        } else if followed.isList {
            stays = MirrorPositions.listed(old, new)
        } else {
            stays = sorted(old, new, step)
        }
        return MirrorChange(old, new, stays: stays) { step.names($0, filter) }
    }

    private func sorted(
        _ old: [MirrorEntry], _ new: [MirrorEntry], _ step: MirrorStep
    ) -> [Int] {
        MirrorPositions.sorted(old, new) { serial in
            guard let before = step.old[serial], let after = step.new[serial] else { return true }
            return step.own[serial] != nil
                || zip(followed.sortValues(step.old, before), followed.sortValues(step.new, after))
                    .contains { MirrorValue.compare($0, $1) != 0 }
        }
    }

    /// Returns the change reported by a comparison of versions, after checking that it includes
    /// everything that is guaranteed to differ and nothing that was not modified.
    private func told(
        _ delta: ChangeSet<Row>, _ old: [MirrorEntry], _ new: [MirrorEntry],
        _ record: StreamRecord, _ step: (from: UInt64, to: UInt64)
    ) throws -> MirrorChange {
        let (gone, come) = (Set(delta.deletions), Set(delta.insertions))
        let places = new.indices.filter { !come.contains($0) }
        let staying = old.indices.filter { !gone.contains($0) }
        try requireEqual(staying.count, places.count, "the number that stays")
        var stays = [Int](repeating: -1, count: old.count)
        for (position, place) in zip(staying, places) { stays[position] = place }
        let must = record.comparison(step.from, step.to)
        let may = record.possibility(step.from, step.to)
        // Where both agree on the objects that changed, the positions are determined.
        if !followed.isList, followed.owner == nil, Set(must.own.keys) == Set(may.own.keys) {
            try requireEqual(stays, sorted(old, new, must), "the positions that stay")
        }
        var told: [Int: [String]] = [:]
        for modified in delta.modified {
            told[Row.serial(modified.new)] = modified.properties
        }
        for position in staying {
            let serial = old[position].serial
            let names = Set(told[serial] ?? [])
            if told[serial] != nil, may.names(serial, filter).isEmpty {
                throw StreamFailure("\(serial) is reported, but was not modified")
            }
            guard names.isSuperset(of: must.names(serial, filter)),
                names.isSubset(of: may.names(serial, filter))
            else {
                throw StreamFailure(
                    "\(serial): \(names) is reported, expected \(must.names(serial, filter)) to "
                        + "\(may.names(serial, filter))")
            }
        }
        // An object that was set to its old value may be reported without a name.
        return MirrorChange(old, new, stays: stays) {
            told[$0].map { $0.isEmpty ? ["?"] : $0 } ?? []
        }
    }

    private func check(
        _ delta: ChangeSet<Row>, _ expected: MirrorChange, _ old: [MirrorEntry],
        _ new: [MirrorEntry], _ olds: [MirrorWorld], _ world: MirrorWorld
    ) throws {
        if expected.isEmpty { throw StreamFailure("an element without changes") }
        try requireEqual(delta.deletions, expected.deletions, "deletions")
        try requireEqual(delta.insertions, expected.insertions, "insertions")
        try requireEqual(delta.modifications, expected.modifications, "modifications")
        try requireEqual(delta.newModifications, expected.newModifications, "newModifications")
        try requireEqual(
            delta.deleted.map(Row.serial), expected.deletions.map { old[$0].serial }, "deleted")
        for object in delta.deleted { try Row.check(object, olds, "deleted") }
        try requireEqual(
            delta.inserted.map(Row.serial), expected.insertions.map { new[$0].serial },
            "inserted")
        for object in delta.inserted { try Row.check(object, [world], "inserted") }
        let modified = expected.modifications.map { old[$0].serial }
        try requireEqual(delta.modified.map { Row.serial($0.old) }, modified, "modified, old")
        try requireEqual(delta.modified.map { Row.serial($0.new) }, modified, "modified, new")
        if !position.isCompared {
            try requireEqual(delta.modified.map(\.properties), expected.properties, "properties")
        }
        for object in delta.modified {
            try Row.check(object.old, olds, "modified, old")
            try Row.check(object.new, [world], "modified, new")
        }
    }

    /// Updates the mirror to the new collection, by the positions or by the standard difference.
    private func apply(
        _ delta: ChangeSet<Row>, _ collection: FrozenResults<Row>, _ new: [MirrorEntry],
        _ world: MirrorWorld
    ) throws {
        try requireEqual(collection.version, world.version, "the collection's version")
        let serials = collection.map(Row.serial)
        try requireEqual(serials, new.map(\.serial), "the collection")
        if let position = serials.indices.randomElement(using: &random) {
            try Row.check(collection[position], [world], "collection[\(position)]")
        }
        if random.oneIn(4) {
            let changes = delta.difference.map { $0.mapped(Row.serial) }
            guard let difference = CollectionDifference(changes),
                let applied = mirror.applying(difference)
            else { throw StreamFailure("the difference cannot be applied") }
            mirror = applied
        } else {
            for position in delta.deletions.reversed() { mirror.remove(at: position) }
            for (position, object) in zip(delta.insertions, delta.inserted) {
                mirror.insert(Row.serial(object), at: position)
            }
        }
        try requireEqual(mirror, serials, "the mirror")
    }

    func end(_ record: StreamRecord) async throws {
        guard let element = try await next() else { return }
        // A comparison may show a property that was set to its old value.
        if position.isCompared, case .update(_, let delta) = element {
            for step in position.steps(record) where step.to == delta.version {
                let net = record.step(step.from, step.to)
                _ = try told(delta, entries(net.old), entries(net.new), record, step)
                return
            }
        }
        throw StreamFailure("after the last version there is \(element)")
    }
}

extension CollectionDifference.Change {
    /// Returns the same change with a transformed element.
    func mapped<T>(_ transform: (ChangeElement) -> T) -> CollectionDifference<T>.Change {
        switch self {
        case .insert(let offset, let element, let other):
            .insert(offset: offset, element: transform(element), associatedWith: other)
        case .remove(let offset, let element, let other):
            .remove(offset: offset, element: transform(element), associatedWith: other)
        }
    }
}
