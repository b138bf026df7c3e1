import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

/// Conditions on lists of objects, lists of values, and inverses.
@Suite struct ListQueryTests {
    // Covers 3.13
    @Test func memberOfAListHoldsIfItDoesForOneObject() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.names(realm) { $0.pups.age > 4 }, ["Bob", "Dan"])
        try await expectEqual(Breeders.names(realm) { $0.pups.name == "Ada" }, ["Ann"])
        // Some pup has a different age.
        try await expectEqual(Breeders.names(realm) { $0.pups.age != 5 }, ["Ann", "Dan"])
        try await expectEqual(Breeders.names(realm) { !($0.pups.age == 5) }, ["Ann", "Cid"])
        try await expectEqual(Breeders.names(realm) { $0.pups.weight == nil }, ["Ann"])
        try await expectEqual(Breeders.names(realm) { $0.pups.isGood }, ["Ann", "Bob", "Dan"])
        try await expectEqual(Breeders.names(realm) { !$0.pups.isGood }, ["Ann", "Dan"])
        try await expectEqual(
            Breeders.names(realm) { $0.pups.mother.name.starts(with: "A") }, ["Ann", "Bob", "Dan"])
        try await expectEqual(Breeders.names(realm) { $0.branches.city == "Rome" }, ["Ann", "Cid"])
        try await expectEqual(
            Breeders.names(realm) { $0.favourite.toys == "bone" }, ["Bob", "Dan"])
        try await expectEqual(
            Breeders.names(realm) { $0.pups.toys == "bone" }, ["Ann", "Bob", "Dan"])
    }

    // Covers 3.14, 3.31
    @Test func valueOfAListHoldsIfItDoesForOneElement() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.names(realm) { $0.tags == "x" }, ["Ann", "Cid"])
        try await expectEqual(Breeders.names(realm) { $0.tags != "x" }, ["Ann", "Dan"])
        try await expectEqual(Breeders.names(realm) { $0.tags > "x" }, ["Ann", "Dan"])
        try await expectEqual(Breeders.names(realm) { $0.scores > 2 }, ["Ann", "Dan"])
        try await expectEqual(Breeders.names(realm) { $0.scores <= 1 }, ["Ann"])
        try await expectEqual(Breeders.names(realm) { $0.scores == nil }, ["Ann", "Cid"])
        try await expectEqual(Breeders.names(realm) { $0.scores != nil }, ["Ann", "Dan"])
        try await expectEqual(Breeders.names(realm) { $0.coats == .curly }, ["Ann"])
        try await expectEqual(Breeders.names(realm) { $0.coats.rawValue > "d" }, ["Ann", "Cid"])
    }

    // Covers 3.15, 3.16, 3.35, 3.54
    @Test func containsAsksForElements() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.names(realm) { $0.tags.contains("x") }, ["Ann", "Cid"])
        try await expectEqual(Breeders.names(realm) { $0.scores.contains(nil) }, ["Ann", "Cid"])
        try await expectEqual(
            Breeders.names(realm) { $0.tags.containsAny(in: ["y", "z"]) }, ["Ann", "Dan"])
        try await expectEqual(Breeders.names(realm) { $0.tags.containsAny(in: []) }, [])
        try await expectEqual(
            Breeders.names(realm) { $0.scores.containsAny(in: [nil, 7]) }, ["Ann", "Cid", "Dan"])
        try await realm.read { tx in
            let pups = tx.objects(Pup.self)
            let breeders = tx.objects(Breeder.self)
            let (ada, cy, di) = (pups[0], pups[2], pups[3])
            expectEqual(breeders.where { $0.pups.contains(ada) }.map(\.name), ["Ann"])
            expectEqual(breeders.where { $0.pups.contains(cy) }.map(\.name), ["Bob", "Dan"])
            expectEqual(breeders.where { !$0.pups.contains(cy) }.map(\.name), ["Ann", "Cid"])
            expectEqual(
                breeders.where { $0.pups.containsAny(in: [ada, di]) }.map(\.name), ["Ann", "Dan"])
            expectTrue(breeders.where { $0.pups.contains(Pup("Zed", age: 1)) }.isEmpty)
            expectEqual(pups.where { $0.breeders.contains(breeders[3]) }.map(\.name), ["Cy", "Di"])
        }
    }

    // Covers 3.17
    @Test func containsOfARangeAsksAllElements() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.names(realm) { $0.scores.contains(1...3) }, ["Ann"])
        try await expectEqual(Breeders.names(realm) { $0.scores.contains(1..<3) }, [])
        try await expectEqual(Breeders.names(realm) { $0.scores.contains(0...9) }, ["Ann", "Dan"])
        try await expectEqual(Breeders.names(realm) { !$0.scores.contains(0...9) }, ["Bob", "Cid"])
    }

    // Covers 3.18, 3.35
    @Test func countCountsEveryElement() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.names(realm) { $0.pups.count == 3 }, ["Ann"])
        try await expectEqual(Breeders.names(realm) { $0.pups.count == 0 }, ["Cid"])
        try await expectEqual(Breeders.names(realm) { $0.pups.count < 2 }, ["Bob", "Cid"])
        try await expectEqual(Breeders.names(realm) { $0.pups.count != 1 }, ["Ann", "Cid", "Dan"])
        try await expectEqual(Breeders.names(realm) { $0.scores.count > 0 }, ["Ann", "Cid", "Dan"])
        try await expectEqual(Breeders.names(realm) { $0.scores.count >= 3 }, ["Ann"])
        try await expectEqual(
            Breeders.names(realm) { $0.scores.count.in([1, 3]) }, ["Ann", "Cid"])
        try await expectEqual(
            Breeders.names(realm) { $0.scores.count.contains(1...2) }, ["Cid", "Dan"])
        try await expectEqual(Breeders.pups(realm) { $0.breeders.count == 2 }, ["Ada", "Cy"])
        try await expectEqual(Breeders.pups(realm) { $0.children.count == 2 }, ["Ada"])
        // One of the pups has three toys.
        try await expectEqual(Breeders.names(realm) { $0.pups.toys.count == 3 }, ["Dan"])
        try await expectEqual(Breeders.names(realm) { $0.favourite.toys.count == 1 }, ["Bob"])
    }

    // Covers 3.21
    @Test func aggregatesOfListsOfValues() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.names(realm) { $0.scores.min == 1 }, ["Ann"])
        try await expectEqual(Breeders.names(realm) { $0.scores.max > 3 }, ["Dan"])
        try await expectEqual(Breeders.names(realm) { $0.scores.max == nil }, ["Bob", "Cid"])
        try await expectEqual(Breeders.names(realm) { $0.scores.min != nil }, ["Ann", "Dan"])
        try await expectEqual(Breeders.names(realm) { $0.scores.sum == 0 }, ["Bob", "Cid"])
        try await expectEqual(Breeders.names(realm) { $0.scores.sum >= 12 }, ["Dan"])
        try await expectEqual(Breeders.names(realm) { $0.scores.avg == 2 }, ["Ann"])
        try await expectEqual(Breeders.names(realm) { $0.scores.avg == nil }, ["Bob", "Cid"])
        try await expectEqual(
            Breeders.names(realm) { !($0.scores.avg < 3) }, ["Bob", "Cid", "Dan"])
    }

    // Covers 3.21
    @Test func aggregatesOfPropertiesOfTheObjects() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.names(realm) { $0.pups.age.max == 8 }, ["Dan"])
        try await expectEqual(Breeders.names(realm) { $0.pups.age.min < 4 }, ["Ann"])
        // Ada is listed twice.
        try await expectEqual(Breeders.names(realm) { $0.pups.age.sum == 5 }, ["Ann", "Bob"])
        try await expectEqual(Breeders.names(realm) { $0.pups.age.avg > 6 }, ["Dan"])
        try await expectEqual(Breeders.names(realm) { $0.pups.weight.max == nil }, ["Cid"])
        try await expectEqual(Breeders.names(realm) { $0.pups.weight.avg == 10 }, ["Ann"])
        try await expectEqual(Breeders.names(realm) { $0.pups.mother.age.max == 3 }, ["Dan"])
        try await expectEqual(Breeders.names(realm) { $0.branches.size.sum == 3 }, ["Ann"])
        try await expectEqual(Breeders.pups(realm) { $0.children.age.max == 5 }, ["Ada"])
        try await expectEqual(Breeders.pups(realm) { $0.children.age.sum == 0 }, ["Cy", "Di"])
    }

    @Test func anyAllAndNoneTakeConditionsOnOneElement() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(
            Breeders.names(realm) { $0.pups.any { $0.age > 4 && !$0.isGood } }, ["Dan"])
        try await expectEqual(
            Breeders.names(realm) { $0.pups.all { $0.age > 4 } }, ["Bob", "Cid", "Dan"])
        try await expectEqual(
            Breeders.names(realm) { $0.pups.none { $0.age > 4 } }, ["Ann", "Cid"])
        try await expectEqual(
            Breeders.names(realm) { $0.tags.any { $0.starts(with: "x") } }, ["Ann", "Cid"])
        try await expectEqual(Breeders.names(realm) { $0.scores.all { $0 > 1 } }, ["Bob", "Dan"])
        try await expectEqual(
            Breeders.names(realm) { $0.pups.any { $0.toys.all { $0 == "bone" } } },
            ["Ann", "Bob", "Dan"])
        try await expectEqual(
            Breeders.names(realm) { $0.pups.any { $0.age > $0.mother.age } }, ["Ann", "Bob", "Dan"])
        try await expectEqual(
            Breeders.names(realm) { $0.pups.any { $0.isGood } && $0.tags.count == 0 }, ["Bob"])
    }

    @Test func subqueryAsksForObjectsThatMeetTheWholeCondition() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(
            Breeders.names(realm) { $0.pups.age > 4 && $0.pups.isGood == false }, ["Dan"])
        try await expectEqual(
            Breeders.names(realm) { $0.pups.age < 2 && $0.pups.isGood == false }, ["Ann"])
        try await expectEqual(
            Breeders.names(realm) {
                ($0.pups.age < 2 && $0.pups.isGood == false).count > 0
            }, [])
        try await expectEqual(
            Breeders.names(realm) { ($0.pups.age < 2 && $0.pups.isGood).count == 2 }, ["Ann"])
        try await expectEqual(
            Breeders.names(realm) { ($0.pups.age > 4 || $0.pups.isGood).count >= 2 },
            ["Ann", "Dan"])
        try await expectEqual(Breeders.names(realm) { (!($0.pups.age > 4)).count == 3 }, ["Ann"])
        try await expectEqual(
            Breeders.names(realm) {
                ($0.pups.age > 4 && $0.pups.toys == "rope").count == 1
            }, ["Dan"])
        try await expectEqual(
            Breeders.names(realm) {
                ($0.pups.age > 4 && ($0.pups.toys == "bone").count > 0).count > 0
            }, ["Bob", "Dan"])
        try await expectEqual(
            Breeders.names(realm) {
                ($0.pups.toys.count > 1 && $0.pups.age.contains(0...2)).count == 2
            }, ["Ann"])
    }

    // Covers 3.35
    @Test func inversesAreQueriedAsListsAre() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.pups(realm) { $0.breeders.name == "Dan" }, ["Cy", "Di"])
        try await expectEqual(Breeders.pups(realm) { $0.children.age > 4 }, ["Ada", "Bo"])
        try await expectEqual(Breeders.pups(realm) { $0.children.children.name == "Di" }, ["Ada"])
        try await expectEqual(
            Breeders.pups(realm) { ($0.breeders.name == "Ann").count == 2 }, ["Ada"])
        try await expectEqual(
            Breeders.pups(realm) { $0.breeders.all { $0.name != "Ann" } }, ["Cy", "Di"])
        try await expectEqual(Breeders.names(realm) { $0.pups.children.name == "Cy" }, ["Ann"])
    }

    @Test func propertyNamedAsAWordOfTheLanguageIsAProperty() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.names(realm) { $0.count == 1 }, ["Bob"])
        try await expectEqual(Breeders.names(realm) { $0.max > 10 }, ["Cid", "Dan"])
        try await expectEqual(Breeders.pups(realm) { $0.breeders.max == 30 }, ["Cy", "Di"])
    }
}
