import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Carries a set past the compiler's checks. Guard of the `@unchecked Sendable`: none,
/// deliberately; one task uses it.
private final class Smuggler: @unchecked Sendable {
    var numbers: MutableSet<Int>?

    static func make() async throws -> Smuggler {
        let realm = try await SetTrapTests.realm()
        let smuggler = Smuggler()
        try await realm.read { tx in smuggler.numbers = tx.objects(Basket.self)[0].numbers }
        return smuggler
    }
}

/// Misuse of sets that the compiler can't detect traps with a message.
@Suite struct SetTrapTests {
    fileprivate static func realm() async throws -> Realm {
        let realm = try await Realm.temporary(setClasses)
        try await realm.write { tx in
            _ = try tx.create(
                Basket.self, value: ["name": "a", "numbers": [1, 2, 3]] as [String: Any])
        }
        return realm
    }

    private func sentence(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func setTrapsAfterTheBody() async {
        let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try await Smuggler.make().numbers?.contains(1)
        }
        expectTrue(sentence(read).contains("Basket.numbers was used after the body"))
        let write = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Smuggler.make().numbers?.insert(1)
        }
        expectTrue(sentence(write).contains("Basket.numbers was used after the body"))
    }

    @Test func setOfADeletedObjectFailsTheTransaction() async throws {
        let realm = try await SetTrapTests.realm()
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let basket = tx.objects(Basket.self)[0]
                let numbers = basket.numbers
                tx.delete(basket)
                _ = numbers.contains(1)
                _ = numbers[0]
                numbers.insert(2)
            }
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(error?.message.contains("Basket.numbers of a deleted object was used"), true)
    }

    @Test func changingASetInAReadTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await SetTrapTests.realm()
            try await realm.read { tx in tx.objects(Basket.self)[0].numbers.remove(1) }
        }
        expectTrue(sentence(result).contains("Basket.numbers"))
    }

    @Test func positionOutOfRangeTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try await SetTrapTests.realm()
            try await realm.read { tx in _ = tx.objects(Basket.self)[0].numbers[3] }
        }
        expectTrue(
            sentence(result).contains(
                "subscript of Basket.numbers was given the index 3, but the count is 3. "
                    + "The transaction is at CollectionsTests/SetTrapTests.swift:"))
    }
}
