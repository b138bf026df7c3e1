import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Sorting and distinct values by property name.
@Suite struct NamedPathTests {
    // Covers 2.15, 2.18
    @Test func resultsAreSortedAndMadeDistinctByNames() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let people = ["Bob", "Ann", "Cem"].enumerated().map { GenericMapped($0, $1) }
            (people[0].best, people[1].best) = (people[2], people[0])
            (people[0].age, people[1].age, people[2].age) = (3, 5, 3)
            people[0].others.append(objectsIn: people)
            try tx.add(people)
            let all = tx.objects(GenericMapped.self)
            try expectEqual(all.sorted(byKeyPath: "firstName").map(\.id), [1, 0, 2])
            try expectEqual(all.sorted(byKeyPath: "best.firstName").map(\.id), [2, 1, 0])
            try expectEqual(
                all.sorted(byKeyPath: "id", ascending: false)
                    .sorted(byKeyPath: "age").map(\.id), [2, 0, 1])
            try expectEqual(
                all.sorted(byKeyPath: "id").distinct(byKeyPaths: ["age"]).map(\.id), [0, 1])
            try expectEqual(all.distinct(byKeyPaths: []).count, 3)
            let list = people[0].others
            try expectEqual(list.sorted(byKeyPath: "age", ascending: false).map(\.id), [1, 0, 2])
            try expectEqual(list.distinct(byKeyPaths: ["age", "best.age"]).map(\.id), [0, 1])
            try expectEqual(
                AnyRealmCollection(list).sorted(byKeyPath: "firstName").map(\.id), [1, 0, 2])
        }
        let frozen = realm.snapshot().objects(GenericMapped.self)
        try expectEqual(frozen.sorted(byKeyPath: "firstName").map(\.id), [1, 0, 2])
        let live = try realm.objects(GenericMapped.self).sorted(byKeyPath: "firstName")
        expectEqual(live.current.map(\.id), [1, 0, 2])
        for path in ["nothing", "first_name", "best", "others.age", "firstName.x", "", "best."] {
            let error = #expect(throws: Realm.Error.self) { try frozen.sorted(byKeyPath: path) }
            expectTrue(
                error?.code == .invalidInput && error?.className == "GenericMapped", "\(path)")
            #expect(throws: Realm.Error.self) { try frozen.distinct(byKeyPaths: ["age", path]) }
        }
    }
}

private enum MisfitTone: Int, PersistableEnum { case low, high }

private final class MisfitTarget: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var byte: Int8
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var decimal: Decimal128
    @Persisted var id: ObjectId
    @Persisted var uuid: UUID
    @Persisted var tone: MisfitTone
    @Persisted var link: MisfitTarget?
    @Persisted var list: List<Int>
    @Persisted var set: MutableSet<String>
    @Persisted var map: Map<String, Date>
}

/// Values set by name that are invalid for the property.
@Suite struct MisfitValueTests {
    /// For each property an invalid value, and its description in the message.
    private static let misfits: [(property: String, value: any Sendable)] = [
        ("key", "1"), ("bool", "true"), ("int", "1"), ("int", 1.5), ("byte", 128), ("float", "1"),
        ("double", Data()), ("string", 1), ("data", "x"), ("date", 3), ("decimal", true),
        ("id", "x"), ("uuid", "x"), ("tone", 7), ("tone", "low"), ("link", 1), ("list", 1),
        ("list", ["x"]), ("set", [1]), ("map", ["k": 1]), ("map", [1]),
    ]

    // Covers 12.27
    @Test func wrongTypesAreToldByClassPropertyAndKind() async throws {
        let realm = try await Realm.temporary([MisfitTarget.self])
        for (property, value) in Self.misfits {
            let error = await realmError {
                try await realm.write { tx in
                    _ = try tx.create(
                        MisfitTarget.self,
                        value: ["key": 1].merging([property: value as Any]) { $1 } as [String: Any])
                }
            }
            expectEqual(error?.code, .invalidValue, "\(property) \(value): \(error as Any)")
            expectTrue(error?.className == "MisfitTarget" && error?.property == property)
            let type = MisfitTarget().objectSchema[property]?.description ?? "?"
            expectEqual(
                error?.message.contains("MisfitTarget.\(property) is of type"), true, "\(type)")
            let set = await realmError {
                try await realm.write { tx in
                    let object = try tx.create(MisfitTarget.self, value: ["key": 2])
                    object[property] = value
                }
            }
            expectTrue(set?.property == property && set?.className == "MisfitTarget")
        }
        expectTrue(realm.snapshot().objects(MisfitTarget.self).isEmpty)
    }

    // Covers 12.27
    @Test func nilIsRefusedByEveryRequiredProperty() async throws {
        let realm = try await Realm.temporary([MisfitTarget.self])
        let schema = MisfitTarget().objectSchema
        for property in schema.properties
        where !property.isOptional && !property.isArray && !property.isSet && !property.isMap {
            let error = await realmError {
                try await realm.write { tx in
                    let values: [String: Any?] = ["key": 1].merging([property.name: nil]) { $1 }
                    _ = try tx.create(MisfitTarget.self, value: values)
                }
            }
            expectTrue(
                error?.code == .invalidValue && error?.property == property.name, "\(property)")
            expectEqual(error?.message.contains("nil"), true, "\(error as Any)")
        }
        let misfits: [(property: String, value: any Sendable)] = [
            ("list", [nil] as [Int?]), ("set", ["a", nil] as [String?]),
            ("map", ["k": nil] as [String: Int?]),
        ]
        for (property, value) in misfits {
            let error = await realmError {
                try await realm.write { tx in
                    _ = try tx.create(
                        MisfitTarget.self,
                        value: ["key": 1].merging([property: value as Any]) { $1 } as [String: Any])
                }
            }
            expectTrue(error?.code == .invalidValue && error?.property == property)
        }
    }

    // Covers 12.27
    @Test func bulkAssignmentToAnUnknownPropertyNamesIt() async throws {
        let realm = try await Realm.temporary([MisfitTarget.self])
        let error = await realmError {
            try await realm.write { tx in
                try tx.objects(MisfitTarget.self).setValue(1, forKey: "nothing")
            }
        }
        expectTrue(error?.code == .invalidInput && error?.property == "nothing")
        expectEqual(error?.className, "MisfitTarget")
    }
}
