import Regnum

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var tag: Tag?
}

final class Keeper {
    var tag: Frozen<Tag>?

    func twin(_ realm: Realm) async throws {
        tag = try await realm.write { tx in try tx.objects(Person.self).first?.tag?.freeze() }
        print(tag?.text ?? "-")
    }
}
