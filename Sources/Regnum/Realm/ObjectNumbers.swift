/// Objects by their identity, numbered in the order in which they came. A few are looked for one after
/// the other, more by their hashes: most insertions are of a few.
struct ObjectNumbers {
    private var objects: [ObjectIdentifier] = []
    private var numbers: [ObjectIdentifier: Int] = [:]

    /// So many are compared faster than one is hashed.
    private static let listedCountMax = 12

    /// The number of an object, nil if it did not come.
    ///
    /// - Complexity: O(1).
    subscript(object: ObjectBase) -> Int? {
        let identity = ObjectIdentifier(object)
        guard objects.count > ObjectNumbers.listedCountMax else {
            return objects.firstIndex(of: identity)
        }
        return numbers[identity]
    }

    /// Gives an object, which did not come yet, the next number.
    mutating func append(_ object: ObjectBase) {
        let identity = ObjectIdentifier(object)
        objects.append(identity)
        if objects.count == ObjectNumbers.listedCountMax + 1 {
            for (number, identity) in objects.enumerated() { numbers[identity] = number }
        } else if objects.count > ObjectNumbers.listedCountMax {
            numbers[identity] = objects.count - 1
        }
    }
}
