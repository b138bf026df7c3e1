import Regnum

final class Person: Object {
    @Persisted var name: String
}

func twin(_ realm: Realm) async throws {
    try await realm.write { tx in
        func addTwo(_ tx: Transaction) throws {
            try tx.add(Person())
            try tx.add(Person())
        }
        try addTwo(tx)
    }
}
