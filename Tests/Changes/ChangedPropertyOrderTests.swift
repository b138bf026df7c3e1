import Regnum
import RegnumTestSupport
import Testing

private final class Member: Object {
    @Persisted(originProperty: "boss") var team: LinkingObjects<Member>
    @Persisted(primaryKey: true) var id: Int
    @Persisted var tags: List<String>
    @Persisted var name: String
    @Persisted(originProperty: "deputies") var chiefs: LinkingObjects<Member>
    @Persisted var scores: Map<String, Int>
    @Persisted var boss: Member?
    @Persisted var marks: MutableSet<Int>
    @Persisted var deputies: List<Member>

    convenience init(_ id: Int) {
        self.init()
        self.id = id
    }
}

/// The order of the names of changed properties, and the descriptions of changes.
@Suite struct ChangedPropertyOrderTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary([Member.self])
        try await realm.write { try $0.add([Member(1), Member(2)]) }
        return realm
    }

    @Sendable private static func change(_ tx: Transaction) throws {
        let first = try requireValue(tx.object(Member.self, forPrimaryKey: 1))
        let second = try requireValue(tx.object(Member.self, forPrimaryKey: 2))
        first.deputies.append(second)
        first.marks.insert(1)
        first.boss = second
        first.scores["a"] = 1
        first.name = "x"
        first.tags.append("t")
        second.boss = first
        second.deputies.append(first)
    }

    // Covers 4.56, O19
    @Test func namesComeAsDeclaredAndInversesLast() async throws {
        let realm = try await realm()
        let stored = ["tags", "name", "scores", "boss", "marks", "deputies"]
        var all = realm.objects(Member.self).changes.makeAsyncIterator()
        let live = realm.object(Member.self, forPrimaryKey: 1)
        var own = live.changes.makeAsyncIterator()
        var paths = try live.changes(keyPaths: ["chiefs", "name", "team", "tags", "scores"])
            .makeAsyncIterator()
        _ = try await (all.next(), own.next(), paths.next())
        try await realm.write { try Self.change($0) }
        guard case .update(_, let changes)? = try await all.next(),
            case .changed(_, _, let properties)? = try await own.next(),
            case .changed(_, _, let named)? = try await paths.next()
        else {
            Issue.record("no change")
            return
        }
        expectTrue(changes.modified.first?.properties == stored && properties == stored)
        expectEqual(named, ["tags", "name", "scores", "team", "chiefs"])
    }

    // Covers O9
    @Test func changesPrintWhatTheyAre() async throws {
        let realm = try await realm()
        var all = realm.objects(Member.self).changes.makeAsyncIterator()
        let live = realm.object(Member.self, forPrimaryKey: 1)
        var one = live.changes.makeAsyncIterator()
        var tags = live.tags.changes.makeAsyncIterator()
        var scores = live.scores.changes.makeAsyncIterator()
        _ = try await (all.next(), tags.next(), scores.next())
        let initial = try #require(try await one.next())
        #expect("\(initial)".hasPrefix("initial: Member {\n    id = 1\n"))
        let version = try await realm.write(origin: "mark") { tx in
            try Self.change(tx)
            return tx.version
        }
        guard case .update(_, let changes)? = try await all.next(),
            case .update(_, let values)? = try await tags.next(),
            case .update(_, let entries)? = try await scores.next(),
            let change = try await one.next()
        else {
            Issue.record("no change")
            return
        }
        expectEqual(
            "\(changes)",
            "ChangeSet<Member>(deletions: [], insertions: [], modifications: [0, 1], "
                + "newModifications: [0, 1], version: \(version), origins: [\"mark\"])")
        expectTrue("\(values)".hasPrefix("ValueChangeSet<String>(deletions: [], insertions: [0], "))
        expectTrue("\(entries)".hasPrefix("MapChangeSet<Int>(deletions: [], insertions: [\"a\"], "))
        expectTrue("\(change)".hasPrefix("changed [\"tags\", \"name\", "))
        #expect("\(change)".contains("]: Member {\n    id = 1\n"))
        expectEqual("\(SortOrder<Member>.ascending(\.boss?.name))", "ascending(boss.name)")
        expectEqual("\(SortOrder<Member>.ascending(\.id).reversed())", "descending(id)")
    }
}
