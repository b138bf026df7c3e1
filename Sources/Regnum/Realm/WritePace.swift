internal import RegnumStore

/// Decides where bodies run, and when a writer lets others run: an actor that nobody else wants
/// never suspends, so a loop of short writes would keep its thread for as long as it runs.
///
/// Once bodies have run for 100 microseconds since the last pause, the next write pauses. Reading
/// the clock costs as much as a tenth of a small commit, so it is read every 16 writes, as long as
/// those are short.
struct WritePace {
    private static let budgetNanoseconds: UInt64 = 100_000
    private var lastPause = IOPool.now()
    private var writesUntilCheck = 16
    private var interval = 16
    private var averageBody: UInt64 = 0

    /// How long the last body ran, in nanoseconds.
    var lastBody: UInt64 = 0 {
        didSet { averageBody = (averageBody &* 7 &+ min(lastBody, 1 << 60)) / 8 }
    }

    /// Whether recent bodies were so long that the next should run in the lane. The average is
    /// over about eight bodies; the first long one after short ones is not foreseen.
    var isLong: Bool { averageBody > 200_000 }

    /// The writer was suspended: others had their turn.
    mutating func paused() {
        writesUntilCheck = 16
        interval = 16
        lastPause = IOPool.now()
    }

    /// Counts a write; true if the writer should pause now.
    mutating func countWrite() -> Bool {
        writesUntilCheck -= 1
        guard writesUntilCheck <= 0 else { return false }
        let now = IOPool.now()
        let isOver = now - lastPause >= Self.budgetNanoseconds
        // Sixteen writes that took longer than the budget: look after each one from now on.
        interval = isOver ? 1 : 16
        writesUntilCheck = interval
        if isOver { lastPause = now }
        return isOver
    }
}
