import Regnum

final class Dog: Object {
    @Persisted var age: Int
}
