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
///
/// Key paths are told apart as instances. Those without arguments are made once for each place in the
/// program. To hash or compare a key path runs code of the arguments of its subscripts, which need not
/// be good for other threads.
final class KeyPathCache: Sendable {
    enum Entry: Sendable {
        case property(Int)
        /// Two properties or more.
        case path(PropertyPath)
        case computed
    }

    /// A key path as a dictionary key.
    ///
    /// Guard of the `@unchecked Sendable`: `entries`. The key path is kept, so that no other one gets
    /// its address; nothing of it is used.
    private struct Key: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath

        static func == (left: Key, right: Key) -> Bool { left.keyPath === right.keyPath }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(keyPath)) }
    }

    /// How many are kept: key paths with arguments, and those of generic functions, are made anew at
    /// each use.
    static let countMax = 1_000

    private let entries = Guarded<[Key: Entry]>([:])

    /// How many key paths are known.
    var count: Int { entries.withLock { $0.count } }

    /// The known meaning of a key path. - Complexity: O(1).
    subscript(keyPath: AnyKeyPath) -> Entry? {
        let key = Key(keyPath: keyPath)
        return entries.withLock { $0[key] }
    }

    /// Keeps what was found out about a key path. The others are forgotten when there are too many.
    func keep(_ entry: Entry, for keyPath: AnyKeyPath) {
        let key = Key(keyPath: keyPath)
        var forgotten: [Key: Entry] = [:]
        entries.withLock { entries in
            if entries.count >= Self.countMax { swap(&entries, &forgotten) }
            entries[key] = entry
        }
        forgotten = [:]  // their arguments may run code when they end: not under the lock
    }
}
