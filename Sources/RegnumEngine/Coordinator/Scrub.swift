package import RegnumStore

/// The options of a background scrub.
package struct ScrubOptions: Sendable {
    /// The number of bytes that are read per second at most, on average; at least 1.
    package var bytesPerSecond: Int
    /// The time from the beginning of a pass to that of the next one, unless the pass takes longer.
    package var intervalNanoseconds: UInt64 = 3_600_000_000_000
    /// The clock. Replaced in tests.
    package var now: @Sendable () -> UInt64 = { IOPool.now() }
    /// Waits on the calling thread until the word is woken, at most for that many nanoseconds.
    package var wait: Wait = { $0.wait(observed: $1, timeoutNanoseconds: $2) }

    package typealias Wait =
        @Sendable (_ wake: WakeWord, _ observed: UInt32, _ nanoseconds: UInt64) -> Void

    package init(bytesPerSecond: Int) { self.bytesPerSecond = bytesPerSecond }
}

/// The results of a background scrub since the realm was opened.
package struct ScrubStatistics: Sendable, Equatable {
    /// The passes that have read everything.
    package var passes: UInt64 = 0
    /// When the last of them ended.
    package var lastPassMicroseconds: Int64?
    /// When the realm was opened.
    package var startMicroseconds: Int64 = 0
    /// The bytes that were read.
    package var byteCount: UInt64 = 0
    /// The damage that the last pass found, or the one in progress if that has found more.
    package var damageCount: Int { max(lastDamageCount, newDamageCount) }

    fileprivate var lastDamageCount = 0
    fileprivate var newDamageCount = 0
}

/// A background scrub: reads the log, the directories and the leaves of an open realm again and
/// again, at a limited rate, and reports damage before a reader encounters it.
///
/// A pass is a `RealmCheck` of the bytes. It reads the files as another process would, so it holds
/// none of the realm's versions. A nodes file that is removed while the pass reads it is closed
/// within a mebibyte; log segments are opened one after the other, and trimmed ones left out. Nodes
/// files aren't mapped, which would make their pages look like those in use.
///
/// It waits on a thread of its own until it is stopped, since a pass can take days. It doesn't
/// retain the coordinator.
final class Scrub: Sendable {
    private let path: String
    private let options: CoordinatorOptions
    private let scrub: ScrubOptions
    private let wake = WakeWord()
    private let state = Guarded(State())

    private struct State: Sendable {
        var isRunning = false
        var isStopped = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
        var statistics = ScrubStatistics()
    }

    /// The damage after which a pass ends.
    private static let limit = 1_000

    /// Returns `nil` if the options ask for no scrub.
    init?(_ options: CoordinatorOptions) {
        guard let scrub = options.scrub, case .directory(let path) = options.place else {
            return nil
        }
        self.path = path
        self.scrub = scrub
        var options = options
        options.store.mapsNodes = false
        self.options = options
        let now = options.fileSystem.wallClockMicroseconds()
        state.withLock { $0.statistics.startMicroseconds = now }
    }

    var statistics: ScrubStatistics { state.withLock { $0.statistics } }

    /// Starts the first pass, unless it was started before.
    ///
    /// - Parameter isInPlace: Returns whether the realm is still at its path.
    func start(_ isInPlace: @escaping @Sendable () -> Bool) {
        let isFirst = state.withLock { state in
            guard !state.isRunning, !state.isStopped else { return false }
            state.isRunning = true
            return true
        }
        guard isFirst else { return }
        do throws(StoreError) {
            try OwnThread.start { self.run(isInPlace) }
        } catch {
            end()
            options.report(.scrubFailed(error))
        }
    }

    /// Ends the scrub soon, in the middle of a pass if one is in progress.
    func stop() {
        state.withLock { $0.isStopped = true }
        wake.wake()
    }

    /// Waits until it has ended and uses no file.
    func waitForEnd() async {
        await withUnsafeContinuation { waiter in
            let isRunning = state.withLock { state in
                if state.isRunning { state.waiters.append(waiter) }
                return state.isRunning
            }
            if !isRunning { waiter.resume() }
        }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func run(_ isInPlace: () -> Bool) {
        while !isStopped, isInPlace() {
            let start = scrub.now()
            runPass()
            wait(until: start + scrub.intervalNanoseconds)
        }
        end()
    }

    private func end() {
        let waiters = state.withLock { state in
            (state.isStopped, state.isRunning) = (true, false)
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func runPass() {
        let walk = IntegrityWalk(
            limit: Self.limit, isCancelled: { self.isStopped }, observer: ScrubPass(self))
        do throws(StoreError) {
            let findings = try RealmCheck.run(path, options, walk, onlyBytes: true)
            if isStopped { return }
            let now = options.fileSystem.wallClockMicroseconds()
            state.withLock { state in
                state.statistics.endPass()
                guard findings.isComplete else { return }
                state.statistics.passes += 1
                state.statistics.lastPassMicroseconds = now
            }
            options.report(.scrubbed(findings))
        } catch {
            if isStopped { return }
            state.withLock { $0.statistics.endPass() }
            options.report(.scrubFailed(error))
        }
    }

    /// Waits until a time, or until the scrub is stopped.
    fileprivate func wait(until time: UInt64) {
        while true {
            let observed = wake.observe()
            let now = scrub.now()
            if isStopped || now >= time { return }
            scrub.wait(wake, observed, time - now)
        }
    }

    /// Counts bytes that are read at a time, and returns the earliest time to read more.
    fileprivate func read(_ byteCount: Int, at time: UInt64) -> UInt64 {
        state.withLock { $0.statistics.byteCount &+= UInt64(byteCount) }
        // A forged file can claim that an image is larger than any disk.
        let seconds = min(Double(byteCount) / Double(scrub.bytesPerSecond), 3_600)
        return time + UInt64(seconds * 1e9)
    }

    fileprivate func found(_ damage: StoreError) {
        state.withLock { $0.statistics.newDamageCount += 1 }
        options.report(.damageFound(damage))
    }

    fileprivate var now: UInt64 { scrub.now() }
}

extension ScrubStatistics {
    fileprivate mutating func endPass() { (lastDamageCount, newDamageCount) = (newDamageCount, 0) }
}

/// Limits the rate of a pass. Confined to its thread.
private final class ScrubPass: CheckObserver {
    private let scrub: Scrub
    /// The time from which on more may be read.
    private var next: UInt64 = 0
    /// Shorter waits are put off.
    private static let minimumNanoseconds: UInt64 = 10_000_000

    init(_ scrub: Scrub) { self.scrub = scrub }

    func read(_ byteCount: Int) {
        // Time that passed while nothing was read isn't made up for.
        let now = scrub.now
        next = scrub.read(byteCount, at: max(next, now))
        if next >= now + Self.minimumNanoseconds { scrub.wait(until: next) }
    }

    func found(_ damage: StoreError) { scrub.found(damage) }
}
