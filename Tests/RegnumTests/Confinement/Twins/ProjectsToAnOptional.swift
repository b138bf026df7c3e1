import Regnum

struct Name {
    let text: String
}

extension Name: FailableCustomPersistable {
    typealias PersistedType = String
    init?(persistedValue: String) { self.init(text: persistedValue) }
    var persistableValue: String { text }
}

final class Person: Object {
    @Persisted var name: Name?
}
