import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private enum Plain {
    final class Post: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var room: Room?
    }

    final class Room: Object {
        @Persisted(primaryKey: true) var name: String
    }
}

private enum Texts {
    final class Post: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var room: Room?
    }

    final class Room: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var topic: String
    }
}

private enum Numbers {
    final class Post: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var room: Room?
    }

    final class Room: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var topic: Int
    }
}

/// The topic has another name.
private enum Renamed {
    final class Post: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var room: Room?
    }

    final class Room: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var subject: String
    }
}

/// Streams of a program while another one stores a property with another type, or migrates the
/// realm.
@Suite struct DivergentProgramStreamTests {
    private let plain: Realm
    private let texts: Realm

    init() async throws {
        plain = try await Realm.temporary([Plain.Post.self, Plain.Room.self])
        try await plain.write { tx in
            let room = Plain.Room()
            room.name = "a"
            let post = Plain.Post()
            post.number = 1
            post.room = room
            try tx.add(post)
        }
        texts = try LaterProgram.core(of: plain, [Texts.Post.self, Texts.Room.self])
    }

    /// Writes as the program whose topics are numbers.
    private func writeNumbers() async throws {
        let numbers = try LaterProgram.core(of: plain, [Numbers.Post.self, Numbers.Room.self])
        try await numbers.write { tx in
            let room = Numbers.Room()
            room.name = "b"
            room.topic = 7
            let post = Numbers.Post()
            post.number = 2
            post.room = room
            try tx.add(post)
            try requireValue(tx.object(Numbers.Room.self, forPrimaryKey: "a")).topic = 8
        }
    }

    private func expectMismatch<Changes: ChangeStreamIterator>(_ stream: inout Changes) async {
        do throws(Realm.Error) {
            let next = try await stream.next(within: .zero)
            Issue.record("\(next) instead of an error")
        } catch {
            expectEqual(error.code, .schemaMismatch)
            expectTrue(error.className == "Room" && error.property == "topic", "\(error)")
        }
    }

    /// Reading a room would end the process.
    // Covers O5
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func streamEndsWithAnErrorWhenObjectsThatItFollowsCannotBeRead(
        policy: ChangePolicy
    ) async throws {
        let posts = texts.objects(Texts.Post.self)
        let post = texts.object(Texts.Post.self, forPrimaryKey: 1)
        var deep = posts.changes(policy: policy).makeAsyncIterator()
        var linked = post.changes(depth: 1, policy: policy).makeAsyncIterator()
        var links = posts.changes(keyPaths: [\.room], policy: policy).makeAsyncIterator()
        var names = try posts.changes(keyPaths: ["room.name"], policy: policy).makeAsyncIterator()
        var flat = posts.changes(depth: 0, policy: policy).makeAsyncIterator()
        var numbered = posts.changes(keyPaths: [\.number], policy: policy).makeAsyncIterator()
        try await expectEqual(nextInitial(&deep).map(\.number), [1])
        #expect(try await linked.next() != nil)
        try await expectEqual(nextInitial(&links).map(\.number), [1])
        try await expectEqual(nextInitial(&names).map(\.number), [1])
        try await expectEqual(nextInitial(&flat).map(\.number), [1])
        try await expectEqual(nextInitial(&numbered).map(\.number), [1])
        try await writeNumbers()
        await expectMismatch(&deep)
        await expectMismatch(&linked)
        await expectMismatch(&links)
        await expectMismatch(&names)
        guard case .end = try await deep.next(within: .zero) else {
            Issue.record("no end")
            return
        }
        // the posts themselves can be read
        try await expectEqual(nextUpdate(&flat).1.insertions, [1])
        try await expectEqual(nextUpdate(&numbered).1.insertions, [1])
        // neither does one begin
        var late = posts.changes(policy: policy).makeAsyncIterator()
        await expectMismatch(&late)
    }

    /// A program that omits a class can't read its objects.
    // Covers O5
    @Test func streamLeadsToClassesThatTheProgramOmits() async throws {
        let posts = try LaterProgram.core(of: plain, [Texts.Post.self])
        var deep = posts.objects(Texts.Post.self).changes.makeAsyncIterator()
        try await expectEqual(nextInitial(&deep).map(\.number), [1])
        try await writeNumbers()
        try await expectEqual(nextUpdate(&deep).1.insertions, [1])
    }

    /// The commits since the last element are no longer in memory.
    // Covers O5
    @Test func historyIsNotWhatAStreamOfAnOlderProgramLacks() async throws {
        let folder = try RealmFolder()
        let older = try await LaterProgram.withoutSummaries(
            [Texts.Post.self, Texts.Room.self], at: folder["older.realm"])
        var configuration = older.configuration
        configuration.historyRetention = Realm.HistoryRetention(age: .seconds(3600))
        try await older.storeRetention(configuration)
        var rooms = older.objects(Texts.Room.self).changes(policy: .everyCommit)
            .makeAsyncIterator()
        try await expectEqual(nextInitial(&rooms).count, 0)
        try await older.write { try $0.add(Texts.Room()) }
        configuration.objectTypes = [Renamed.Post.self, Renamed.Room.self]
        configuration.schemaVersion = 1
        configuration.migration = { migration, _ in
            try migration.renameProperty(onType: "Room", from: "topic", to: "subject")
        }
        // separate from the older program's realm, as in another process
        let newer = Realm(RealmCore(older.core.coordinator, configuration))
        _ = try await newer.migrate()
        let error = await realmError { try await rooms.next(within: .zero) }
        expectTrue(error?.code == .schemaMismatch && error?.className == "Room")
        expectEqual(error?.isHistoryUnavailable, false)
        await older.close()
    }
}
