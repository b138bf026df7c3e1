import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private enum Aged {
    final class Trip: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var guide: Guide?
    }

    final class Guide: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var age: Int
    }

    static let types: [ObjectBase.Type] = [Trip.self, Guide.self]
}

/// The age is gone.
private enum Ageless {
    final class Trip: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var guide: Guide?
    }

    final class Guide: Object {
        @Persisted(primaryKey: true) var name: String
    }

    static let types: [ObjectBase.Type] = [Trip.self, Guide.self]
}

/// The age has another name, and is optional.
private enum Renamed {
    final class Trip: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var guide: Guide?
    }

    final class Guide: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var years: Int?
    }

    static let types: [ObjectBase.Type] = [Trip.self, Guide.self]
}

private enum Noted {
    final class Note: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var content: AnyRealmValue
        @Persisted var list: List<AnyRealmValue>
    }

    final class Cat: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
    }

    final class Tag: Object {
        @Persisted(primaryKey: true) var id: Int
    }

    static let types: [ObjectBase.Type] = [Note.self, Cat.self, Tag.self]
}

/// The name of a cat has another name.
private enum Titled {
    final class Note: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var content: AnyRealmValue
        @Persisted var list: List<AnyRealmValue>
    }

    final class Cat: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var title: String
    }

    final class Tag: Object {
        @Persisted(primaryKey: true) var id: Int
    }

    static let types: [ObjectBase.Type] = [Note.self, Cat.self, Tag.self]
}

/// There are no cats.
private enum Catless {
    final class Note: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var content: AnyRealmValue
        @Persisted var list: List<AnyRealmValue>
    }

    final class Tag: Object {
        @Persisted(primaryKey: true) var id: Int
    }

    static let types: [ObjectBase.Type] = [Note.self, Tag.self]
}

/// Streams that resume from before a migration of classes to which their objects link.
@Suite(.timeLimit(.minutes(10))) struct MigratedLinkStreamTests {
    private let folder: RealmFolder
    private let configuration: Realm.Configuration

    init() throws {
        folder = try RealmFolder()
        var configuration = folder.configuration("links.realm", Aged.types)
        configuration.historyRetention = Realm.HistoryRetention(age: .seconds(3600))
        self.configuration = configuration
    }

    private func open(
        _ types: [ObjectBase.Type], _ version: UInt64 = 0, _ migration: MigrationBlock? = nil
    ) async throws -> Realm {
        var configuration = configuration
        configuration.objectTypes = types
        configuration.schemaVersion = version
        configuration.migration = migration
        return try await Realm.open(configuration)
    }

    /// Returns the error thrown instead of the first element.
    private func error<Stream: ChangeStream>(_ stream: Stream) async -> Realm.Error? {
        await realmError {
            var iterator = stream.makeAsyncIterator()
            _ = try await iterator.next(within: .zero)
        }
    }

    private func expectRefusal(_ error: Realm.Error?, _ className: String, _ property: String?) {
        expectEqual(error?.code, .historyTrimmed)
        expectEqual(error?.isHistoryUnavailable, true)
        expectTrue(error?.className == className && error?.property == property)
    }

    /// Stores a trip with a guide, and returns the cursor after that.
    private func addTrip() async throws -> ChangeCursor {
        let before = try await open(Aged.types)
        try await before.write { tx in
            let guide = Aged.Guide()
            guide.name = "a"
            guide.age = 30
            let trip = Aged.Trip()
            trip.number = 1
            trip.guide = guide
            try tx.add(trip)
        }
        let cursor = before.snapshot().cursor
        await before.close()
        return cursor
    }

    /// The age became 0, although no commit has set it.
    // Covers O34
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func cursorFromBeforeALinkedPropertyWasReplacedIsRefused(policy: ChangePolicy) async throws {
        let cursor = try await addTrip()
        let ageless = try await open(Ageless.types, 1) { migration, _ in
            try migration.deleteProperty(onType: "Guide", "age")
        }
        await ageless.close()
        let realm = try await open(Aged.types, 2) { _, _ in }
        let trips = realm.objects(Aged.Trip.self)
        expectEqual(trips.current.first?.guide?.age, 0)
        let trip = realm.object(Aged.Trip.self, forPrimaryKey: 1)
        await expectRefusal(error(trips.changes(policy: policy, since: cursor)), "Guide", "age")
        await expectRefusal(
            error(trip.changes(depth: 1, policy: policy, since: cursor)), "Guide", "age")
        // The trip itself is unchanged.
        await expectNil(error(trips.changes(depth: 0, policy: policy, since: cursor)))
        await expectNil(error(trip.changes(policy: policy, since: cursor)))
        await realm.close()
    }

    // Covers O34
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func linkedPropertyThatKeptItsValuesCanHaveAnotherForm(policy: ChangePolicy) async throws {
        let cursor = try await addTrip()
        let realm = try await open(Renamed.types, 1) { migration, _ in
            try migration.renameProperty(onType: "Guide", from: "age", to: "years")
        }
        let trips = realm.objects(Renamed.Trip.self)
        expectEqual(trips.current.first?.guide?.years, 30)
        await expectNil(error(trips.changes(policy: policy, since: cursor)))
        // The guides themselves would have read as nil.
        let guides = realm.objects(Renamed.Guide.self)
        await expectRefusal(
            error(guides.changes(policy: policy, since: cursor)), "Guide", "years")
        let old = guides.where { $0.years == nil }
        await expectRefusal(error(old.changes(policy: policy, since: cursor)), "Guide", "years")
        await realm.close()
    }

    /// Old values of any type can link to objects that can no longer be read.
    // Covers O34
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest], [false, true])
    func valuesOfAnyTypeThatCanLeadToAChangedClassAreNotDelivered(
        policy: ChangePolicy, isRemoved: Bool
    ) async throws {
        let before = try await open(Noted.types)
        try await before.write { tx in
            let cat = Noted.Cat()
            cat.id = 1
            cat.name = "Tom"
            for id in 1...2 {
                let note = Noted.Note()
                note.id = id
                note.content = .object(cat)
                note.list.append(.object(cat))
                try tx.add(note)
            }
            let tag = Noted.Tag()
            tag.id = 1
            try tx.add(tag)
        }
        let cursor = before.snapshot().cursor
        try await before.write { tx in
            try requireValue(tx.object(Noted.Note.self, forPrimaryKey: 1)).list.removeAll()
            tx.delete(tx.objects(Noted.Note.self).where { $0.id == 2 })
            tx.delete(tx.objects(Noted.Tag.self))
        }
        await before.close()
        let realm =
            if isRemoved {
                try await open(Catless.types, 1) { migration, _ in
                    migration.deleteData(forType: "Cat")
                }
            } else {
                try await open(Titled.types, 1) { migration, _ in
                    try migration.renameProperty(onType: "Cat", from: "name", to: "title")
                }
            }
        let property = isRemoved ? nil : "title"
        func expectRefusals<Note: Object, Values: ChangeStream, Tag: Object>(
            _ notes: LiveResults<Note>, _ list: Values, _ tags: LiveResults<Tag>
        ) async throws {
            await expectRefusal(
                error(notes.changes(policy: policy, since: cursor)), "Cat", property)
            await expectRefusal(error(list), "Cat", property)
            var others = tags.changes(policy: policy, since: cursor).makeAsyncIterator()
            try await expectEqual(nextUpdate(&others).1.deletions, [0])
        }
        if isRemoved {
            let note = realm.object(Catless.Note.self, forPrimaryKey: 1)
            try await expectRefusals(
                realm.objects(Catless.Note.self),
                note.list.changes(policy: policy, since: cursor), realm.objects(Catless.Tag.self))
        } else {
            let note = realm.object(Titled.Note.self, forPrimaryKey: 1)
            try await expectRefusals(
                realm.objects(Titled.Note.self),
                note.list.changes(policy: policy, since: cursor), realm.objects(Titled.Tag.self))
        }
        await realm.close()
    }
}
