internal import Regnum
internal import RegnumStore

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
