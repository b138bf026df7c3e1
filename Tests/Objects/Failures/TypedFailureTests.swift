import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum

/// Additions of typed objects that throw change nothing, even if the caller continues.
@Suite struct TypedFailureTests {
    /// Values for a new object that are refused.
    private static var wrongOwners: [(name: String, values: [String: Any?])] {
        let friend: [String: Any?] = ["id": 6]
        let deep: [String: Any?] = ["id": 6, "friend": ["id": 7], "words": [1]]
        let days: [Any] = [Date(timeIntervalSinceReferenceDate: 2), Failing.noDate]
        let part: [String: Any?] = [
            "text": "new", "who": ["id": 1, "dates": days] as [String: Any],
        ]
        return [
            ("list of values", ["friend": friend, "words": [1]]),
            ("deep list of values", ["friend": deep]),
            ("list of objects", ["friends": [friend, 7] as [Any]]),
            ("set of dates", ["friend": friend, "dates": days]),
            ("set of dates of a friend", ["friends": [["id": 6, "dates": days] as [String: Any]]]),
            ("object of an embedded object", ["part": part]),
            ("list of embedded objects", ["parts": [["text": "new"], part] as [Any]]),
            ("map of embedded objects", ["partByName": ["a": part, "b": part]]),
            ("map key", ["byName": ["a": friend, "x.y": nil] as [String: Any?]]),
            ("map of numbers", ["friend": friend, "scores": ["a": 1, "b": "x"] as [String: Any]]),
            ("any in a map", ["anyByName": ["a": ["x.y": 1]], "byName": ["a": friend]]),
            ("any in a list", ["anys": [1, Failing.noDate] as [Any], "friend": friend]),
            ("any", ["any": ["a": 1, "b": ["x.y": 1]] as [String: Any], "friend": friend]),
            ("number", ["friend": friend, "number": "x"]),
        ]
    }

    private func check(
        _ calls: @escaping @Sendable (Transaction, FailOwner, FailureCheck) throws -> Void
    ) async throws {
        let realm = try await Realm.temporary(Failing.types)
        try await realm.write { tx in try Failing.addOwner(to: tx) }
        try await realm.write { tx in
            let owner = tx.object(FailOwner.self, forPrimaryKey: 1)
            try calls(tx, try requireValue(owner), FailureCheck(core: tx.core))
        }
        expectEqual(realm.snapshot().objects(FailOwner.self).map(\.id), [1, 2])
    }

    @Test(arguments: [Realm.UpdatePolicy.error, .modified, .all])
    func creations(_ policy: Realm.UpdatePolicy) async throws {
        try await check { tx, _, check in
            for (name, values) in Self.wrongOwners {
                for id in policy == .error ? [5] : [5, 1] {
                    let first: [String: Any?] = ["id": id, "text": "new", "parts": []]
                    let values = first.merging(values) { $1 }
                    try check("\(name) of \(id)") {
                        try tx.create(FailOwner.self, value: values, update: policy)
                    }
                }
            }
            let equal: [String: Any?] = ["id": 5, "friends": [["id": 6], ["id": 6], ["id": 5]]]
            guard policy == .error else { return }
            try check("equal keys") { try tx.create(FailOwner.self, value: equal) }
            try check("key") { try tx.create(FailOwner.self, value: Failing.owner(1)) }
        }
    }

    @Test(arguments: [Realm.UpdatePolicy.error, .modified, .all])
    func additions(_ policy: Realm.UpdatePolicy) async throws {
        try await check { tx, owner, check in
            let deleted = FailOwner(value: ["id": 3])
            try tx.add(deleted)
            tx.delete(deleted)
            func graph(_ change: (FailOwner) -> Void) -> FailOwner {
                let id = policy == .error ? 5 : 1
                let root = FailOwner(value: ["id": id, "text": "new", "friend": ["id": 6]])
                root.parts.append(FailPart(value: ["text": "new", "who": ["id": 7]]))
                root.any = .fromArray([.object(FailOwner(value: ["id": 8]))])
                change(root)
                return root
            }
            let twice = FailPart(value: ["text": "twice"])
            let wrong: [(String, (FailOwner) -> Void)] = [
                ("date", { $0.dates.insert(Failing.noDate) }),
                ("date of a friend", { $0.friend?.dates.insert(Failing.noDate) }),
                ("date of an owner", { $0.parts[0].who?.dates.insert(Failing.noDate) }),
                ("any date", { $0.anys.append(.date(Failing.noDate)) }),
                ("any date in a map", { $0.anyByName["a"] = .date(Failing.noDate) }),
                ("deleted object", { $0.friends.append(deleted) }),
                ("deleted object in a map", { $0.byName["a"] = deleted }),
                ("owned object", { $0.part = owner.parts[0] }),
                (
                    "object with two owners",
                    {
                        $0.part = twice
                        $0.parts.append(twice)
                    }
                ),
            ]
            for (name, change) in wrong {
                let root = graph(change)
                try check(name) { try tx.add(root, update: policy) }
                expectTrue(!root.isManaged && root.friend?.isManaged == false, "\(name)")
                expectTrue(root.parts.count > 0 && !root.parts[0].isManaged, "\(name)")
            }
        }
    }
}
