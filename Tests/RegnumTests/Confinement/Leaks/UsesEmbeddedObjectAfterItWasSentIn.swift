import Regnum

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var tag: Tag?
}

func leak(_ realm: Realm) async throws {
    let person = Person()
    let tag = Tag()
    person.tag = tag
    // expected-error@+2 {{risks causing data races}}
    // expected-note@+1 {{risks causing races}}
    try await realm.write { tx in try tx.add(person) }
    // expected-note@+1 {{access can happen concurrently}}
    print(tag.text)
}
