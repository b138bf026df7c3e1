import FoundationEssentials
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private enum Newer {
    final class Rack: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var width: Int
        @Persisted var labels: List<Label>
    }

    final class Label: Object { @Persisted var number: Int }

    final class Order: Object { @Persisted var rack: Rack? }

    static let types: [ObjectBase.Type] = [Rack.self, Label.self, Order.self]
}

/// The program before two properties of a rack were renamed.
private enum Older {
    final class Rack: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var size: Int
        @Persisted var tags: List<Label>
    }

    final class Label: Object { @Persisted var number: Int }

    final class Order: Object { @Persisted var rack: Rack? }

    /// A class that the newer program has renamed.
    final class Crate: Object { @Persisted(primaryKey: true) var number: Int }

    static let types: [ObjectBase.Type] = [Rack.self, Label.self, Order.self, Crate.self]
}

/// Names in predicate strings and paths on a realm that a newer program has migrated: what that
/// program has renamed doesn't read as its default.
@Suite struct NewerProgramNameTests {
    /// Returns the newer program's realm, with an order of a rack that has a label, and an older
    /// program's. The newer one keeps their common content open.
    private func programs() async throws -> (older: Realm, newer: Realm) {
        var configuration = Realm.Configuration(
            location: .inMemory(identifier: "newer-names-\(UUID())"), objectTypes: Newer.types)
        configuration.schemaVersion = 2
        let newer = try await Realm.open(configuration)
        try await newer.write { tx in
            let rack = Newer.Rack()
            rack.name = "a"
            rack.width = 9
            rack.labels.append(Newer.Label())
            let order = Newer.Order()
            order.rack = rack
            try tx.add(order)
        }
        configuration.objectTypes = Older.types
        configuration.schemaVersion = 1
        return (Realm(RealmCore(newer.core.coordinator, configuration)), newer)
    }

    private func check(
        _ errors: [Realm.Error?], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (number, error) in errors.enumerated() {
            expectEqual(
                error?.code, .schemaMismatch, "error \(number)", sourceLocation: sourceLocation)
            expectTrue(
                error?.className == "Rack" && error?.property == "size", "error \(number)",
                sourceLocation: sourceLocation)
        }
    }

    // Covers 13.7, .schemaMismatch
    @Test func declaredNamesOfAChangedClassAreErrorsInDynamicQueries() async throws {
        let (older, newer) = try await programs()
        defer { withExtendedLifetime(newer) {} }
        let racks = try older.snapshot().dynamicObjects("Rack")
        let orders = try older.snapshot().dynamicObjects("Order")
        check([
            await realmError { try racks.filter("size > 5").count },
            await realmError { try racks.filter("ANY tags.number == 0").count },
            await realmError { try racks.sorted(byKeyPath: "size").count },
            await realmError { try racks.distinct(byKeyPaths: ["size"]).count },
            await realmError { _ = try racks.sum(of: "size") },
            await realmError { try orders.filter("rack.size > 5").count },
            await realmError { try orders.sorted(byKeyPath: "rack.size").count },
            await realmError { _ = try orders.max(of: "rack.size") },
            await realmError {
                try await older.read { tx in
                    try tx.dynamicObjects("Rack").filter("size > 5").count
                }
            },
        ])
        // the stored names are those of the newer program
        try expectEqual(racks.filter("width > 5 AND ANY labels.number == 0").count, 1)
        try expectEqual(orders.filter("rack.width > 5").count, 1)
        let unknown = await realmError { try racks.filter("depth > 5").count }
        expectEqual(unknown?.code, .invalidQuery)
    }

    // Covers 13.7, .schemaMismatch
    @Test func dynamicObjectsOfARemovedClassAreErrors() async throws {
        let (older, newer) = try await programs()
        defer { withExtendedLifetime(newer) {} }
        let errors = [
            await realmError { try older.snapshot().dynamicObjects("Crate").count },
            await realmError {
                try await older.read { tx in try tx.dynamicObjects("Crate").count }
            },
            await realmError {
                try await older.read { tx in
                    try tx.dynamicObject(ofType: "Crate", forPrimaryKey: 1) == nil
                }
            },
        ]
        for error in errors {
            expectTrue(error?.code == .schemaMismatch && error?.className == "Crate")
        }
        let unknown = await realmError { try older.snapshot().dynamicObjects("Box") }
        expectEqual(unknown?.code, .invalidInput)
    }

    // Covers 13.7, .schemaMismatch
    @Test func linksFromAChangedClassAreErrorsInPredicates() async throws {
        let (older, newer) = try await programs()
        defer { withExtendedLifetime(newer) {} }
        let text = "@links.Rack.tags.@count > 0"
        let live = try older.objects(Older.Label.self).filter(text)
        check([
            await realmError { try older.snapshot().read { _ in live.count } },
            await realmError { for try await _ in live.changes { break } },
            await realmError {
                try await older.read { try $0.objects(Older.Label.self).filter(text).count }
            },
        ])
        let labels = newer.snapshot().objects(Newer.Label.self)
        try expectEqual(labels.filter("@links.Rack.labels.@count > 0").count, 1)
    }

    // Covers 13.7, .schemaMismatch
    @Test func explanationsAndPositionsOfAChangedClassAreErrors() async throws {
        let (older, newer) = try await programs()
        defer { withExtendedLifetime(newer) {} }
        let (live, frozen) = (
            older.objects(Older.Rack.self), older.snapshot().objects(Older.Rack.self)
        )
        check([
            await realmError { _ = try live.explain() },
            await realmError { _ = try frozen.explain() },
            await realmError { _ = try live.index(matching: "size > 5") },
            await realmError { _ = try frozen.index(matching: "size > 5") },
            await realmError {
                try await older.read { tx in
                    let error = #expect(throws: Realm.Error.self) {
                        _ = try tx.objects(Older.Rack.self).explain()
                    }
                    expectEqual(error?.code, .schemaMismatch)
                }
            },
        ])
    }
}
