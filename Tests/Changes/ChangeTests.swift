import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Returns the next element of a stream, which must be an update.
func nextUpdate<T>(
    _ iterator: inout CollectionChanges<T>.AsyncIterator,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> (FrozenResults<T>, ChangeSet<T>) {
    guard case .update(let results, let delta)? = try await iterator.next(isolation: #isolation)
    else {
        Issue.record("the element is not an update", sourceLocation: sourceLocation)
        throw Realm.Error(.invalidInput, "no update")
    }
    return (results, delta)
}

/// Returns the next element of a stream, which must be the initial one.
func nextInitial<T>(
    _ iterator: inout CollectionChanges<T>.AsyncIterator,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> FrozenResults<T> {
    guard case .initial(let results)? = try await iterator.next(isolation: #isolation) else {
        Issue.record("the element is not the initial one", sourceLocation: sourceLocation)
        throw Realm.Error(.invalidInput, "no initial element")
    }
    return results
}

@Suite struct ChangeTests {
    // Covers O4
    @Test func streamBeginsWithTheStateWhenIterationStarts() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        var stream = realm.objects(Person.self).changes.makeAsyncIterator()
        try await realm.write { try $0.add(Person("Bob", age: 2)) }
        try await expectEqual(nextInitial(&stream).map(\.name), ["Ann"])
        let (people, delta) = try await nextUpdate(&stream)
        expectEqual(people.map(\.name), ["Ann", "Bob"])
        expectTrue(delta.insertions == [1] && delta.deletions == [] && delta.modifications == [])
        expectEqual(delta.inserted.map(\.name), ["Bob"])
    }

    // Covers 4.22, 4.23, 4.24, O9, O11
    @Test func changeSetTellsDeletedInsertedAndModifiedObjects() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            try tx.add((0..<5).map { Person("p\($0)", age: $0) })
        }
        var stream = realm.objects(Person.self).changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        try await realm.write(origin: "editor") { tx in
            let people = tx.objects(Person.self)
            people[3].name = "changed"
            people[3].age = 33
            people[4].isActive = false
            tx.delete(people[1])
            try tx.add(Person("new", age: 9))
        }
        let (people, delta) = try await nextUpdate(&stream)
        expectEqual(people.map(\.name), ["p0", "p2", "changed", "p4", "new"])
        expectTrue(delta.deletions == [1] && delta.insertions == [4])
        expectTrue(delta.modifications == [3, 4] && delta.newModifications == [2, 3])
        expectTrue(delta.deleted.map(\.name) == ["p1"] && delta.inserted.map(\.name) == ["new"])
        expectEqual(delta.modified.map(\.old.name), ["p3", "p4"])
        expectEqual(delta.modified.map(\.new.name), ["changed", "p4"])
        expectEqual(delta.modified.map(\.properties), [["name", "age"], ["isActive"]])
        expectTrue(delta.version == realm.snapshot().version && delta.origins == ["editor"])
        expectEqual(people.version, delta.version)
    }

    // Covers 4.7, O12, O32
    @Test func commitsBetweenTwoPullsAreOneChangeSet() async throws {
        let realm = try await Realm.temporary([Person.self, Room.self])
        try await realm.write { try $0.add([Person("a", age: 0), Person("b", age: 0)]) }
        var stream = realm.objects(Person.self).changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        try await realm.write(origin: "one") { tx in
            try tx.add([Person("short-lived", age: 1), Person("c", age: 1)])
            tx.objects(Person.self)[0].age = 5
        }
        try await realm.write(origin: "elsewhere") { try $0.add(Room("general")) }
        try await realm.write(origin: "two") { tx in
            tx.delete(tx.objects(Person.self).where { $0.name == "short-lived" })
            tx.objects(Person.self).where { $0.name == "c" }[0].age = 6
            tx.objects(Person.self)[0].limit = 5
        }
        try await realm.write(origin: "one") { tx in tx.delete(tx.objects(Person.self)[1]) }
        let (people, delta) = try await nextUpdate(&stream)
        expectEqual(people.map(\.name), ["a", "c"])
        expectTrue(delta.deletions == [1] && delta.insertions == [1] && delta.modifications == [0])
        expectTrue(delta.deleted.map(\.name) == ["b"] && delta.inserted.map(\.age) == [6])
        expectEqual(delta.modified.map(\.properties), [["age", "limit"]])
        expectEqual(delta.origins, ["one", "two"])
    }

    // Covers 4.27, O1, O13
    @Test func objectsEnterAndLeaveAQuery() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in try tx.add((0..<6).map { Person("p", age: $0) }) }
        let query = realm.objects(Person.self).where { $0.age >= 3 }
            .sorted(by: \.age, ascending: false)
        var stream = query.changes.makeAsyncIterator()
        try await expectEqual(nextInitial(&stream).map(\.age), [5, 4, 3])
        try await realm.write { tx in
            tx.objects(Person.self)[5].age = 0
            tx.objects(Person.self)[0].age = 10
        }
        let (people, delta) = try await nextUpdate(&stream)
        expectEqual(people.map(\.age), [10, 4, 3])
        expectTrue(delta.deletions == [0] && delta.insertions == [0])
        expectTrue(delta.deleted.map(\.age) == [5] && delta.inserted.map(\.age) == [10])
        // The moved object is a deletion and an insertion.
        try await realm.write { $0.objects(Person.self)[0].age = 3 }
        let (moved, change) = try await nextUpdate(&stream)
        expectEqual(moved.map(\.age), [4, 3, 3])
        expectTrue(
            change.deletions == [0] && change.insertions == [1] && change.modifications == [])
        let old = people.map(\.rowIdentity)
        expectEqual(old.applying(change.difference.mapped()), moved.map(\.rowIdentity))
    }

    // Covers O17
    @Test func settingAnEqualValueIsAModification() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        var stream = realm.objects(Person.self).changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        try await realm.write { $0.objects(Person.self)[0].age = 1 }
        let (_, delta) = try await nextUpdate(&stream)
        expectTrue(delta.modifications == [0] && delta.modified[0].properties == ["age"])
    }

    // Covers 4.7, 4.27, O10, O13
    @Test func commitsThatChangeNothingHereAreNotDelivered() async throws {
        let realm = try await Realm.temporary([Person.self, Room.self])
        var stream = realm.objects(Person.self).where { $0.age > 5 }.changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        try await realm.write { try $0.add(Person("young", age: 1)) }
        try await realm.write { try $0.add(Room("general")) }
        try await realm.write { tx in
            let person = Person("short", age: 10)
            try tx.add(person)
        }
        try await realm.write { tx in tx.delete(tx.objects(Person.self).where { $0.age == 10 }) }
        try await realm.write { try $0.add(Person("old", age: 9)) }
        let (people, delta) = try await nextUpdate(&stream)
        expectTrue(people.map(\.name) == ["old"] && delta.insertions == [0])
    }

    @Test func streamOfAClassThatWasNeverStoredIsEmptyAndThenTellsItsFirstObjects() async throws {
        let realm = try await Realm.temporary()
        var stream = realm.objects(Room.self).sorted(by: \.name).changes.makeAsyncIterator()
        #expect(try await nextInitial(&stream).isEmpty)
        let writer = Task {
            try await realm.write { try $0.add(Person("another class", age: 1)) }
            try await realm.write { try $0.add([Room("b"), Room("a")]) }
        }
        let (rooms, delta) = try await nextUpdate(&stream)
        expectTrue(rooms.map(\.name) == ["a", "b"] && delta.insertions == [0, 1])
        try await writer.value
    }

    @Test func streamWaitsForTheNextCommit() async throws {
        let realm = try await Realm.temporary([Person.self])
        let total = 200
        let reader = Task {
            var seen: [Int] = []
            for try await change in realm.objects(Person.self).changes {
                switch change {
                case .initial(let people): seen += people.map(\.age)
                case .update(_, let delta): seen += delta.inserted.map(\.age)
                }
                if seen.count == total { break }
            }
            return seen
        }
        for age in 0..<total { try await realm.write { try $0.add(Person("p", age: age)) } }
        try await expectEqual(reader.value, Array(0..<total))
    }

    // Covers O6
    @Test func cancellationEndsTheSequenceNormally() async throws {
        let realm = try await Realm.temporary([Person.self])
        let reader = Task {
            var count = 0
            for try await _ in realm.objects(Person.self).changes {
                count += 1
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return count
        }
        try await expectEqual(reader.value, 1)
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            for try await _ in realm.objects(Person.self).changes { signal.yield() }
            return true
        }
        for await _ in started { break }
        waiting.cancel()
        #expect(try await waiting.value)
    }

    // Covers O6
    @Test func closeEndsTheSequenceAfterWhatWasCommittedBefore() async throws {
        let realm = try await Realm.temporary([Person.self])
        var stream = realm.objects(Person.self).changes.makeAsyncIterator()
        var object = realm.objects(Person.self).changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        _ = try await nextInitial(&object)
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        await realm.close()
        try await expectEqual(nextUpdate(&stream).0.count, 1)
        try await expectNil(stream.next())
        try await expectNil(stream.next())
        let waiting = try await Realm.temporary([Person.self])
        let reader = Task {
            for try await _ in waiting.objects(Person.self).changes {}
            return true
        }
        await waiting.close()
        // If it starts after the close it throws instead; it ends in both cases.
        switch await reader.result {
        case .success(let ended): expectTrue(ended)
        case .failure(let error): expectEqual((error as? Realm.Error)?.code, .closed)
        }
    }

    // Covers O2
    @Test func iterationsAreIndependent() async throws {
        let realm = try await Realm.temporary([Person.self])
        let changes = realm.objects(Person.self).changes
        var early = changes.makeAsyncIterator()
        _ = try await nextInitial(&early)
        try await realm.write { try $0.add(Person("Ann", age: 1)) }
        var late = changes.makeAsyncIterator()
        try await expectEqual(nextInitial(&late).count, 1)
        try await expectEqual(nextUpdate(&early).1.insertions, [0])
        try await realm.write { try $0.add(Person("Bob", age: 2)) }
        try await expectEqual(nextUpdate(&late).1.insertions, [1])
        try await expectEqual(nextUpdate(&early).1.insertions, [1])
    }
}

extension CollectionDifference where ChangeElement == Frozen<Person> {
    /// Returns the difference of the identities, for tests with plain arrays.
    func mapped() -> CollectionDifference<RowIdentity> {
        let changes = map { change -> CollectionDifference<RowIdentity>.Change in
            switch change {
            case .insert(let offset, let element, let other):
                .insert(offset: offset, element: element.rowIdentity, associatedWith: other)
            case .remove(let offset, let element, let other):
                .remove(offset: offset, element: element.rowIdentity, associatedWith: other)
            }
        }
        return CollectionDifference<RowIdentity>(changes)!
    }
}
