import FoundationEssentials
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumEngine
@testable import RegnumTestModels

/// When results are evaluated: on first use, and again only after a change of their class. An
/// evaluation makes a new tree, so the same root node shows that there was none.
@Suite struct EvaluationTests {
    /// A query that can't be evaluated: evaluating it fails the transaction.
    private let trap = _Plan(
        plan: QueryPlan(
            tableName: "Person",
            predicate: .compare(
                ColumnReference(name: "name", type: .string, missing: .null), .equal, .int(1))))

    private func people(_ count: Int = 100) async throws -> Realm {
        let realm = try await Realm.temporary([Person.self, Room.self])
        try await realm.write { tx in
            try tx.add((0..<count).map { Person("p", age: $0) })
        }
        return realm
    }

    /// Returns the address of the result, which changes with each evaluation.
    private func node(_ tree: ResultTree) -> UnsafeRawPointer? {
        switch tree.storage {
        case .keyList(let list), .sequence(let list): list.withUnsafeBytes { $0.baseAddress }
        case .rankList(let list): list.withUnsafeBytes { $0.baseAddress }
        case .lazy, .list, .keys, .ranks, .values: nil
        }
    }

    private func node<T>(_ results: Results<T>) -> UnsafeRawPointer? {
        node(results.keys())
    }

    private func node<T>(_ results: FrozenResults<T>) -> UnsafeRawPointer? {
        node(results.query.tree)
    }

    // Covers 2.43
    @Test func nothingIsEvaluatedBeforeItsFirstUse() async throws {
        let realm = try await people()
        let trap = trap
        try await realm.read { tx in
            let results = tx.objects(Person.self)._with(trap)
            _ = results.where { $0.age > 1 }.sorted(by: \.age)
        }
        let error = await #expect(throws: Realm.Error.self) {
            try await realm.read { tx in tx.objects(Person.self)._with(trap).count }
        }
        expectEqual(error?.code, .invalidQuery)
        // The handle of a stream doesn't evaluate either.
        let live = realm.objects(Person.self)._with(trap).where { $0.age > 1 }
        _ = live.changes
        var stream = live.changes.makeAsyncIterator()
        await #expect(throws: Realm.Error.self) { _ = try await stream.next() }
    }

    // Covers 2.43
    @Test func resultsAreEvaluatedAgainOnlyWhenTheirClassHasChanged() async throws {
        let realm = try await people()
        try await realm.write { tx in
            let results = tx.objects(Person.self).where { $0.age >= 50 }.sorted(by: \.age)
            expectTrue(results.count == 50 && results[0].age == 50)
            // Retained, so that a new node can't reuse its address.
            let first = results.keys()
            let root = node(results)
            expectTrue(root != nil && root == node(first))
            expectTrue(results.count == 50 && results[49].age == 99 && results.first?.age == 50)
            expectEqual(results.map(\.age), Array(50..<100))
            expectEqual(node(results), root)
            let room = Room("general")
            try tx.add(room)
            room.topic = "another class"
            tx.delete(room)
            expectEqual(node(results), root)
            tx.objects(Person.self)[60].age = 0
            expectTrue(node(results) != root && results.count == 49)
            let second = results.keys()
            try tx.add(Person("new", age: 70))
            expectEqual(results.count, 50)
            expectTrue(node(results) != node(second))
            tx.delete(results)
            expectTrue(results.isEmpty && first.count == 50 && second.count == 49)
        }
    }

    @Test func frozenResultsAreEvaluatedOnce() async throws {
        let realm = try await people()
        let results = realm.snapshot().objects(Person.self).where { $0.age < 10 }
        let copy = results
        expectTrue(results.count == 10 && results[3].age == 3)
        let root = node(results)
        try await realm.write { tx in tx.delete(tx.objects(Person.self)) }
        expectTrue(results.count == 10 && results.map(\.age) == Array(0..<10))
        expectTrue(root != nil && node(results) == root && node(copy) == root)
    }
}
