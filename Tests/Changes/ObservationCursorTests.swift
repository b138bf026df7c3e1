import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams that resume from a past version.
@Suite struct ObservationCursorTests {
    private static let types: [ObjectBase.Type] = [Kiosk.self, Paper.self, Room.self]

    /// Returns the code of the error that the next element throws.
    private func code<Model>(
        _ stream: inout CollectionChanges<Model>.AsyncIterator
    ) async -> Realm.Error.Code? {
        do throws(Realm.Error) {
            _ = try await stream.next(isolation: #isolation)
            return nil
        } catch {
            return error.code
        }
    }

    // Covers O6
    @Test func closingTheRealmEndsStreamsWhoseCursorIsAhead() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("test.realm", Self.types))
        let identity = "\(realm.snapshot().cursor)".prefix { $0 != "-" }
        let cursor = try requireValue(ChangeCursor("\(identity)-1000"))
        var rooms = realm.objects(Room.self).changes(since: cursor).makeAsyncIterator()
        var commits = realm.commits(since: cursor).makeAsyncIterator()
        await realm.close()
        try await expectNil(rooms.next())
        try await expectNil(commits.next())
    }

    // Covers O33
    @Test func streamGoesOnAfterTheRealmWasOpenedAgain() async throws {
        let folder = try RealmFolder()
        let configuration = folder.configuration("test.realm", Self.types)
        let first = try await Realm.open(configuration)
        var stream = first.objects(Room.self).sorted(by: \.name).changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        try await first.write { try $0.add([Room("a"), Room("b"), Room("c")]) }
        let delivered = try await nextUpdate(&stream).1
        let text = "\(delivered.cursor)"
        try await first.write(origin: "one") { $0.objects(Room.self)[1].topic = "new" }
        await first.close()

        let second = try await Realm.open(configuration)
        try await second.write(origin: "two") { tx in
            tx.delete(try requireValue(tx.object(Room.self, forPrimaryKey: "a")))
            try tx.add(Room("d"))
        }
        let rooms = second.objects(Room.self).sorted(by: \.name)
        let cursor = try requireValue(ChangeCursor(text))
        var merged = rooms.changes(since: cursor).makeAsyncIterator()
        let (all, delta) = try await nextUpdate(&merged)
        expectEqual(all.map(\.name), ["b", "c", "d"])
        expectTrue(delta.deletions == [0] && delta.insertions == [2] && delta.modifications == [1])
        expectEqual(delta.modified.map(\.properties), [["topic"]])
        expectTrue(delta.deleted.map(\.name) == ["a"] && delta.origins == ["one", "two"])
        expectTrue(delta.cursor == second.snapshot().cursor && delta.cursor == all.cursor)

        var each = rooms.changes(policy: .everyCommit, since: cursor).makeAsyncIterator()
        try await expectEqual(nextUpdate(&each).1.origins, ["one"])
        try await expectEqual(nextUpdate(&each).1.origins, ["two"])
        // Followed by new commits.
        try await second.write { try $0.add(Room("e")) }
        try await expectEqual(nextUpdate(&merged).1.insertions, [3])
        try await expectEqual(nextUpdate(&each).1.insertions, [3])
        await second.close()
    }

    // Covers O31, O33
    @Test func objectsListsValuesAndCommitsGoOn() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("test.realm", Self.types))
        try await realm.write { try $0.add(Kiosk("north", papers: ["a"])) }
        let cursor = realm.snapshot().cursor
        try await realm.write(origin: "one") { $0.objects(Kiosk.self)[0].tags.append("old") }
        try await realm.write(origin: "two") { $0.objects(Kiosk.self)[0].papers.append(Paper("b")) }
        let kiosk = realm.object(Kiosk.self, forPrimaryKey: "north")
        var object = kiosk.changes(since: cursor).makeAsyncIterator()
        guard case .changed(let old, _, let properties)? = try await object.next() else {
            Issue.record("no change")
            return
        }
        expectTrue(old.papers.count == 1 && properties == ["papers", "tags"])
        var papers = kiosk.papers.changes(since: cursor).makeAsyncIterator()
        try await expectEqual(nextUpdate(&papers).1.insertions, [1])
        var tags = kiosk.tags.changes(since: cursor).makeAsyncIterator()
        guard case .update(let values, let delta)? = try await tags.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(values.array == ["old"] && delta.insertions == [0])
        var commits = realm.commits(since: cursor).makeAsyncIterator()
        let first = try await commits.next()
        expectEqual(first?.origin, "one")
        var rest = realm.commits(since: try requireValue(first?.cursor)).makeAsyncIterator()
        try await expectEqual(rest.next()?.origin, "two")
        await realm.close()
    }

    // Covers O33
    @Test func streamOfTheNewestVersionWaitsForWhatComes() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { try $0.add(Room("a")) }
        let cursor = realm.snapshot().cursor
        var stream = realm.objects(Room.self).changes(since: cursor).makeAsyncIterator()
        let writer = Task { try await realm.write { try $0.add(Room("b")) } }
        try await expectEqual(nextUpdate(&stream).1.insertions, [1])
        try await writer.value
    }

    // Covers O32
    @Test func theNewest1000OriginsAreReported() async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("test.realm", Self.types)
        configuration.durability = .relaxed(within: .seconds(1))
        let realm = try await Realm.open(configuration)
        try await realm.write { try $0.add(Room("a")) }
        let rooms = realm.objects(Room.self)
        var live = rooms.changes.makeAsyncIterator()
        _ = try await nextInitial(&live)
        var cursors = [realm.snapshot().cursor]
        for number in Array(0...1_000) + [0] {
            try await realm.write(origin: "\(number)") { tx in
                tx.objects(Room.self)[0].topic = "\(number)"
            }
            cursors.append(realm.snapshot().cursor)
        }
        let newest = (Array(2...1_000) + [0]).map { "\($0)" }
        try await expectEqual(nextUpdate(&live).1.origins, newest)
        // 1,001 different labels, then 1,000 and 999
        for start in 0...3 {
            let expected = start < 3 ? newest : Array(newest.dropFirst())
            var stream = rooms.changes(since: cursors[start]).makeAsyncIterator()
            let origins = try await nextUpdate(&stream).1.origins
            expectTrue(origins == expected, "\(origins.count), \(origins.prefix(3))")
        }
        await realm.close()
    }

    // Covers O7, O34, .historyTrimmed
    @Test func placeThatTheRealmDoesNotHaveIsThrownOnce() async throws {
        let realm = try await Realm.temporary(Self.types)
        let other = try await Realm.temporary(Self.types)
        let begin = realm.snapshot().cursor
        try await realm.write { try $0.add(Room("a")) }
        let rooms = realm.objects(Room.self)
        var strange = rooms.changes(since: other.snapshot().cursor).makeAsyncIterator()
        await expectEqual(code(&strange), .invalidInput)
        try await expectNil(strange.next())

        let cursor = realm.snapshot().cursor
        let identity = try requireValue("\(cursor)".split(separator: "-").first)
        for version in [cursor.version + 1, cursor.version + 1_000, .max] {
            let ahead = try requireValue(ChangeCursor("\(identity)-\(version)"))
            expectEqual(ahead.version, version)
            var stream = rooms.changes(since: ahead).makeAsyncIterator()
            await expectEqual(code(&stream), .invalidInput)
            try await expectNil(stream.next())
            let error = await realmError {
                var commits = realm.commits(since: ahead).makeAsyncIterator()
                _ = try await commits.next()
            }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.isHistoryUnavailable, true)
        }
        expectTrue(!Realm.Error(.invalidInput, "").isHistoryUnavailable)

        // An in-memory realm keeps no history.
        var past = rooms.changes(since: begin).makeAsyncIterator()
        await expectEqual(code(&past), .historyTrimmed)
        try await expectNil(past.next())
        let error = await realmError {
            var commits = realm.commits(since: begin).makeAsyncIterator()
            _ = try await commits.next()
        }
        expectEqual(error?.code, .historyTrimmed)
        expectEqual(error?.isHistoryUnavailable, true)
    }

    // Covers O33
    @Test func cursorIsAText() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { try $0.add(Room("a")) }
        let cursor = realm.snapshot().cursor
        expectEqual(ChangeCursor(cursor.description), cursor)
        expectEqual(cursor.version, realm.snapshot().version)
        expectEqual(realm.snapshot().objects(Room.self).cursor, cursor)
        let data = try JSONEncoder().encode(["last": cursor])
        let decoded = try JSONDecoder().decode([String: ChangeCursor].self, from: data)
        expectEqual(decoded, ["last": cursor])
        expectEqual(String(decoding: data, as: UTF8.self), "{\"last\":\"\(cursor)\"}")
        let identity = "\(cursor)".prefix(32)
        for text in [
            "", "-", "7", "\(identity)", "\(identity)-", "\(identity)-x", "\(identity)--1",
            "\(identity)-99999999999999999999", "\(identity)-18446744073709551616",
            "\(identity.dropLast())-7", "\(identity)0-7",
            "\(identity)-7-7", " \(cursor)", "\(String(repeating: "g", count: 32))-7",
            "\(identity)-07", "\(identity)-+7", "\(identity)-00000000000000000007",
            "\(String(repeating: "A", count: 32))-7", "+\(String(repeating: "a", count: 31))-7",
        ] {
            expectNil(ChangeCursor(text), "\(text)")
            #expect(throws: DecodingError.self) {
                let data = try JSONEncoder().encode([text])
                _ = try JSONDecoder().decode([ChangeCursor].self, from: data)
            }
        }
    }
}
