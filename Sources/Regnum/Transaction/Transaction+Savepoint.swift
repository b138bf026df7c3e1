internal import RegnumEngine

extension Transaction {
    /// Runs `body`, and rolls back its changes if it throws. Earlier changes are kept.
    ///
    ///     try await realm.write { tx in
    ///         for line in lines {
    ///             do { try tx.savepoint { try store(line, tx) } } catch { skipped += 1 }
    ///         }
    ///     }
    ///
    /// Objects that were added in a rolled-back body are invalid from then on; earlier objects,
    /// lists and results show the earlier state again. Classes that joined in the body are also
    /// removed from the file, until they are used again. Savepoints can be nested.
    ///
    /// - Returns: The body's result.
    /// - Throws: Whatever the body throws. If the body returns, but had set a property to a value
    ///   that it can't hold (which would otherwise fail the transaction), that error is thrown, and
    ///   the transaction continues without the rolled-back changes.
    /// - Precondition: Called in a write.
    /// - Complexity: O(number of rows changed so far); the nodes that the body changes are copied
    ///   once more.
    public func savepoint<R>(_ body: () throws -> R) throws -> R {
        let savepoint = requireWriting("savepoint").savepoint()
        let (outcome, violation) = core.separatingViolations(body)
        if violation == nil, case .success(let result) = outcome { return result }
        core.rollBack(to: savepoint)
        if let violation, case .success = outcome { throw violation }
        return try outcome.get()
    }
}
