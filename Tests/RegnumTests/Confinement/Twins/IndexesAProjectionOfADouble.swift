import Regnum

struct Celsius: CustomPersistable {
    let degrees: Int

    init(persistedValue: Int) { degrees = persistedValue }
    var persistableValue: Int { degrees }
}

final class Station: Object {
    @Persisted(primaryKey: true) var id: Celsius
    @Persisted(indexed: true) var heat: Celsius
    @Persisted(indexed: true) var coldest: Celsius?
}
