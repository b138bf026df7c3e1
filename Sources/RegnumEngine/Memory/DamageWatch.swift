package import RegnumStore

/// The damage in nodes files that a thread meets while a closure runs.
///
/// A damaged leaf reads as zeros. It stays unread in the tree above it, so that each use of it
/// is noted, by the thread that met it.
package final class DamageWatch {
    private static let scope = ThreadScope<DamageWatch>(.damage)

    /// What was met first.
    private var first: StoreError?

    /// Runs `body`.
    ///
    /// - Returns: what it returned, and what it met first; nil if it met no damage.
    static func run<Result>(_ body: () -> Result) -> (Result, damage: StoreError?) {
        let watch = DamageWatch()
        let result = scope.run(watch, body)
        return (result, watch.first)
    }

    /// Runs `body`, which reads `root`.
    ///
    /// - Returns: what it returned, and the damage that it met first, or with which the root itself
    ///   was made.
    package static func run<Result>(
        on root: DatabaseRoot, _ body: () -> Result
    ) -> (Result, damage: StoreError?) {
        let (result, damage) = run(body)
        return (result, damage ?? (root.hasDamage ? root.inheritedDamage : nil))
    }

    /// Notes what the calling thread met.
    static func note(_ error: StoreError) {
        guard let watch = scope.current else { return }
        if watch.first == nil { watch.first = error }
    }
}
