import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Links in a damaged file to rows that don't exist.
@Suite struct MissingRowTests {
    // Covers .invalidDatabase
    @Test func accessorOfARowThatIsNotThereHasDefaultsInARead() async throws {
        let realm = try await Realm.temporary([Hound.self, Keeper.self, Collar.self])
        try await realm.write { tx in try tx.add(Hound(value: ["name": "Rex", "age": 3])) }
        for row: UInt64 in [77, .max >> 1, .max] {
            let error = await #expect(throws: Realm.Error.self) {
                try await realm.read { tx in
                    let hound = tx.core.binding(for: Hound.self)
                        .accessor(Hound.self, row: ObjectKey(rawValue: row))
                    expectTrue(hound.isInvalidated)
                    expectTrue(hound.name.isEmpty && hound.age == 0 && hound.collar == nil)
                    expectTrue(hound.tags.isEmpty && hound.owners.isEmpty)
                }
            }
            expectEqual(error?.code, .invalidDatabase)
            expectEqual(error?.message.contains("a Hound that does not exist"), true)
        }
    }
}
