import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Owner: Object {
    @Persisted var dogs: MutableSet<Dog>
    @Persisted var ages: MutableSet<Int?>
}
