import Foundation
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum

/// The classes of the tests of calls that throw.
final class FailOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text = "none"
    @Persisted var number: Int
    @Persisted var friend: FailOwner?
    @Persisted var part: FailPart?
    @Persisted var any: AnyRealmValue
    @Persisted var friends: List<FailOwner>
    @Persisted var parts: List<FailPart>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var dates: MutableSet<Date>
    @Persisted var mates: MutableSet<FailOwner>
    @Persisted var scores: Map<String, Int>
    @Persisted var byName: Map<String, FailOwner?>
    @Persisted var partByName: Map<String, FailPart?>
    @Persisted var anyByName: Map<String, AnyRealmValue>
    /// The last one in the order of names and of declarations.
    @Persisted var words: List<String>
}

final class FailPart: EmbeddedObject {
    @Persisted var text: String
    @Persisted var who: FailOwner?
    @Persisted var words: List<String>
}

enum Failing {
    static let types: [ObjectBase.Type] = [FailOwner.self, FailPart.self]

    /// A date that no property can hold.
    static let noDate = Date(timeIntervalSinceReferenceDate: .nan)

    /// Values of an object whose creation fails after others were created for it.
    static func owner(_ id: Int) -> [String: Any?] {
        ["id": id, "friend": ["id": id + 100] as [String: Any?], "words": [1]]
    }

    /// Values of an embedded object whose creation fails after an object was created for it.
    static var part: [String: Any?] { ["who": ["id": 50] as [String: Any?], "words": [1]] }

    /// Adds an object with something in every property, and the object that it links to.
    static func addOwner(to tx: Transaction) throws {
        try tx.create(
            FailOwner.self,
            value: [
                "id": 1, "text": "old", "number": 1, "friend": ["id": 2] as [String: Any?],
                "part": ["text": "part"], "any": ["k": [1, "two"] as [Any]] as [String: Any],
                "parts": [["text": "a"], ["text": "b"]], "anys": [1, ["k": 2]] as [Any],
                "dates": [Date(timeIntervalSinceReferenceDate: 1)], "scores": ["a": 1],
                "partByName": ["a": ["text": "named"]], "anyByName": ["a": [1]],
                "words": ["w"],
            ])
        let owner = try requireValue(tx.object(FailOwner.self, forPrimaryKey: 1))
        let friend = try requireValue(owner.friend)
        owner.friends.append(objectsIn: [friend, owner])
        owner.mates.insert(friend)
        owner.byName["a"] = friend
    }

    /// All rows that a transaction sees, those of elements included, by the name of their class.
    static func content(_ core: TransactionCore) throws -> [String: [String]] {
        let transaction = try requireValue(core.writing)
        var content: [String: [String]] = [:]
        for table in transaction.schema.tables {
            for row in transaction.keys(table.key) {
                let values = table.columns.map { column in
                    "\(transaction.value(table.key, row, column.key) ?? .null)"
                }
                let lists = table.lists.map { list in
                    "\(transaction.list(table.key, row, list.key).map(\.rawValue))"
                }
                let text = "\(row.rawValue): \((values + lists).joined(separator: ", "))"
                content[table.name, default: []].append(text)
            }
        }
        return content
    }
}

/// Makes calls that must throw, and checks that they change nothing.
struct FailureCheck {
    let core: TransactionCore

    func callAsFunction(_ name: String, _ body: () throws -> Void) throws {
        let before = try Failing.content(core)
        do {
            try body()
            expectTrue(false, "\(name) didn't throw")
        } catch let error as Realm.Error {
            let codes: [Realm.Error.Code] = [.invalidValue, .invalidInput, .duplicatePrimaryKey]
            expectTrue(codes.contains(error.code), "\(name) threw \(error)")
        }
        let after = try Failing.content(core)
        for table in Set(before.keys).union(after.keys).sorted() {
            expectEqual(after[table] ?? [], before[table] ?? [], "\(table) after \(name)")
        }
        expectNil(core.violation, "\(name)")
    }
}
