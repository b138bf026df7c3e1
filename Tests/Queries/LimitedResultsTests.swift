import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Results limited to the first objects.
@Suite struct LimitedResultsTests {
    private func makeRealm(_ ages: [Int]) async throws -> Realm {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            for (number, age) in ages.enumerated() { try tx.add(Person("\(number)", age: age)) }
        }
        return realm
    }

    @Test func allViewsHaveTheFirstObjectsOfTheWholeQuery() async throws {
        let realm = try await makeRealm([5, 3, 9, 1, 7])
        let youngest = realm.objects(Person.self).limited(to: 2).sorted(by: \.age)
        expectTrue(youngest.current.map(\.age) == [1, 3] && youngest.count == 2)
        // Conditions added later apply before the limit.
        expectEqual(youngest.where { $0.age > 2 }.current.map(\.age), [3, 5])
        expectTrue(youngest.sum(of: \.age) == 4 && youngest.max(of: \.age) == 3)
        expectTrue(youngest.limited(to: 5).count == 2 && youngest.limited(to: 1).count == 1)
        expectTrue(youngest.limited(to: 0).isEmpty && youngest.limited(to: 0).first == nil)
        let frozen = realm.snapshot().objects(Person.self).limited(to: 3)
        expectTrue(frozen.map(\.age) == [5, 3, 9] && frozen.last?.age == 9)
        expectEqual(frozen.limited(to: 9).count, 3)
        let confined = try await realm.write { tx in
            let first = tx.objects(Person.self).sorted(by: \.age, ascending: false).limited(to: 2)
            try tx.add(Person("old", age: 100))
            return first.map(\.age)
        }
        expectEqual(confined, [100, 9])
    }

    // Covers .invalidQuery
    @Test func aNegativeLimitIsAnErrorInAllViews() async throws {
        let realm = try await makeRealm([5, 3])
        let limit = -1
        let inRead = await #expect(throws: Realm.Error.self) {
            try await realm.read { $0.objects(Person.self).limited(to: limit).count }
        }
        let inSnapshot = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read {
                $0.objects(Person.self).limited(to: limit).limited(to: 1).isEmpty
            }
        }
        let live = realm.objects(Person.self).limited(to: 1).limited(to: limit)
        var stream = live.changes.makeAsyncIterator()
        let inStream = await #expect(throws: Realm.Error.self) { _ = try await stream.next() }
        for error in [inRead, inSnapshot, inStream] {
            expectTrue(error?.code == .invalidQuery && error?.className == "Person")
            expectEqual(error?.message.contains("-1"), true)
        }
    }

    // Covers O5, .invalidInput
    @Test func aStreamOfNegativeDepthThrows() async throws {
        let realm = try await Breeders.realm()
        var pups = realm.objects(Pup.self).changes(depth: -2).makeAsyncIterator()
        let first = await #expect(throws: Realm.Error.self) { _ = try await pups.next() }
        var bo = realm.object(Pup.self, forPrimaryKey: "Bo").changes(depth: -2).makeAsyncIterator()
        let second = await #expect(throws: Realm.Error.self) { _ = try await bo.next() }
        for error in [first, second] {
            expectTrue(error?.code == .invalidInput && error?.className == "Pup")
            expectEqual(error?.message.contains("-2"), true)
        }
    }

    // Covers 4.36
    @Test func objectsSlideInAndOutOfALimitThatIsFollowed() async throws {
        let realm = try await makeRealm([5, 3, 9, 1, 7])
        let youngest = realm.objects(Person.self).sorted(by: \.age).limited(to: 2)
        var stream = youngest.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(first.map(\.age), [1, 3])
        try await realm.write { try $0.add(Person("new", age: 2)) }
        guard case .update(let now, let came)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(now.map(\.age), [1, 2])
        expectTrue(came.insertions == [1] && came.deletions == [1])
        expectTrue(came.deleted.map(\.age) == [3] && came.inserted.map(\.age) == [2])
        try await realm.write { tx in
            // Beyond the limit: nothing to report.
            tx.objects(Person.self).where { $0.age == 9 }.first?.age = 8
        }
        try await realm.write { tx in tx.delete(tx.objects(Person.self).where { $0.age == 1 }) }
        guard case .update(let later, let went)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(later.map(\.age), [2, 3])
        expectTrue(went.deletions == [0] && went.insertions == [1])
    }
}
