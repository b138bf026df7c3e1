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
    /// Objects that were added in a rolled-back body become invalid; earlier objects, lists and
    /// results show the earlier state again. Classes that the body added to the stored schema are
    /// removed from it until they are used again. Savepoints can be nested.
    ///
    /// - Returns: The body's result.
    /// - Throws: Whatever the body throws. If the body returns, but has set a property to a value
    ///   that it can't hold (which would otherwise fail the transaction), the savepoint throws that
    ///   error, and the transaction can continue without the rolled-back changes.
    /// - Precondition: Called in a write.
    /// - Complexity: O(m) for m rows that the transaction has changed so far. The nodes that the
    ///   body changes are copied once more.
    public func savepoint<R>(_ body: () throws -> R) throws -> R {
        let savepoint = requireWriting("savepoint").savepoint()
        let (outcome, violation) = core.separatingViolations(body)
        if violation == nil, case .success(let result) = outcome { return result }
        core.rollBack(to: savepoint)
        if let violation, case .success = outcome { throw violation }
        return try outcome.get()
    }
}
