import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Stored names that start or end with a scalar that merges with the next one into a `Character`.
private final class MergingNames: Object {
    @Persisted var values: List<AnyRealmValue>
    @Persisted var value: AnyRealmValue

    override class func propertiesMapping() -> [String: String] {
        ["values": "\u{301}values", "value": "value\u{600}"]
    }
}

@Suite struct CommitSequenceTests {
    // Covers O1, O31
    @Test func everyCommitIsToldOnceAndInOrder() async throws {
        let realm = try await Realm.temporary([Person.self, Room.self])
        let start = realm.snapshot().version
        var commits = realm.commits.makeAsyncIterator()
        try await realm.write(origin: "one") { try $0.add(Person("a", age: 1)) }
        try await realm.write { tx in
            tx.objects(Person.self)[0].age = 2
            try tx.add(Room("general"))
        }
        try await realm.write { _ in }
        // as if the context of a trace followed
        let label = "three\u{0}trace:3"
        try await realm.write(origin: label) { $0.delete($0.objects(Room.self)) }
        var received: [CommitNotice] = []
        while received.count < 3, let commit = try await commits.next() { received.append(commit) }
        expectEqual(received.map(\.version), [start + 1, start + 2, start + 3])
        expectEqual(received.map(\.origin), ["one", nil, label])
        expectEqual(received.map(\.classNames), [["Person"], ["Person", "Room"], ["Room"]])
        await realm.close()
        try await expectNil(commits.next())
    }

    // Covers O29, O31
    @Test func onlyTheNextCommitsAreTakenFromTheKeptOnes() async throws {
        let realm = try await Realm.temporary([Person.self])
        let start = realm.snapshot().version
        var commits = realm.commits.makeAsyncIterator()
        for age in 0..<100 { try await realm.write { try $0.add(Person("p", age: age)) } }
        for number in 1...UInt64(100) {
            try await expectEqual(commits.next()?.version, start + number)
            if number == 1 { expectEqual(realm.stats().keptSummaries, 36) }
        }
        expectEqual(realm.stats().keptSummaries, 0)
    }

    // Covers O33, O49
    @Test func positionIsThatOfTheCursorUntilTheEnd() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("cursors.realm", [Person.self]))
        let start = realm.snapshot().cursor
        let people = realm.objects(Person.self)
        var commits = realm.commits(since: start).makeAsyncIterator()
        var changes = people.changes(since: start).makeAsyncIterator()
        var sections = people.sectioned(by: \.age).changes(since: start).makeAsyncIterator()
        try await realm.write { try $0.add(Person("a", age: 1)) }
        let now = realm.snapshot().cursor
        var later = realm.commits(since: start).makeAsyncIterator()
        // nothing was delivered yet
        expectTrue(commits.cursor == start && later.cursor == start)
        expectTrue(changes.cursor == start && sections.cursor == start)
        _ = try await (commits.next(), later.next(), changes.next(), sections.next())
        expectTrue(commits.cursor == now && later.cursor == now)
        expectTrue(changes.cursor == now && sections.cursor == now)
        await realm.close()
        _ = try await (commits.next(), later.next(), changes.next(), sections.next())
        expectTrue(commits.cursor == nil && later.cursor == nil)
        expectTrue(changes.cursor == nil && sections.cursor == nil)
    }

    @Test func hiddenClassesAreRecognizedByBytes() async throws {
        let realm = try await Realm.temporary([MergingNames.self])
        var commits = realm.commits.makeAsyncIterator()
        try await realm.write { tx in
            let values: [String: Any?] = ["values": [[1]], "value": [2]]
            _ = try tx.create(MergingNames.self, value: values)
        }
        try await expectEqual(commits.next()?.classNames, ["MergingNames"])
        let objects = realm.snapshot().objects(MergingNames.self)
        expectEqual(objects.where { $0.values.any { $0.any == .int(1) } }.count, 1)
        expectEqual(objects.where { $0.value.any == .int(2) }.count, 1)
        await realm.close()
    }

    @Test func commitsThatAreNoLongerKeptAreAnError() async throws {
        let realm = try await LaterProgram.withoutSummaries([Person.self])
        var commits = realm.commits.makeAsyncIterator()
        try await realm.write { try $0.add(Person("a", age: 1)) }
        do {
            _ = try await commits.next()
            Issue.record("a commit was delivered without its summary")
        } catch {
            expectEqual(error.code, .historyTrimmed)
        }
        try await expectNil(commits.next())
    }

    // Covers O8
    @Test func streamsAreCountedUntilTheyEnd() async throws {
        let realm = try await Realm.temporary([Person.self])
        expectEqual(realm.stats().streams, 0)
        do {
            var stream = realm.objects(Person.self).changes.makeAsyncIterator()
            _ = try await stream.next()
            expectEqual(realm.stats().streams, 1)
        }
        expectEqual(realm.stats().streams, 0)
        try await realm.write { try $0.add(Person("a", age: 1)) }
        expectEqual(realm.stats().commits, 1)
        expectEqual(realm.stats().version, realm.snapshot().version)
    }
}
