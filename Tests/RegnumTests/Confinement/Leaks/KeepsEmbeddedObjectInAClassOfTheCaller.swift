import Regnum

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var tag: Tag?
}

final class Keeper {
    var tag: Tag?

    func leak(_ realm: Realm) async throws {
        // expected-error@+2 {{risks causing data races}}
        // expected-note@+1 {{closure captures 'self' which is accessible to code in the current t}}
        try await realm.write { tx in self.tag = tx.objects(Person.self).first?.tag }
        print(tag?.text ?? "-")
    }
}
