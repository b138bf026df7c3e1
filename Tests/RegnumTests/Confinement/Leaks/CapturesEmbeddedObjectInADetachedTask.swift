import Regnum

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var tag: Tag?
}

func leak(_ realm: Realm) async throws {
    try await realm.write { tx in
        let tag = tx.objects(Person.self)[0].tag
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'tag' which is accessible to code in the current ta}}
        Task.detached { print(tag?.text ?? "-") }
        tag?.text = "new"
    }
}
