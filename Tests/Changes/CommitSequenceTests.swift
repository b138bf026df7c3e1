import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

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
        try await realm.write(origin: "three") { $0.delete($0.objects(Room.self)) }
        var received: [CommitNotice] = []
        while received.count < 3, let commit = try await commits.next() { received.append(commit) }
        #expect(received.map(\.version) == [start + 1, start + 2, start + 3])
        #expect(received.map(\.origin) == ["one", nil, "three"])
        #expect(received.map(\.classNames) == [["Person"], ["Person", "Room"], ["Room"]])
        await realm.close()
        #expect(try await commits.next() == nil)
    }

    @Test func commitsThatAreNoLongerKeptAreAnError() async throws {
        let realm = try await LaterProgram.withoutSummaries([Person.self])
        var commits = realm.commits.makeAsyncIterator()
        try await realm.write { try $0.add(Person("a", age: 1)) }
        do {
            _ = try await commits.next()
            Issue.record("a commit was delivered without its summary")
        } catch {
            #expect(error.code == .historyTrimmed)
        }
        #expect(try await commits.next() == nil)
    }

    // Covers O8
    @Test func streamsAreCountedUntilTheyEnd() async throws {
        let realm = try await Realm.temporary([Person.self])
        #expect(realm.stats().streams == 0)
        do {
            var stream = realm.objects(Person.self).changes.makeAsyncIterator()
            _ = try await stream.next()
            #expect(realm.stats().streams == 1)
        }
        #expect(realm.stats().streams == 0)
        try await realm.write { try $0.add(Person("a", age: 1)) }
        #expect(realm.stats().commits == 1)
        #expect(realm.stats().version == realm.snapshot().version)
    }
}
