internal import Regnum
import Synchronization

/// The claims of one `run`: those that wait for a handler, those whose handlers run, and those that
/// have ended but whose end isn't written yet.
final class JobBoard<T: Job>: Sendable {
    typealias Ended = (claim: ClaimedJob, outcome: JobOutcome)

    private struct State {
        /// Claims without a handler, first come, first served.
        var waiting: ArraySlice<JobClaim<T>> = []
        /// All claims that have neither ended nor been lost.
        var held: [ObjectId: ClaimedJob] = [:]
        var ended: [Ended] = []
        /// The number of workers that have a claim.
        var busyCount = 0
        /// Workers without a claim.
        var idle: [CheckedContinuation<JobClaim<T>?, Never>] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Set when there is something to write or to look for.
    let wakeup = Wakeup()
    /// Set when the run is to stop.
    let stop: Wakeup

    init(until stop: Wakeup = Wakeup()) {
        self.stop = stop
    }

    /// The number of workers that have a claim.
    var busyCount: Int { state.withLock { $0.busyCount } }

    /// All claims that the process has.
    var held: [ClaimedJob] { state.withLock { Array($0.held.values) } }

    // MARK: Workers

    /// Waits for a claim. Returns `nil` once the board is closed.
    func next() async -> JobClaim<T>? {
        await withCheckedContinuation { continuation in
            let (claim, waits) = state.withLock { state -> (JobClaim<T>?, Bool) in
                if state.isClosed { return (nil, false) }
                if !state.waiting.isEmpty {
                    state.busyCount += 1
                    return (state.waiting.removeFirst(), false)
                }
                state.idle.append(continuation)
                return (nil, true)
            }
            if !waits { continuation.resume(returning: claim) }
        }
    }

    /// Ends the claim of a worker. Returns false if that was done before or the claim was lost.
    @discardableResult
    func end(_ claim: JobClaim<T>, _ outcome: JobOutcome) -> Bool {
        let isHeld = state.withLock { state in
            state.busyCount -= 1
            // this process may have lost the job and claimed it again since
            guard state.held[claim.id] == claim.claimed else { return false }
            state.held[claim.id] = nil
            state.ended.append((claim.claimed, outcome))
            return true
        }
        wakeup.set()
        return isHeld
    }

    /// Removes a claim that a separate write ends, or that was lost. Returns false if it has
    /// already ended.
    @discardableResult
    func settle(_ claim: ClaimedJob) -> Bool {
        let isHeld = state.withLock { state in
            guard state.held[claim.id] == claim else { return false }
            state.held[claim.id] = nil
            state.waiting.removeAll { $0.claimed == claim }
            return true
        }
        wakeup.set()
        return isHeld
    }

    /// Takes back a claim that was settled by a write that failed.
    func restore(_ claim: ClaimedJob) {
        state.withLock { state in
            if state.held[claim.id] == nil { state.held[claim.id] = claim }
        }
    }

    // MARK: Pump

    /// Adds claims and passes them to idle workers.
    func add(_ claims: [JobClaim<T>]) {
        let passed = state.withLock { state in
            var passed: [(CheckedContinuation<JobClaim<T>?, Never>, JobClaim<T>)] = []
            for claim in claims {
                state.held[claim.id] = claim.claimed
                if let worker = state.idle.popLast() {
                    state.busyCount += 1
                    passed.append((worker, claim))
                } else {
                    state.waiting.append(claim)
                }
            }
            return passed
        }
        for (worker, claim) in passed { worker.resume(returning: claim) }
    }

    /// Returns the claims that have ended since the last call, and at the same time the number of
    /// workers that have a claim, and of claims that wait for a worker.
    func takeEnded() -> (ended: [Ended], busyCount: Int, waitingCount: Int) {
        state.withLock { state in
            defer { state.ended = [] }
            return (state.ended, state.busyCount, state.waiting.count)
        }
    }

    /// Removes the claims that wait for a worker, and returns them to be released.
    func takeWaiting() -> [Ended] {
        state.withLock { state in
            let waiting = state.waiting.map(\.claimed).filter { state.held[$0.id] == $0 }
            state.waiting = []
            for claim in waiting { state.held[claim.id] = nil }
            return waiting.map { ($0, .released) }
        }
    }

    /// Puts back what couldn't be written.
    func putBack(_ ended: [Ended]) {
        state.withLock { $0.ended = ended + $0.ended }
    }

    /// Lets the workers end, once their handlers have returned.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for worker in idle { worker.resume(returning: nil) }
    }
}
