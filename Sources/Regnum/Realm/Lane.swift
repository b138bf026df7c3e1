internal import RegnumEngine
internal import RegnumStore

/// A serial executor for long bodies, one per realm, on one of the library's own threads, so that a
/// body of many milliseconds doesn't block a thread of the cooperative pool. Realms never share a
/// thread: a body holds the write turn and must not wait for another realm's body.
///
/// Switching there and back costs 9 to 19 µs, so short bodies stay on the actor's own executor.
actor Lane {
    private let strand = Strand(.elastic)

    nonisolated var unownedExecutor: UnownedSerialExecutor { strand.asUnownedSerialExecutor() }

    /// Runs the body of a write while the caller holds the write turn.
    func run<R: Sendable>(
        _ body: sending (Transaction) throws -> R, _ run: WriteRun
    ) throws -> (R, Commit?, UInt64) {
        try run(body)
    }
}
