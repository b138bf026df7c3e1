import FoundationEssentials
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private enum Older {
    final class Room: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var size: Int
        @Persisted var messages: List<Post>
        @Persisted var tags: List<String>
    }

    final class Post: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var room: Room?
        @Persisted var rooms: Map<String, Room?>
    }

    /// A class that other programs don't have.
    final class Board: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var posts: Map<String, Post?>
    }
}

private enum Newer {
    final class Room: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var area: Int
        @Persisted var posts: List<Post>
        @Persisted var tags: List<String>
    }

    final class Post: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var room: Room?
        @Persisted var rooms: Map<String, Room?>
    }
}

private enum Smaller {
    final class Room: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var size: Int
    }
}

private enum Untagged {
    final class Entry: Object {
        @Persisted(primaryKey: true) var number: Int
    }
}

private enum Tagged {
    final class Entry: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var tag = "a"
    }
}

/// The tag has another default.
private enum TaggedOtherwise {
    final class Entry: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var tag = "b"
    }
}

/// Streams of a program while a newer one migrates the realm.
@Suite struct MigratedRealmStreamTests {
    private let coordinator: Coordinator
    private let older: Realm
    private let configuration: Realm.Configuration

    init() async throws {
        let identifier = "migrated-\(UUID())"
        let options = CoordinatorOptions(place: .memory(identifier: identifier))
        coordinator = try await Coordinator.open(options)
        var configuration = Realm.Configuration(
            location: .inMemory(identifier: identifier),
            objectTypes: [Older.Room.self, Older.Post.self, Older.Board.self])
        configuration.schemaVersion = 1
        // separate from the newer program's realm, as in another process
        older = Realm(RealmCore(coordinator, configuration))
        self.configuration = configuration
        try await older.write { tx in
            let room = Older.Room()
            room.name = "a"
            room.size = 9
            room.tags.append("x")
            let post = Older.Post()
            post.number = 1
            post.room = room
            post.rooms["a"] = room
            room.messages.append(post)
            try tx.add(room)
        }
    }

    /// Opens the realm as the newer program, which renames two properties of a room.
    private func migrate() async throws -> Realm {
        var configuration = configuration
        configuration.objectTypes = [Newer.Room.self, Newer.Post.self]
        configuration.schemaVersion = 2
        configuration.migration = { migration, _ in
            try migration.renameProperty(onType: "Room", from: "size", to: "area")
            try migration.renameProperty(onType: "Room", from: "messages", to: "posts")
        }
        return try await Realm.open(configuration)
    }

    /// Returns the error thrown instead of the next element; `nil` if there is an element or the
    /// stream ends.
    private func error<Changes: AsyncIteratorProtocol>(
        _ stream: inout Changes
    ) async -> Realm.Error? where Changes.Failure == Realm.Error {
        do throws(Realm.Error) {
            _ = try await stream.next(isolation: #isolation)
            return nil
        } catch {
            return error
        }
    }

    // Covers O5, O7, 13.7
    @Test(arguments: [ChangePolicy.coalesce, .newest])
    func streamEndsWithAnErrorWhenWhatItReadsIsGone(policy: ChangePolicy) async throws {
        let room = older.object(Older.Room.self, forPrimaryKey: "a")
        let posts = older.objects(Older.Post.self)
        var rooms = older.objects(Older.Room.self).where { $0.size > 0 }.changes(policy: policy)
            .makeAsyncIterator()
        var object = room.changes(policy: policy).makeAsyncIterator()
        var messages = room.messages.changes(policy: policy).makeAsyncIterator()
        var tags = room.tags.changes(policy: policy).makeAsyncIterator()
        var large = posts.where { $0.room.size > 0 }.changes(policy: policy).makeAsyncIterator()
        var map = older.object(Older.Post.self, forPrimaryKey: 1).rooms.changes(policy: policy)
            .makeAsyncIterator()
        var numbers = posts.changes(depth: 0, policy: policy).makeAsyncIterator()
        var numbered = posts.changes(keyPaths: [\.number], policy: policy).makeAsyncIterator()
        try await expectEqual(nextInitial(&rooms).count, 1)
        #expect(try await object.next() != nil)
        try await expectEqual(nextInitial(&messages).map(\.number), [1])
        #expect(try await tags.next() != nil)
        #expect(try await map.next() != nil)
        try await expectEqual(nextInitial(&large).map(\.number), [1])
        try await expectEqual(nextInitial(&numbers).map(\.number), [1])
        try await expectEqual(nextInitial(&numbered).map(\.number), [1])
        let newer = try await migrate()
        try await newer.write { tx in
            let room = try requireValue(tx.object(Newer.Room.self, forPrimaryKey: "a"))
            room.area += 1
            room.tags.append("y")
            let post = Newer.Post()
            post.number = 2
            post.room = room
            room.posts.append(post)
        }
        let errors = [
            await error(&rooms), await error(&object), await error(&messages), await error(&tags),
            await error(&large), await error(&map),
        ]
        for error in errors {
            expectTrue(error?.code == .schemaMismatch && error?.className == "Room")
        }
        expectTrue(errors.allSatisfy { $0?.message.contains("newer version") == true })
        try await expectNil(rooms.next())
        try await expectNil(messages.next())
        // posts are unchanged
        let (now, delta) = try await nextUpdate(&numbers)
        expectTrue(now.map(\.number) == [1, 2] && delta.insertions == [1] && delta.deletions == [])
        try await expectEqual(nextUpdate(&numbered).1.insertions, [1])
    }

    /// The consumers follow the rooms of the posts, so they read them. Reading one ends the process
    /// outside of `Snapshot.read`.
    // Covers O5
    @Test(arguments: [ChangePolicy.coalesce, .newest])
    func streamEndsWithAnErrorWhenObjectsThatItFollowsCannotBeRead(
        policy: ChangePolicy
    ) async throws {
        let posts = older.objects(Older.Post.self)
        let post = older.object(Older.Post.self, forPrimaryKey: 1)
        try await older.write { tx in
            let board = Older.Board()
            board.name = "b"
            board.posts["a"] = tx.object(Older.Post.self, forPrimaryKey: 1)
            try tx.add(board)
        }
        let pinned = older.object(Older.Board.self, forPrimaryKey: "b").posts
        var deep = posts.changes(policy: policy).makeAsyncIterator()
        var linked = post.changes(depth: 1, policy: policy).makeAsyncIterator()
        var links = posts.changes(keyPaths: [\.room], policy: policy).makeAsyncIterator()
        var maps = posts.changes(keyPaths: [\.rooms], policy: policy).makeAsyncIterator()
        var sections = posts.sectioned(by: \.number).changes(policy: policy).makeAsyncIterator()
        var map = pinned.changes(policy: policy).makeAsyncIterator()
        var rooms = pinned.changes(keyPaths: [\.room], policy: policy).makeAsyncIterator()
        var numbers = pinned.changes(keyPaths: [\.number], policy: policy).makeAsyncIterator()
        try await expectEqual(nextInitial(&deep).map(\.number), [1])
        #expect(try await linked.next() != nil)
        try await expectEqual(nextInitial(&links).map(\.number), [1])
        try await expectEqual(nextInitial(&maps).map(\.number), [1])
        #expect(try await sections.next() != nil)
        #expect(try await map.next() != nil)
        #expect(try await rooms.next() != nil)
        #expect(try await numbers.next() != nil)
        let newer = try await migrate()
        try await newer.write { tx in
            let post = Newer.Post()
            post.number = 2
            try tx.add(post)
        }
        let errors = [
            await error(&deep), await error(&linked), await error(&links), await error(&maps),
            await error(&sections), await error(&map), await error(&rooms),
        ]
        for error in errors {
            expectTrue(error?.code == .schemaMismatch && error?.className == "Room")
        }
        try await expectNil(deep.next())
        let quiet = try await numbers.next(within: .zero)
        expectNil(quiet.element)
        // neither does one begin
        var late = posts.changes(policy: policy).makeAsyncIterator()
        await expectEqual(error(&late)?.code, .schemaMismatch)
        var flat = posts.changes(depth: 0, policy: policy).makeAsyncIterator()
        try await expectEqual(nextInitial(&flat).map(\.number), [1, 2])
    }

    // Covers O7
    @Test(.timeLimit(.minutes(8)), arguments: [ChangePolicy.coalesce, .everyCommit])
    func streamDoesNotBeginAtACursorOfTheNewerProgram(policy: ChangePolicy) async throws {
        // the cursor of the version that the migration makes
        let now = older.snapshot().cursor
        let cursor = ChangeCursor(high: now.high, low: now.low, version: now.version + 1)
        var rooms = older.objects(Older.Room.self).changes(policy: policy, since: cursor)
            .makeAsyncIterator()
        let newer = try await migrate()
        expectEqual(newer.snapshot().cursor, cursor)
        let error = await error(&rooms)
        expectTrue(error?.code == .schemaMismatch && error?.className == "Room")
    }

    // Covers 13.7, .schemaMismatch
    @Test func queryWithAnObjectOfAChangedClassCannotBePrinted() async throws {
        let room = older.snapshot().objects(Older.Room.self)[0]
        let posts = older.objects(Older.Post.self).where { $0.room == room }
        try expectEqual(posts.predicate, "room.name == 'a'")
        let newer = try await migrate()
        _ = try await older.snapshot(atLeast: newer.snapshot().version)
        let errors = [
            await realmError { try posts.predicate }, await realmError { try posts.explain() },
        ]
        for error in errors {
            expectTrue(error?.code == .schemaMismatch && error?.className == "Room")
        }
        expectEqual(posts.count, 1)
    }

    // Covers O31
    @Test func commitsNameClassesThatAMigrationDrops() async throws {
        var commits = older.commits.makeAsyncIterator()
        var configuration = configuration
        configuration.objectTypes = [Smaller.Room.self]
        configuration.schemaVersion = 2
        configuration.migration = { migration, _ in
            migration.deleteData(forType: "Post")
            try migration.deleteProperty(onType: "Room", "tags")
        }
        let smaller = try await Realm.open(configuration)
        // the tags of a room, and the map of a post, are rows of hidden classes
        try await expectEqual(commits.next()?.classNames, ["Post", "Room"])
        withExtendedLifetime(smaller) {}
    }

    /// Returns the realm of another program, separate from those of the others.
    private func program(
        _ types: [ObjectBase.Type], _ version: UInt64 = 1, _ migration: MigrationBlock? = nil
    ) -> Realm {
        var configuration = configuration
        configuration.objectTypes = types
        configuration.schemaVersion = version
        configuration.migration = migration
        return Realm(RealmCore(coordinator, configuration))
    }

    /// The size became 0 in two migrations, although no commit has set it.
    // Covers O5
    @Test(arguments: [ChangePolicy.coalesce, .newest])
    func streamEndsWithAnErrorWhenAPropertyWasReplaced(policy: ChangePolicy) async throws {
        var rooms = older.objects(Older.Room.self).changes(policy: policy).makeAsyncIterator()
        var posts = older.objects(Older.Post.self).changes(policy: policy).makeAsyncIterator()
        var numbers = older.objects(Older.Post.self).changes(depth: 0, policy: policy)
            .makeAsyncIterator()
        try await expectEqual(nextInitial(&rooms).map(\.size), [9])
        try await expectEqual(nextInitial(&posts).map(\.number), [1])
        try await expectEqual(nextInitial(&numbers).map(\.number), [1])
        let newer = try await migrate()
        let newest = program([Older.Room.self, Older.Post.self], 3) { migration, _ in
            try migration.deleteProperty(onType: "Room", "area")
            try migration.renameProperty(onType: "Room", from: "posts", to: "messages")
        }
        _ = try await newest.migrate()
        try await newest.write { tx in
            let post = Older.Post()
            post.number = 2
            try tx.add(post)
        }
        let errors = [
            await realmError { try await rooms.next(within: .zero) },
            await realmError { try await posts.next(within: .zero) },
        ]
        for error in errors {
            expectTrue(error?.code == .schemaMismatch && error?.className == "Room")
            expectEqual(error?.property, "size")
        }
        // the posts themselves are unchanged
        try await expectEqual(nextUpdate(&numbers).1.insertions, [1])
        withExtendedLifetime((newer, newest)) {}
    }

    /// The first write with a property stores its default, which all older objects then have.
    // Covers O45, 6.8
    @Test func sectionsHaveTheKeysThatAnotherProgramHasStored() async throws {
        let untagged = program([Untagged.Entry.self])
        try await untagged.write { tx in
            for number in 1...2 {
                let entry = Untagged.Entry()
                entry.number = number
                try tx.add(entry)
            }
        }
        let tagged = program([Tagged.Entry.self])
        let tags = tagged.objects(Tagged.Entry.self).sectioned(by: \.tag)
        var changes = tags.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await changes.next() else {
            Issue.record("no initial element")
            return
        }
        expectEqual(first.allKeys, ["a"])
        let taggedOtherwise = program([TaggedOtherwise.Entry.self])
        try await taggedOtherwise.write { tx in
            let entry = TaggedOtherwise.Entry()
            entry.number = 3
            entry.tag = "c"
            try tx.add(entry)
        }
        guard case .update(let now, let delta)? = try await changes.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(now.allKeys, ["b", "c"])
        expectEqual(tags.current.allKeys, ["b", "c"])
        expectEqual(delta.deletedKeys, ["a"])
        expectEqual(delta.insertedKeys, ["b", "c"])
        withExtendedLifetime((untagged, taggedOtherwise)) {}
    }
}
