internal import RegnumEngine

// Maps tell keys apart by their bytes. Swift's dictionaries, and encoders, take keys for the same that
// are canonically equivalent: a composed and a decomposed é. Where two such keys meet there, it is
// an error: neither is left out.

enum EqualKeys {
    /// The first key that Swift takes for an earlier one.
    ///
    /// - Parameter keys: Keys that differ by their bytes.
    static func first(in keys: some Collection<String>) -> String? {
        if keys.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) { return nil }
        var seen: Set<String> = []
        return keys.first { !seen.insert($0).inserted }
    }
}

extension FrozenTable {
    /// Makes a dictionary of the entries of a map. Keys that Swift takes for the same fail the read.
    func dictionary<Element>(
        _ entries: [(key: String, value: Element)], _ row: ObjectKey?, _ property: Int?
    ) -> [String: Element] {
        checkKeys(entries.lazy.map(\.key), row, property)
        return Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
    }

    /// Fails the read if Swift takes two of the keys for the same.
    func checkKeys(_ keys: some Collection<String>, _ row: ObjectKey?, _ property: Int?) {
        if let key = EqualKeys.first(in: keys) { fail(.equalKeys(key), row, property) }
    }
}

extension Realm.Error {
    /// The error for two keys of a map that can't be told apart outside of it.
    static func equalKeys(_ key: String) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "Two keys of a map or dictionary are \"\(key)\" to Swift, although their bytes differ: "
                + "a Swift dictionary or an encoder would keep one of them. Read the entries one "
                + "by one.")
    }
}
