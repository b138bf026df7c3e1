internal import RegnumStore

/// What a key path of a model means.
enum KeyPathMeaning: Sendable {
    /// The stored property at this position of `ClassSchema.properties`.
    case property(Int)
    /// Something else: a computed or an ignored property.
    case computed
}

/// Which property each key path of one class means, as found at its first use.
final class KeyPathCache: Sendable {
    /// A key path as a dictionary key.
    ///
    /// Guard of the `@unchecked Sendable`: a key path is immutable, and here it is only hashed and
    /// compared, under the lock of `meanings`.
    private struct Key: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    private let meanings = Guarded<[Key: KeyPathMeaning]>([:])

    /// The known meaning of a key path. - Complexity: O(1), one hash of the key path.
    subscript(keyPath: AnyKeyPath) -> KeyPathMeaning? {
        let key = Key(keyPath: keyPath)
        return meanings.withLock { $0[key] }
    }

    /// Keeps what was found out about a key path.
    func keep(_ meaning: KeyPathMeaning, for keyPath: AnyKeyPath) {
        let key = Key(keyPath: keyPath)
        meanings.withLock { $0[key] = meaning }
    }
}
