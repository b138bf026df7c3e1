import Glibc
import Regnum

/// The models for tests with many streams, many rows and many commits.
enum Scale {
    final class Seat: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var hall: Int
        @Persisted var rank: Int
        @Persisted var name: String
        @Persisted var guest: Guest?

        convenience init(_ id: Int, hall: Int, rank: Int = 0, guest: Guest? = nil) {
            self.init()
            self.id = id
            self.hall = hall
            self.rank = rank
            self.guest = guest
            name = "seat \(id)"
        }
    }

    final class Guest: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var age: Int
        @Persisted(originProperty: "guest") var seats: LinkingObjects<Seat>

        convenience init(_ id: Int, age: Int = 0) {
            self.init()
            self.id = id
            self.age = age
        }
    }

    final class Hall: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var seats: List<Seat>
        @Persisted var tags: List<String>

        convenience init(_ number: Int) {
            self.init()
            self.number = number
        }
    }

    static let types: [ObjectBase.Type] = [Seat.self, Guest.self, Hall.self]

    /// Adds seats, ten per hall, all of them in the list of hall 0, and one guest per five seats.
    static func fill(_ realm: Realm, seatCount: Int) async throws {
        try await realm.write { tx in
            let hall = Hall(0)
            try tx.add(hall)
            for number in 1..<max(2, seatCount / 10) { try tx.add(Hall(number)) }
            var guest: Guest?
            for id in 0..<seatCount {
                if id % 5 == 0 { guest = Guest(id / 5, age: 30 + id % 20) }
                hall.seats.append(Seat(id, hall: id / 10, rank: id % 97, guest: guest))
            }
        }
    }
}
