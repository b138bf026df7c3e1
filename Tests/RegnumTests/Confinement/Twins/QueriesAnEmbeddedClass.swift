import Regnum

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var tag: Tag?
}

func twin(_ tx: Transaction) {
    print(tx.objects(Person.self).compactMap { $0.tag }.count)
}
