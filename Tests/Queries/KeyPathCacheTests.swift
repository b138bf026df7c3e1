import RegnumTestSupport
import Synchronization
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// A key path argument that must not be hashed on other threads.
private final class Choice: Hashable {
    nonisolated(unsafe) static var useCount = 0  // Guard: one test, and the suite is serialized.

    static func == (left: Choice, right: Choice) -> Bool {
        useCount += 1
        return left === right
    }

    func hash(into hasher: inout Hasher) { Choice.useCount += 1 }
}

private final class Plank: Object {
    @Persisted var name: String
    @Persisted var parts: List<Plank>

    subscript(choice: Choice) -> String { name }
    subscript(number: Int) -> String { name }
}

/// The cache of resolved key paths.
@Suite(.serialized) struct KeyPathCacheTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary([Plank.self])
        try await realm.write { tx in
            for name in ["b", "a"] {
                let plank = Plank()
                plank.name = name
                try tx.add(plank)
            }
        }
        return realm
    }

    @Test func argumentsOfKeyPathsAreLeftAlone() async throws {
        let planks = try await realm().snapshot().objects(Plank.self)
        let choice = Choice()
        let before = Choice.useCount
        for _ in 0..<3 {
            expectEqual(planks.sorted(by: \.[choice]).map(\.name), ["a", "b"])
            expectEqual(planks[0][dynamicMember: \.[choice]], "b")
        }
        expectEqual(Choice.useCount, before)
    }

    @Test func keyPathsWithManyArgumentsAreNotAllKept() async throws {
        let planks = try await realm().snapshot().objects(Plank.self)
        let schema = ClassSchema.of(Plank.self)
        for number in 0..<(2 * KeyPathCache.maximumCount + 10) {
            let sorted = planks.sorted(by: \.[number])
            if number % 500 == 0 { expectEqual(sorted.map(\.name), ["a", "b"]) }
            _ = schema.observedPath(of: \Plank.parts[number].name)
        }
        expectTrue(schema.keyPaths.count <= KeyPathCache.maximumCount)
        expectTrue(schema.observedKeyPaths.count <= KeyPathCache.maximumCount)
        expectEqual(planks.sorted(by: \.name).map(\.name), ["a", "b"])
    }

    /// A key path literal is resolved once.
    @Test func keyPathsOfThePropertiesAreKept() async throws {
        let planks = try await realm().snapshot().objects(Plank.self)
        func sort() -> [String] { planks.sorted(by: \.name).map(\.name) }
        expectEqual(sort(), ["a", "b"])
        let count = ClassSchema.of(Plank.self).keyPaths.count
        for _ in 0..<100 { _ = sort() }
        expectEqual(ClassSchema.of(Plank.self).keyPaths.count, count)
    }
}
