internal import RegnumEngine

extension FrozenResults {
    /// The first position of an object, nil if it is not there. Objects are known by their rows: one
    /// of another version counts, one of another realm is not found.
    ///
    /// - Complexity: O(log n) for all objects of a class; else as `count`, or evaluates.
    public func index(of object: Frozen<Model>) -> Int? {
        guard object.table.snapshot.realm === table.snapshot.realm,
            object.table.schema === table.schema
        else { return nil }
        return query.position(of: object.row)
    }

    /// The first position of an object: as ``index(of:)``.
    public func firstIndex(of object: Frozen<Model>) -> Int? { index(of: object) }

    /// Whether an object is among these. Objects are known by their rows, as for ``index(of:)``.
    ///
    /// - Complexity: O(log n), evaluating the condition for one object; distinct results are
    ///   evaluated.
    public func contains(_ object: Frozen<Model>) -> Bool {
        guard object.table.snapshot.realm === table.snapshot.realm,
            object.table.schema === table.schema
        else { return false }
        return query.contains(object.row)
    }

    /// The objects at some positions, in the order of those.
    ///
    /// - Precondition: each is within `0..<count`.
    public func objects(at positions: some Sequence<Int>) -> [Frozen<Model>] {
        positions.map { self[$0] }
    }
}
