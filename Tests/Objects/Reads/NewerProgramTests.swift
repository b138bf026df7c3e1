import FoundationEssentials
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private enum Newer {
    final class Room: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var area: Int
        @Persisted var posts: List<Post>
        @Persisted var pinned: Map<String, Post?>
        @Persisted var scores: Map<String, Int>
        @Persisted var tags: List<String>
        @Persisted var top: Post?
    }

    final class Post: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var room: Room?
        @Persisted var next: Post?
        @Persisted var replies: List<Post>
        @Persisted var words: List<String>
        @Persisted var marks: Map<String, Int>
        @Persisted(originProperty: "posts") var rooms: LinkingObjects<Room>
    }

    static let types: [ObjectBase.Type] = [Room.self, Post.self]
}

/// The program before two properties of a room were renamed.
private enum Older {
    final class Room: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var size: Int
        @Persisted var messages: List<Post>
        @Persisted var pinned: Map<String, Post?>
        @Persisted var scores: Map<String, Int>
        @Persisted var tags: List<String>
        @Persisted var first: Post?
    }

    final class Post: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var room: Room?
        @Persisted var next: Post?
        @Persisted var replies: List<Post>
        @Persisted var words: List<String>
        @Persisted var marks: Map<String, Int>
        @Persisted(originProperty: "messages") var rooms: LinkingObjects<Room>
    }

    static let types: [ObjectBase.Type] = [Room.self, Post.self]
}

/// Another program, whose rooms have numbers.
private enum Retyped {
    final class Room: Object {
        @Persisted(primaryKey: true) var name: Int
        @Persisted var posts: List<Post>
        @Persisted var pinned: Map<String, Post?>
    }

    final class Post: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var room: Room?
    }

    static let types: [ObjectBase.Type] = [Room.self, Post.self]
}

private final class Badge: Object { @Persisted var number: Int }

private final class Wearer: Object { @Persisted var badge: Badge? }

private final class Memo: AsymmetricObject { @Persisted var number: Int }

/// Reads of a realm that a newer program has migrated: they return no defaults and no empty
/// collections, even if the changed class isn't that of the results.
@Suite struct NewerProgramTests {
    /// Returns the newer program's realm, with a room that has one post, and an older program's.
    /// The newer one keeps their common content open.
    private func programs(
        _ types: [ObjectBase.Type] = Older.types
    ) async throws -> (older: Realm, newer: Realm) {
        var configuration = Realm.Configuration(
            location: .inMemory(identifier: "newer-\(UUID())"), objectTypes: Newer.types)
        configuration.schemaVersion = 2
        let newer = try await Realm.open(configuration)
        try await newer.write { tx in
            let room = Newer.Room()
            room.name = "a"
            room.area = 9
            let post = Newer.Post()
            post.number = 1
            post.room = room
            post.next = post
            post.replies.append(post)
            post.words.append("x")
            post.marks["x"] = 1
            room.posts.append(post)
            room.top = post
            room.pinned["x"] = post
            room.scores["x"] = 1
            room.tags.append("x")
            try tx.add(room)
        }
        configuration.objectTypes = types
        configuration.schemaVersion = 1
        return (Realm(RealmCore(newer.core.coordinator, configuration)), newer)
    }

    private static let queryCount = 8

    /// Returns the result of one of the queries of posts that read their rooms.
    private static func answer<Posts: Queryable>(
        _ number: Int, _ posts: Posts, count: (Posts) -> Int
    ) -> Int where Posts.Model == Older.Post {
        switch number {
        case 0: count(posts.where { $0.room.size > 5 })
        case 1: count(posts.where { !($0.room.size < 5 || $0.number == 2) })
        case 2: count(posts.where { $0.room.tags.contains("x") })
        case 3: count(posts.sorted(by: \.room?.size))
        case 4: count(posts.distinct(by: \.room?.size))
        case 5: posts.sum(of: \.room?.size)
        case 6: posts.max(of: \.room?.size) ?? 0
        default: posts.index { $0.room.size > 5 } ?? -1
        }
    }

    // Covers 13.7, .schemaMismatch
    @Test func queriesThroughAChangedClassAreErrorsInAllViews() async throws {
        let (older, newer) = try await programs()
        defer { withExtendedLifetime(newer) {} }
        for number in 0..<Self.queryCount {
            let errors = [
                await realmError {
                    try older.snapshot().read { snapshot in
                        Self.answer(number, snapshot.objects(Older.Post.self)) { $0.count }
                    }
                },
                await realmError {
                    try older.snapshot().read { _ in
                        Self.answer(number, older.objects(Older.Post.self)) { $0.count }
                    }
                },
                await realmError {
                    try await older.read { tx in
                        Self.answer(number, tx.objects(Older.Post.self)) { $0.count }
                    }
                },
            ]
            for error in errors {
                expectEqual(error?.code, .schemaMismatch, "query \(number)")
                expectTrue(
                    error?.className == "Room" && error?.property == "size", "query \(number)")
            }
        }
        // posts themselves are unchanged
        expectEqual(older.snapshot().objects(Older.Post.self).where { $0.number == 1 }.count, 1)
        try await expectEqual(older.read { $0.objects(Older.Post.self).sum(of: \.number) }, 1)
        expectEqual(newer.snapshot().objects(Newer.Post.self).where { $0.room.area > 5 }.count, 1)
    }

    // Covers 13.7
    @Test func whatAnUnchangedObjectLinksToIsAnErrorInAllViews() async throws {
        let (older, newer) = try await programs()
        defer { withExtendedLifetime(newer) {} }
        let frozen: [(Frozen<Older.Post>) -> Any?] = [
            { $0.room?.size }, { $0.room?.messages.count }, { $0.room?.tags.count },
            { $0.room?.scores.count }, { $0.rooms.count }, { $0.rooms.first },
        ]
        for (number, use) in frozen.enumerated() {
            let error = #expect(throws: Realm.Error.self, "use \(number)") {
                try older.snapshot().read { _ = use($0.objects(Older.Post.self)[0]) }
            }
            expectEqual(error?.code, .schemaMismatch, "use \(number)")
            expectEqual(error?.className, "Room", "use \(number)")
        }
        for number in 0..<6 {
            let error = await realmError {
                try await older.read { tx in
                    let post = tx.objects(Older.Post.self)[0]
                    switch number {
                    case 0: _ = post.room?.size
                    case 1: _ = post.room?.messages.count
                    case 2: _ = post.room?.tags.count
                    case 3: _ = post.room?.scores.count
                    case 4: _ = post.rooms.count
                    default: _ = post.rooms.first
                    }
                }
            }
            expectEqual(error?.code, .schemaMismatch, "use \(number)")
            expectEqual(error?.className, "Room", "use \(number)")
        }
    }

    // Covers O5
    @Test func streamsOfQueriesThroughAChangedClassThrowAtOnce() async throws {
        let (older, newer) = try await programs()
        defer { withExtendedLifetime(newer) {} }
        let posts = older.objects(Older.Post.self)
        let streams = [
            posts.where { $0.room.size > 5 }.changes, posts.sorted(by: \.room?.size).changes,
            posts.distinct(by: \.room?.size).changes, posts.changes(keyPaths: [\.room?.size]),
        ]
        for (number, changes) in streams.enumerated() {
            var stream = changes.makeAsyncIterator()
            do throws(Realm.Error) {
                _ = try await stream.next(isolation: #isolation)
                Issue.record("Stream \(number) has an element.")
            } catch {
                expectTrue(error.code == .schemaMismatch && error.className == "Room")
            }
            try await expectNil(stream.next())
        }
    }

    // Covers O5, 13.7
    @Test func collectionsOfAnObjectOfAChangedClassAreErrors() async throws {
        let (older, newer) = try await programs()
        defer { withExtendedLifetime(newer) {} }
        let room = older.object(Older.Room.self, forPrimaryKey: "a")
        let uses: [() -> Any?] = [
            { room.current }, { room.messages.count }, { room.messages.last },
            { room.messages.where { $0.number == 1 }.current.isEmpty }, { room.tags.count },
            { room.scores.count }, { room.scores["x"] }, { room.pinned.current.keys },
            { room.pinned.where { $0.number == 1 }.count },
            { room.messages.current == older.snapshot().objects(Older.Post.self) },
            { room.tags.current == older.object(Older.Room.self, forPrimaryKey: "b").tags.current },
        ]
        for (number, use) in uses.enumerated() {
            let error = #expect(throws: Realm.Error.self, "use \(number)") {
                try older.snapshot().read { _ in _ = use() }
            }
            expectEqual(error?.code, .schemaMismatch, "use \(number)")
            expectEqual(error?.className, "Room", "use \(number)")
        }
        let pinned = room.pinned.where { $0.number == 1 }
        let streams = [
            await realmError { for try await _ in room.messages.changes { break } },
            await realmError { for try await _ in pinned.changes { break } },
            await realmError { for try await _ in room.tags.changes { break } },
            await realmError { for try await _ in room.scores.changes { break } },
        ]
        for error in streams {
            expectTrue(error?.code == .schemaMismatch && error?.className == "Room")
        }
    }

    // Covers O5, O53
    @Test func whatLinksOfAChangedClassLeadToIsAnError() async throws {
        let (older, newer) = try await programs()
        defer { withExtendedLifetime(newer) {} }
        let first = older.object(Older.Room.self, forPrimaryKey: "a").first
        let next = first.next
        let uses: [() -> Any?] = [
            { first.current }, { next.current }, { first.replies.count }, { next.replies.last },
            { next.replies.where { $0.number == 1 }.current.isEmpty }, { first.words.count },
            { next.words.current.sorted().first }, { next.words.current.distinct().count },
            { first.marks.count }, { next.marks["x"] },
        ]
        for (number, use) in uses.enumerated() {
            let error = #expect(throws: Realm.Error.self, "use \(number)") {
                try older.snapshot().read { _ in _ = use() }
            }
            expectEqual(error?.code, .schemaMismatch, "use \(number)")
            expectEqual(error?.className, "Room", "use \(number)")
        }
        let sections = next.replies.sectioned(by: \.number)
        let streams = [
            await realmError { for try await _ in first.changes { break } },
            await realmError { for try await _ in next.changes { break } },
            await realmError { for try await _ in first.replies.changes { break } },
            await realmError { for try await _ in next.words.changes { break } },
            await realmError { for try await _ in next.marks.changes { break } },
            await realmError { for try await _ in sections.changes { break } },
        ]
        for (number, error) in streams.enumerated() {
            expectEqual(error?.code, .schemaMismatch, "stream \(number)")
            expectEqual(error?.className, "Room", "stream \(number)")
        }
        // a post itself is unchanged
        let post = older.object(Older.Post.self, forPrimaryKey: 1).next
        expectTrue(post.current?.number == 1 && post.replies.count == 1)
    }

    // Covers O5
    @Test func collectionsOfAnObjectWhosePrimaryKeyHasAnotherTypeAreErrors() async throws {
        let (retyped, newer) = try await programs(Retyped.types)
        defer { withExtendedLifetime(newer) {} }
        let room = retyped.object(Retyped.Room.self, forPrimaryKey: 1)
        let pinned = room.pinned.where { $0.number == 1 }
        let errors = [
            await realmError { try retyped.snapshot().read { _ in room.posts.count } },
            await realmError { try retyped.snapshot().read { _ in pinned.count } },
            await realmError { for try await _ in room.posts.changes { break } },
            await realmError { for try await _ in pinned.changes { break } },
        ]
        for error in errors {
            expectEqual(error?.code, .schemaMismatch)
            expectTrue(error?.className == "Room" && error?.property == "name")
        }
    }

    /// A newer program has dropped the class, and an even newer one has declared it again.
    @Test func rowsOfADroppedClassAreNotThoseOfALaterOne() async throws {
        let realm = try await Realm.temporary([Badge.self])
        try await realm.write { _ = try $0.create(Badge.self, value: ["number": 1]) }
        let old = realm.snapshot().objects(Badge.self)[0]
        let live = realm.object(following: old)
        expectEqual(live.current?.number, 1)
        try await realm.write { tx in
            let transaction = try requireValue(tx.core.writing)
            transaction.dropTable(try requireValue(transaction.schema.table(named: "Badge")).key)
        }
        expectTrue(live.current == nil)
        try await realm.write { _ = try $0.create(Badge.self, value: ["number": 2]) }
        let badges = realm.snapshot().objects(Badge.self)
        expectEqual(badges.map(\.number), [2])
        expectEqual(badges[0].row, old.row)
        expectTrue(live.current == nil && !badges.contains(old))
        try await realm.read { tx in expectTrue(tx.resolve(old) == nil) }
    }

    // Covers .invalidQuery
    @Test func objectsOfADroppedClassAreNoOperands() async throws {
        let realm = try await Realm.temporary([Badge.self, Wearer.self])
        try await realm.write { tx in
            let wearer = Wearer()
            wearer.badge = Badge()
            try tx.add(wearer)
        }
        let old = realm.snapshot().objects(Badge.self)[0]
        expectEqual(realm.objects(Wearer.self).where { $0.badge == old }.count, 1)
        try await realm.write { tx in
            let transaction = try requireValue(tx.core.writing)
            let wearers = try requireValue(transaction.schema.table(named: "Wearer"))
            let badges = try requireValue(transaction.schema.table(named: "Badge")).key
            transaction.deleteAllRows(badges)
            transaction.drop(wearers.key, try requireValue(wearers.column(named: "badge")).key)
            transaction.dropTable(badges)
        }
        try await realm.write { tx in
            let wearer = Wearer()
            wearer.badge = Badge()
            try tx.add(wearer)
        }
        let snapshot = realm.snapshot()
        expectEqual(snapshot.objects(Badge.self)[0].row, old.row)
        let errors = [
            await realmError {
                try snapshot.read { $0.objects(Wearer.self).where { $0.badge == old }.count }
            },
            await realmError {
                try snapshot.read { try $0.objects(Wearer.self).filter("badge == %@", old).count }
            },
            await realmError {
                try await realm.read { tx in
                    tx.objects(Wearer.self).where { $0.badge.in([old]) }.count
                }
            },
        ]
        for error in errors {
            expectTrue(error?.code == .invalidQuery && error?.className == "Badge")
        }
    }

    @Test func deliveredRowsOfADroppedClassAreNotThoseOfALaterOne() async throws {
        let realm = try await Realm.temporary([Memo.self])
        try await realm.write { try $0.create(Memo.self, value: ["number": 1]) }
        let inbox = AsymInbox()
        try await realm.drain(Memo.self, untilEmpty: true) { memos in
            inbox.take(memos.map(\.number))
            guard inbox.numbers == [1] else { return }
            try await realm.write { tx in
                let transaction = try requireValue(tx.core.writing)
                transaction.dropTable(try requireValue(transaction.schema.table(named: "Memo")).key)
            }
            try await realm.write { try $0.create(Memo.self, value: ["number": 2]) }
        }
        expectEqual(inbox.numbers, [1, 2])
    }
}
