import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private enum Before {
    final class Seat: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var price: Int
        @Persisted var guest: Guest?
    }

    final class Guest: Object {
        @Persisted(primaryKey: true) var name: String
    }

    static let types: [ObjectBase.Type] = [Seat.self, Guest.self]
}

/// The price has become optional.
private enum Changed {
    final class Seat: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var price: Int?
        @Persisted var guest: Guest?
    }

    final class Guest: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted(originProperty: "guest") var seats: LinkingObjects<Seat>
    }

    static let types: [ObjectBase.Type] = [Seat.self, Guest.self]
}

/// The price has another name.
private enum Renamed {
    final class Seat: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var fee: Int
        @Persisted var guest: Guest?
    }

    final class Guest: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted(originProperty: "guest") var seats: LinkingObjects<Seat>
    }

    static let types: [ObjectBase.Type] = [Seat.self, Guest.self]
}

/// The price is gone.
private enum Free {
    final class Seat: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var guest: Guest?
    }

    final class Guest: Object {
        @Persisted(primaryKey: true) var name: String
    }

    static let types: [ObjectBase.Type] = [Seat.self, Guest.self]
}

private enum Tagged {
    final class Guest: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var tags: List<String>
        @Persisted var extra: AnyRealmValue
    }

    static let types: [ObjectBase.Type] = [Guest.self]
}

/// The tags and the extra value are gone.
private enum Untagged {
    final class Guest: Object {
        @Persisted(primaryKey: true) var name: String
    }

    static let types: [ObjectBase.Type] = [Guest.self]
}

/// Streams that resume from before a migration.
@Suite(.timeLimit(.minutes(10))) struct MigrationStreamTests {
    /// If the migration was written in parts, the change sets come from a comparison of the
    /// versions, which reports a change within a value of any type as a change of the value.
    @Test(arguments: [false, true])
    func valuesOfAnyTypeThatAMigrationChangesAreTold(inParts: Bool) async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("any.realm", anyClasses)
        configuration.historyRetention = Realm.HistoryRetention(age: .seconds(3600))
        let before = try await Realm.open(configuration)
        try await before.write { tx in
            for id in 0..<9 {
                let deep = AnyRealmValue.fromDictionary(["k": .fromArray([.int(id)])])
                try tx.add(AnyNote(id, .fromArray([.int(1), deep])))
            }
        }
        let cursor = before.snapshot().cursor
        await before.close()
        configuration.schemaVersion = 2
        if inParts {
            configuration.resumableMigration = ResumableMigration(memoryByteCount: 0, batchCount: 2)
        }
        configuration.migration = { migration, _ in
            try migration.enumerateObjects(ofType: "AnyNote") { _, new in
                guard let new, let id = new["id"] as? Int else { return }
                let content = try new.dynamicList("content")
                switch id {
                case 2: try content.append("new")
                case 4:
                    let map = try requireValue(content[1] as? DynamicMap)
                    try requireValue(map["k"] as? DynamicList).set(-1, at: 0)
                case 6: try new.dynamicList("list").append("new")
                default: break
                }
            }
        }
        let realm = try await Realm.open(configuration)
        let notes = realm.objects(AnyNote.self)
        var all = notes.changes(depth: 0, since: cursor).makeAsyncIterator()
        var paths = notes.changes(keyPaths: [\.content], since: cursor).makeAsyncIterator()
        guard case .update(let now, let reported)? = try await all.next(),
            case .update(_, let named)? = try await paths.next()
        else {
            Issue.record("no update")
            return
        }
        expectTrue(reported.insertions.isEmpty && reported.deletions.isEmpty)
        expectEqual(reported.modifications, [2, 4, 6])
        expectEqual(reported.modified.map(\.properties), [["content"], ["content"], ["list"]])
        expectEqual(named.modifications, [2, 4])
        expectEqual(named.modified.map(\.properties), [["content"], ["content"]])
        expectEqual(now[4].content[1]?["k"], .list([.int(-1)]))
        await realm.close()
    }

    /// Like columns, lists that were dropped aren't changes of the objects that had them, even if
    /// the versions are compared.
    // Covers O10, O34
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest], [false, true])
    func droppedPropertiesAreNoModifications(policy: ChangePolicy, inParts: Bool) async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("tags.realm", Tagged.types)
        configuration.historyRetention = Realm.HistoryRetention(age: .seconds(3600))
        let before = try await Realm.open(configuration)
        try await before.write { tx in
            for name in ["a", "b", "c", "d", "e"] {
                let guest = Tagged.Guest()
                guest.name = name
                guest.tags.append("x")
                guest.extra = .fromArray([.int(1)])
                try tx.add(guest)
            }
        }
        let cursor = before.snapshot().cursor
        await before.close()
        configuration.objectTypes = Untagged.types
        configuration.schemaVersion = 2
        if inParts {
            configuration.resumableMigration = ResumableMigration(memoryByteCount: 0, batchCount: 2)
        }
        configuration.migration = { migration, _ in
            try migration.deleteProperty(onType: "Guest", "tags")
            try migration.deleteProperty(onType: "Guest", "extra")
            try migration.enumerateObjects(ofType: "Guest") { _, _ in }
        }
        let realm = try await Realm.open(configuration)
        let guests = realm.objects(Untagged.Guest.self)
        var changes = guests.changes(policy: policy, since: cursor).makeAsyncIterator()
        let quiet = try await changes.next(within: .zero)
        expectNil(quiet.element)
        try await realm.write { tx in
            let guest = Untagged.Guest()
            guest.name = "f"
            try tx.add(guest)
        }
        let delta = try await nextUpdate(&changes).1
        expectTrue(delta.insertions == [5] && delta.modifications.isEmpty)
        await realm.close()
    }

    /// Migrates a realm with two seats and a guest.
    ///
    /// - Returns: the migrated realm, and the cursor from before.
    private func migrate(
        _ folder: RealmFolder, to types: [ObjectBase.Type], _ migration: MigrationBlock?
    ) async throws -> (Realm, ChangeCursor) {
        var configuration = folder.configuration("seats.realm", Before.types)
        configuration.historyRetention = Realm.HistoryRetention(age: .seconds(3600))
        let before = try await Realm.open(configuration)
        try await before.write { tx in
            for (number, price) in [(1, 20), (2, 10)] {
                let seat = Before.Seat()
                seat.number = number
                seat.price = price
                try tx.add(seat)
            }
            let guest = Before.Guest()
            guest.name = "a"
            try tx.add(guest)
        }
        let cursor = before.snapshot().cursor
        await before.close()
        configuration.objectTypes = types
        configuration.schemaVersion = 2
        configuration.migration = migration
        return (try await Realm.open(configuration), cursor)
    }

    /// Returns the error thrown instead of the first element.
    private func error<Stream: ChangeStream>(_ stream: Stream) async -> Realm.Error? {
        await realmError {
            var iterator = stream.makeAsyncIterator()
            _ = try await iterator.next(within: .zero)
        }
    }

    private func expectRefusal(_ error: Realm.Error?, _ property: String) {
        expectEqual(error?.code, .historyTrimmed)
        expectEqual(error?.isHistoryUnavailable, true)
        expectTrue(error?.className == "Seat" && error?.property == property)
        expectTrue(error?.message.contains("schemaVersion") == false, "\(error?.message ?? "")")
    }

    // Covers O34
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func cursorFromBeforeAPropertyChangedItsTypeIsRefused(policy: ChangePolicy) async throws {
        let folder = try RealmFolder()
        let (realm, cursor) = try await migrate(folder, to: Changed.types, nil)
        let seats = realm.objects(Changed.Seat.self)
        let guests = realm.objects(Changed.Guest.self)
        let seat = realm.object(Changed.Seat.self, forPrimaryKey: 1)
        let guest = realm.object(Changed.Guest.self, forPrimaryKey: "a")
        await expectRefusal(error(seats.changes(policy: policy, since: cursor)), "price")
        await expectRefusal(error(seat.changes(policy: policy, since: cursor)), "price")
        await expectRefusal(error(seat.guest.changes(policy: policy, since: cursor)), "price")
        await expectRefusal(error(guest.seats.changes(policy: policy, since: cursor)), "price")
        let seated = guests.where { $0.seats.price == 20 }
        await expectRefusal(error(seated.changes(policy: policy, since: cursor)), "price")
        // The other class is unchanged.
        try await realm.write { tx in
            let guest = Changed.Guest()
            guest.name = "b"
            try tx.add(guest)
        }
        var others = guests.changes(policy: policy, since: cursor).makeAsyncIterator()
        try await expectEqual(nextUpdate(&others).1.insertions, [1])
        await realm.close()
    }

    // Covers O34
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func cursorFromBeforeAPropertyWasRenamedIsRefused(policy: ChangePolicy) async throws {
        let folder = try RealmFolder()
        let (realm, cursor) = try await migrate(folder, to: Renamed.types) { migration, _ in
            try migration.renameProperty(onType: "Seat", from: "price", to: "fee")
        }
        let guests = realm.objects(Renamed.Guest.self)
        let seats = realm.objects(Renamed.Seat.self).sorted(by: \.fee)
        expectEqual(seats.current.map(\.number), [2, 1])
        await expectRefusal(error(seats.changes(policy: policy, since: cursor)), "fee")
        let seated = guests.where { $0.seats.fee == 20 }
        await expectRefusal(error(seated.changes(policy: policy, since: cursor)), "fee")
        var others = guests.changes(policy: policy, since: cursor).makeAsyncIterator()
        let quiet = try await others.next(within: .zero)
        expectNil(quiet.element)
        await realm.close()
    }

    // Covers O29, O34
    @Test func everyCommitIsNotToldAcrossAnUnknownForm() async throws {
        let folder = try RealmFolder()
        let (renamed, cursor) = try await migrate(folder, to: Renamed.types) { migration, _ in
            try migration.renameProperty(onType: "Seat", from: "price", to: "fee")
        }
        await renamed.close()
        var configuration = folder.configuration("seats.realm", Before.types)
        configuration.schemaVersion = 3
        configuration.migration = { migration, _ in
            try migration.renameProperty(onType: "Seat", from: "fee", to: "price")
            try migration.enumerateObjects(ofType: "Seat") { old, new in
                new?["price"] = (old?["fee"] as? Int ?? 0) + 1
            }
        }
        let realm = try await Realm.open(configuration)
        let seats = realm.objects(Before.Seat.self)
        await expectRefusal(error(seats.changes(policy: .everyCommit, since: cursor)), "price")
        var merged = seats.changes(since: cursor).makeAsyncIterator()
        let (now, delta) = try await nextUpdate(&merged)
        expectEqual(now.map(\.price), [21, 11])
        expectTrue(delta.modifications == [0, 1] && delta.insertions.isEmpty)
        await realm.close()
    }

    /// The prices became 0, although no commit has set them.
    // Covers O34
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func cursorFromBeforeAPropertyWasReplacedIsRefused(policy: ChangePolicy) async throws {
        let folder = try RealmFolder()
        let (free, cursor) = try await migrate(folder, to: Free.types) { migration, _ in
            try migration.deleteProperty(onType: "Seat", "price")
        }
        await free.close()
        var configuration = folder.configuration("seats.realm", Before.types)
        configuration.schemaVersion = 3
        let realm = try await Realm.open(configuration)
        let seats = realm.objects(Before.Seat.self)
        expectEqual(seats.current.map(\.price), [0, 0])
        await expectRefusal(error(seats.changes(policy: policy, since: cursor)), "price")
        let middle = realm.snapshot().cursor
        try await realm.write { tx in
            let seat = Before.Seat()
            seat.number = 3
            seat.price = 30
            try tx.add(seat)
        }
        await expectRefusal(error(seats.changes(policy: policy, since: cursor)), "price")
        // The property was missing then, with the same value.
        var later = seats.changes(policy: policy, since: middle).makeAsyncIterator()
        try await expectEqual(nextUpdate(&later).1.insertions, [2])
        await realm.close()
    }

    // Covers O34
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func cursorFromBeforeAChangeAlongAKeyPathIsRefused(policy: ChangePolicy) async throws {
        let folder = try RealmFolder()
        let (realm, cursor) = try await migrate(folder, to: Changed.types, nil)
        let guests = realm.objects(Changed.Guest.self)
        let priced = try guests.changes(
            keyPaths: ["seats.price"], policy: policy, since: cursor)
        await expectRefusal(error(priced), "price")
        let named = guests.changes(keyPaths: [\.name], policy: policy, since: cursor)
        await expectNil(error(named))
        await realm.close()
    }

    // Covers O34
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func cursorFromBeforeAChangeOfWhatSectionKeysReadIsRefused(policy: ChangePolicy) async throws {
        let folder = try RealmFolder()
        let (realm, cursor) = try await migrate(folder, to: Renamed.types) { migration, _ in
            try migration.renameProperty(onType: "Seat", from: "price", to: "fee")
        }
        let guests = realm.objects(Renamed.Guest.self)
        let byFee = guests.sectioned(sortDescriptors: []) { $0.seats.first?.fee ?? 0 }
        await expectRefusal(error(byFee.changes(policy: policy, since: cursor)), "fee")
        let byName = guests.sectioned(by: \.name)
        await expectNil(error(byName.changes(policy: policy, since: cursor)))
        await realm.close()
    }

    /// The old objects, and those of the versions before the migration, lead to seats, whose prices
    /// can't be read there.
    // Covers O34
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func objectsThatLeadToAChangedClassAreNotDelivered(policy: ChangePolicy) async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("seats.realm", Before.types)
        configuration.historyRetention = Realm.HistoryRetention(age: .seconds(3600))
        let before = try await Realm.open(configuration)
        func add(_ name: String) async throws {
            try await before.write { tx in
                let guest = Before.Guest()
                guest.name = name
                try tx.add(guest)
                let seat = Before.Seat()
                seat.number = name.utf8.count
                seat.guest = guest
                try tx.add(seat)
            }
        }
        try await add("a")
        let first = before.snapshot().cursor
        try await before.write { $0.delete($0.objects(Before.Guest.self)) }
        let second = before.snapshot().cursor
        try await add("bc")
        await before.close()
        configuration.objectTypes = Changed.types
        configuration.schemaVersion = 2
        let realm = try await Realm.open(configuration)
        let guests = realm.objects(Changed.Guest.self)
        await expectRefusal(error(guests.changes(policy: policy, since: first)), "price")
        if policy == .everyCommit {
            await expectRefusal(error(guests.changes(policy: policy, since: second)), "price")
        } else {
            var later = guests.changes(policy: policy, since: second).makeAsyncIterator()
            try await expectEqual(nextUpdate(&later).1.insertions, [0])
        }
        await realm.close()
    }
}
