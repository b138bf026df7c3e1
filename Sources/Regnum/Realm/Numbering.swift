/// Keys, numbered in the order in which they came. A few are looked for one after the other, more by
/// their hashes: most objects, sets and maps that are made hold a few.
///
/// Used with concrete keys only, so that neither is done by code for any type.
struct Numbering<Key: Hashable> {
    private(set) var keys: [Key] = []
    private var numbers: [Key: Int] = [:]

    /// So many are compared faster than one is hashed.
    private static var listedCountMax: Int { 12 }

    /// The number of a key, nil if it did not come.
    ///
    /// - Complexity: O(1).
    subscript(key: Key) -> Int? {
        guard keys.count > Self.listedCountMax else { return keys.firstIndex(of: key) }
        return numbers[key]
    }

    /// Gives a key, which did not come yet, the next number.
    ///
    /// - Complexity: O(1).
    mutating func append(_ key: Key) {
        keys.append(key)
        if keys.count == Self.listedCountMax + 1 {
            for (number, key) in keys.enumerated() { numbers[key] = number }
        } else if keys.count > Self.listedCountMax {
            numbers[key] = keys.count - 1
        }
    }

    /// Takes the key of a number out: the last key gets the number.
    ///
    /// - Complexity: O(1).
    mutating func remove(at number: Int) {
        let key = keys[number]
        let last = keys.removeLast()
        if number < keys.count { keys[number] = last }
        guard keys.count > Self.listedCountMax else {
            numbers = [:]
            return
        }
        numbers[key] = nil
        if number < keys.count { numbers[last] = number }
    }
}

extension Numbering<ObjectIdentifier> {
    /// The number of an object, by its identity.
    subscript(object: ObjectBase) -> Int? { self[ObjectIdentifier(object)] }

    mutating func append(_ object: ObjectBase) { append(ObjectIdentifier(object)) }
}
