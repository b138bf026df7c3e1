import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Owner: Object {
    @Persisted var dogs: List<Dog>
}
