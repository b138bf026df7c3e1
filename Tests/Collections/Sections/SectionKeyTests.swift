import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The types of values that can be keys of sections.
@Suite struct SectionKeyTests {
    typealias Kinds = Log.Kinds

    /// Three objects with equal values (1, 2, 4), and one with other values (3).
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(Log.types)
        try await realm.write { tx in
            let (uuid, objectId, date) = (UUID(), ObjectId.generate(), Date())
            for id in [1, 2, 4] {
                let kinds = Kinds()
                (kinds.id, kinds.uuid, kinds.objectId, kinds.date) = (id, uuid, objectId, date)
                try tx.add(kinds)
            }
            let other = Kinds()
            other.id = 3
            (other.flag, other.number, other.small, other.float) = (true, 1, 2, 0.5)
            (other.double, other.decimal, other.text) = (.nan, 3, "x")
            (other.data, other.date) = (Data([1]), Date(timeIntervalSince1970: 5))
            (other.uuid, other.objectId) = (UUID(), ObjectId.generate())
            (other.mood, other.heat) = (.glad, Celsius(30))
            (other.maybeFlag, other.maybeNumber, other.maybeSmall) = (false, 0, 0)
            (other.maybeFloat, other.maybeDouble, other.maybeDecimal) = (0, 0, 0)
            (other.maybeText, other.maybeData, other.maybeDate) = ("", Data(), Date())
            (other.maybeUuid, other.maybeObjectId) = (UUID(), ObjectId.generate())
            (other.maybeMood, other.maybeHeat) = (.calm, Celsius(0))
            other.any = .string("any")
            try tx.add(other)
        }
        return realm
    }

    /// Compares sections by a property, in all views, with the values of the objects.
    private func check<Key: SectionKey>(
        _ realm: Realm, _ keyPath: any KeyPath<Kinds, Key> & Sendable,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let kinds = realm.snapshot().objects(Kinds.self)
        let frozen = kinds.sectioned(by: keyPath)
        // the other object may come first or last
        let groups = frozen.map { $0.map(\.id) }.sorted { $0.count < $1.count }
        expectEqual(groups, [[3], [1, 2, 4]], sourceLocation: sourceLocation)
        for section in frozen {
            for kind in section {
                // as text, because NaN doesn't equal itself
                let value: Key = kind[dynamicMember: keyPath]
                expectEqual(
                    "\(value)", "\(section.key)", sourceLocation: sourceLocation)
            }
        }
        let closure = kinds.sorted(by: keyPath).sectioned(sortDescriptors: []) { kind -> Key in
            kind[dynamicMember: keyPath]
        }
        expectEqual(closure, frozen, sourceLocation: sourceLocation)
        let confined = try await realm.read { tx in
            let sections = tx.objects(Kinds.self).sectioned(by: keyPath)
            let closure = tx.objects(Kinds.self).sectioned(sortDescriptors: [.ascending(keyPath)]) {
                $0[keyPath: keyPath]
            }
            expectEqual(
                closure.map { $0.map(\.id) }, sections.map { $0.map(\.id) },
                sourceLocation: sourceLocation)
            return sections.map { $0.map(\.id) }
        }
        expectEqual(confined, frozen.map { $0.map(\.id) }, sourceLocation: sourceLocation)
    }

    // Covers 2.108
    @Test func everyTypeOfValueCanBeAKey() async throws {
        let realm = try await realm()
        try await check(realm, \.flag)
        try await check(realm, \.number)
        try await check(realm, \.small)
        try await check(realm, \.float)
        try await check(realm, \.double)
        try await check(realm, \.decimal)
        try await check(realm, \.text)
        try await check(realm, \.data)
        try await check(realm, \.date)
        try await check(realm, \.uuid)
        try await check(realm, \.objectId)
        try await check(realm, \.mood)
        try await check(realm, \.heat)
    }

    // Covers 2.108
    @Test func nilIsAKey() async throws {
        let realm = try await realm()
        try await check(realm, \.maybeFlag)
        try await check(realm, \.maybeNumber)
        try await check(realm, \.maybeSmall)
        try await check(realm, \.maybeFloat)
        try await check(realm, \.maybeDouble)
        try await check(realm, \.maybeDecimal)
        try await check(realm, \.maybeText)
        try await check(realm, \.maybeData)
        try await check(realm, \.maybeDate)
        try await check(realm, \.maybeUuid)
        try await check(realm, \.maybeObjectId)
        try await check(realm, \.maybeMood)
        try await check(realm, \.maybeHeat)
        let moods = realm.snapshot().objects(Kinds.self).sectioned(by: \.maybeMood)
        expectEqual(moods.allKeys, [nil, .calm])
        expectEqual(moods.section(forKey: nil)?.count, 3)
    }

    // Covers .invalidQuery
    @Test func sectionsThatCannotBeDeterminedAreAnErrorForEveryUse() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let author = Log.Author(1, "Ann")
            try tx.add(author)
            tx.object(Kinds.self, forPrimaryKey: 1)?.any = .object(author)
        }
        let kinds = realm.snapshot().objects(Kinds.self)
        let uses: [(FrozenSections<FrozenAnyValue, Kinds>) -> Any?] = [
            { $0.path(of: kinds[0]) }, { $0[0].key }, { $0[1].count }, { $0[0][0].id },
            { $0[SectionPath(section: 0, row: 0)].id }, { $0[0] == $0[1] }, { $0.map(\.key) },
            { $0.section(forKey: .int(1)) }, { $0.first?.first },
        ]
        for (number, use) in uses.enumerated() {
            let error = #expect(throws: Realm.Error.self, "use \(number)") {
                try kinds.snapshot.read { _ in _ = use(kinds.sectioned(by: \.any)) }
            }
            expectEqual(error?.code, .invalidQuery, "use \(number)")
        }
    }

    // Covers .invalidQuery
    @Test func frozenSectionsWithoutKeysAreAnErrorForEveryUse() async throws {
        let realm = try await realm()
        try await realm.read { tx in
            let start = tx.freeze()
            let sections = tx.objects(Kinds.self).sectioned(sortDescriptors: []) { _ in
                Point(0, 0)
            }
            var kept: FrozenSections<Point, Kinds>?
            for number in 0..<3 {
                let error = #expect(throws: Realm.Error.self, "use \(number)") {
                    try start.read { _ in
                        if number == 0 { kept = sections.freeze() }
                        if number == 1 { _ = kept?.count }
                        if number == 2 { _ = kept?.first }
                    }
                }
                expectEqual(error?.code, .invalidQuery, "use \(number)")
            }
        }
    }

    // Covers 2.108, .invalidQuery
    @Test func linkIsRefusedAsAKey() async throws {
        let realm = try await realm()
        let values = realm.snapshot().objects(Kinds.self).sectioned(by: \.any)
        expectEqual(values.allKeys, [.none, .string("any")])
        let names = try await realm.read { tx in
            tx.objects(Kinds.self).sectioned(by: \.any, ascending: false).allKeys
        }
        expectEqual(names, [.string("any"), .none])
        try await realm.write { tx in
            let author = Log.Author(1, "Ann")
            try tx.add(author)
            tx.object(Kinds.self, forPrimaryKey: 1)?.any = .object(author)
        }
        let confined = await #expect(throws: Realm.Error.self) {
            try await realm.read { $0.objects(Kinds.self).sectioned(by: \.any).count }
        }
        expectEqual(confined?.code, .invalidQuery)
        let frozen = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { snapshot in
                snapshot.objects(Kinds.self).sectioned(sortDescriptors: []) { $0.any }.count
            }
        }
        expectTrue(frozen?.message.contains("not supported as section keys") == true)
        let embedded = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { snapshot in
                snapshot.objects(Kinds.self).sectioned(sortDescriptors: []) { _ in Point(0, 0) }
                    .count
            }
        }
        expectEqual(embedded?.code, .invalidQuery)
        // the results can still be used, and so can their sections once the link is gone
        let kinds = realm.objects(Kinds.self)
        expectEqual(kinds.current.count, 4)
        try await realm.write { $0.object(Kinds.self, forPrimaryKey: 1)?.any = .int(1) }
        expectEqual(kinds.sectioned(by: \.any).current.count, 3)
    }

    // Covers 2.108, .invalidValue
    @Test func valueThatIsInvalidForItsTypeIsRefusedAsAKey() async throws {
        let realm = try await Realm.temporary([Painted.Wall.self])
        try await realm.write { tx in
            let wall = Painted.Wall()
            wall.color = "mauve"
            try tx.add(wall)
        }
        let later = try LaterProgram.core(of: realm, [Chosen.Wall.self])
        var live = later.objects(Chosen.Wall.self).sectioned(by: \.color).changes
            .makeAsyncIterator()
        let errors = [
            await realmError {
                try await later.read { $0.objects(Chosen.Wall.self).sectioned(by: \.color).count }
            },
            await realmError {
                try later.snapshot().read {
                    $0.objects(Chosen.Wall.self).sectioned(by: \.color).count
                }
            },
            await realmError { try await live.next(within: .zero) },
        ]
        for error in errors {
            expectEqual(error?.code, .invalidValue)
            expectTrue(error?.className == "Wall" && error?.property == "color")
            expectTrue(error?.message.hasPrefix("Wall.color is stored as a section key") == true)
        }
    }
}

private enum Painted {
    final class Wall: Object {
        @Persisted var color: String
    }
}

private enum Chosen {
    enum Color: String, PersistableEnum { case red, blue }

    final class Wall: Object {
        @Persisted var color: Color
    }
}
