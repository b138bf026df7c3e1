import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The statements of "Type Projection - Swift SDK" (002, also in 000 and 001) about its models.
@Suite struct TypeProjectionSeedTests {
    private typealias Club = ClubWithLocation.Club
    private static let types: [ObjectBase.Type] = [Club.self, Location.self]

    // Covers 1.53, 8.1
    @Test func clubsAreMadeAndAssignedAsThePagesDo() async throws {
        // Initialize objects and assign values
        let club = Club(value: ["name": "American Kennel Club", "url": "https://akc.org"])
        let club2 = Club()
        club2.name = "Continental Kennel Club"
        // When assigning the value to a type-projected property, type safety
        // checks for the mapped type - not the persisted type.
        club2.url = URL(string: "https://ckcusa.com/")!
        club2.location = CLLocationCoordinate2D(latitude: 40.7509, longitude: 73.9777)
        expectEqual(club.url, URL(string: "https://akc.org"))
        expectTrue(club.location.latitude == 0 && club.location.longitude == 0)

        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            for (name, url, place) in [
                ("American Kennel Club", "https://akc.org", CLLocationCoordinate2D?.none),
                (
                    "Continental Kennel Club", "https://ckcusa.com/",
                    .init(latitude: 40.7509, longitude: 73.9777)
                ),
            ] {
                let club = Club(value: ["name": name, "url": url])
                if let place { club.location = place }
                try tx.add(club)
            }
        }
        try await realm.read { realm in
            let akcClub = realm.objects(Club.self).where {
                $0.name == "American Kennel Club"
            }.first!
            // You can use type-safe expressions to check for equality
            expectEqual(akcClub.url, URL(string: "https://akc.org")!)
            let clubs = realm.objects(Club.self)
            // You can use the persisted property type in query expressions
            let akcByUrl = clubs.where { $0.url == "https://akc.org" }.first!
            expectEqual(akcByUrl.name, "American Kennel Club")
            let byURL = clubs.where { $0.url == URL(string: "https://ckcusa.com/") }
            expectEqual(byURL.map(\.name), ["Continental Kennel Club"])
            let there = CLLocationCoordinate2D(latitude: 40.7509, longitude: 73.9777)
            expectEqual(
                clubs.where { $0.location == there }.map(\.name), ["Continental Kennel Club"])
            expectEqual(clubs.where { $0.location != there }.map(\.name), ["American Kennel Club"])
            expectEqual(clubs.where { $0.location.persistableValue.latitude > 40 }.count, 1)
            expectEqual(clubs[1].location.latitude, 40.7509)
            // reading data via any of the dynamic APIs gives the underlying persisted type
            expectEqual(clubs[1]["url"] as? String, "https://ckcusa.com/")
            expectEqual((clubs[1]["location"] as? Location)?.longitude, 73.9777)
        }
        let frozen = realm.snapshot().objects(Club.self)
        expectTrue(frozen[1].location.longitude == 73.9777 && frozen[0].location.latitude == 0)
        expectEqual(frozen[0].url, URL(string: "https://akc.org"))
    }

    // Covers 8.2
    @Test func aURLThatIsNoneReadsAsNil() async throws {
        enum Plain {
            final class Club: Object {
                @Persisted var id: ObjectId
                @Persisted var name: String
                @Persisted var url: String?
            }
        }
        let url = FileManager.default.temporaryDirectory.appending(path: "regnum-\(UUID())")
        defer { try? FileManager.default.removeItem(at: url) }
        func open(_ type: ObjectBase.Type) async throws -> Realm {
            try await Realm.open(.init(location: .file(url), objectTypes: [type]))
        }
        let plain = try await open(Plain.Club.self)
        try await plain.write { tx in
            try tx.add(Plain.Club(value: ["name": "a", "url": ""]))
            try tx.add(Plain.Club(value: ["name": "b", "url": "https://b.org"]))
        }
        await plain.close()
        let realm = try await open(ClubWithURL.Club.self)
        let clubs = realm.snapshot().objects(ClubWithURL.Club.self)
        expectEqual(clubs.map(\.url), [nil, URL(string: "https://b.org")])
        try await realm.read { tx in
            expectEqual(
                tx.objects(ClubWithURL.Club.self).map(\.url), [nil, URL(string: "https://b.org")])
        }
        await realm.close()
    }
}
