import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    try await Task.sleep(for: .seconds(1))
    try await realm.write { tx in try tx.add(Person()) }
}
