import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Calls by name that throw change nothing, even if the caller continues.
@Suite struct DynamicFailureTests {
    /// Makes calls that must throw in a realm with content, and commits what they leave.
    private func check(
        _ calls: @escaping @Sendable (Transaction, DynamicObject, FailureCheck) throws -> Void
    ) async throws {
        let realm = try await Realm.temporary(Failing.types)
        try await realm.write { tx in try Failing.addOwner(to: tx) }
        try await realm.write { tx in
            let owner = try tx.dynamicObject(ofType: "FailOwner", forPrimaryKey: 1)
            try calls(tx, try requireValue(owner), FailureCheck(core: tx.core))
        }
        expectEqual(realm.snapshot().objects(FailOwner.self).map(\.id), [1, 2])
    }

    /// Values for a new object that are refused.
    private static var wrongOwners: [(name: String, values: [String: Any?])] {
        let friend: [String: Any?] = ["id": 6]
        let deep: [String: Any?] = ["id": 6, "friend": ["id": 7], "words": [1]]
        let part = Failing.part
        return [
            ("list of values", ["friend": friend, "words": [1]]),
            ("deep list of values", ["friend": deep]),
            ("list of objects", ["friends": [friend, 7] as [Any]]),
            ("set of objects", ["mates": [friend, 7] as [Any]]),
            ("set before", ["mates": [friend], "words": [1]]),
            ("set of dates", ["dates": [Failing.noDate], "friend": friend]),
            ("embedded object", ["part": part]),
            ("embedded object before", ["part": ["who": friend], "words": [1]]),
            ("list of embedded objects", ["parts": [["who": friend], part]]),
            ("map of objects", ["byName": ["a": friend, "b": 7] as [String: Any]]),
            ("map key", ["byName": ["a": friend, "x.y": nil] as [String: Any?]]),
            ("map of embedded objects", ["partByName": ["a": part]]),
            ("map of numbers", ["friend": friend, "scores": ["a": 1, "b": "x"] as [String: Any]]),
            ("any in a map", ["anyByName": ["a": ["x.y": 1]], "byName": ["a": friend]]),
            ("any in a list", ["anys": [1, Failing.noDate] as [Any], "friend": friend]),
            ("any", ["any": ["a": 1, "x.y": 1], "friend": friend]),
            ("number", ["friend": friend, "number": "x"]),
            ("name", ["friend": friend, "none": 1]),
        ]
    }

    // Covers 5.72
    @Test func creations() async throws {
        try await check { tx, _, check in
            for (name, values) in Self.wrongOwners {
                let values = values.merging(["id": 5]) { $1 }
                try check(name) { try tx.dynamicCreate("FailOwner", value: values) }
                for policy in [Realm.UpdatePolicy.modified, .all] {
                    try check("\(name), update: .\(policy)") {
                        try tx.dynamicCreate("FailOwner", value: values, update: policy)
                    }
                }
            }
            let equal: [String: Any?] = ["id": 5, "friends": [["id": 6], ["id": 6]]]
            try check("equal keys") { try tx.dynamicCreate("FailOwner", value: equal) }
            let own: [String: Any?] = ["id": 5, "friend": ["id": 5]]
            try check("the same key") { try tx.dynamicCreate("FailOwner", value: own) }
            try check("key") { try tx.dynamicCreate("FailOwner", value: Failing.owner(1)) }
            let array: [Any?] = [5, "t", 0, ["id": 6], 7]
            try check("array") { try tx.dynamicCreate("FailOwner", value: array) }
        }
    }

    // Covers 5.72
    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func updates(_ policy: Realm.UpdatePolicy) async throws {
        try await check { tx, _, check in
            for (name, values) in Self.wrongOwners {
                let first: [String: Any?] = [
                    "id": 1, "any": "new", "anyByName": ["a": "new"], "anys": ["new"], "part": nil,
                ]
                let values = first.merging(values) { $1 }
                try check(name) {
                    try tx.dynamicCreate("FailOwner", value: values, update: policy)
                }
            }
        }
    }

    // Covers 5.72
    @Test func properties() async throws {
        try await check { _, owner, check in
            for (name, values) in Self.wrongOwners {
                let wrong = values.merging(["id": 5]) { $1 }
                let right: [String: Any?] = ["id": 9]
                try check("\(name) in a link") { try owner.set(wrong, of: "friend") }
                try check("\(name) in a list") { try owner.set([right, wrong], of: "friends") }
                try check("\(name) in a set") { try owner.set([right, wrong], of: "mates") }
                try check("\(name) in a map") {
                    try owner.set(["a": right, "b": wrong], of: "byName")
                }
                let part: [String: Any?] = ["text": "new", "who": wrong]
                try check("\(name) in an embedded object") { try owner.set(part, of: "part") }
            }
            let equal: [[String: Any?]] = [["id": 6], ["id": 6]]
            try check("equal keys") { try owner.set(equal, of: "friends") }
            try check("key") { try owner.set(9, of: "id") }
            try check("words") { try owner.set(["new", 1] as [Any], of: "words") }
            try check("scores") { try owner.set(["a": 2, "x.y": 3], of: "scores") }
            try check("dates") { try owner.set([Date(), Failing.noDate], of: "dates") }
            try check("any") { try owner.set(["a": [1, Failing.noDate] as [Any]], of: "any") }
        }
    }

    // Covers 5.72
    @Test func collections() async throws {
        try await check { _, owner, check in
            let wrong = Failing.owner(5)
            let right: [String: Any?] = ["id": 6]
            let wrongAny: [String: Any] = ["a": [1], "x.y": 1]
            let friends = try owner.dynamicList("friends")
            try check("append") { try friends.append(wrong) }
            try check("insert") { try friends.insert(wrong, at: 0) }
            try check("set") { try friends.set(wrong, at: 1) }
            try check("replaceAll") { try friends.replaceAll(with: [right, wrong]) }
            let parts = try owner.dynamicList("parts")
            try check("append a part") { try parts.append(Failing.part) }
            try check("set a part") { try parts.set(Failing.part, at: 0) }
            try check("replace parts") {
                try parts.replaceAll(with: [["text": "new"], Failing.part])
            }
            let anys = try owner.dynamicList("anys")
            try check("append any") { try anys.append(wrongAny) }
            try check("set any") { try anys.set(wrongAny, at: 1) }
            try check("replace any") { try anys.replaceAll(with: ["new", wrongAny]) }
            let mates = try owner.dynamicMutableSet("mates")
            try check("insert into a set") { try mates.insert(wrong) }
            try check("replace a set") { try mates.replaceAll(with: [right, wrong]) }
            try check("remove from a set") { try mates.remove(wrong) }
            let dates = try owner.dynamicMutableSet("dates")
            try check("insert a date") { try dates.insert(Failing.noDate) }
            let byName = try owner.dynamicMap("byName")
            try check("set an entry") { try byName.set(wrong, forKey: "a") }
            try check("add an entry") { try byName.set(wrong, forKey: "b") }
            try check("add a wrong key") { try byName.set(right, forKey: "x.y") }
            let partByName = try owner.dynamicMap("partByName")
            try check("set a part's entry") { try partByName.set(Failing.part, forKey: "a") }
            let any = try requireValue(owner["any"] as? DynamicMap)
            try check("set in any") { try any.set(wrongAny, forKey: "k") }
            try check("add to any") { try any.set(wrongAny, forKey: "l") }
        }
    }

    /// A sequence among the values may store objects when it is evaluated.
    @Test func objectsThatTheProgramStoresRemain() async throws {
        let realm = try await Realm.temporary(Failing.types)
        try await realm.write { tx in
            let typed = FailOwner(value: ["id": 11, "words": ["typed"]])
            let friends = [10, 11, 12].lazy.map { id -> Any in
                do {
                    switch id {
                    case 10: return try tx.dynamicCreate("FailOwner", value: ["id": id])
                    case 11: try tx.add(typed)
                    default: return "not a friend"
                    }
                } catch { Issue.record(error) }
                return typed
            }
            let values: [String: Any?] = ["id": 5, "byName": ["a": ["id": 6]], "friends": friends]
            #expect(throws: Realm.Error.self) {
                try tx.dynamicCreate("FailOwner", value: values)
            }
            expectEqual(tx.objects(FailOwner.self).map(\.id), [10, 11])
            expectTrue(!typed.isInvalidated && Array(typed.words) == ["typed"])
        }
    }

    // Covers 5.71
    @Test func unmanagedObjectsStayUnmanaged() async throws {
        let realm = try await Realm.temporary(Failing.types)
        try await realm.write { tx in
            try Failing.addOwner(to: tx)
            let check = FailureCheck(core: tx.core)
            let found = try tx.dynamicObject(ofType: "FailOwner", forPrimaryKey: 1)
            let owner = try requireValue(found)
            let (new, next) = (FailOwner(value: ["id": 6]), FailOwner(value: ["id": 7]))
            new.friend = next
            new.part = FailPart(value: ["text": "part"])
            new.parts.append(FailPart(value: ["text": "a"]))
            for name in ["friend", "any"] {
                let values: [String: Any?] = ["id": 5, name: new, "words": [1]]
                try check("creation with \(name)") {
                    try tx.dynamicCreate("FailOwner", value: values)
                }
            }
            for name in ["friends", "mates", "anys"] {
                try check("\(name)") { try owner.set([new, Failing.noDate] as [Any], of: name) }
            }
            expectTrue(!new.isManaged && !next.isManaged && new.part?.isManaged == false)
            expectTrue(new.friend === next && new.part?.text == "part" && new.parts.count == 1)

            let values: [String: Any?] = [
                "id": 5, "any": [next, new], "byName": ["a": next], "friend": new,
                "friends": [new, next, new], "mates": [next, next],
            ]
            let made = try tx.dynamicCreate("FailOwner", value: values)
            expectTrue(new.isManaged && next.isManaged && new.part?.isManaged == true)
            expectEqual(tx.objects(FailOwner.self).map(\.id).sorted(), [1, 2, 5, 6, 7])
            try expectEqual(made.dynamicList("friends").count, 3)
            expectTrue(new.parts.count == 1 && new.friend?.id == 7)
            new.text = "changed"
            expectEqual((made["friend"] as? DynamicObject)?["text"] as? String, "changed")
        }
    }

    final class Loose: Object {
        @Persisted var text: String?
        @Persisted var any: AnyRealmValue
    }

    // Covers 5.72
    @Test func objectsThatAreGoneAreNoValues() async throws {
        let realm = try await Realm.temporary([Loose.self] + Failing.types)
        try await realm.write { tx in
            let check = FailureCheck(core: tx.core)
            var gone: DynamicObject?
            try? tx.savepoint {
                gone = try tx.dynamicCreate("FailOwner", value: ["id": 1])
                throw Realm.Error(.closed, "rolled back")
            }
            let unstored = try requireValue(gone)
            expectTrue(unstored.isInvalidated && unstored.propertyNames.isEmpty)
            let (deleted, typed) = (try tx.dynamicCreate("Loose"), Loose())
            let loose = try tx.dynamicCreate("Loose", value: ["text": "a"])
            try tx.add(typed)
            // the class may have got the place of the one that was rolled back
            expectTrue(unstored.isInvalidated)
            tx.delete(deleted)
            tx.delete(typed)
            for object: Any in [unstored, deleted, typed] {
                try check("creation of \(object)") {
                    try tx.dynamicCreate("Loose", value: object)
                }
                try check("any \(object)") { try loose.set(object, of: "any") }
                try check("list of \(object)") { try loose.set([1, object], of: "any") }
            }
        }
    }

    // Covers 6.16
    @Test func migrations() async throws {
        let realm = try MigrationRealm()
        try await realm.write(1, Failing.types) { tx in try Failing.addOwner(to: tx) }
        try await realm.migrate(
            2, Failing.types,
            { migration, _ in
                let check = FailureCheck(core: migration.core)
                for (name, values) in Self.wrongOwners {
                    let values = values.merging(["id": 5]) { $1 }
                    try check(name) { try migration.create("FailOwner", value: values) }
                    try migration.enumerateObjects(ofType: "FailOwner") { _, new in
                        let new = try requireValue(new)
                        try check("\(name) in a link") { try new.set(values, of: "friend") }
                    }
                }
                let new = FailOwner(value: ["id": 6, "friend": FailOwner(value: ["id": 7])])
                try check("copies") {
                    try migration.create("FailOwner", value: ["friend": new, "words": [1]])
                }
            },
            { tx in expectEqual(tx.objects(FailOwner.self).map(\.id).sorted(), [1, 2]) })
    }
}
