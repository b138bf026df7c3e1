import Regnum

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var tag: Tag?
}

func twin(_ realm: Realm) async throws {
    let person = Person()
    let tag = Tag()
    person.tag = tag
    print(tag.text)
    try await realm.write { tx in try tx.add(person) }
}
