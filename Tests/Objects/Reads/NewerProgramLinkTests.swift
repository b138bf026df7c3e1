import Foundation
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private enum Newer {
    final class Shelf: Object { @Persisted(primaryKey: true) var title: String }

    final class Item: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var shelf: Shelf?
    }
}

/// The program before the primary key of a shelf was renamed.
private enum Older {
    final class Shelf: Object { @Persisted(primaryKey: true) var name: String }

    final class Item: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var shelf: Shelf?
    }
}

private enum Stored {
    final class Order: Object {
        @Persisted var lines: List<Page>
        @Persisted var customer: Page?
    }

    final class Page: Object { @Persisted var text: String }

    final class Line: Object { @Persisted var text: String }

    final class Person: Object { @Persisted var name: String }
}

/// A program whose orders have rules for links to other classes than the stored ones.
private enum Declared {
    final class Order: Object {
        @Persisted(onDelete: .cascade) var lines: List<Line>
        @Persisted(onDelete: .deny) var customer: Person?
    }

    final class Line: Object { @Persisted var text: String }

    final class Person: Object { @Persisted var name: String }
}

/// Links from and to a class that doesn't match the stored schema, where the class isn't read
/// through one of its own objects.
@Suite struct NewerProgramLinkTests {
    /// Returns a realm of a program on the content of another one's.
    private func realm(
        _ types: [ObjectBase.Type], version: UInt64, on other: Realm
    ) -> Realm {
        var configuration = other.configuration
        configuration.objectTypes = types
        configuration.schemaVersion = version
        return Realm(RealmCore(other.core.coordinator, configuration))
    }

    // Covers 13.7, .schemaMismatch
    @Test func renamedPrimaryKeyIsAnErrorWhereALinkIsEncoded() async throws {
        var configuration = Realm.Configuration(
            location: .inMemory(identifier: "newer-links-\(UUID())"),
            objectTypes: [Newer.Shelf.self, Newer.Item.self])
        configuration.schemaVersion = 2
        let newer = try await Realm.open(configuration)
        try await newer.write { tx in
            let (shelf, item) = (Newer.Shelf(), Newer.Item())
            shelf.title = "a"
            item.shelf = shelf
            try tx.add(item)
        }
        let older = realm([Older.Shelf.self, Older.Item.self], version: 1, on: newer)
        let item = older.snapshot().objects(Older.Item.self)[0]
        let errors = [
            await realmError { try JSONEncoder().encode(item) },
            await realmError { try JSONEncoder().encode(item.encoded(linkDepth: 1)) },
        ]
        for error in errors {
            expectEqual(error?.code, .schemaMismatch)
            expectTrue(error?.className == "Shelf" && error?.property == "name")
        }
        let text = try JSONEncoder().encode(newer.snapshot().objects(Newer.Item.self)[0])
        expectTrue(String(decoding: text, as: UTF8.self).contains(#""shelf":"a""#))
    }

    // Covers .schemaMismatch
    @Test func rulesOfAMismatchedClassAreErrorsWhereTheyWouldApply() async throws {
        let stored = try await Realm.temporary([
            Stored.Order.self, Stored.Page.self, Stored.Line.self, Stored.Person.self,
        ])
        try await stored.write { tx in
            let (order, page) = (Stored.Order(), Stored.Page())
            order.lines.append(page)
            order.customer = page
            try tx.add(order)
            try tx.add(Stored.Line())
            try tx.add(Stored.Person())
        }
        let declared = realm(
            [Declared.Order.self, Declared.Line.self, Declared.Person.self],
            version: stored.configuration.schemaVersion, on: stored)
        let errors = [
            await realmError {
                // the page isn't the line in the same row
                try await declared.write { tx in tx.delete(try tx.dynamicObjects("Order")[0]) }
            },
            await realmError {
                try await declared.write { tx in tx.delete(tx.objects(Declared.Person.self)) }
            },
        ]
        for error in errors {
            expectTrue(error?.code == .schemaMismatch && error?.className == "Order")
        }
        let snapshot = stored.snapshot()
        expectEqual(snapshot.objects(Stored.Order.self).count, 1)
        expectEqual(snapshot.objects(Stored.Line.self).count, 1)
        expectEqual(snapshot.objects(Stored.Person.self).count, 1)
        // no rule would apply to lines
        try await declared.write { tx in tx.delete(tx.objects(Declared.Line.self)) }
        expectEqual(stored.snapshot().objects(Stored.Line.self).count, 0)
        expectEqual(stored.snapshot().objects(Stored.Order.self).count, 1)
    }
}
