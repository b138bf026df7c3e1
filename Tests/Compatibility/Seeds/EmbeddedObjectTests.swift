import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The statements of the documents about embedded objects: geospatial data (000, 001), type
/// projection (002), the address of a person (003).
@Suite struct EmbeddedObjectTests {
    /// A class that uses the point, as the text suggests.
    final class Company: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var location: CustomGeoPoint?
        @Persisted var branches: List<CustomGeoPoint>
    }

    private typealias Person = ClassProjectionModels.Person
    private typealias Address = ClassProjectionModels.Address

    // Covers 1.2
    @Test func pointHasTheFormOfGeoJSON() async throws {
        let realm = try await Realm.temporary([Company.self, CustomGeoPoint.self])
        try await realm.write { tx in
            let company = Company()
            company.location = CustomGeoPoint(47.68, -122.35)
            expectEqual(company.location?.latitude, 47.68)
            try tx.add(company)
            expectTrue(
                company.location?.latitude == 47.68 && company.location?.longitude == -122.35)
        }
        let company = try requireValue(realm.snapshot().objects(Company.self).first)
        let point = try requireValue(company.location)
        expectTrue(point.latitude == 47.68 && point.longitude == -122.35)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(point), as: UTF8.self)
        expectEqual(text, #"{"coordinates":[-122.35,47.68],"type":"Point"}"#)
    }

    @Test func locationIsMadeFromAnArrayInOrderOfDeclaration() {
        let location = Location(value: [40.7509, 73.9777])
        expectTrue(location.latitude == 40.7509 && location.longitude == 73.9777)
    }

    @Test func embeddedObjectsGoWithTheirOwner() async throws {
        let realm = try await Realm.temporary([Company.self, CustomGeoPoint.self])
        try await realm.write { tx in
            let company = Company()
            company.location = CustomGeoPoint(1, 2)
            company.branches.append(objectsIn: [CustomGeoPoint(3, 4), CustomGeoPoint(5, 6)])
            try tx.add(company)
            let point = try requireValue(company.location)
            let branch = company.branches[1]
            tx.delete(company)
            expectTrue(point.isInvalidated && branch.isInvalidated)
        }
    }

    @Test func replacedOrRemovedEmbeddedObjectsAreDeleted() async throws {
        let realm = try await Realm.temporary([Company.self, CustomGeoPoint.self])
        try await realm.write { tx in
            let company = Company()
            try tx.add(company)
            company.location = CustomGeoPoint(1, 2)
            let first = try requireValue(company.location)
            company.location = CustomGeoPoint(3, 4)
            let second = try requireValue(company.location)
            expectTrue(first.isInvalidated && second.latitude == 3)
            company.location = nil
            expectTrue(second.isInvalidated && company.location == nil)

            company.branches.append(objectsIn: (0..<4).map { CustomGeoPoint(Double($0), 0) })
            let branches = Array(company.branches)
            company.branches.remove(at: 0)
            company.branches[0] = CustomGeoPoint(9, 0)
            company.branches.move(from: 0, to: 2)
            expectEqual(branches.map(\.isInvalidated), [true, true, false, false])
            expectEqual(company.branches.map(\.latitude), [2, 3, 9])
            company.branches.removeAll()
            expectTrue(branches.allSatisfy { $0.isInvalidated })
        }
    }

    @Test func deletedEmbeddedObjectLeavesItsOwner() async throws {
        let realm = try await Realm.temporary([Company.self, CustomGeoPoint.self])
        try await realm.write { tx in
            let company = Company()
            try tx.add(company)
            company.location = CustomGeoPoint(1, 2)
            company.branches.append(objectsIn: [CustomGeoPoint(3, 4), CustomGeoPoint(5, 6)])
            tx.delete(try requireValue(company.location))
            tx.delete(company.branches[0])
            expectNil(company.location)
            expectEqual(company.branches.map(\.latitude), [5])
        }
    }

    @Test func embeddedObjectHasOneOwner() async throws {
        let realm = try await Realm.temporary([Company.self, CustomGeoPoint.self])
        await #expect(throws: Realm.Error.self) {
            try await realm.write { tx in
                let (first, second) = (Company(), Company())
                (first.name, second.name) = ("a", "b")
                first.location = CustomGeoPoint(1, 2)
                try tx.add([first, second])
                second.location = first.location
            }
        }
        expectTrue(realm.snapshot().objects(Company.self).isEmpty)
        // A copy is a different object.
        try await realm.write { tx in
            let (first, second) = (Company(), Company())
            (first.name, second.name) = ("a", "b")
            first.location = CustomGeoPoint(1, 2)
            try tx.add([first, second])
            second.location = CustomGeoPoint(value: try requireValue(first.location))
            expectEqual(second.location?.longitude, 2)
            expectEqual(first.location?.isSameObject(as: second.location), false)
        }
    }

    // Covers 1.2
    @Test func personsAddressIsPartOfThePerson() async throws {
        let realm = try await Realm.temporary([Person.self, Address.self])
        try await realm.write { tx in
            try tx.create(
                Person.self,
                value: [
                    "firstName": "Jane", "lastName": "Doe",
                    "address": ["city": "Prague", "country": "CZ"],
                    "friends": [["firstName": "Ann"], ["firstName": "Bob"]],
                ] as [String: Any])
        }
        let people = realm.snapshot().objects(Person.self)
        let jane = try requireValue(people.where { $0.firstName == "Jane" }.first)
        expectTrue(jane.address?.city == "Prague" && jane.address?.country == "CZ")
        expectEqual(jane.friends.map(\.firstName), ["Ann", "Bob"])
        expectEqual(people.count, 3)
        expectEqual(people.where { $0.address.city == "Prague" }.map(\.firstName), ["Jane"])
        expectEqual(people.where { $0.address == nil }.map(\.firstName), ["Ann", "Bob"])
    }
}
