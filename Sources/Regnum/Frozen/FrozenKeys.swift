internal import RegnumEngine

/// The keys of a frozen query's result in order, which may have to be read during the iteration.
///
/// Damage fails the read. Even then there are as many keys as the query's known count, because the
/// standard library traps if a collection has fewer elements than its count: keys that can't be
/// read are replaced by a key that no row has.
struct FrozenKeys: Sequence, IteratorProtocol {
    private let table: FrozenTable
    private var keys: ResultTree.Iterator
    /// The number of keys to add at the end, if the query failed.
    private var missing: Int

    init(_ table: FrozenTable, _ tree: ResultTree = ResultTree(), missing: Int = 0) {
        self.table = table
        keys = tree.makeIterator()
        self.missing = missing
    }

    mutating func next() -> ObjectKey? {
        let key = keys.next()
        if keys.damage != nil { failDamaged() }
        if let key { return key }
        if missing == 0 { return nil }
        missing -= 1
        return .nowhere
    }

    @inline(never)
    private mutating func failDamaged() {
        if let damage = keys.damage { table.fail(damage, nil, nil) }
        keys.damage = nil
    }
}
