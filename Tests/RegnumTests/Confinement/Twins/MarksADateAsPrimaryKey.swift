import FoundationEssentials
import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Event: Object {
    @Persisted(indexed: true) var date: Date?
    @Persisted(primaryKey: true) var number: Int?
}
