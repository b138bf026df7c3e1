import FoundationEssentials
import Regnum

/// Texts of 400 bytes, which a later version splits into two halves, with numbers of another type.
enum FirstLetters {
    final class Letter: Object {
        @Persisted var number: Int
        @Persisted var text: String
    }
}

enum SecondLetters {
    final class Letter: Object {
        @Persisted var number: String
        @Persisted var beginning: String
        @Persisted var text: String
    }

    static func configuration(_ path: String) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: [Letter.self])
        configuration.schemaVersion = 1
        configuration.migration = { migration, _ in
            try migration.enumerateObjects(ofType: "Letter") { old, new in
                guard let text = old?["text"] as? String, let number = old?["number"] as? Int
                else { return }
                new?["number"] = "no. \(number)"
                new?["beginning"] = String(text.prefix(200))
                new?["text"] = String(text.dropFirst(200))
            }
        }
        return configuration
    }
}
