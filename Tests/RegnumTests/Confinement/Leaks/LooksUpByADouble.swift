import Regnum

final class Dog: Object {
    @Persisted var name: String
}

func leak(_ tx: Transaction) {
    // expected-error@+1 {{no exact matches in call to instance method 'object'}}
    print(tx.object(Dog.self, forPrimaryKey: 1.5) == nil)
}
