import Foundation
import Regnum

/// A realm with people.
struct RegnumStore: Sendable {
    let realm: Realm
    let ids: PersonIDs

    static func make(
        in setting: Setting, _ name: String = "regnum", durability: Realm.Durability = .full
    ) async throws -> RegnumStore {
        let realm = try await open(setting.directory.appending(path: "\(name).realm"), durability)
        let batch = 2_000
        for start in stride(from: 0, to: setting.objectCount, by: batch) {
            let people = People.people(start..<min(start + batch, setting.objectCount))
            try await realm.write { tx in
                for person in people { try tx.add(Person(person)) }
            }
        }
        return RegnumStore(realm: realm, ids: PersonIDs(from: setting.objectCount))
    }

    static func open(_ url: URL, _ durability: Realm.Durability = .full) async throws -> Realm {
        var configuration = Realm.Configuration(
            location: .file(url), objectTypes: [Person.self])
        configuration.durability = durability
        return try await Realm.open(configuration)
    }

    /// Microseconds of each commit of one person.
    @concurrent
    func microsecondsOfCommits(_ people: [PersonValues]) async throws -> [Double] {
        var times: [Double] = []
        times.reserveCapacity(people.count)
        for person in people {
            let start = monotonicNanoseconds()
            try await insert(person)
            times.append(Double(monotonicNanoseconds() - start) / 1_000)
            opaqueCall()
        }
        return times
    }

    /// Commits of one person each, one after the other.
    @concurrent
    func commit(_ people: [PersonValues]) async throws {
        for person in people {
            try await insert(person)
            opaqueCall()
        }
    }

    private func insert(_ person: PersonValues) async throws {
        try await realm.write { tx in try tx.add(Person(person)) }
    }
}
