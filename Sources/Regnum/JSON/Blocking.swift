internal import RegnumStore

/// Runs what waits for a disk or a pipe, for as long as that takes, on a thread that may.
///
/// Throws the public form of what `body` throws.
func blocking<R: Sendable>(
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
