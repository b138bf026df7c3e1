import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// An element is never older than what was committed when it was requested.
@Suite struct ObservationCatchUpTests {
    /// Many rows of a routed class: which streams such a commit concerns is determined on another
    /// thread, after `write` has returned.
    private static let rowCount = 10_000

    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in try tx.add(Person("watched", age: 0)) }
        return realm
    }

    // Covers O41
    @Test func elementShowsWhatWasWrittenBeforeItWasAskedFor() async throws {
        let realm = try await realm()
        var stream = realm.objects(Person.self).where { $0.name == "watched" }.changes
            .makeAsyncIterator()
        _ = try await nextInitial(&stream)
        for age in 1...Effort.count(gate: 8, soak: 8) {
            try await realm.write { tx in
                tx.objects(Person.self).where { $0.name == "watched" }.first?.limit = age
            }
            try await realm.write { tx in
                for _ in 0..<Self.rowCount { try tx.add(Person("other", age: age)) }
                tx.objects(Person.self).where { $0.name == "watched" }.first?.age = age
            }
            let (people, delta) = try await nextUpdate(&stream)
            expectTrue(people.map(\.age) == [age] && people.map(\.limit) == [age])
            expectEqual(delta.modifications, [0])
        }
    }

    // Covers O41
    @Test func commitIsToldToWhoeverAsksAfterIt() async throws {
        let realm = try await realm()
        // Its query makes the class be matched by value.
        var routed = realm.objects(Person.self).where { $0.name == "watched" }.changes
            .makeAsyncIterator()
        _ = try await nextInitial(&routed)
        var commits = realm.commits.makeAsyncIterator()
        for _ in 1...Effort.count(gate: 4, soak: 4) {
            try await realm.write { tx in
                for _ in 0..<Self.rowCount { try tx.add(Person("other", age: 1)) }
            }
            let version = realm.snapshot().version
            let commit = try await commits.next()
            expectEqual(commit?.version, version)
        }
    }
}
