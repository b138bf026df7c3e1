internal import RegnumStore

/// Runs work that waits for a disk or a pipe on a thread that may block.
///
/// Throws the public form of the errors of `body`.
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

/// Runs work that waits for the other end of a stream. Cancels the stream if the task is cancelled.
func blocking<R: Sendable>(
    on stream: PosixStream, _ body: @escaping @Sendable () throws(StoreError) -> R
) async throws -> R {
    try await withTaskCancellationHandler {
        try await blocking(body)
    } onCancel: {
        stream.cancel()
    }
}
