internal import Regnum

extension ConsumerBatch {
    /// Runs the handler. If a tracer is set up, it runs in a span with links to the spans of the
    /// writes.
    func inSpan(_ handler: @Sendable () async throws -> Void) async throws {
        #if Tracing
            if var span = HandlerSpan(
                "\(T.self as ObjectBase.Type)", in: realm, attempt: attempt)
            {
                span.add(consumer: lease.name, count: elements.count)
                span.links = elements.compactMap { element in
                    guard case .update(_, let delta) = element else { return nil }
                    return delta.trace
                }
                return try await span.run(handler) { _ in !Task.isCancelled }
            }
        #endif
        try await handler()
    }
}

extension JobRun {
    /// Runs the handler. If a tracer is set up, it runs in a span whose parent is the span of the
    /// write that enqueued the job.
    func inSpan(_ handler: @Sendable () async throws -> Void) async throws {
        #if Tracing
            if var span = HandlerSpan(queue.table.name, in: queue.realm, attempt: attempt) {
                span.add(job: claim.id)
                span.parent = job.jobTrace
                return try await span.run(handler) { hasFailed($0) }
            }
        #endif
        try await handler()
    }
}

/// Returns whether an error of a job's handler is a failed attempt: the cancellation of what the
/// handler was doing can be any error.
func hasFailed(_ error: any Error) -> Bool {
    error is JobFailure || !Task.isCancelled
}
