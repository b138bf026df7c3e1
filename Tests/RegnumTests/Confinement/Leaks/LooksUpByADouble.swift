import Regnum

final class Dog: Object {
    @Persisted var name: String
}

func leak(_ tx: Transaction) {
    // expected-error@+1 {{requires that 'Double' conform to 'PrimaryKeyValue'}}
    print(tx.object(Dog.self, forPrimaryKey: 1.5) == nil)
}
