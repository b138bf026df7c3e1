internal import RegnumEngine

extension FrozenResults {
    /// Returns the position of the first occurrence of an object, or `nil` if there is none.
    /// Objects are identified by row: an object from another version is found, but an object from
    /// another realm isn't.
    ///
    /// - Complexity: O(log n) for all objects of a class; otherwise that of counting or evaluating
    ///   the query.
    public func index(of object: Frozen<Model>) -> Int? {
        object.table.isSameClass(as: table) ? query.position(of: object.row) : nil
    }

    /// Returns the position of the first occurrence of an object, like ``index(of:)``.
    public func firstIndex(of object: Frozen<Model>) -> Int? { index(of: object) }

    /// Returns whether the results contain an object. Objects are identified by row, as in
    /// ``index(of:)``.
    ///
    /// - Complexity: O(log n) to evaluate the condition for one object. Evaluates the query if it
    ///   uses `distinct`.
    public func contains(_ object: Frozen<Model>) -> Bool {
        object.table.isSameClass(as: table) && query.contains(object.row)
    }

    /// Returns the objects at the given positions, in the order of the positions.
    ///
    /// - Precondition: All positions are in `0..<count`.
    public func objects(at positions: some Sequence<Int>) -> [Frozen<Model>] {
        positions.map { self[$0] }
    }
}
