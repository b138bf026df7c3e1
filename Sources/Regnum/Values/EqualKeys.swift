internal import RegnumEngine

// Maps compare keys by their bytes. Swift dictionaries and encoders treat canonically equivalent
// keys as equal, such as a composed and a decomposed é. Converting a map with two such keys is an
// error, because one of them would be lost.

enum EqualKeys {
    /// Returns the first key that is equal to an earlier one as a Swift string.
    ///
    /// - Parameter keys: Keys with different bytes.
    static func first(in keys: some Collection<String>) -> String? {
        if keys.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) { return nil }
        var seen: Set<String> = []
        return keys.first { !seen.insert($0).inserted }
    }
}

extension Realm.Error {
    /// The error for two keys of a map that are equal as Swift strings.
    static func equalKeys(_ key: String) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "Two keys of a map or dictionary differ in their bytes, but are equal as Swift strings "
                + "(\(key.shown)): a Swift dictionary or an encoder would keep only one of them. "
                + "Iterate over the entries instead.")
    }
}
