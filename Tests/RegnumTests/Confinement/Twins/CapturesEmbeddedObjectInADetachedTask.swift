import Regnum

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var tag: Tag?
}

func twin(_ realm: Realm) async throws {
    try await realm.write { tx in
        let tag = try tx.objects(Person.self)[0].tag?.freeze()
        Task.detached { print(tag?.text ?? "-") }
    }
}
