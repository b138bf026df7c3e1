import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Owner: Object {
    @Persisted var dogs: Map<String, Dog?>
    @Persisted var ages: Map<String, Int?>
}
