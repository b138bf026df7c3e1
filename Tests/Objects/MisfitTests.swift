import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Target classes of links or lists that don't match what is stored.
@Suite struct MisfitTests {
    enum Earlier {
        final class Pet: Object {
            @Persisted var age: Int
            @Persisted var name: String
            @Persisted var friend: Pet?
            @Persisted var scores: List<Int>
        }

        final class Owner: Object {
            @Persisted var name: String
            @Persisted var pet: Pet?
            @Persisted var pets: List<Pet>
        }
    }

    enum Later {
        final class Pet: Object {
            @Persisted var age: String
            @Persisted var name: Int
            @Persisted var friend: Pet?
            @Persisted var scores: List<String>
        }

        final class Owner: Object {
            @Persisted var name: String
            @Persisted var pet: Pet?
            @Persisted var pets: List<Pet>
        }
    }

    private func withLater(_ body: (Realm) async throws -> Void) async throws {
        let earlier = try await Realm.temporary([Earlier.Owner.self, Earlier.Pet.self])
        try await earlier.write { tx in
            let owner = Earlier.Owner(value: ["name": "Ann"])
            let pet = Earlier.Pet(value: ["age": Int.max, "name": "Rex", "scores": [1, 2]])
            pet.friend = pet
            owner.pet = pet
            owner.pets.append(pet)
            try tx.add(owner)
        }
        try await body(try LaterProgram.core(of: earlier))
        await earlier.close()
    }

    @Test func linkedObjectThatDoesNotFitHasDefaultsAndFailsTheTransaction() async throws {
        try await withLater { realm in
            let error = await #expect(throws: Realm.Error.self) {
                try await realm.read { tx in
                    let owner = try requireValue(tx.objects(Later.Owner.self).first)
                    let pet = try requireValue(owner.pet)
                    expectTrue(owner.name == "Ann" && pet.age.isEmpty && pet.name == 0)
                    expectTrue(pet.friend == nil && pet.scores.isEmpty)
                    expectTrue(owner.pets.count == 1 && owner.pets[0].age.isEmpty)
                }
            }
            expectEqual(error?.code, .schemaMismatch)
            expectEqual(error?.className, "Pet")
        }
    }

    @Test func resultsOfAListThatDoesNotFitFailTheTransaction() async throws {
        try await withLater { realm in
            let error = await #expect(throws: Realm.Error.self) {
                try await realm.read { tx in
                    let owner = try requireValue(tx.objects(Later.Owner.self).first)
                    expectTrue(owner.pets.sorted(by: \.age).isEmpty)
                }
            }
            expectEqual(error?.code, .schemaMismatch)
        }
    }

    @Test func settingAPropertyOfALinkedObjectThatDoesNotFitFailsTheTransaction() async throws {
        try await withLater { realm in
            for change in [0, 1, 2] {
                let error = await #expect(throws: Realm.Error.self) {
                    try await realm.write { tx in
                        let owner = try requireValue(tx.objects(Later.Owner.self).first)
                        switch change {
                        case 0: owner.pet?.age = "old"
                        case 1: owner.pet?.name = 7
                        default: owner.pet?.scores.append("x")
                        }
                    }
                }
                expectEqual(error?.code, .schemaMismatch)
            }
        }
    }
}
