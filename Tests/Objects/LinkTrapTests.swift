import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Carries confined objects past the compiler's checks. Guard of the `@unchecked Sendable`: none,
/// deliberately; one task uses it.
private final class Smuggler: @unchecked Sendable {
    var pups: List<Whelp>?
    var tags: List<String>?
    var walkers: LinkingObjects<Walker>?
    var medal: Medal?
    var friend: Whelp?
    var results: Results<Whelp>?

    /// Returns objects that outlived the body of a read.
    static func make() async throws -> Smuggler {
        let realm = try await Realm.kennel()
        let smuggler = Smuggler()
        try await realm.read { tx in
            let ann = tx.objects(Walker.self)[0]
            smuggler.pups = ann.pups
            smuggler.tags = ann.tags
            smuggler.walkers = ann.pups[0].walkers
            smuggler.medal = ann.badge
            smuggler.friend = ann.favourite?.friend
            smuggler.results = ann.pups.where { $0.age > 0 }
        }
        return smuggler
    }
}

/// A class with computed properties that frozen objects can't have.
private final class Stray: Object {
    @Persisted var name: String
    var made: Stray? { Stray() }
    var renamed: Int {
        name = "new"
        return 1
    }
}

private func sentence(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// Misuse of links, lists and inverses that the compiler can't detect traps with a message.
@Suite struct LinkTrapTests {
    @Test func listsTrapAfterTheBody() async {
        let objects = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try await Smuggler.make().pups?.count }
        expectTrue(
            sentence(objects).contains("Walker.pups was used after the body of the transaction at"))
        expectTrue(sentence(objects).contains("LinkTrapTests.swift:"))
        let values = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try await Smuggler.make().tags?.append("new") }
        expectTrue(sentence(values).contains("Walker.tags was used after the body"))
    }

    @Test func inversesAndResultsOfListsTrapAfterTheBody() async {
        let inverse = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try await Smuggler.make().walkers?.count }
        expectTrue(sentence(inverse).contains("Whelp.walkers was used after the body"))
        let results = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try await Smuggler.make().results?.first }
        expectTrue(sentence(results).contains("Results<Whelp> were used after the body"))
        let frozen = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try await Smuggler.make().results?.freeze() }
        expectTrue(sentence(frozen).contains("Results<Whelp> were frozen after the body"))
    }

    @Test func embeddedAndLinkedObjectsTrapAfterTheBody() async {
        let embedded = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try await Smuggler.make().medal?.code }
        expectTrue(sentence(embedded).contains("Medal.code was used after the body"))
        let linked = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try await Smuggler.make().friend?.friend }
        expectTrue(sentence(linked).contains("Whelp.friend was used after the body"))
    }

    // Covers .invalidInput
    @Test func listAndInverseOfADeletedObjectFailTheTransaction() async throws {
        let realm = try await Realm.kennel()
        let list = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let ann = tx.objects(Walker.self)[0]
                let pups = ann.pups
                tx.delete(ann)
                _ = pups.count
                _ = pups[0].name
                pups.append(Whelp())
            }
        }
        expectTrue(list?.code == .invalidInput && list?.property == "pups")
        expectEqual(list?.message.contains("Walker.pups of a deleted object was used"), true)
        let inverse = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let rex = tx.objects(Whelp.self)[0]
                let walkers = rex.walkers
                tx.delete(rex)
                _ = walkers.count
                _ = walkers[0].pups.count
            }
        }
        expectEqual(inverse?.message.contains("Whelp.walkers of a deleted object was used"), true)
        let embedded = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let ann = tx.objects(Walker.self)[0]
                let medal = ann.badge
                ann.badge = nil
                _ = medal?.code
            }
        }
        expectEqual(embedded?.message.contains("Medal.code of a deleted object was used"), true)
        expectEqual(realm.snapshot().objects(Walker.self).count, 2)
    }

    // Covers 2.4
    @Test func positionsOutOfRangeTrap() async {
        let list = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.kennel()
            try await realm.read { tx in _ = tx.objects(Walker.self)[0].pups[3] }
        }
        expectTrue(
            sentence(list).contains(
                "subscript of Walker.pups was given the index 3, but the count is 3. "
                    + "The transaction is at ObjectsTests/LinkTrapTests.swift:"))
        let inverse = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.kennel()
            try await realm.read { tx in _ = tx.objects(Whelp.self)[0].walkers[9] }
        }
        expectTrue(sentence(inverse).contains("Index 9 of LinkingObjects<Walker> is out of range"))
        expectTrue(sentence(inverse).contains("The transaction is at ObjectsTests/LinkTrapTests"))
        let values = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try await Realm.kennel().ann.tags[3] }
        expectTrue(
            sentence(values).contains(
                "Index 3 of FrozenValues<String> of Walker.tags is out of range"))
        let slice = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try await Realm.kennel().ann.pups[1..<4] }
        expectTrue(
            sentence(slice).contains("The range 1..<4 of FrozenResults<Whelp> is out of range"))
    }

    @Test func assigningAnInverseTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.kennel()
            try await realm.write { tx in
                let whelps = tx.objects(Whelp.self)
                whelps[0].walkers = whelps[1].walkers
            }
        }
        expectTrue(
            sentence(result).contains(
                "LinkingObjects<Walker> of Whelp cannot be assigned to: they are"))
    }

    @Test func computedPropertyOfAFrozenObjectNeitherMakesObjectsNorChangesThem() async {
        let made = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.temporary([Stray.self])
            try await realm.write { try $0.add(Stray()) }
            _ = realm.snapshot().objects(Stray.self)[0].made
        }
        expectTrue(sentence(made).contains("returned something that isn't stored"))
        let renamed = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await Realm.temporary([Stray.self])
            try await realm.write { try $0.add(Stray()) }
            _ = realm.snapshot().objects(Stray.self)[0].renamed
        }
        expectTrue(sentence(renamed).contains("Stray.name was set in the read at"))
    }
}
