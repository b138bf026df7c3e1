import Regnum

final class Tag: EmbeddedObject {
    @Persisted var text: String
}

final class Person: Object {
    @Persisted var name: String
    @Persisted var tag: Tag?
}

func leak(_ tx: Transaction) {
    // expected-error@+1 {{'objects' is unavailable: an embedded object is found through its owner}}
    print(tx.objects(Tag.self).count)
}
