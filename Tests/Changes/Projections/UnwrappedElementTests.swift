import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private enum Rank: String, PersistableEnum { case low, high }

private final class Player: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var isShy: Bool
    @Persisted var coach: Player?
    @Persisted var scores: List<Int>
    @Persisted var ranks: List<Rank>
    @Persisted var marks: List<Double?>
    @Persisted var tags: MutableSet<String>
    @Persisted var limits: Map<String, Int>
    @Persisted var mates: List<Player>
    @Persisted var foes: MutableSet<Player>
    @Persisted var rivals: Map<String, Player?>
    @Persisted(originProperty: "mates") var admirers: LinkingObjects<Player>

    var last: Int { scores.last! }
    var third: String { "\(name) \(scores[2])" }
    var best: Int { scores.max()! }
    var rank: Rank { ranks.first! }
    var mark: Double { marks[0]! + marks.average()! }
    var tag: String { tags.first!.uppercased() }
    var limit: Int { limits["day"]! + limits.values.first! }
    var foe: String { "\(id) \(foes.first!.name)" }
    var pair: String { "\(mates[0].name) \(mates[1].name)" }
    var mate: String { "\(id) \(mates.where { $0.name != "" }.first!.name)" }
    var oldest: Int { mates.max(of: \.id)! + mates.sorted(by: \.id)[1].id }
    var rival: String { "\(id) \(rivals["x"]!!.name)" }
    var coached: Int { mates.where { $0.coach.name == "Dan" }.count }
    var coaches: Int { mates.sum(of: \.coach?.id) }
    var admirer: String { "\(id) \(admirers[0].name)" }
    var names: ProjectedCollection<String> {
        isShy ? foes.projectTo.name : mates.projectTo.name
    }
    var root: Player { mates.isEmpty ? self : mates[0].root }
    var rootName: String { root.name }
    var grandmate: String { "\(id) \(mates[0].mates[0].name)" }
}

/// Computed properties that unwrap what they find in collections: they are evaluated on objects
/// whose collections have elements.
@Suite struct UnwrappedElementTests {
    private final class Sheet: Projection<Player> {
        @Projected(\Player.last) var last
        @Projected(\Player.third) var third
        @Projected(\Player.best) var best
        @Projected(\Player.rank) var rank
        @Projected(\Player.mark) var mark
        @Projected(\Player.tag) var tag
        @Projected(\Player.limit) var limit
        @Projected(\Player.foe) var foe
        @Projected(\Player.pair) var pair
        @Projected(\Player.mate) var mate
        @Projected(\Player.oldest) var oldest
        @Projected(\Player.rival) var rival
        @Projected(\Player.admirer) var admirer
        @Projected(\Player.names) var names
        @Projected(\Player.coached) var coached
        @Projected(\Player.coaches) var coaches
    }

    private final class Line: Projection<Player> {
        @Projected(\Player.rootName) var root
        @Projected(\Player.grandmate) var grandmate
    }

    /// Ann (1), whose mates are Bob (2) and Cid (3), and whose foe and rival is Dan (4). Bob's mate
    /// is Ann, and his coach Dan.
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary([Player.self])
        try await realm.write { tx in
            for (id, name) in [(1, "Ann"), (2, "Bob"), (3, "Cid"), (4, "Dan")] {
                _ = try tx.create(Player.self, value: ["id": id, "name": name])
            }
            let (ann, bob) = (try player(tx, 1), try player(tx, 2))
            let (cid, dan) = (try player(tx, 3), try player(tx, 4))
            ann.scores.append(objectsIn: [5, 9, 7])
            ann.ranks.append(.high)
            ann.marks.append(objectsIn: [1.5, nil])
            ann.tags.insert("a")
            ann.limits["day"] = 8
            ann.mates.append(objectsIn: [bob, cid])
            ann.foes.insert(dan)
            ann.rivals["x"] = dan
            bob.mates.append(ann)
            bob.coach = dan
        }
        return realm
    }

    private func player(_ tx: borrowing Transaction, _ id: Int) throws -> Player {
        try requireValue(tx.object(Player.self, forPrimaryKey: id))
    }

    // Covers 8.22, 8.23
    @Test func collectionsOfTheSampleHaveElements() async throws {
        let realm = try await realm()
        let sheet = try requireValue(
            realm.snapshot().objects(Sheet.self).where { $0.id == 1 }.first)
        expectTrue(sheet.last == 7 && sheet.third == "Ann 7" && sheet.best == 9)
        expectTrue(sheet.rank == .high && sheet.mark == 3 && sheet.tag == "A" && sheet.limit == 16)
        expectTrue(sheet.foe == "1 Dan" && sheet.pair == "Bob Cid" && sheet.mate == "1 Bob")
        expectTrue(sheet.oldest == 6 && sheet.rival == "1 Dan" && sheet.admirer == "1 Bob")
        expectTrue(sheet.names == ["Bob", "Cid"] && sheet.coached == 1 && sheet.coaches == 4)
    }

    /// A query may read any property of the objects that its conditions lead to.
    // Covers 8.23, 8.32, O20, O54
    @Test func unwrappedElementsAreFollowed() async throws {
        let realm = try await realm()
        var stream = realm.objects(Sheet.self).where { $0.id == 1 }.changes.makeAsyncIterator()
        _ = try await stream.next()
        let steps: [(names: [String], body: @Sendable (Transaction) throws -> Void)] = [
            (["last", "third", "best"], { try player($0, 1).scores.append(11) }),
            (["rank"], { try player($0, 1).ranks[0] = .low }),
            (["mark"], { try player($0, 1).marks.append(4) }),
            (["tag"], { try player($0, 1).tags.insert("b") }),
            (["limit"], { try player($0, 1).limits["day"] = 3 }),
            (["foe", "rival", "coached", "coaches"], { try player($0, 4).name = "Don" }),
            (["rival"], { try player($0, 1).rivals["x"] = try player($0, 3) }),
            (
                ["pair", "mate", "oldest", "admirer", "names", "coached", "coaches"],
                { try player($0, 2).name = "Bo" }
            ),
            (["mate", "oldest", "coached", "coaches"], { try player($0, 3).scores.append(1) }),
        ]
        for (names, body) in steps {
            try await realm.write { try body($0) }
            guard case .update(_, let delta)? = try await stream.next(within: .zero).element else {
                Issue.record("no update of \(names)")
                return
            }
            expectEqual(delta.modified.map(\.properties), [names])
        }
    }

    /// It chooses between two collections, so it isn't a path to one of them.
    // Covers 8.32, O20
    @Test func computedProjectedCollectionsAreFollowed() async throws {
        let realm = try await realm()
        let ann = realm.objects(Player.self).where { $0.id == 1 }
        var stream = ann.projectTo.third.changes.makeAsyncIterator()
        var names = realm.object(Sheet.self, forPrimaryKey: 1).changes(keyPaths: [\.names])
            .makeAsyncIterator()
        _ = try await (stream.next(), names.next())
        try await realm.write { try player($0, 3).name = "Cy" }
        guard
            case .changed(_, let sheet, let properties)? = try await names.next(within: .zero)
                .element
        else {
            Issue.record("no change")
            return
        }
        expectTrue(properties.contains("names") && sheet.names == ["Bob", "Cy"])
        let rest = try await stream.next(within: .zero).element
        expectTrue(rest == nil)
    }

    /// Elements at a position are found repeatedly, but not without end.
    @Test func elementsOfElementsCanBeProjected() async throws {
        let realm = try await realm()
        try await realm.write { try player($0, 2).mates[0] = try player($0, 4) }
        let lines = realm.snapshot().objects(Line.self).where { $0.id == 1 }
        expectEqual(lines.map(\.root), ["Dan"])
        expectEqual(lines.map(\.grandmate), ["1 Dan"])
        var stream = realm.objects(Line.self).where { $0.id == 1 }.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { try player($0, 4).name = "Don" }
        guard case .update(_, let delta)? = try await stream.next(within: .zero).element else {
            Issue.record("no update")
            return
        }
        expectEqual(delta.modified.map(\.properties), [["grandmate"]])
    }
}
