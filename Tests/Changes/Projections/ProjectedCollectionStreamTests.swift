import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct ProjectedCollectionStreamTests {
    typealias Guest = Cards.Guest
    private typealias Stream = Changes<ProjectedChange<Guest, String>>.AsyncIterator

    /// Returns the next update, if there is one.
    private func next(
        _ stream: inout Stream, isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> (values: [String], delta: ProjectedChangeSet<Guest, String>)? {
        let next = try await stream.next(
            within: .zero, clock: ContinuousClock(), isolation: actor)
        guard case .element(.update(let values, let delta)) = next else { return nil }
        return (Array(values), delta)
    }

    private func guest(_ tx: borrowing Transaction, _ id: Int) throws -> Guest {
        try requireValue(tx.object(Guest.self, forPrimaryKey: id))
    }

    // Covers 4.62, 8.32, O54
    @Test func positionsAreThoseOfTheListAndOnlyThePropertyCounts() async throws {
        let realm = try await Cards.realm()
        let names = realm.object(Guest.self, forPrimaryKey: 1).friends.projectTo.firstName
        var stream = names.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectTrue(Array(first) == ["Bob", "Cid"] && first.objects.map(\.id) == [2, 3])
        // another property of an element, and the property of another object
        try await realm.write { tx in
            try guest(tx, 3).lastName = "Cox"
            try guest(tx, 1).firstName = "Anna"
        }
        try await expectTrue(next(&stream) == nil)
        try await realm.write { tx in
            try guest(tx, 3).firstName = "Cod"
            try guest(tx, 1).friends.insert(try guest(tx, 1), at: 0)
        }
        let second = try #require(try await next(&stream))
        expectEqual(second.values, ["Anna", "Bob", "Cod"])
        expectTrue(second.delta.insertions == [0] && second.delta.inserted == ["Anna"])
        expectTrue(second.delta.modifications == [1] && second.delta.newModifications == [2])
        expectTrue(second.delta.modified.map(\.old) == ["Cid"])
        expectTrue(second.delta.modified.map(\.new) == ["Cod"])
        try await realm.write { try guest($0, 1).friends.remove(at: 1) }
        let third = try #require(try await next(&stream))
        expectTrue(third.delta.deletions == [1] && third.delta.deleted == ["Bob"])
        expectEqual(Array(names.current), ["Anna", "Cod"])
        try await realm.write(origin: "me") { $0.delete(try guest($0, 1)) }
        let last = try #require(try await next(&stream))
        expectTrue(last.values.isEmpty && last.delta.deletions == [0, 1])
        expectEqual(last.delta.objects.origins, ["me"])
    }

    // Covers 8.32, O54
    @Test func aComputedPropertyIsFollowedByWhatItReads() async throws {
        let realm = try await Cards.realm()
        let guests = realm.objects(Guest.self).sorted(by: \.id)
        var stream = guests.projectTo.fullName.changes(excludingOrigins: ["me"])
            .makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write(origin: "me") { try guest($0, 1).firstName = "Anna" }
        try await realm.write { try guest($0, 1).age = 50 }
        try await expectTrue(next(&stream) == nil)
        try await realm.write { try guest($0, 2).lastName = "Roe" }
        let update = try #require(try await next(&stream))
        expectTrue(update.delta.modifications == [1])
        expectEqual(update.values, ["Anna Lee", "Bob Roe", "Cid Fox"])
        await realm.close()
    }

    final class Introduction: Projection<Guest> {
        @Projected(\Guest.introduction) var text
    }

    // Covers 8.23, 8.32, O20, O54
    @Test func aComputedPropertyIsFollowedThroughAllLinksThatItReads() async throws {
        let realm = try await Cards.realm()
        let bob = realm.objects(Guest.self).where { $0.id == 2 }
        var stream = bob.projectTo.introduction.changes.makeAsyncIterator()
        var projections = realm.objects(Introduction.self).where { $0.id == 2 }.changes
            .makeAsyncIterator()
        _ = try await (stream.next(), projections.next())
        let steps: [(text: String, body: @Sendable (Transaction) throws -> Void)] = [
            ("Bob, -, Anna, Prague", { try guest($0, 1).firstName = "Anna" }),
            ("Bob, -, Anna, Brno", { try guest($0, 1).address?.city = "Brno" }),
            ("Bob, Plzen, Anna, Brno", { try guest($0, 2).address = Cards.town("Plzen") }),
            ("Bob, Pilsen, Anna, Brno", { try guest($0, 2).address?.city = "Pilsen" }),
            ("Bob, Pilsen, Cid, -", { try guest($0, 2).boss = try guest($0, 3) }),
        ]
        for (text, body) in steps {
            try await realm.write { try body($0) }
            let update = try #require(try await next(&stream))
            expectTrue(update.values == [text] && update.delta.modifications == [0])
            guard case .update(_, let delta)? = try await projections.next(within: .zero).element
            else {
                Issue.record("no update")
                return
            }
            expectEqual(delta.modified.map(\.properties), [["text"]])
        }
        // neither is read
        try await realm.write { tx in
            try guest(tx, 3).age = 50
            try guest(tx, 3).boss = try guest(tx, 1)
        }
        try await expectTrue(next(&stream) == nil)
    }

    final class Circle: Projection<Guest> {
        @Projected(\Guest.friendAges) var ages
        @Projected(\Guest.seniorCount) var seniors
        @Projected(\Guest.fanNames) var fans
    }

    /// A query may read any property of the elements.
    // Covers 8.23, 8.32, O20, O54
    @Test func aComputedPropertyIsFollowedThroughCollections() async throws {
        let realm = try await Cards.realm()
        var ann = realm.objects(Circle.self).where { $0.id == 1 }.changes.makeAsyncIterator()
        var bob = realm.objects(Circle.self).where { $0.id == 2 }.changes.makeAsyncIterator()
        var ages = realm.objects(Guest.self).where { $0.id == 1 }.projectTo.friendAges.changes
            .makeAsyncIterator()
        _ = try await (ann.next(), bob.next(), ages.next())
        let steps: [(names: [String], body: @Sendable (Transaction) throws -> Void)] = [
            (["ages", "seniors"], { try guest($0, 3).age = 60 }),
            (["seniors"], { try guest($0, 3).lastName = "Cox" }),
        ]
        for (names, body) in steps {
            try await realm.write { try body($0) }
            guard case .update(let circles, let delta)? = try await ann.next(within: .zero).element
            else {
                Issue.record("no update of \(names)")
                return
            }
            expectEqual(delta.modified.map(\.properties), [names])
            expectTrue(circles[0].ages == 60 && circles[0].seniors == 1)
        }
        guard case .update(let sums, _)? = try await ages.next(within: .zero).element else {
            Issue.record("no update of the ages")
            return
        }
        expectEqual(Array(sums), [60])
        try await realm.write { try guest($0, 1).firstName = "Anna" }
        guard case .update(let circles, let delta)? = try await bob.next(within: .zero).element
        else {
            Issue.record("no update of the fans")
            return
        }
        expectEqual(delta.modified.map(\.properties), [["fans"]])
        expectEqual(circles[0].fans, "Anna")
        let rest = try await (ann.next(within: .zero).element, ages.next(within: .zero).element)
        expectTrue(rest.0 == nil && rest.1 == nil)
    }

    final class Report: Projection<Guest> {
        @Projected(\Guest.chief) var chief
    }

    /// It is evaluated on an object whose links aren't nil.
    @Test func aComputedPropertyThatUnwrapsALinkCanBeProjected() async throws {
        let realm = try await Cards.realm()
        let reports = realm.snapshot().objects(Report.self).where { $0.id == 2 }
        expectEqual(reports.map(\.chief), ["Ray, Ann"])
    }

    final class Seal: Projection<Guest> {
        @Projected(\Guest.seal) var seal
        @Projected(\Guest.oldChief) var oldChief
    }

    /// The object on which it is evaluated isn't invalidated, and can't be frozen.
    // Covers 8.23, O20
    @Test func aComputedPropertyThatChecksOrFreezesObjectsIsFollowed() async throws {
        let realm = try await Cards.realm()
        var seals = realm.objects(Seal.self).where { $0.id == 2 }.changes.makeAsyncIterator()
        _ = try await seals.next()
        try await realm.write { try guest($0, 2).lastName = "Roe" }
        guard case .update(let found, let delta)? = try await seals.next(within: .zero).element
        else {
            Issue.record("no update")
            return
        }
        expectEqual(delta.modified.map(\.properties), [["seal", "oldChief"]])
        expectTrue(found[0].seal == "Bob Roe" && found[0].oldChief == "Roe, Ann")
    }

    final class Reach: Projection<Guest> {
        @Projected(\Guest.reach) var reach
    }

    @Test func aRecursiveComputedPropertyCanBeProjected() async throws {
        let realm = try await Cards.realm()
        expectEqual(realm.snapshot().objects(Reach.self).map(\.reach), [3, 1, 1])
    }
}
