package import RegnumStore

/// Runs work that waits for a disk or a pipe on a thread that may block.
///
/// Throws the public form of the errors of `body`.
package func blocking<R: Sendable>(
    on pool: IOPool = .elastic, _ body: @escaping @Sendable () throws(StoreError) -> R
) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        pool.submit {
            do throws(StoreError) {
                continuation.resume(returning: try body())
            } catch {
                continuation.resume(throwing: Realm.Error(error))
            }
        }
    }
}
