/// An entry of an index: the fingerprint of a value and a row that has it. Trivial, so that a commit
/// copies a leaf of them as bytes.
struct IndexEntry: Sendable {
    var fingerprint: UInt64
    var key: UInt64
}

/// Index entries by fingerprint, then by object key.
struct IndexOrder: TreeOrder {
    static var leafSlotCountMax: Int { 56 }
    static var isElementTrivial: Bool { true }
    static var isKeyTrivial: Bool { true }

    @inline(__always)
    static func key(of element: IndexEntry) -> IndexEntry { element }

    @inline(__always)
    func compare(_ a: IndexEntry, _ b: IndexEntry) -> Int {
        if a.fingerprint != b.fingerprint { return a.fingerprint < b.fingerprint ? -1 : 1 }
        return a.key < b.key ? -1 : (a.key == b.key ? 0 : 1)
    }
}

/// The index of one column: finds the rows that may have a value; whoever asks looks at the row.
///
/// Equal values have equal fingerprints, and different ones of integers, dates and booleans
/// different ones. Strings, UUIDs and ObjectIds are hashed, with the process's seed: what two
/// processes hold differs, and nobody can make many values that collide.
struct ColumnIndex: Sendable {
    let column: ColumnKey
    var entries = SortedTree(order: IndexOrder())

    init(column: ColumnKey) {
        self.column = column
    }

    static func entry(_ value: Value, _ key: UInt64) -> IndexEntry {
        IndexEntry(fingerprint: fingerprint(value), key: key)
    }

    static func fingerprint(_ value: Value) -> UInt64 {
        switch value {
        case .null: return 0x6E75_6C6C
        case .bool(let x): return x ? 1 : 0
        case .int(let x): return UInt64(bitPattern: x) ^ (1 << 63)
        case .date(let x):
            // -0.0 equals 0.0.
            let bits = (x == 0 ? 0 : x).bitPattern
            return bits >> 63 == 1 ? ~bits : bits | 1 << 63
        case .string, .uuid, .objectId, .double, .data:
            var hasher = Hasher()
            value.hash(into: &hasher)
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
    }

    /// The most rows that can have that value.
    func countMax(_ value: Value) -> Int {
        let fingerprint = ColumnIndex.fingerprint(value)
        let end = entries.rank(of: IndexEntry(fingerprint: fingerprint, key: .max)).position
        return end - entries.rank(of: IndexEntry(fingerprint: fingerprint, key: 0)).position
    }

    /// Calls `body` with the rows that may have that value, ascending, until it returns false.
    @inline(__always)
    func visit(_ value: Value, _ body: (UInt64) -> Bool) {
        let fingerprint = ColumnIndex.fingerprint(value)
        entries.visit(from: IndexEntry(fingerprint: fingerprint, key: 0)) { entry in
            entry.fingerprint == fingerprint && body(entry.key)
        }
    }

    /// The rows that may have that value, ascending.
    func candidates(_ value: Value) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        visit(value) { key in
            keys.append(ObjectKey(rawValue: key))
            return true
        }
        return keys
    }
}
