internal import RegnumEngine
internal import RegnumStore

/// Where long bodies run: a serial lane for each realm, over two threads that the process keeps for
/// it, so that a body of many milliseconds does not take a thread from the cooperative pool.
///
/// A hop there and back costs 9 to 19 us, so short bodies stay on the actor's own executor
/// (COMMIT-PATH of the design, section 1).
actor Lane {
    private static let pool = IOPool(threadCountMax: 2)
    private let strand = Strand(Lane.pool)

    nonisolated var unownedExecutor: UnownedSerialExecutor { strand.asUnownedSerialExecutor() }

    /// Runs the body of a write whose turn the caller has.
    func run<R: Sendable>(
        _ body: sending (Transaction) throws -> R, _ run: WriteRun
    ) throws -> (R, Commit?, UInt64) {
        try run(body)
    }
}
