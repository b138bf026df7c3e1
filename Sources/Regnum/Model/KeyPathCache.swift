internal import RegnumStore

/// The resolved meaning of a model key path.
enum KeyPathMeaning: Sendable {
    /// The stored property at this index of `ClassSchema.properties`.
    case property(Int)
    /// Anything else: a property of a linked object, or a computed or ignored property.
    case computed
}

/// A path of properties that starts at an object: links, followed by any stored property.
struct PropertyPath: Sendable {
    /// The properties of the path; never empty.
    let properties: [PropertySchema]
    /// The index of the first property in its class.
    let first: Int

    init(_ properties: [PropertySchema], first: Int) {
        self.properties = properties
        self.first = first
    }
}

/// A cache of the properties that the key paths of one class resolve to.
final class KeyPathCache: Sendable {
    enum Entry: Sendable {
        case property(Int)
        /// Two or more properties.
        case path(PropertyPath)
        case computed
        /// Not a property of the class. May still be a path, which hasn't been determined.
        case noProperty
    }

    /// A key path as a dictionary key.
    ///
    /// Guard of the `@unchecked Sendable`: key paths are immutable, and this one is only hashed and
    /// compared, under the lock of `entries`.
    private struct Key: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    private let entries = Guarded<[Key: Entry]>([:])

    /// Returns the cached entry of a key path.
    ///
    /// - Complexity: O(1), hashing the key path once.
    subscript(keyPath: AnyKeyPath) -> Entry? {
        let key = Key(keyPath: keyPath)
        return entries.withLock { $0[key] }
    }

    /// Caches the entry of a key path.
    func keep(_ entry: Entry, for keyPath: AnyKeyPath) {
        let key = Key(keyPath: keyPath)
        entries.withLock { $0[key] = entry }
    }
}
