import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Returns the next element of a stream, which must be an update.
private func nextUpdate<Key, Model>(
    _ stream: inout SectionChanges<Key, Model>.AsyncIterator,
    isolation actor: isolated (any Actor)? = #isolation
) async throws -> (FrozenSections<Key, Model>, SectionChangeSet<Key, Model>) {
    guard case .update(let sections, let delta)? = try await stream.next(isolation: actor) else {
        throw Realm.Error(.invalidInput, "no update")
    }
    return (sections, delta)
}

/// Returns the next element of a stream, which must be the initial one.
private func nextInitial<Key, Model>(
    _ stream: inout SectionChanges<Key, Model>.AsyncIterator,
    isolation actor: isolated (any Actor)? = #isolation
) async throws -> FrozenSections<Key, Model> {
    guard case .initial(let sections)? = try await stream.next(isolation: actor) else {
        throw Realm.Error(.invalidInput, "no initial element")
    }
    return sections
}

private func path(_ section: Int, _ row: Int) -> SectionPath {
    SectionPath(section: section, row: row)
}

/// Streams of sectioned results. Lines 2 and 5 are in room "a", 1 and 3 in "b", 4 in "c".
@Suite struct SectionStreamTests {
    typealias Line = Log.Line

    // Covers 4.46, 4.47, O45
    @Test func pathsReferToOldAndNewSections() async throws {
        let realm = try await Log.realm()
        var stream = realm.objects(Line.self).sectioned(by: \.room).changes.makeAsyncIterator()
        try await expectEqual(nextInitial(&stream).allKeys, ["a", "b", "c"])
        try await realm.write(origin: "mix") { tx in
            // the whole of room a, one of two in b, a new room before the others
            tx.delete([try tx.line(2), try tx.line(5), try tx.line(1)])
            try tx.add([Line(6, "B"), Line(7, "B"), Line(8, "c")])
            try tx.line(4).text = "changed"
        }
        let (rooms, delta) = try await nextUpdate(&stream)
        expectEqual(rooms.map { $0.map(\.id) }, [[6, 7], [3], [4, 8]])
        expectTrue(delta.sectionDeletions == [0] && delta.sectionInsertions == [0])
        expectTrue(delta.deletedKeys == ["a"] && delta.insertedKeys == ["B"])
        // those of room a aren't listed, those of room B are
        expectEqual(delta.deletions, [path(1, 0)])
        expectEqual(delta.deleted.map(\.id), [1])
        expectEqual(delta.insertions, [path(0, 0), path(0, 1), path(2, 1)])
        expectEqual(delta.modifications, [path(2, 0)])
        expectEqual(delta.newModifications, [path(2, 0)])
        expectEqual(delta.modified.map(\.properties), [["text"]])
        expectTrue(
            delta.modified[0].old.text == "charlie" && delta.modified[0].new.text == "changed")
        expectTrue(delta.origins == ["mix"] && delta.version == rooms.version)
        expectTrue(delta.cursor == rooms.cursor)
        // the old section of a modified object is reported at its old position
        try await realm.write { tx in
            tx.delete([try tx.line(6), try tx.line(7)])
            try tx.line(3).text = "moved up"
        }
        let (_, second) = try await nextUpdate(&stream)
        expectTrue(second.sectionDeletions == [0] && second.deletions == [])
        expectTrue(
            second.modifications == [path(1, 0)] && second.newModifications == [path(0, 0)])
        try await realm.write { $0.deleteAll() }
        let (none, last) = try await nextUpdate(&stream)
        expectTrue(none.isEmpty && last.sectionDeletions == [0, 1] && last.deletions == [])
    }

    // Covers 4.48, O46
    @Test func modifiedRowThatShiftsIsDeletedAndInserted() async throws {
        let realm = try await Log.realm()
        var stream = realm.objects(Line.self).sectioned(by: \.room).changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        // the second row of room b becomes its first
        try await realm.write { tx in
            tx.delete(try tx.line(1))
            try tx.line(3).text = "first"
        }
        let (_, shifted) = try await nextUpdate(&stream)
        expectEqual(shifted.deletions, [path(1, 0), path(1, 1)])
        expectEqual(shifted.insertions, [path(1, 0)])
        expectTrue(shifted.modifications == [] && shifted.deleted.map(\.id) == [1, 3])
        // to another section
        try await realm.write { try $0.line(5).room = "b" }
        let (rooms, moved) = try await nextUpdate(&stream)
        expectEqual(rooms.map { $0.map(\.id) }, [[2], [3, 5], [4]])
        expectTrue(moved.deletions == [path(0, 1)] && moved.insertions == [path(1, 1)])
        expectTrue(moved.sectionDeletions == [] && moved.modifications == [])
        // the only one of a section
        try await realm.write { try $0.line(4).room = "b" }
        let (_, joined) = try await nextUpdate(&stream)
        expectTrue(joined.sectionDeletions == [2] && joined.deletions == [])
        expectEqual(joined.insertions, [path(1, 1)])
        // set to the same key: a modification
        try await realm.write { try $0.line(4).room = "b" }
        let (_, same) = try await nextUpdate(&stream)
        expectTrue(same.modifications == [path(1, 1)] && same.insertions == [])
        // an unmodified row that shifts isn't listed
        try await realm.write { tx in tx.delete(try tx.line(3)) }
        let (_, removed) = try await nextUpdate(&stream)
        expectTrue(removed.deletions == [path(1, 0)] && removed.insertions == [])
    }

    // Covers 4.49, O47
    @Test func sectionIsFollowedByItsKey() async throws {
        let realm = try await Log.realm()
        let section = realm.objects(Line.self).sectioned(by: \.room).section(forKey: "b")
        // an element for every commit that isn't silent
        var stream = section.changes(policy: .everyCommit).makeAsyncIterator()
        try await expectEqual(nextInitial(&stream).section(forKey: "b")?.map(\.id), [1, 3])
        // not of this section: silent
        try await realm.write { tx in
            try tx.line(4).text = "other"
            tx.delete([try tx.line(2), try tx.line(5)])
        }
        try await realm.write { tx in try tx.add([Line(6, "aa"), Line(7, "b")]) }
        let (rooms, delta) = try await nextUpdate(&stream)
        expectEqual(rooms.allKeys, ["aa", "b", "c"])
        // among all sections
        expectEqual(delta.insertions, [path(1, 2)])
        expectTrue(delta.sectionInsertions == [] && delta.sectionDeletions == [])
        expectEqual(rooms[delta.insertions[0]].id, 7)
        try await realm.write { tx in
            try tx.line(3).text = "x"
            try tx.add(Line(8, "z"))
        }
        let (_, changed) = try await nextUpdate(&stream)
        expectTrue(changed.modifications == [path(1, 1)] && changed.insertions == [])
        // the section vanishes
        try await realm.write { tx in
            for id in [1, 3, 7] { try tx.line(id).room = "c" }
        }
        let (gone, vanished) = try await nextUpdate(&stream)
        expectNil(gone.section(forKey: "b")?.key)
        expectTrue(vanished.sectionDeletions == [1] && vanished.deletedKeys == ["b"])
        expectTrue(vanished.insertions == [] && vanished.deletions == [])
        expectNil(section.current?.key)
        // silent while it doesn't exist
        try await realm.write { try $0.line(7).text = "y" }
        // and appears again
        try await realm.write { try $0.line(1).room = "b" }
        let (_, back) = try await nextUpdate(&stream)
        expectTrue(back.sectionInsertions == [1] && back.insertedKeys == ["b"])
        expectTrue(back.insertions == [path(1, 0)] && back.deletions == [])
        expectTrue(section.current?.count == 1 && section.id == "b")
    }

    // Covers 4.50, O46
    @Test func keyPathsFilterModifications() async throws {
        let realm = try await Log.realm()
        let rooms = realm.objects(Line.self).sectioned(by: \.room)
        var texts = rooms.changes(keyPaths: [\.text]).makeAsyncIterator()
        var named = try rooms.changes(keyPaths: ["text"]).makeAsyncIterator()
        var one = rooms.section(forKey: "b").changes(keyPaths: [\.text]).makeAsyncIterator()
        let byLevel = realm.objects(Line.self).sectioned(sortDescriptors: []) { $0.level }
        var levels = byLevel.changes(keyPaths: [\.text]).makeAsyncIterator()
        _ = try await nextInitial(&texts)
        _ = try await nextInitial(&named)
        _ = try await nextInitial(&one)
        try await expectEqual(nextInitial(&levels).map { $0.map(\.id) }, [[1, 5], [2, 3], [4]])
        // neither the section key nor the key path of the first three streams
        try await realm.write { try $0.line(3).level = 1 }
        let (_, leveled) = try await nextUpdate(&levels)
        expectTrue(leveled.deletions == [path(1, 1)] && leveled.insertions == [path(0, 1)])
        // a section key that is set to an equal one
        try await realm.write { try $0.line(1).room = "b" }
        try await realm.write { try $0.line(1).text = "new" }
        for delta in [
            try await nextUpdate(&texts).1, try await nextUpdate(&named).1,
            try await nextUpdate(&one).1,
        ] {
            expectTrue(delta.modifications == [path(1, 0)] && delta.insertions == [])
            expectEqual(delta.modified.map(\.properties), [["text"]])
        }
        let (_, text) = try await nextUpdate(&levels)
        expectEqual(text.modifications, [path(0, 0)])
        // moves to another section are reported whatever the key paths
        try await realm.write { try $0.line(2).room = "b" }
        for delta in [try await nextUpdate(&texts).1, try await nextUpdate(&named).1] {
            expectTrue(delta.deletions == [path(0, 0)] && delta.insertions == [path(1, 1)])
        }
        try await expectEqual(nextUpdate(&one).1.insertions, [path(1, 1)])
        // one that doesn't change the order of the objects
        try await realm.write { try $0.line(4).room = "d" }
        for delta in [try await nextUpdate(&texts).1, try await nextUpdate(&named).1] {
            expectTrue(delta.sectionDeletions == [2] && delta.sectionInsertions == [2])
            expectTrue(delta.insertions == [path(2, 0)] && delta.deletions == [])
        }
    }

    // Covers 4.50, O48
    @Test func keyOfALinkedObjectIsFollowedAtAnyDepth() async throws {
        let realm = try await Log.realm()
        let names = realm.objects(Line.self).sectioned(by: \.author?.name)
        var shallow = names.changes(depth: 0).makeAsyncIterator()
        var texts = names.changes(keyPaths: [\.text]).makeAsyncIterator()
        var closure = realm.objects(Line.self)
            .sectioned(sortDescriptors: []) { $0.author?.name }.changes.makeAsyncIterator()
        _ = try await nextInitial(&shallow)
        _ = try await nextInitial(&texts)
        _ = try await nextInitial(&closure)
        // the order of the lines stays
        try await realm.write { $0.object(Log.Author.self, forPrimaryKey: 1)?.name = "Bob" }
        for delta in [try await nextUpdate(&shallow).1, try await nextUpdate(&texts).1] {
            expectTrue(delta.sectionDeletions == [1] && delta.deletedKeys == ["Ann"])
            expectTrue(delta.sectionInsertions == [1] && delta.insertedKeys == ["Bob"])
            expectEqual(delta.insertions, [path(1, 0), path(1, 1)])
        }
        try await expectEqual(nextUpdate(&closure).1.sectionInsertions, [0])
        try await realm.write { tx in
            guard let bob = tx.object(Log.Author.self, forPrimaryKey: 1) else { return }
            tx.delete(bob)
        }
        let (rooms, delta) = try await nextUpdate(&shallow)
        expectTrue(rooms.allKeys == [nil] && delta.sectionDeletions == [1])
        try await expectEqual(nextUpdate(&texts).0, rooms)
    }

    // Covers 4.45, 4.51
    @Test func streamBeginsWithItsInitialElementAndResumes() async throws {
        let folder = try RealmFolder()
        let realm = try await Log.realm(folder.configuration("test.realm", Log.types))
        let rooms = realm.objects(Line.self).sectioned(by: \.room)
        var stream = rooms.changes.makeAsyncIterator()
        try await realm.write { try $0.add(Line(6, "d")) }
        // of the version when the iteration started, and once
        let first = try await nextInitial(&stream)
        expectEqual(first.allKeys, ["a", "b", "c"])
        try await realm.write { try $0.add(Line(7, "e")) }
        let (_, merged) = try await nextUpdate(&stream)
        expectEqual(merged.sectionInsertions, [3, 4])
        var each = rooms.changes(policy: .everyCommit, since: first.cursor).makeAsyncIterator()
        try await expectEqual(nextUpdate(&each).1.insertedKeys, ["d"])
        try await expectEqual(nextUpdate(&each).1.insertedKeys, ["e"])
        let closure = realm.objects(Line.self).sectioned(sortDescriptors: []) { $0.room }
        var resumed = closure.changes(policy: .newest, since: first.cursor).makeAsyncIterator()
        let (sections, delta) = try await nextUpdate(&resumed)
        expectEqual(sections.allKeys, ["b", "a", "c", "d", "e"])
        expectEqual(delta.insertedKeys, ["d", "e"])
        await realm.close()
        try await expectNil(stream.next())
    }

    // Covers O2, O45
    @Test func copiesOfAnIteratorShareTheSections() async throws {
        let realm = try await Log.realm()
        var stream = realm.objects(Line.self).sectioned(by: \.room).changes.makeAsyncIterator()
        var first = stream
        try await expectEqual(nextInitial(&stream).allKeys, ["a", "b", "c"])
        try await realm.write { try $0.add(Line(6, "d")) }
        try await expectEqual(nextUpdate(&first).1.insertedKeys, ["d"])
        var second = stream
        try await realm.write { try $0.add(Line(7, "e")) }
        try await expectEqual(nextUpdate(&stream).1.insertedKeys, ["e"])
        try await realm.write { tx in tx.delete(try tx.line(4)) }
        let (sections, delta) = try await nextUpdate(&second)
        expectEqual(sections.allKeys, ["a", "b", "d", "e"])
        expectTrue(delta.deletedKeys == ["c"] && delta.insertedKeys == [])
    }

    // Covers O45
    @Test func sectionThatMovesIsDeletedAndInserted() async throws {
        let realm = try await Log.realm()
        let closure = realm.objects(Line.self).sectioned(sortDescriptors: [.ascending(\.id)]) {
            $0.room
        }
        var stream = closure.changes.makeAsyncIterator()
        try await expectEqual(nextInitial(&stream).allKeys, ["b", "a", "c"])
        try await realm.write { tx in tx.delete(try tx.line(1)) }
        let (sections, delta) = try await nextUpdate(&stream)
        expectEqual(sections.allKeys, ["a", "b", "c"])
        let moved = delta.deletedKeys
        expectTrue(moved.count == 1 && moved == delta.insertedKeys)
        expectEqual(delta.insertions.count, sections.section(forKey: moved[0])?.count)
    }

    // Covers 2.114, 4.46
    @Test func sectionsOfProjectionsAndListsAreFollowed() async throws {
        let realm = try await Log.realm()
        try await realm.write { tx in
            let ann = tx.object(Log.Author.self, forPrimaryKey: 1)
            ann?.lines.append(objectsIn: try [4, 2, 4].map { try tx.line($0) })
        }
        let places = realm.objects(Log.LineCard.self).sectioned(by: \.place)
        var cards = places.changes.makeAsyncIterator()
        let ann = realm.object(Log.Author.self, forPrimaryKey: 1)
        var lines = ann.lines.sectioned(by: \.room).changes(depth: 0).makeAsyncIterator()
        _ = try await nextInitial(&cards)
        try await expectEqual(nextInitial(&lines).map { $0.map(\.id) }, [[2], [4, 4]])
        // not shown by the projection
        try await realm.write { try $0.line(2).level = 9 }
        try await expectEqual(nextUpdate(&lines).1.modifications, [path(0, 0)])
        try await realm.write { try $0.line(2).room = "b" }
        let (_, moved) = try await nextUpdate(&cards)
        expectTrue(moved.deletions == [path(0, 0)] && moved.insertions == [path(1, 1)])
        expectEqual(moved.deleted.map(\.place), ["a"])
        let (_, listed) = try await nextUpdate(&lines)
        expectTrue(listed.deletedKeys == ["a"] && listed.insertedKeys == ["b"])
        try await realm.write { tx in
            guard let ann = tx.object(Log.Author.self, forPrimaryKey: 1) else { return }
            ann.lines.remove(at: 0)
        }
        // either of two equal rows
        try await expectEqual(nextUpdate(&lines).1.deletions.map(\.section), [1])
    }

    // Covers 4.52, .invalidQuery, .invalidInput
    @Test func streamEndsWithItsTaskAndThrowsItsErrors() async throws {
        let realm = try await Log.realm()
        let rooms = realm.objects(Line.self).sectioned(by: \.room)
        let task = Task {
            var elements = 0
            for try await _ in rooms.changes { elements += 1 }
            return elements
        }
        task.cancel()
        _ = try await task.value
        let error = #expect(throws: Realm.Error.self) {
            _ = try rooms.changes(keyPaths: ["nothing"])
        }
        expectEqual(error?.code, .invalidInput)
        // a key that becomes a link
        try await realm.write { try $0.add(Log.Kinds()) }
        var values = realm.objects(Log.Kinds.self).sectioned(by: \.any).changes.makeAsyncIterator()
        _ = try await nextInitial(&values)
        try await realm.write { tx in
            let author = tx.object(Log.Author.self, forPrimaryKey: 1)
            tx.objects(Log.Kinds.self).first?.any = author.map { .object($0) } ?? .none
        }
        do throws(Realm.Error) {
            _ = try await values.next(isolation: #isolation)
            Issue.record("a link is a key")
        } catch {
            expectEqual(error.code, .invalidQuery)
        }
        try await expectNil(values.next()?.sections.count)
    }
}
