import Regnum

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var tag: Tag?
}

func twin(_ tx: Transaction) throws {
    let person = Person()
    person.tag = Tag()
    try tx.add(person)
}
