import Regnum

enum Mood: String {
    case calm, wild
}

final class Dog: Object {
    // expected-error@+2 {{generic struct 'Persisted' requires that 'Mood' conform to 'Persistable}}
    // expected-note@+1 {{did you mean to use '.rawValue'?}}
    @Persisted var mood: Mood
}
