internal import RegnumEngine

extension Transaction {
    /// Runs `body`, and undoes what it changed if it throws; what was done before stays.
    ///
    ///     try await realm.write { tx in
    ///         for line in lines {
    ///             do { try tx.savepoint { try store(line, tx) } } catch { skipped += 1 }
    ///         }
    ///     }
    ///
    /// Objects that were added in a body that was undone are invalid from there on; objects, lists and
    /// results of before show the state of before. Classes that joined in it are gone from the file
    /// too, until they are used again. Savepoints can be nested.
    ///
    /// - Returns: what the body returns.
    /// - Throws: what the body throws. If it returns after a property was given what it cannot hold,
    ///   which would fail the transaction: that error, and the transaction goes on without what was
    ///   undone.
    /// - Precondition: called in a write.
    /// - Complexity: O(number of rows changed so far), and what is changed in the body costs a copy of
    ///   its surroundings once more.
    public func savepoint<R>(_ body: () throws -> R) throws -> R {
        let savepoint = requireWriting("savepoint").savepoint()
        let (outcome, violation) = core.separatingViolations(body)
        if violation == nil, case .success(let result) = outcome { return result }
        core.rollBack(to: savepoint)
        if let violation, case .success = outcome { throw violation }
        return try outcome.get()
    }
}
