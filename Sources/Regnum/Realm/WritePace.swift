internal import RegnumStore

/// Decides where bodies run and when a writer yields to others. Calls to an uncontended actor never
/// suspend, so a loop of short writes would otherwise occupy its thread for its whole duration.
///
/// Once bodies have run for 100 microseconds since the last pause, the next write pauses. Reading
/// the clock costs up to a tenth of a small commit, so it is read every 16 writes while those are
/// short.
struct WritePace {
    private static let budgetNanoseconds: UInt64 = 100_000
    private var lastPause = IOPool.now()
    private var writesUntilCheck = 16
    private var interval = 16
    private var averageBody: UInt64 = 0

    /// Duration of the last body in nanoseconds.
    var lastBody: UInt64 = 0 {
        didSet { averageBody = (averageBody &* 7 &+ min(lastBody, 1 << 60)) / 8 }
    }

    /// Whether recent bodies took so long that the next one should run in the lane. This is an
    /// average over about eight bodies, so the first long body after short ones isn't anticipated.
    var isLong: Bool { averageBody > 200_000 }

    /// Resets the budget after the writer was suspended, which let others run.
    mutating func paused() {
        writesUntilCheck = 16
        interval = 16
        lastPause = IOPool.now()
    }

    /// Counts a write. Returns true if the writer should pause now.
    mutating func countWrite() -> Bool {
        writesUntilCheck -= 1
        guard writesUntilCheck <= 0 else { return false }
        let now = IOPool.now()
        let isOver = now - lastPause >= Self.budgetNanoseconds
        // Sixteen writes took longer than the budget: check after every write from now on.
        interval = isOver ? 1 : 16
        writesUntilCheck = interval
        if isOver { lastPause = now }
        return isOver
    }
}
