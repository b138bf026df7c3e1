import Regnum

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var tag: Tag?
}

func leak(_ tx: Transaction) {
    // expected-error@+1 {{'add(_:update:)' is unavailable: an embedded object is stored with its}}
    tx.add(Tag())
}
