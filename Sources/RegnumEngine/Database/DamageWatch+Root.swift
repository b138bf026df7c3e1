package import RegnumStore

extension DamageWatch {
    /// Runs `body`, which reads `root`.
    ///
    /// - Returns: The result of `body`, and the first damage encountered, or else the damage that
    ///   `root` itself was created with.
    package static func run<Result>(
        on root: DatabaseRoot, _ body: () -> Result
    ) -> (Result, damage: StoreError?) {
        let (result, damage) = run(body)
        return (result, damage ?? (root.hasDamage ? root.inheritedDamage : nil))
    }

    /// Runs `body`, which reads `root`.
    ///
    /// - Throws: The damage encountered, or that `root` was created with; else what `body` throws.
    package static func check<Value>(
        on root: DatabaseRoot, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let (outcome, damage) = run(on: root) { Result(catching: body) }
        if let damage { throw damage }
        return try outcome.get()
    }

    /// Returns whether the result of the calling thread's reads from `root` will be discarded
    /// because of damage; outside of a watch, whether it may be.
    package static func discardsReads(of root: DatabaseRoot) -> Bool {
        guard isWatching else { return root.hasDamage }
        return encountered != nil || root.hasDamage && root.inheritedDamage != nil
    }
}
