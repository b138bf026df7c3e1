import Regnum
import RegnumSimulation
import RegnumTestSupport

/// A consumer of the stream of a list or set of values, or of a collection in an any-typed value.
final class ValueWatch<Value: ScalarValue & Sendable>: StreamWatch {
    private let owner: MirrorOwner
    private let place: String
    private let find: @Sendable (MirrorRow) -> [MirrorSlot]
    private let interest: MirrorInterest
    private let live: @Sendable (Realm) -> LiveValues<Value>
    private let plain: @Sendable (Value) -> MirrorValue
    private var stream: ValueChanges<Value>.AsyncIterator?
    private var position: StreamPosition
    private var cursor: ChangeCursor?
    private var mirror: [MirrorValue] = []
    private var random: SeededRandom

    convenience init(
        _ owner: MirrorOwner, _ property: Int, _ policy: ChangePolicy, _ random: SeededRandom,
        _ plain: @escaping @Sendable (Value) -> MirrorValue,
        _ live: @escaping @Sendable (Realm) -> LiveValues<Value>
    ) {
        let interest = MirrorInterest(
            kind: nil, linked: [], own: .values(property), owner: owner)
        self.init(
            owner, owner.kind.properties[property].name, policy, random, plain, live,
            interest: interest, { $0.slots(property) })
    }

    init(
        _ owner: MirrorOwner, _ place: String, _ policy: ChangePolicy, _ random: SeededRandom,
        _ plain: @escaping @Sendable (Value) -> MirrorValue,
        _ live: @escaping @Sendable (Realm) -> LiveValues<Value>, interest: MirrorInterest,
        _ find: @escaping @Sendable (MirrorRow) -> [MirrorSlot]
    ) {
        (self.owner, self.place, self.random) = (owner, place, random)
        (self.plain, self.live, self.interest, self.find) = (plain, live, interest, find)
        position = StreamPosition(policy)
    }

    var name: String { "\(owner.key).\(place), \(position.policy)" }

    func begin(_ realm: Realm, _ record: StreamRecord) async throws {
        stream = live(realm).changes(policy: position.policy).makeAsyncIterator()
        position.begin(record)
        if random.oneIn(3) { return }
        try await pullInitial(record)
    }

    func resume(_ realm: Realm, _ record: StreamRecord) async throws {
        guard position.hasBegun, let cursor else { return try await begin(realm, record) }
        stream = live(realm).changes(policy: position.policy, since: cursor).makeAsyncIterator()
        position.resume(record)
    }

    private func next() async throws -> ValueChange<Value>? {
        guard var stream else { return nil }
        let element = try await stream.next(isolation: #isolation)
        self.stream = stream
        return element
    }

    private func slots(_ world: MirrorWorld) -> [MirrorSlot] {
        owner.row(world).flatMap { world[$0] }.map(find) ?? []
    }

    private func pullInitial(_ record: StreamRecord) async throws {
        position.hasBegun = true
        guard case .initial(let values)? = try await next() else {
            throw StreamFailure.missing(
                "no initial values", from: position.version, to: position.version)
        }
        mirror = values.map(plain)
        try requireEqual(mirror, slots(record.world(position.version)).map(\.value), "initial")
        cursor = values.cursor
    }

    func pull(_ record: StreamRecord) async throws {
        if !position.hasBegun { try await pullInitial(record) }
        while let step = nextStep(record) {
            guard case .update(let values, let delta)? = try await next() else {
                throw StreamFailure.missing(
                    "no update from \(step.from) to \(step.to)", from: step.from, to: step.to)
            }
            let step = position.told(step, delta.version, record)
            do {
                try check(record, step, values, delta)
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
            if position.isCompared {
                let (old, new) = (slots(record.world(from)), slots(record.world(to)))
                return old.map(\.value) != new.map(\.value)
            }
            return !expected(record.step(from, to)).isEmpty
        }
    }

    private func expected(_ step: MirrorStep) -> MirrorChange {
        let (old, new) = (slots(step.old), slots(step.new))
        let stays = old.map { slot in new.firstIndex { $0.identity == slot.identity } ?? -1 }
        let entries = { (slots: [MirrorSlot]) in
            slots.map { MirrorEntry(serial: $0.element, slot: $0.identity) }
        }
        return MirrorChange(entries(old), entries(new), stays: stays) { element in
            step.commits.contains { $0.slotsSet.contains(element) } ? ["value"] : []
        }
    }

    private func check(
        _ record: StreamRecord, _ place: (from: UInt64, to: UInt64),
        _ values: FrozenValues<Value>, _ delta: ValueChangeSet<Value>
    ) throws {
        let step = record.step(place.from, place.to)
        let (old, new) = (slots(step.old).map(\.value), slots(step.new).map(\.value))
        if !position.isCompared {
            let expected = expected(step)
            try requireEqual(delta.deletions, expected.deletions, "deletions")
            try requireEqual(delta.insertions, expected.insertions, "insertions")
            try requireEqual(delta.modifications, expected.modifications, "modifications")
            try requireEqual(
                delta.newModifications, expected.newModifications, "newModifications")
        }
        try requireEqual(delta.version, place.to, "version")
        try requireEqual(values.map(plain), new, "the values")
        try requireEqual(delta.deleted.map(plain), delta.deletions.map { old[$0] }, "deleted")
        try requireEqual(delta.inserted.map(plain), delta.insertions.map { new[$0] }, "inserted")
        try requireEqual(
            delta.modified.map { plain($0.old) }, delta.modifications.map { old[$0] },
            "modified, old")
        try requireEqual(
            delta.modified.map { plain($0.new) }, delta.newModifications.map { new[$0] },
            "modified, new")
        try interest.check(delta.origins, record, place)
        if random.oneIn(3) {
            let changes = delta.difference.map { $0.mapped(plain) }
            guard let difference = CollectionDifference(changes),
                let applied = mirror.applying(difference)
            else { throw StreamFailure("the difference cannot be applied") }
            mirror = applied
        } else {
            for position in delta.deletions.reversed() { mirror.remove(at: position) }
            for position in delta.insertions { mirror.insert(new[position], at: position) }
            for position in delta.newModifications { mirror[position] = new[position] }
        }
        try requireEqual(mirror, new, "the mirror")
    }

    func end(_ record: StreamRecord) async throws {
        guard let element = try await next() else { return }
        if position.isCompared { return }
        throw StreamFailure("after the last version there is \(element)")
    }
}

extension ValueWatch where Value == FrozenAnyValue {
    /// Watches the collection at a path in the any-typed value of a dog.
    convenience init(
        _ owner: MirrorOwner, _ path: [StreamNoteStep], _ policy: ChangePolicy,
        _ random: SeededRandom, _ live: @escaping @Sendable (Realm) -> LiveValues<Value>
    ) {
        self.init(
            owner, "note\(path)", policy, random, { $0.mirrorTree.flat }, live,
            interest: .note(of: owner), { $0.tree(MirrorClass.note).slots(path) })
    }
}

extension MirrorTree {
    /// Returns the slots of the collection at a path, whatever its kind.
    func slots(_ path: [StreamNoteStep]) -> [MirrorSlot] {
        (at(path[...])?.nodes ?? []).map { node in
            MirrorSlot(
                identity: node.identity, element: node.identity, value: node.tree.flat,
                key: node.key)
        }
    }
}

extension MirrorInterest {
    /// Any change in the any-typed value of a dog modifies the dog.
    static func note(of owner: MirrorOwner) -> MirrorInterest {
        MirrorInterest(kind: nil, linked: [], own: .none, owner: owner)
    }
}
