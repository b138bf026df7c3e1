extension ConsumerLease {
    /// The end of one of two tasks: the one that runs under the lease, or the one that renews it.
    private enum Ended: Sendable {
        case body((any Error)?)
        case renewal((any Error)?)
    }

    /// Runs `body` while renewing the lease, and returns its error. If the lease is lost, the body
    /// is cancelled, and that error is thrown.
    func renewing(
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> (any Error)? {
        let ended = await withTaskGroup(of: Ended.self) { group in
            let interval = options.lease / 3
            group.addTask { .body(await failure(of: body)) }
            group.addTask {
                .renewal(await failure(of: { try await keepRenewing(every: interval) }))
            }
            var ended = await group.next()
            if case .some(.renewal(.none)) = ended {
                // the task was cancelled, but the body may take longer to end than the lease lasts
                let renewal = Task {
                    await failure(of: { try await keepRenewing(every: interval) })
                }
                ended = await group.next()
                renewal.cancel()
                _ = await renewal.value
            }
            group.cancelAll()
            await group.waitForAll()
            return ended
        }
        switch ended {
        case .some(.body(let error)): return error
        case .some(.renewal(let error)): throw error ?? CancellationError()
        case .none: throw CancellationError()
        }
    }
}
