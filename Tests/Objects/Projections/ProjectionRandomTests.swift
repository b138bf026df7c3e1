import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Random histories: streams of projections report exactly the changes of what the projection
/// names, and show the content of a plain model.
@Suite struct ProjectionRandomTests {
    typealias Guest = Cards.Guest
    typealias Card = Cards.Card

    // Covers 4.61, O20
    @Test(arguments: 0..<16) func streamsTellWhatTheProjectionNames(round: Int) async throws {
        let start = SeededRandom.seed() &+ UInt64(round)
        var random = SeededRandom(start)
        let realm = try await Realm.temporary(Cards.types)
        var world = GuestWorld()
        for _ in 0..<6 { world = try await Self.commit(world, realm, random.next()) }
        world.forget()
        var isEdited = false
        var all = Watch(realm.objects(Card.self), world) { _ in true }
        var old = Watch(realm.objects(Card.self).where { $0.age >= 50 }, world) { $0.age >= 50 }
        var one = realm.object(Card.self, forPrimaryKey: 1).changes.makeAsyncIterator()
        _ = try await all.stream.next(isolation: #isolation)
        _ = try await old.stream.next(isolation: #isolation)
        guard case .initial? = try await one.next(isolation: #isolation) else {
            Issue.record("no initial element, seed \(start)")
            return
        }
        var since = world
        for step in 0..<60 {
            let place: Comment = "seed \(start), step \(step)"
            world = try await Self.commit(world, realm, random.next())
            // Some elements cover several commits.
            if random.next() % 3 == 0 { continue }
            try await all.check(world, place)
            try await old.check(world, place)
            try await Self.check(&one, since, world, &isEdited, place)
            world.forget()
            since = world
            all.begin(since)
            old.begin(since)
        }
    }

    private static func commit(
        _ world: GuestWorld, _ realm: Realm, _ seed: UInt64
    ) async throws -> GuestWorld {
        try await realm.write { tx in
            var world = world
            var random = SeededRandom(seed)
            for _ in 0...random.next() % 4 { try world.edit(tx, &random) }
            return world
        }
    }

    /// Checks the stream of the first guest, which is never deleted.
    private static func check(
        _ stream: inout ObjectChanges<Card>.AsyncIterator, _ old: GuestWorld, _ new: GuestWorld,
        _ isEdited: inout Bool, _ place: Comment
    ) async throws {
        var told = new.told(1, since: old)
        isEdited = isEdited || !told.may.isEmpty && told.may != told.must
        if told.must.isEmpty { return }
        // Also if it was edited earlier without anything to report.
        if isEdited { told.may.insert("friendNames") }
        isEdited = false
        guard case .changed(_, let card, let names)? = try await stream.next(isolation: #isolation)
        else {
            Issue.record("no change; \(place)")
            return
        }
        #expect(told.must.isSubset(of: names) && told.may.isSuperset(of: names), place)
        #expect(names == GuestWorld.names.filter { names.contains($0) }, place)
        #expect(card.firstName == new.guests[1]?.firstName, place)
    }
}

/// A stream of cards, and its expected elements.
private struct Watch {
    var stream: CollectionChanges<Cards.Card>.AsyncIterator
    private var old: GuestWorld
    private let finds: (GuestWorld.Guest) -> Bool
    /// Guests whose list was edited since the last element, with the same result.
    private var edited: Set<Int> = []

    init(
        _ cards: LiveResults<Cards.Card>, _ world: GuestWorld,
        finds: @escaping (GuestWorld.Guest) -> Bool
    ) {
        stream = cards.changes.makeAsyncIterator()
        old = world
        self.finds = finds
    }

    /// Sets the world from which the next element reports changes. If nothing had to be reported,
    /// the stream is still at an earlier world, which makes no difference: nothing that it names
    /// has changed.
    mutating func begin(_ world: GuestWorld) { old = world }

    /// Pulls an element if one is due, and compares it.
    mutating func check(_ new: GuestWorld, _ place: Comment) async throws {
        let (before, after) = (old.ids(finds), new.ids(finds))
        var told = Dictionary(
            uniqueKeysWithValues: before.filter { after.contains($0) }
                .map { ($0, new.told($0, since: old)) })
        edited.formUnion(told.filter { $0.value.may != $0.value.must }.keys)
        for id in edited { told[id]?.may.insert("friendNames") }
        if before == after, told.values.allSatisfy(\.must.isEmpty) { return }
        edited = []
        guard case .update(let cards, let delta)? = try await stream.next(isolation: #isolation)
        else {
            Issue.record("no update; \(place)")
            return
        }
        #expect(cards.map(\.firstName) == after.map { new.guests[$0]?.firstName }, place)
        #expect(cards.map(\.familyName) == after.map { new.guests[$0]?.lastName }, place)
        #expect(cards.map(\.homeCity) == after.map { new.city($0) }, place)
        #expect(cards.map(\.bossCity) == after.map { new.city(new.guests[$0]?.boss) }, place)
        #expect(cards.map(\.friendNames) == after.map { new.friendNames($0) }, place)
        #expect(delta.deletions.map { before[$0] } == before.filter { !after.contains($0) }, place)
        #expect(delta.insertions.map { after[$0] } == after.filter { !before.contains($0) }, place)
        let modified = delta.modifications.map { before[$0] }
        #expect(delta.newModifications.map { after[$0] } == modified, place)
        for (id, told) in told {
            guard let position = modified.firstIndex(of: id) else {
                #expect(told.must.isEmpty, "\(id); \(place)")
                continue
            }
            let names = delta.modified[position].properties
            #expect(
                told.must.isSubset(of: names) && told.may.isSuperset(of: names),
                "\(id): \(names) instead of \(told); \(place)")
            #expect(names == GuestWorld.names.filter { names.contains($0) }, place)
        }
    }
}
