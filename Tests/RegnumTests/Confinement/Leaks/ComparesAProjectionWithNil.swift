import Regnum

struct Name: CustomPersistable {
    let text: String

    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

final class Person: Object {
    @Persisted var name: Name
}

func count(_ tx: Transaction) -> Int {
    // expected-error@+1 {{operator '==' cannot be applied to operands of type 'Query<Name>' and 'Name'}}
    tx.objects(Person.self).where { $0.name == nil }.count
}
