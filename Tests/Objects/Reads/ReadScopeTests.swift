import Foundation
import Logging
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private enum Old {
    final class Ticket: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var level: Int
        @Persisted var hint: Int?
        @Persisted var hints: List<Int?>
        @Persisted var levels: List<Int>
        @Persisted var small: Int?
        @Persisted var byName: Map<String, Int?>
    }
}

private final class Ticket: Object {
    enum Level: Int, PersistableEnum {
        case low = 1
        case high
    }

    @Persisted(primaryKey: true) var number: Int
    @Persisted var level: Level
    @Persisted var hint: Level?
    @Persisted var hints: List<Level?>
    @Persisted var levels: List<Level>
    @Persisted var small: Int8?
    @Persisted var byName: Map<String, Level?>
}

private enum Other {
    final class Ticket: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var level: String
    }
}

private final class Purse: Object {
    @Persisted var amount: Int
    @Persisted var amounts: List<Int>
    @Persisted var content: AnyRealmValue
}

/// Errors reported by frozen values; `DamagedReadTests` covers damage.
@Suite struct ReadScopeTests {
    /// Returns a realm in which another program stored cases and numbers that this one doesn't
    /// have.
    ///
    /// The second one is the other program's, which keeps their common content open.
    private func spoiled() async throws -> (Realm, old: Realm) {
        let old = try await Realm.temporary([Old.Ticket.self])
        try await old.write { tx in
            let ticket = Old.Ticket()
            ticket.number = 1
            ticket.level = 7
            ticket.hint = 7
            ticket.hints.append(objectsIn: [1, 7, nil])
            ticket.levels.append(objectsIn: [1, 7])
            ticket.small = 300
            ticket.byName["a"] = 7
            try tx.add(ticket)
        }
        return (try LaterProgram.core(of: old, [Ticket.self]), old)
    }

    private func frozenError<R>(
        _ realm: Realm, _ body: (Snapshot) throws -> R
    ) -> Realm.Error? {
        do {
            _ = try realm.snapshot().read(body)
            return nil
        } catch {
            return error as? Realm.Error
        }
    }

    // Covers .invalidValue
    @Test func unknownCasesOfRequiredEnumsAreErrorsInAllViews() async throws {
        let (realm, old) = try await spoiled()
        defer { withExtendedLifetime(old) {} }
        let frozen = frozenError(realm) { $0.objects(Ticket.self)[0].level }
        let element = frozenError(realm) { $0.objects(Ticket.self)[0].levels.array }
        let least = frozenError(realm) { $0.objects(Ticket.self).max(of: \.level) }
        let confined = await realmError {
            try await realm.read { tx in _ = tx.objects(Ticket.self)[0].level }
        }
        let confinedElement = await realmError {
            try await realm.read { tx in _ = tx.objects(Ticket.self)[0].levels[1] }
        }
        for error in [frozen, element, least, confined, confinedElement] {
            expectEqual(error?.code, .invalidValue, "\(error as Any)")
        }
        expectTrue(frozen?.property == "level" && frozen?.className == "Ticket")
    }

    /// As in Realm Swift.
    @Test func unknownValuesOfOptionalsAreNilInAllViews() async throws {
        let (realm, old) = try await spoiled()
        defer { withExtendedLifetime(old) {} }
        let ticket = realm.snapshot().objects(Ticket.self)[0]
        expectTrue(ticket.hint == nil && ticket.small == nil)
        expectEqual(ticket.hints.array, [.low, nil, nil])
        expectEqual(ticket.byName["a"], .some(nil))
        try await realm.read { tx in
            let ticket = try requireValue(tx.objects(Ticket.self).first)
            expectTrue(ticket.hint == nil && ticket.small == nil)
            expectEqual(Array(ticket.hints), [.low, nil, nil])
            expectEqual(ticket.byName["a"], .some(nil))
        }
    }

    // Covers .invalidQuery
    @Test func sumsThatDoNotFitAndForeignOperandsAreErrors() async throws {
        let types: [ObjectBase.Type] = [Purse.self, Hound.self, Keeper.self, Collar.self]
        let realm = try await Realm.temporary(types)
        let other = try await Realm.temporary(types)
        try await other.write { try $0.add(Hound(value: ["name": "Rex"])) }
        try await realm.write { tx in
            for _ in 0..<2 {
                let purse = Purse()
                purse.amount = .max
                purse.amounts.append(objectsIn: [.max, 1])
                try tx.add(purse)
            }
        }
        expectEqual(
            frozenError(realm) { $0.objects(Purse.self).sum(of: \.amount) }?.code, .invalidQuery)
        expectEqual(
            frozenError(realm) { $0.objects(Purse.self)[0].amounts.sum() }?.code, .invalidQuery)
        let live = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { _ in realm.objects(Purse.self).sum(of: \.amount) }
        }
        expectEqual(live?.code, .invalidQuery)
        let foreign = try requireValue(other.snapshot().objects(Hound.self).first)
        let lookup = frozenError(realm) { snapshot in
            snapshot.objects(Keeper.self).where { $0.hounds.contains(foreign) }.count
        }
        expectEqual(lookup?.code, .invalidQuery)
    }

    // Covers .schemaMismatch
    @Test func aClassThatDoesNotFitIsAnErrorInAllViews() async throws {
        let old = try await Realm.temporary([Old.Ticket.self])
        try await old.write { try $0.add(Old.Ticket()) }
        var configuration = old.configuration
        configuration.objectTypes = [Other.Ticket.self]
        let realm = Realm(RealmCore(old.core.coordinator, configuration))
        let errors = [
            frozenError(realm) { $0.objects(Other.Ticket.self).count },
            frozenError(realm) { $0.objects(Other.Ticket.self).map(\.level) },
            frozenError(realm) { $0.objects(Other.Ticket.self)[3].level },
            frozenError(realm) { $0.objects(Other.Ticket.self).last },
            frozenError(realm) { $0.object(Other.Ticket.self, forPrimaryKey: 0) },
            await realmError {
                try await realm.read { tx in _ = tx.objects(Other.Ticket.self)[3].level }
            },
        ]
        for error in errors {
            expectTrue(error?.code == .schemaMismatch && error?.className == "Ticket")
        }
    }

    /// Another process has migrated: reading what was renamed there is an error, not empty.
    @Test func whatANewerProgramRenamedIsAnError() async throws {
        var configuration = Realm.Configuration(
            location: .inMemory(identifier: "renamed-\(UUID())"), objectTypes: [Purse.self])
        configuration.schemaVersion = 2
        let newer = try await Realm.open(configuration)
        try await newer.write { try $0.add(Purse()) }
        configuration.objectTypes = [Older.Purse.self, Older.Wallet.self]
        // Properties that the same version doesn't store yet have their defaults.
        let same = Realm(RealmCore(newer.core.coordinator, configuration))
        expectEqual(same.snapshot().objects(Older.Purse.self).map(\.sum), [0])
        expectTrue(same.snapshot().objects(Older.Wallet.self).isEmpty)
        configuration.schemaVersion = 1
        let older = Realm(RealmCore(newer.core.coordinator, configuration))
        let renamed = frozenError(older) { $0.objects(Older.Purse.self).map(\.sum) }
        expectTrue(renamed?.code == .schemaMismatch && renamed?.property == "sum")
        let gone = frozenError(older) { $0.objects(Older.Wallet.self).count }
        expectTrue(gone?.code == .schemaMismatch && gone?.className == "Wallet")
    }

    private enum Older {
        final class Purse: Object {
            @Persisted var amount: Int
            @Persisted var sum: Int
        }

        final class Wallet: Object {
            @Persisted var amount: Int
        }
    }

    // Covers .invalidInput
    @Test func aLinkToAnUnlistedClassIsAnErrorInAllViews() async throws {
        let whole = try await Realm.temporary([Purse.self, Ticket.self])
        try await whole.write { tx in
            let purse = Purse()
            purse.content = .object(Ticket())
            try tx.add(purse)
        }
        var configuration = whole.configuration
        configuration.objectTypes = [Purse.self]
        let part = Realm(RealmCore(whole.core.coordinator, configuration))
        let frozen = frozenError(part) { snapshot in
            let content: FrozenAnyValue = snapshot.objects(Purse.self)[0].content
            return content
        }
        let confined = await realmError {
            try await part.read { tx in _ = tx.objects(Purse.self)[0].content }
        }
        for error in [frozen, confined] {
            expectTrue(error?.code == .invalidInput && error?.className == "Ticket")
        }
    }

    /// They may have been computed from placeholders of the transaction.
    @Test func invalidPositionsInASnapshotWithinAFailedTransactionDoNotTrap() async throws {
        let (realm, old) = try await spoiled()
        defer { withExtendedLifetime(old) {} }
        let snapshot = realm.snapshot()
        let error = await realmError {
            try await realm.read { tx in
                _ = tx.objects(Ticket.self)[0].level
                try snapshot.read { snapshot in
                    let tickets = snapshot.objects(Ticket.self)
                    _ = tickets[3]
                    expectEqual(tickets[2...].startIndex, 2)
                    expectEqual(tickets[-1..<0].startIndex, -1)
                    expectEqual(tickets.prefix(-1).count, 0)
                    expectEqual(tickets.prefix(upTo: -1).count, 0)
                    expectEqual(tickets[0].hints.prefix(upTo: -1).count, 0)
                    expectEqual(tickets[0].number, 1)
                    expectEqual(tickets[0].hints[2...].endIndex, 3)
                }
            }
        }
        expectTrue(error?.code == .invalidValue && error?.property == "level")
    }

    @Test func scopesNestAndTheFirstErrorCounts() async throws {
        let (realm, old) = try await spoiled()
        defer { withExtendedLifetime(old) {} }
        let snapshot = realm.snapshot()
        let count = try snapshot.read { outer in
            let inner = #expect(throws: Realm.Error.self) {
                try outer.read { _ = $0.objects(Ticket.self)[0].level }
            }
            expectEqual(inner?.code, .invalidValue)
            return outer.objects(Ticket.self).count
        }
        expectEqual(count, 1)
        struct Refusal: Error {}
        let first = #expect(throws: Realm.Error.self) {
            try snapshot.read { snapshot in
                _ = snapshot.objects(Ticket.self)[0].level
                throw Refusal()
            }
        }
        expectEqual(first?.property, "level")
        #expect(throws: Refusal.self) { try snapshot.read { _ in throw Refusal() } }
    }

    @Test func frozenValuesFailTheTransactionThatReadsThem() async throws {
        let (realm, old) = try await spoiled()
        defer { withExtendedLifetime(old) {} }
        let ticket = realm.snapshot().objects(Ticket.self)[0]
        let error = await realmError {
            try await realm.write { tx in
                _ = ticket.level
                tx.deleteAll()
            }
        }
        expectTrue(error?.code == .invalidValue && error?.property == "level")
        expectEqual(realm.snapshot().objects(Ticket.self).count, 1)
    }

    @Test func streamsDeliverValuesWithTheirSnapshot() async throws {
        let (realm, old) = try await spoiled()
        defer { withExtendedLifetime(old) {} }
        var stream = realm.objects(Ticket.self).changes.makeAsyncIterator()
        let change = try #require(try await stream.next())
        let tickets = change.collection
        let error = #expect(throws: Realm.Error.self) {
            try tickets.snapshot.read { _ in tickets.map(\.level) }
        }
        expectEqual(error?.code, .invalidValue)
        expectEqual(tickets.snapshot.version, tickets.version)
        expectEqual(tickets[0].snapshot.version, tickets.version)
    }

    @Test func outsideOfAScopeTheProcessEndsAndTheLogSaysWhy() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try await ReadScopeTests().spoiled()
            _ = realm.snapshot().objects(Ticket.self)[0].level
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(text.contains("Ticket.level is stored as 7"), "\(text)")
        expectTrue(
            text.contains("critical") && text.contains("outside of Snapshot.read"), "\(text)")
    }

    @Test func loggerIsThereByDefault() {
        let configuration = Realm.Configuration(location: .inMemory(identifier: "logger"))
        expectEqual(configuration.logger?.label, "regnum")
    }

    // Covers .invalidInput
    @Test(arguments: 0..<5) func aLiveHandleInAWriteFailsTheTransaction(use: Int) async throws {
        let realm = try await Realm.temporary([Ticket.self])
        let other = try await Realm.temporary([Ticket.self])
        let error = await realmError {
            try await realm.write { tx in
                switch use {
                case 0:
                    if realm.objects(Ticket.self).isEmpty { try tx.add(Ticket()) }
                case 1:
                    if realm.object(Ticket.self, forPrimaryKey: 0).current == nil {
                        try tx.add(Ticket())
                    }
                case 2:
                    if realm.objects(Ticket.self).where({ $0.number == 0 }).count == 0 {
                        try tx.add(Ticket())
                    }
                case 3:
                    let snapshot = realm.snapshot()
                    if try snapshot.read({ _ in realm.objects(Ticket.self).isEmpty }) {
                        try tx.add(Ticket())
                    }
                default:
                    let none = try other.snapshot().read { outer in
                        try outer.read { _ in realm.objects(Ticket.self).count }
                    }
                    if none == 0 { try tx.add(Ticket()) }
                }
            }
        }
        expectTrue(error?.code == .invalidInput && error?.className == "Ticket")
        expectEqual(error?.message.contains("tx.object"), true)
        expectTrue(realm.snapshot().objects(Ticket.self).isEmpty)
        // Reading from another realm, or outside of the scope, works.
        try await realm.write { tx in
            if other.objects(Ticket.self).isEmpty { try tx.add(Ticket()) }
        }
        expectEqual(realm.objects(Ticket.self).count, 1)
    }
    // Covers 5.73, .invalidInput
    @Test func emptinessIsThatOfTheTransaction() async throws {
        let realm = try await Realm.temporary([Ticket.self])
        let other = try await Realm.temporary([Ticket.self])
        let error = await realmError {
            try await realm.write { tx in if realm.isEmpty { try tx.add(Ticket()) } }
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(error?.message.contains("Use tx.isEmpty."), true)
        expectTrue(realm.isEmpty)
        try await realm.write { tx in
            expectTrue(tx.isEmpty && other.isEmpty)
            try tx.add(Ticket())
            expectTrue(!tx.isEmpty)
        }
        try await realm.read { tx in expectTrue(!tx.isEmpty && !realm.isEmpty) }
    }
}
