internal import RegnumStore

/// What a key path of a model means.
enum KeyPathMeaning: Sendable {
    /// The stored property at this position of `ClassSchema.properties`.
    case property(Int)
    /// Something else: a property of a linked object, a computed or an ignored property.
    case computed
}

/// Properties that lead from an object to a property of an object: links, and at the end any stored
/// property.
struct PropertyPath: Sendable {
    /// At least one.
    let properties: [PropertySchema]
    /// The position of the first one in its class.
    let first: Int

    init(_ properties: [PropertySchema], first: Int) {
        self.properties = properties
        self.first = first
    }
}

/// Which properties each key path of one class means, as found at its first use.
final class KeyPathCache: Sendable {
    enum Entry: Sendable {
        case property(Int)
        /// Two properties or more.
        case path(PropertyPath)
        case computed
        /// No property of the class; whether it is a path is not known.
        case noProperty
    }

    /// A key path as a dictionary key.
    ///
    /// Guard of the `@unchecked Sendable`: a key path is immutable, and here it is only hashed and
    /// compared, under the lock of `entries`.
    private struct Key: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    private let entries = Guarded<[Key: Entry]>([:])

    /// The known meaning of a key path. - Complexity: O(1), one hash of the key path.
    subscript(keyPath: AnyKeyPath) -> Entry? {
        let key = Key(keyPath: keyPath)
        return entries.withLock { $0[key] }
    }

    /// Keeps what was found out about a key path.
    func keep(_ entry: Entry, for keyPath: AnyKeyPath) {
        let key = Key(keyPath: keyPath)
        entries.withLock { $0[key] = entry }
    }
}
