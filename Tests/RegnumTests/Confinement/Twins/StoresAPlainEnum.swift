import Regnum

enum Mood: String, PersistableEnum {
    case calm, wild
}

final class Dog: Object {
    @Persisted var mood: Mood
}
