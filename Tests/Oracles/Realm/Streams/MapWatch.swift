import Regnum
import RegnumSimulation
import RegnumTestSupport

/// The changes, besides being set, that make an entry of a map count as modified.
enum MapFilter: Sendable {
    /// A map of values: nothing.
    case values
    /// A map of objects: changes of its object.
    case objects(MirrorClass, MirrorFilter)

    /// The classes of which any change concerns the map.
    var classes: Set<String> {
        switch self {
        case .values: []
        case .objects(let kind, let filter): filter.classes(kind).union([kind.name])
        }
    }

    func isHit(_ slot: MirrorSlot, _ step: MirrorStep) -> Bool {
        guard case .objects(_, let filter) = self, let serial = slot.value.int else { return false }
        return !step.names(serial, filter).isEmpty
    }
}

/// A consumer of the stream of a map.
final class MapWatch<Value: Sendable>: StreamWatch {
    typealias Open =
        @Sendable (Realm, ChangePolicy, ChangeCursor?) throws -> MapChanges<String, Value>
    /// Throws unless an object is as in one of the worlds.
    typealias Look = @Sendable (Value, [MirrorWorld], String) throws -> Void

    let name: String
    private let owner: MirrorOwner
    private let find: @Sendable (MirrorRow) -> [MirrorSlot]
    private let filter: MapFilter
    private let interest: MirrorInterest
    private let open: Open
    private let plain: @Sendable (Value) -> MirrorValue
    private let look: Look
    private var stream: MapChanges<String, Value>.AsyncIterator?
    private var position: StreamPosition
    private var cursor: ChangeCursor?
    private var mirror: [String] = []
    private var random: SeededRandom

    convenience init(
        _ owner: MirrorOwner, _ property: Int, _ filter: MapFilter, _ filterName: String,
        _ policy: ChangePolicy, _ random: SeededRandom,
        _ plain: @escaping @Sendable (Value) -> MirrorValue,
        look: @escaping Look = { _, _, _ in }, _ open: @escaping Open
    ) {
        let interest = MirrorInterest(
            kind: nil, linked: filter.classes, own: .values(property),
            owner: owner)
        self.init(
            owner, owner.kind.properties[property].name + filterName, filter, policy, random, plain,
            look: look, open, interest: interest, { $0.slots(property) })
    }

    init(
        _ owner: MirrorOwner, _ place: String, _ filter: MapFilter, _ policy: ChangePolicy,
        _ random: SeededRandom, _ plain: @escaping @Sendable (Value) -> MirrorValue,
        look: @escaping Look = { _, _, _ in }, _ open: @escaping Open, interest: MirrorInterest,
        _ find: @escaping @Sendable (MirrorRow) -> [MirrorSlot]
    ) {
        (self.owner, self.filter, self.random, self.find) = (owner, filter, random, find)
        (self.plain, self.look, self.open, self.interest) = (plain, look, open, interest)
        position = StreamPosition(policy)
        name = "\(owner.key).\(place), \(policy)"
    }

    func begin(_ realm: Realm, _ record: StreamRecord) async throws {
        stream = try open(realm, position.policy, nil).makeAsyncIterator()
        position.begin(record)
        if random.oneIn(3) { return }
        try await pullInitial(record)
    }

    func resume(_ realm: Realm, _ record: StreamRecord) async throws {
        guard position.hasBegun, let cursor else { return try await begin(realm, record) }
        stream = try open(realm, position.policy, cursor).makeAsyncIterator()
        position.resume(record)
    }

    private func next() async throws -> MapChange<String, Value>? {
        guard var stream else { return nil }
        let element = try await stream.next(isolation: #isolation)
        self.stream = stream
        return element
    }

    private func slots(_ world: MirrorWorld) -> [MirrorSlot] {
        owner.row(world).flatMap { world[$0] }.map(find) ?? []
    }

    private func expectMap(
        _ map: FrozenMap<String, Value>, _ world: MirrorWorld, _ what: String
    ) throws {
        let slots = slots(world)
        try expectKeys(map.keys, slots.map(\.key), what)
        try requireEqual(map.map { plain($0.value) }, slots.map(\.value), what)
        for entry in map { try look(entry.value, [world], what) }
        try requireEqual(map.version, world.version, "\(what), version")
    }

    private func expectKeys(_ found: [String], _ expected: [String], _ what: String) throws {
        try requireEqual(
            found.map { MirrorValue.text($0) }, expected.map { .text($0) }, what)
    }

    private func pullInitial(_ record: StreamRecord) async throws {
        position.hasBegun = true
        guard case .initial(let map)? = try await next() else {
            throw StreamFailure.missing(
                "no initial map", from: position.version, to: position.version)
        }
        try expectMap(map, record.world(position.version), "initial")
        mirror = map.keys
        cursor = map.cursor
    }

    func pull(_ record: StreamRecord) async throws {
        if !position.hasBegun { try await pullInitial(record) }
        while let step = nextStep(record) {
            guard case .update(let map, let delta)? = try await next() else {
                throw StreamFailure.missing(
                    "no update from \(step.from) to \(step.to)", from: step.from, to: step.to)
            }
            let step = position.told(step, delta.version, record)
            do {
                try check(record, step, map, delta)
            } catch {
                let (old, new) = (record.world(step.from), record.world(step.to))
                throw StreamFailure(
                    "\(error)\n  from \(step.from) \(slots(old)) to \(step.to) \(slots(new))")
            }
            position.reach(step.to)
            cursor = delta.cursor
        }
    }

    private func nextStep(_ record: StreamRecord) -> (from: UInt64, to: UInt64)? {
        position.steps(record).first { from, to in
            let step =
                position.isCompared ? record.comparison(from, to) : record.step(from, to)
            return !expected(step).isEmpty
        }
    }

    private func end(_ element: MapChange<String, Value>, _ record: StreamRecord) throws {
        // A comparison may show entries that were set to their old values.
        if position.isCompared, case .update(let map, let delta) = element {
            for step in position.steps(record) where step.to == delta.version {
                return try check(record, step, map, delta)
            }
        }
        throw StreamFailure("after the last version there is \(element)")
    }

    func end(_ record: StreamRecord) async throws {
        if let element = try await next() { try end(element, record) }
    }

    /// Keys, by what happened to them.
    private struct Told: Equatable {
        var deletions: [String] = []
        var insertions: [String] = []
        var modifications: [String] = []

        var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
    }

    private func expected(_ step: MirrorStep) -> Told {
        let (old, new) = (slots(step.old), slots(step.new))
        let (was, now) = (Set(old.map(\.identity)), Set(new.map(\.identity)))
        var told = Told()
        told.deletions = old.filter { !now.contains($0.identity) }.map(\.key)
        told.insertions = new.filter { !was.contains($0.identity) }.map(\.key)
        for slot in new where was.contains(slot.identity) {
            let isSet =
                step.lists == .counts
                ? old.first { $0.identity == slot.identity }?.value != slot.value
                : step.commits.contains { $0.slotsSet.contains(slot.element) }
            if isSet || filter.isHit(slot, step) { told.modifications.append(slot.key) }
        }
        return told
    }

    private func check(
        _ record: StreamRecord, _ place: (from: UInt64, to: UInt64),
        _ map: FrozenMap<String, Value>, _ delta: MapChangeSet<String, Value>
    ) throws {
        let step = record.step(place.from, place.to)
        let expected = expected(step)
        try expectKeys(delta.deletions, expected.deletions, "deletions")
        try expectKeys(delta.insertions, expected.insertions, "insertions")
        if position.isCompared {
            let told = Set(delta.modifications)
            let must = self.expected(record.comparison(place.from, place.to)).modifications
            let may = self.expected(record.possibility(place.from, place.to)).modifications
            guard told.isSuperset(of: must), told.isSubset(of: may) else {
                throw StreamFailure("\(told) is reported, expected \(must) to \(may)")
            }
        } else {
            try expectKeys(delta.modifications, expected.modifications, "modifications")
        }
        try requireEqual(delta.version, place.to, "version")
        try expectMap(map, step.new, "the map")
        try check(delta, slots(step.old), slots(step.new))
        let first = position.policy == .everyCommit ? position.version : place.from
        let olds = (first...place.from).map { record.world($0) }
        for value in delta.deleted + delta.modified.map(\.old) {
            try look(value, olds, "deleted, or modified, old")
        }
        for value in delta.inserted + delta.modified.map(\.new) {
            try look(value, [step.new], "inserted, or modified, new")
        }
        try interest.check(delta.origins, record, place)
        var known = mirror.map { MirrorValue.text($0) }
        known.removeAll { key in delta.deletions.contains { key == .text($0) } }
        known += delta.insertions.map { .text($0) }
        known.sort { MirrorValue.compare($0, $1) < 0 }
        try requireEqual(known, slots(step.new).map { .text($0.key) }, "the mirror")
        mirror = map.keys
    }

    private func check(
        _ delta: MapChangeSet<String, Value>, _ old: [MirrorSlot], _ new: [MirrorSlot]
    ) throws {
        func values(_ slots: [MirrorSlot], _ keys: [String]) -> [MirrorValue] {
            keys.compactMap { key in
                slots.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
            }
        }
        try requireEqual(
            delta.deleted.map(plain), values(old, delta.deletions), "deleted")
        try requireEqual(
            delta.inserted.map(plain), values(new, delta.insertions), "inserted")
        try requireEqual(
            delta.modified.map { plain($0.old) }, values(old, delta.modifications),
            "modified, old")
        try requireEqual(
            delta.modified.map { plain($0.new) }, values(new, delta.modifications),
            "modified, new")
    }
}

extension MapWatch where Value == FrozenAnyValue {
    /// Watches the dictionary at a path in the any-typed value of a dog.
    convenience init(
        _ owner: MirrorOwner, _ path: [StreamNoteStep], _ policy: ChangePolicy,
        _ random: SeededRandom, _ open: @escaping Open
    ) {
        self.init(
            owner, "note\(path) by keys", .values, policy, random, { $0.mirrorTree.flat }, open,
            interest: .note(of: owner),
            { row in
                let tree = row.tree(MirrorClass.note)
                return tree.at(path[...])?.isDictionary == true ? tree.slots(path) : []
            })
    }
}
