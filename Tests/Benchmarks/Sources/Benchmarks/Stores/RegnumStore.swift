import BenchmarkKit
import Foundation
import Regnum

/// A realm with people.
struct RegnumStore: Sendable {
    let realm: Realm
    let ids: PersonIDs
    let options: StoreOptions

    /// The key of encrypted stores.
    private static let key = Data((0..<32).map { UInt8($0) })

    static func make(
        in setting: Setting, _ engine: Engine, durability: Realm.Durability = .full
    ) async throws -> RegnumStore {
        let realm = try await open(
            setting.directory.appending(path: "\(engine.rawValue).realm"), durability,
            isEncrypted: engine == .encrypted)
        let store = RegnumStore(
            realm: realm, ids: PersonIDs(from: setting.storedCount),
            options: StoreOptions(batch: 2_000))
        try await store.insert(0..<setting.storedCount, People.person)
        return store
    }

    /// Opens the store for workloads on many objects.
    static func open(in directory: URL, _ options: StoreOptions) async throws -> RegnumStore {
        let realm = try await open(
            directory.appending(path: "regnum.realm"),
            options.isSynced ? .full : .relaxed(within: .seconds(1)),
            options.isIndexed ? Indexed.Person.self : Person.self,
            isEncrypted: options.isEncrypted)
        return RegnumStore(realm: realm, ids: PersonIDs(from: 0), options: options)
    }

    static func open(
        _ url: URL, _ durability: Realm.Durability = .full, _ type: Object.Type = Person.self,
        isEncrypted: Bool = false
    ) async throws -> Realm {
        var configuration = Realm.Configuration(location: .file(url), objectTypes: [type])
        configuration.durability = durability
        if isEncrypted { configuration.encryptionKey = key }
        return try await Realm.open(configuration)
    }

    /// Returns the microseconds of each commit of one person.
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

    /// Commits people one by one.
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
