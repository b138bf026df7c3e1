import FoundationEssentials
import Regnum

final class Person: Object {
    @Persisted var name: String
}

final class Event: Object {
    // expected-error@+1 {{requires that 'Date' conform to 'PrimaryKeyValue'}}
    @Persisted(primaryKey: true) var date: Date
}
