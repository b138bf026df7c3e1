/// Keys numbered in insertion order. A few keys are searched linearly and more are looked up by
/// hash, because most of the objects, sets and maps that are created hold only a few.
///
/// Only used with concrete key types, so that no unspecialized generic code runs.
struct Numbering<Key: Hashable> {
    private(set) var keys: [Key] = []
    private var numbers: [Key: Int] = [:]

    /// Comparing this many keys is faster than hashing one.
    private static var maximumListedCount: Int { 12 }

    /// The number of a key, or `nil` if it wasn't added.
    ///
    /// - Complexity: O(1).
    subscript(key: Key) -> Int? {
        guard keys.count > Self.maximumListedCount else { return keys.firstIndex(of: key) }
        return numbers[key]
    }

    /// Assigns the next number to a key that wasn't added before.
    ///
    /// - Complexity: O(1).
    mutating func append(_ key: Key) {
        keys.append(key)
        if keys.count == Self.maximumListedCount + 1 {
            for (number, key) in keys.enumerated() { numbers[key] = number }
        } else if keys.count > Self.maximumListedCount {
            numbers[key] = keys.count - 1
        }
    }

    /// Removes the key with a number. The last key takes over its number.
    ///
    /// - Complexity: O(1).
    mutating func remove(at number: Int) {
        let key = keys[number]
        let last = keys.removeLast()
        if number < keys.count { keys[number] = last }
        guard keys.count > Self.maximumListedCount else {
            numbers = [:]
            return
        }
        numbers[key] = nil
        if number < keys.count { numbers[last] = number }
    }
}

extension Numbering<ObjectIdentifier> {
    /// The number of an object, by identity.
    subscript(object: ObjectBase) -> Int? { self[ObjectIdentifier(object)] }

    mutating func append(_ object: ObjectBase) { append(ObjectIdentifier(object)) }
}
