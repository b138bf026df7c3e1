import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The statements of document 003 about class projections: a view model that passes through,
/// renames, resolves key paths, maps collections and omits properties.
@Suite struct ClassProjectionTests {
    private typealias Person = ClassProjectionModels.Person
    private typealias Address = ClassProjectionModels.Address
    private typealias PersonProjection = ClassProjectionModels.PersonProjection

    private func jane() -> Person {
        Person(
            value: [
                "firstName": "Jane", "lastName": "Doe",
                "address": ["city": "Prague", "country": "CZ"],
                "friends": [["firstName": "Ann"], ["firstName": "Bob"]],
            ])
    }

    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary([Person.self, Address.self])
        let jane = jane()
        try await realm.write { tx in try tx.add(jane) }
        return realm
    }

    // Covers 8.22
    @Test func projectionTransformsWhatThePersonHas() {
        let person = PersonProjection(projecting: jane())
        expectTrue(person.firstName == "Jane" && person.homeCity == "Prague")
        expectEqual(Array(person.firstFriendsName), ["Ann", "Bob"])
        person.rootObject.address = nil
        expectNil(person.homeCity)
    }

    @Test func changesAreAppliedInWriteTransactions() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            let found = tx.objects(PersonProjection.self).where { $0.lastName == "Doe" }.first
            let person = try requireValue(found)
            person.firstName = "Joan"
            person.firstFriendsName[0] = "Anna"
        }
        let people = realm.snapshot().objects(Person.self).where { $0.lastName == "Doe" }
        expectEqual(people.first?.firstName, "Joan")
        expectEqual(people.first?.friends.map(\.firstName), ["Anna", "Bob"])
    }

    @Test func projectedObjectLiveUpdatesAndCanBeObserved() async throws {
        let realm = try await realm()
        let people = realm.objects(PersonProjection.self).where { $0.lastName.starts(with: "Do") }
        var stream = people.changes.makeAsyncIterator()
        guard case .initial(let before)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        expectEqual(before.first?.homeCity, "Prague")
        // "you can watch for changes to a class projection and not see changes for properties that
        // are not part of the class projection"
        try await realm.write { tx in
            let jane = tx.objects(Person.self).where { $0.firstName == "Jane" }.first
            jane?.lastName = "Dole"
            jane?.address?.country = "SK"
        }
        try await realm.write { tx in
            let jane = tx.objects(Person.self).where { $0.firstName == "Jane" }.first
            jane?.address?.city = "Brno"
        }
        guard case .update(let after, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(delta.modified.map(\.properties), [["homeCity"]])
        expectTrue(after.first?.homeCity == "Brno" && people.current.first?.homeCity == "Brno")
    }

    @Test func frozenProjectionIsAValueForOtherTasksAndForJSON() async throws {
        let person = try requireValue(
            try await realm().snapshot().objects(PersonProjection.self)
                .where { $0.firstName == "Jane" }.first)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = try await Task.detached {
            String(decoding: try encoder.encode(person), as: UTF8.self)
        }.value
        expectEqual(
            text, #"{"firstFriendsName":["Ann","Bob"],"firstName":"Jane","homeCity":"Prague"}"#)
    }
}
