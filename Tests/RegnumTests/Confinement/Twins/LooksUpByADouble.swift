import Regnum

final class Dog: Object {
    @Persisted var name: String
}

func twin(_ tx: Transaction) {
    print(tx.object(Dog.self, forPrimaryKey: 1) == nil)
}
