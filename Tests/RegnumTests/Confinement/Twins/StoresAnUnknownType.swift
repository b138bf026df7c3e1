import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Link: Object {
    @Persisted var address: String?
    var cause: (any Error)?
}
