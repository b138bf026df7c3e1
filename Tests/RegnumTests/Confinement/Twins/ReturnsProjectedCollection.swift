import Regnum

final class Person: Object {
    @Persisted var name: String
    @Persisted var friends: List<Person>
}

final class Card: Projection<Person> {
    @Projected(\Person.friends.projectTo.name) var names: ProjectedCollection<String>
}

func twin(_ realm: Realm) async throws {
    let names = try await realm.write { tx in tx.objects(Card.self)[0].names.freeze() }
    print(names.count)
}
