import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The statements of "Supported Types - Swift SDK" (000, 001) about `AnyRealmValue`.
@Suite struct AnyValues000Tests {
    private typealias Dog = AnyValues.Dog

    /// "Supported AnyRealmValue data types include: Int, Float, Double, Decimal128, ObjectID, UUID,
    /// Bool, Date, Data, String, List, Map, Object". "Because null is a permitted value …".
    @Test func companionIsOfEveryKind() async throws {
        let realm = try await Realm.temporary([Dog.self])
        let (id, uuid, date) = (ObjectId.generate(), UUID(), Date())
        try await realm.write { tx in
            let friend = Dog(value: ["name": "Bo"])
            let companions: [AnyRealmValue] = [
                .none, .int(1), .float(1.5), .double(2.5), .decimal128("3.50"), .objectId(id),
                .uuid(uuid), .bool(true), .date(date), .data(Data([1])), .string("cat"),
                .list(List([.int(1)])), .fromDictionary(["a": .int(1)]), .object(friend),
            ]
            for companion in companions {
                let dog = Dog(value: ["name": "Rex"])
                dog.companion = companion
                try tx.add(dog)
                switch (companion, dog.companion) {
                case (.list, .list(let list)): expectEqual(Array(list), [.int(1)])
                case (.dictionary, .dictionary(let map)): expectEqual(map["a"], .int(1))
                default: expectEqual(dog.companion, companion)
                }
            }
            expectEqual(tx.objects(Dog.self).count, companions.count + 1)
        }
    }

    /// "You can find and update individual mixed collection elements"; "You can query mixed
    /// collection properties and register a listener for changes, as you would a normal
    /// collection".
    @Test func elementsAreFoundUpdatedAndFollowed() async throws {
        let realm = try await Realm.temporary([Dog.self])
        try await realm.write { tx in
            let dog = Dog(value: ["name": "Rex"])
            dog.companion = .fromDictionary([
                "name": .string("Tom"), "toys": .fromArray([.string("ball"), .int(2)]),
            ])
            try tx.add(dog)
        }
        var stream = realm.objects(Dog.self).changes.makeAsyncIterator()
        guard case .initial? = try await stream.next() else { return }
        try await realm.write { tx in
            let dog = try requireValue(
                tx.objects(Dog.self).where { $0.companion["toys"][0] == .string("ball") }.first)
            dog.companion.dictionaryValue?["toys"]?.listValue?[0] = .string("bone")
        }
        guard case .update(let dogs, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(delta.modifications, [0])
        expectEqual(dogs[0].companion["toys"], .list([.string("bone"), .int(2)]))
    }
}
