import Regnum
import RegnumJSON
import RegnumTestSupport
import Testing

private final class DefaultPart: EmbeddedObject {
    @Persisted var text = "default"
    @Persisted var number = 0
}

private final class DefaultTeam: Object {
    @Persisted(primaryKey: true) var name = "none"
}

/// A class whose links and collections have initial values.
private final class DefaultOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var part: DefaultPart? = DefaultPart()
    @Persisted var parts: List<DefaultPart> = List([DefaultPart()])
    @Persisted var named: Map<String, DefaultPart?> = {
        let map = Map<String, DefaultPart?>()
        map["a"] = DefaultPart()
        return map
    }()
    @Persisted var team: DefaultTeam? = DefaultTeam()
    @Persisted var any: AnyRealmValue = .object(DefaultTeam(value: ["any"]))
}

private final class DefaultGroup: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var owners: List<DefaultOwner>
}

private final class DefaultMember: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var club: DefaultClub?
}

/// A class whose initial values lead back to the object.
private final class DefaultClub: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var members: List<DefaultMember>

    required init() {
        super.init()
        let member = DefaultMember()
        member.club = self
        members.append(member)
    }
}

/// Initial values of links and collections in updates.
@Suite struct UpsertDefaultTests {
    // Covers 7.13, 7.14
    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func initialValuesOfWhatIsNotGivenAreNotStored(policy: Realm.UpdatePolicy) async throws {
        let realm = try await Realm.temporary(
            [DefaultGroup.self, DefaultOwner.self, DefaultPart.self, DefaultTeam.self])
        func partCount() -> Int? {
            realm.snapshot().storedClasses.first { $0.schema.name == "DefaultPart" }?.objectCount
        }
        try await realm.write { tx in
            let owner = try tx.create(
                DefaultOwner.self,
                value: [
                    "id": 1, "title": "old", "part": ["x", 1], "parts": [["y", 2], ["z", 3]],
                    "named": ["a": ["v", 4]], "team": ["blue"], "any": 5,
                ])
            try tx.create(DefaultOwner.self, value: ["id": 1, "title": "new"], update: policy)
            expectTrue(owner.title == "new" && owner.team?.name == "blue" && owner.any == .int(5))
            expectTrue(owner.part?.text == "x" && owner.part?.number == 1)
            expectEqual(owner.parts.map(\.text), ["y", "z"])
            expectEqual(owner.named["a"]??.text, "v")
            expectEqual(tx.objects(DefaultTeam.self).map(\.name), ["blue"])
        }
        expectEqual(partCount(), 4)
        // the second object with the key updates the first, which gets the initial values
        try await realm.write { tx in
            let owners: [[String: Any]] = [
                ["id": 2, "part": ["x", 1]], ["id": 2, "title": "new"],
            ]
            let group = try tx.create(
                DefaultGroup.self, value: ["id": 1, "owners": owners], update: policy)
            let owner = group.owners[1]
            expectTrue(owner.title == "new" && owner.part?.text == "x" && owner.part?.number == 1)
            expectEqual(owner.parts.map(\.text), ["default"])
            expectTrue(owner.named["a"]??.text == "default" && owner.team?.name == "none")
            expectEqual(Set(tx.objects(DefaultTeam.self).map(\.name)), ["any", "blue", "none"])
        }
        expectEqual(partCount(), 7)
    }

    // Covers 7.13
    @Test func initialValuesThatLeadBackAreReleased() async throws {
        let realm = try await Realm.temporary([DefaultClub.self, DefaultMember.self])
        try await realm.write { tx in
            try tx.create(DefaultClub.self, value: ["id": 1, "members": []])
            weak var released: DefaultClub?
            do {
                let club = try tx.create(DefaultClub.self, value: ["id": 1], update: .modified)
                expectTrue(club.members.isEmpty)
                released = club
            }
            expectTrue(released == nil)
        }
    }
}
