package import RegnumStore

/// Records the damage in nodes files that the current thread encounters while a closure runs.
///
/// A damaged leaf reads as zeros. Its parent never caches it, so every access is reported to the
/// watch of the thread that made it.
package final class DamageWatch {
    private static let scope = ThreadScope<DamageWatch>(.damage)

    /// The first damage encountered.
    private var first: StoreError?

    /// Runs `body`.
    ///
    /// - Returns: The result of `body`, and the first damage encountered, or `nil` if there was
    ///   none.
    static func run<Result>(_ body: () -> Result) -> (Result, damage: StoreError?) {
        let watch = DamageWatch()
        let result = scope.run(watch, body)
        return (result, watch.first)
    }

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

    /// The first damage encountered by the innermost watch of the calling thread.
    static var encountered: StoreError? { scope.current?.first }

    /// Returns whether the result of the calling thread's reads from `root` will be discarded
    /// because of damage; outside of a watch, whether it may be.
    package static func discardsReads(of root: DatabaseRoot) -> Bool {
        guard let watch = scope.current else { return root.hasDamage }
        return watch.first != nil || root.hasDamage && root.inheritedDamage != nil
    }

    /// Records damage encountered by the calling thread.
    static func note(_ error: StoreError) {
        guard let watch = scope.current else { return }
        if watch.first == nil { watch.first = error }
    }
}
