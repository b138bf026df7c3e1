import Regnum

final class Texts: EmbeddedObject {
    @Persisted var texts: List<String>
}

struct Names: CustomPersistable {
    let texts: [String]

    init(persistedValue: Texts) { texts = Array(persistedValue.texts) }
    var persistableValue: Texts { Texts(value: [texts]) }
}
