import RegnumStore

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

    /// Whether a watch records what the calling thread reads.
    static var isWatching: Bool { scope.current != nil }

    /// The first damage encountered by the innermost watch of the calling thread.
    static var encountered: StoreError? { scope.current?.first }

    /// Records damage encountered by the calling thread.
    static func note(_ error: StoreError) {
        guard let watch = scope.current else { return }
        if watch.first == nil { watch.first = error }
    }
}
