import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

enum Grade: Int, PersistableEnum {
    case low = 1
    case mid = 5
    case high = 9
}

enum Coat: String, PersistableEnum { case curly, smooth, wiry }

final class PupYard: EmbeddedObject {
    @Persisted var area: Float
    @Persisted var note: String?

    convenience init(_ area: Float, note: String? = nil) {
        self.init()
        self.area = area
        self.note = note
    }
}

final class PupHome: EmbeddedObject {
    @Persisted var city: String
    @Persisted var size: Int8
    @Persisted var yard: PupYard?

    convenience init(_ city: String, size: Int8, yard: PupYard? = nil) {
        self.init()
        self.city = city
        self.size = size
        self.yard = yard
    }
}

final class Pup: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(indexed: true) var age: Int
    @Persisted var weight: Double?
    @Persisted var coat: Coat
    @Persisted var grade: Grade?
    @Persisted var isGood: Bool
    @Persisted var nick: String?
    @Persisted var chip: Data?
    @Persisted var mother: Pup?
    @Persisted var toys: List<String>
    @Persisted(originProperty: "pups") var breeders: LinkingObjects<Breeder>
    @Persisted(originProperty: "mother") var children: LinkingObjects<Pup>

    convenience init(_ name: String, age: Int) {
        self.init()
        self.name = name
        self.age = age
    }

    var motherName: String? { mother?.name }
    var motherNameOrNone: String { mother?.name ?? "none" }
    var grandmother: Pup? { mother?.mother }
    var line: Int { (mother?.line ?? 0) + 1 }
    var ageAsText: String { "\(age)" }
    /// Traps for an empty name, which no pup has.
    var initial: String { String(name.first!) }
    var lastToy: String { toys[toys.count - 1] }
}

final class Breeder: Object {
    @Persisted var name: String
    @Persisted var favourite: Pup?
    @Persisted var kennel: PupHome?
    @Persisted var pups: List<Pup>
    @Persisted var branches: List<PupHome>
    @Persisted var scores: List<Int?>
    @Persisted var tags: List<String>
    @Persisted var coats: List<Coat>
    @Persisted var limit: Int
    /// Names that are also used in the query language.
    @Persisted var count: Int
    @Persisted var max: Int

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

/// Four pups and four breeders:
///
/// | pup | age | weight | coat | grade | good | nick | mother | toys |
/// |---|---|---|---|---|---|---|---|---|
/// | Ada | 1 | 10 | curly | low | yes | ad | | ball, bone |
/// | Bo | 3 | | smooth | | no | | Ada | |
/// | Cy | 5 | 7.5 | wiry | high | yes | CY | Ada | bone |
/// | Di | 8 | 20 | curly | mid | no | x | Bo | rope, bone, bone |
///
/// | breeder | favourite | kennel | pups | branches | scores | tags | coats |
/// |---|---|---|---|---|---|---|---|
/// | Ann | Bo | Oslo 3, yard 1.5 | Ada, Bo, Ada | Rome 1, Oslo 2 | 1, nil, 3 | x, y | curly, wiry |
/// | Bob | Cy | Rome 5 | Cy | | | | |
/// | Cid | | | | Rome 9 | nil | x | smooth |
/// | Dan | Ada | Oslo -2, yard 0.1 "n" | Di, Cy | | 5, 7 | z | |
enum Breeders {
    static func realm() async throws -> Realm {
        let realm = try await Realm.temporary([Breeder.self, Pup.self, PupHome.self, PupYard.self])
        try await realm.write { tx in
            let (ada, bo, cy, di) = pups()
            for pup in [ada, bo, cy, di] { try tx.add(pup) }
            let (ann, bob) = (Breeder("Ann"), Breeder("Bob"))
            let (cid, dan) = (Breeder("Cid"), Breeder("Dan"))
            ann.favourite = bo
            bob.favourite = cy
            dan.favourite = ada
            ann.kennel = PupHome("Oslo", size: 3, yard: PupYard(1.5))
            bob.kennel = PupHome("Rome", size: 5)
            dan.kennel = PupHome("Oslo", size: -2, yard: PupYard(0.1, note: "n"))
            ann.pups.append(objectsIn: [ada, bo, ada])
            bob.pups.append(cy)
            dan.pups.append(objectsIn: [di, cy])
            ann.branches.append(objectsIn: [PupHome("Rome", size: 1), PupHome("Oslo", size: 2)])
            cid.branches.append(PupHome("Rome", size: 9))
            ann.scores.append(objectsIn: [1, nil, 3])
            cid.scores.append(nil)
            dan.scores.append(objectsIn: [5, 7])
            ann.tags.append(objectsIn: ["x", "y"])
            cid.tags.append("x")
            dan.tags.append("z")
            ann.coats.append(objectsIn: [.curly, .wiry])
            cid.coats.append(.smooth)
            for (index, breeder) in [ann, bob, cid, dan].enumerated() {
                breeder.limit = index + 2
                breeder.count = index
                breeder.max = index * 10
                try tx.add(breeder)
            }
        }
        return realm
    }

    private static func pups() -> (Pup, Pup, Pup, Pup) {
        let (ada, bo) = (Pup("Ada", age: 1), Pup("Bo", age: 3))
        let (cy, di) = (Pup("Cy", age: 5), Pup("Di", age: 8))
        (ada.weight, cy.weight, di.weight) = (10, 7.5, 20)
        (ada.coat, bo.coat, cy.coat) = (.curly, .smooth, .wiry)
        (ada.grade, cy.grade, di.grade) = (.low, .high, .mid)
        (ada.isGood, cy.isGood) = (true, true)
        (ada.nick, cy.nick, di.nick) = ("ad", "CY", "x")
        (ada.chip, cy.chip, di.chip) = (Data([1, 2, 3]), Data([2]), Data())
        (bo.mother, cy.mother, di.mother) = (ada, ada, bo)
        ada.toys.append(objectsIn: ["ball", "bone"])
        cy.toys.append("bone")
        di.toys.append(objectsIn: ["rope", "bone", "bone"])
        return (ada, bo, cy, di)
    }

    /// Returns the names of the breeders that match a condition, checked in all views.
    static func names(
        _ realm: Realm, _ condition: @Sendable (Query<Breeder>) -> Query<Bool>
    ) async throws -> [String] {
        let live = realm.objects(Breeder.self).where(condition).current.map(\.name)
        let frozen = realm.snapshot().objects(Breeder.self).where(condition)
        let read = try await realm.read { $0.objects(Breeder.self).where(condition).map(\.name) }
        let written = try await realm.write { tx in
            let results = tx.objects(Breeder.self).where(condition)
            expectEqual(results.count, results.map(\.name).count)
            return results.map(\.name)
        }
        let names = frozen.map(\.name)
        expectTrue(live == names && read == names && written == names)
        expectEqual(realm.snapshot().objects(Breeder.self).where(condition).count, names.count)
        return names
    }

    /// Returns the names of the pups that match a condition, checked in all views.
    static func pups(
        _ realm: Realm, _ condition: @Sendable (Query<Pup>) -> Query<Bool>
    ) async throws -> [String] {
        let frozen = realm.snapshot().objects(Pup.self).where(condition).map(\.name)
        let live = realm.objects(Pup.self).where(condition).current.map(\.name)
        let read = try await realm.read { $0.objects(Pup.self).where(condition).map(\.name) }
        expectTrue(live == frozen && read == frozen)
        return frozen
    }
}
