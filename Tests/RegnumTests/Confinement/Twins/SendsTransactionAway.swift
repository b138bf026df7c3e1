import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    let version = try await realm.write { tx in tx.version }
    Task { print(version) }
}
