internal import RegnumStore

/// A path of properties that starts at an object: links, followed by any stored property.
struct PropertyPath: Sendable {
    /// The properties of the path; never empty.
    let properties: [PropertySchema]
    /// The index of the first property in its class.
    let first: Int
}

/// A cache of the properties that the key paths of one class resolve to.
///
/// Key paths are compared by identity; those without arguments are created once for each place in
/// the source code. Hashing or comparing a key path would run code of its subscripts' arguments,
/// which may not be safe on other threads.
final class KeyPathCache: Sendable {
    enum Entry: Sendable {
        case property(Int)
        /// Two or more properties.
        case path(PropertyPath)
        case computed
    }

    /// A key path as a dictionary key.
    ///
    /// Guard of the `@unchecked Sendable`: `entries`. The key path is retained so that its address
    /// isn't reused, and not otherwise accessed.
    private struct Key: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath

        static func == (left: Key, right: Key) -> Bool { left.keyPath === right.keyPath }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(keyPath)) }
    }

    /// The maximum number of cached key paths. Those with arguments, and those of generic
    /// functions, are created again for each use.
    static let maximumCount = 1_000

    private let entries = Guarded<[Key: Entry]>([:])

    /// The number of cached key paths.
    var count: Int { entries.withLock { $0.count } }

    /// Returns the cached entry of a key path.
    ///
    /// - Complexity: O(1).
    subscript(keyPath: AnyKeyPath) -> Entry? {
        let key = Key(keyPath: keyPath)
        return entries.withLock { $0[key] }
    }

    /// Caches the entry of a key path. If there are too many, evicts all others.
    func keep(_ entry: Entry, for keyPath: AnyKeyPath) {
        let key = Key(keyPath: keyPath)
        var evicted: [Key: Entry] = [:]
        entries.withLock { entries in
            if entries.count >= Self.maximumCount { swap(&entries, &evicted) }
            entries[key] = entry
        }
        evicted = [:]  // outside the lock: their arguments may run code when they are released
    }
}
