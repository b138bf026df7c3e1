internal import RegnumEngine
internal import RegnumStore

/// Where long bodies run: a serial lane for each realm, on a thread of the library, so that a body
/// of many milliseconds does not take one from the cooperative pool. Each realm that needs a thread
/// gets one: its body has the turn, and must not wait for the body of another realm.
///
/// A hop there and back costs 9 to 19 us, so short bodies stay on the actor's own executor
/// (COMMIT-PATH of the design, section 1).
actor Lane {
    private let strand = Strand(.elastic)

    nonisolated var unownedExecutor: UnownedSerialExecutor { strand.asUnownedSerialExecutor() }

    /// Runs the body of a write whose turn the caller has.
    func run<R: Sendable>(
        _ body: sending (Transaction) throws -> R, _ run: WriteRun
    ) throws -> (R, Commit?, UInt64) {
        try run(body)
    }
}
