import Regnum

final class Dog: Object {
    @Persisted var name: String
    var scratch: Sent { Sent() }
}

final class Sent: Sendable {}

func twin(_ dog: Frozen<Dog>) {
    print(dog.scratch)
}
