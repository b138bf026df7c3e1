import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Objects as values, values that empty collections, and the paths of wrong values.
@Suite struct NestedValueTests {
    final class NestHome: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var dog: NestDog?
        @Persisted var yard: NestYard?
        @Persisted var dogs: List<NestDog>
        @Persisted var friends: MutableSet<NestDog>
        @Persisted var byName: Map<String, NestDog?>
        @Persisted var yards: List<NestYard>
        @Persisted var words: MutableSet<String>
        @Persisted var counts: Map<String, Int>
        @Persisted var numbers: List<Int>
        @Persisted var anys: MutableSet<AnyRealmValue>
        @Persisted var anyByName: Map<String, AnyRealmValue>
    }
    class NestDog: Object {
        @Persisted var name: String
        @Persisted var age: Int
        @Persisted var puppies: List<NestDog>
    }
    final class NestPuppy: NestDog { @Persisted var toy: String }
    final class NestYard: EmbeddedObject {
        @Persisted var name: String
        @Persisted var area: Int
    }
    /// Has a name, but no age or area.
    final class NestStranger: Object { @Persisted var name: String }
    /// Has the properties of a dog.
    final class NestCat: Object {
        @Persisted var name: String
        @Persisted var age: Int
        @Persisted var puppies: List<NestDog>
        @Persisted var lives: Int
    }
    static let types: [ObjectBase.Type] = [
        NestHome.self, NestDog.self, NestPuppy.self, NestYard.self, NestStranger.self, NestCat.self,
    ]

    // Covers 7.12
    @Test func objectOfAnotherClassHasToHaveAllProperties() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            let stranger = NestStranger(value: ["name": "S"])
            let puppy = NestPuppy(value: ["name": "P", "toy": "ball"])
            let stored = try tx.create(NestStranger.self, value: ["name": "stored"])
            for object in [stranger, stored, puppy] as [Object] {
                let places: [(String, Any)] = [
                    ("dog", object), ("yard", object), ("dogs", [object]), ("friends", [object]),
                    ("byName", ["k": object]), ("yards", [object]),
                ]
                for (name, value) in places {
                    for policy in [Realm.UpdatePolicy.error, .modified] {
                        let error = #expect(throws: Realm.Error.self, "\(name)") {
                            try tx.create(
                                NestHome.self, value: ["id": 1, name: value], update: policy)
                        }
                        expectEqual(error?.code, .invalidValue, "\(name): \(error as Any)")
                    }
                    #expect(throws: Realm.Error.self, "\(name)") {
                        try tx.dynamicCreate("NestHome", value: ["id": 1, name: value])
                    }
                }
            }
            let error = #expect(throws: Realm.Error.self) {
                try tx.create(NestDog.self, value: stranger)
            }
            expectTrue(error?.className == "NestDog" && error?.property == "age")
            expectTrue(tx.objects(NestHome.self).isEmpty && tx.objects(NestDog.self).isEmpty)
        }
        let trap = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = NestDog(value: NestStranger() as Any)
        }
        let sentence = String(decoding: trap?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(sentence.contains("which has no property \"age\""))
        expectTrue(sentence.contains("NestedValueTests.swift"))
    }

    // Covers 7.12
    @Test func objectWithAllPropertiesIsCopied() async throws {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            let cat = NestCat(value: ["name": "Tom", "age": 3, "lives": 9])
            let home = try tx.create(NestHome.self, value: ["id": 1, "dog": cat, "dogs": [cat]])
            expectTrue(home.dog?.name == "Tom" && home.dogs[0].age == 3 && !cat.isManaged)
            let puppy = NestPuppy(value: ["name": "P", "age": 1, "toy": "ball"])
            expectEqual(NestDog(value: puppy as Any).name, "P")
            try expectEqual(tx.create(NestDog.self, value: puppy).age, 1)
            let dynamic = try tx.dynamicCreate("NestDog", value: puppy)
            expectEqual(dynamic["name"] as? String, "P")
        }
    }

    // Covers 7.8, 7.15
    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func nilEmptiesCollections(policy: Realm.UpdatePolicy) async throws {
        let realm = try await Realm.temporary(Self.types)
        let names = [
            "dogs", "friends", "byName", "yards", "words", "counts", "numbers", "anys", "anyByName",
        ]
        try await realm.write { tx in
            for isDynamic in [false, true] {
                func update(_ values: [String: Any?]) throws {
                    var values = values
                    values["id"] = 1
                    if isDynamic {
                        try tx.dynamicCreate("NestHome", value: values, update: policy)
                    } else {
                        try tx.create(NestHome.self, value: values, update: policy)
                    }
                }
                let dog: [String: Any] = ["name": "Rex"]
                let full: [String: Any?] = [
                    "dogs": [dog], "friends": [dog], "byName": ["k": dog], "yards": [["name": "y"]],
                    "words": ["w"], "counts": ["c": 1], "numbers": [1], "anys": [1, "x"],
                    "anyByName": ["a": 1],
                ]
                for name in names {
                    try update(full)
                    let home = try requireValue(tx.object(NestHome.self, forPrimaryKey: 1))
                    let dynamic = try requireValue(
                        tx.dynamicObject(ofType: "NestHome", forPrimaryKey: 1))
                    func count(_ name: String) -> Int {
                        (dynamic[name] as? any Collection)?.count ?? -1
                    }
                    let before = Dictionary(
                        names.map { ($0, count($0)) }, uniquingKeysWith: { $1 })
                    expectTrue(before.values.allSatisfy { $0 > 0 })
                    // With .modified, values are added to unordered collections.
                    if ["friends", "byName", "words", "counts"].contains(name) {
                        let isMap = ["byName", "counts"].contains(name)
                        try update([name: isMap ? [String: Any]() : [Any]()])
                        expectTrue(count(name) == (policy == .all ? 0 : before[name]), "\(name)")
                    }
                    try update([name: nil])
                    expectEqual(count(name), 0, "\(name)")
                    for other in names where other != name {
                        expectEqual(count(other), before[other], "\(name) \(other)")
                    }
                    expectTrue(home.isManaged)
                }
            }
        }
    }

    // Covers 12.27
    @Test func errorsTellWhereTheValueIs() async throws {
        let cases: [(@Sendable () -> [String: Any], String)] = [
            ({ ["dog": ["name": 5]] }, "dog.name"),
            ({ ["dogs": [["name": "a"], ["puppies": [["age": "x"]]]]] }, "dogs[1].puppies[0].age"),
            ({ ["byName": ["k": ["age": "x"]]] }, "byName[\"k\"].age"),
            ({ ["numbers": [1, 2, "x"]] }, "numbers[2]"),
            ({ ["counts": ["c": "x"]] }, "counts[\"c\"]"),
            ({ ["yards": [["area": 1], ["area": "x"]]] }, "yards[1].area"),
            ({ ["dogs": [["name": "a"], 5]] }, "dogs[1]"),
        ]
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            for (values, path) in cases {
                let calls: [() throws -> Void] = [
                    { try tx.create(NestHome.self, value: values() as [String: Any?]) },
                    { try tx.dynamicCreate("NestHome", value: values() as [String: Any?]) },
                ]
                for call in calls {
                    let error = #expect(throws: Realm.Error.self) { try call() }
                    expectEqual(error?.valuePath, path, "\(error as Any)")
                }
            }
            let plain = #expect(throws: Realm.Error.self) {
                try tx.create(NestHome.self, value: ["id": "x"])
            }
            expectTrue(plain?.valuePath == nil && plain?.property == "id")
        }
    }

    @Test func failingSetterTellsTheLineOfTheTransaction() async throws {
        let realm = try await Realm.temporary(Self.types)
        let line = #line + 2
        let error = await realmError {
            try await realm.write { tx in
                let home = try tx.create(NestHome.self)
                home["numbers"] = ["x"]
            }
        }
        expectEqual(error?.transaction, "ObjectsTests/NestedValueTests.swift:\(line)")
    }

    @Test func objectsComeInTheOrderInWhichTheyAreFound() async throws {
        let realm = try await Realm.temporary(bookClasses)
        try await realm.write { tx in
            let first = Book("1")
            first.sequel = Book("2")
            first.sequel?.sequel = Book("3")
            first.related.append(Book("4"))
            first.sequel?.author = Author("A")
            first.sequel?.author?.masterpiece = first
            try tx.add(first)
            try tx.create(
                Book.self, value: ["isbn": "5", "sequel": ["isbn": "6", "sequel": ["isbn": "7"]]])
            expectEqual(tx.objects(Book.self).map(\.isbn), ["1", "2", "3", "4", "5", "6", "7"])
            expectEqual(
                tx.objects(Book.self).map { $0.sequel?.isbn },
                [
                    "2", "3", nil, nil, "6", "7", nil,
                ])
            expectEqual(tx.objects(Author.self)[0].masterpiece?.isbn, "1")
        }
    }
}
