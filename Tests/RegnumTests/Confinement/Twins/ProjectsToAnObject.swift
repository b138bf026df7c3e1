import Regnum

final class Text: EmbeddedObject {
    @Persisted var text: String
}

struct Name: CustomPersistable {
    let text: String

    init(persistedValue: Text) { text = persistedValue.text }
    var persistableValue: Text { Text(value: [text]) }
}
