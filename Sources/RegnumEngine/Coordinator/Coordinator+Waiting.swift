internal import RegnumStore

/// Whom a writer waits for.
package enum WriteHolder: Sendable, Equatable, CustomStringConvertible {
    /// A body that runs in this process; nil where its place is not known.
    case body(CallPlace?)
    /// The process that got the writer lock last.
    case process(UInt32)
    /// Earlier commits on their way to the disk.
    case disk

    package var description: String {
        switch self {
        case .body(let place?): "the write at \(place) in this process"
        case .body(nil): "another write in this process"
        case .process(let id): processDescription(id)
        case .disk: "earlier commits that are being written to the disk"
        }
    }
}

/// Writers have been waiting for a long time.
package struct WaitNotice: Sendable {
    /// For how long the first of them has waited.
    package let nanoseconds: UInt64
    /// Where it was called.
    package let place: CallPlace?
    package let waiterCount: Int
    package let holder: WriteHolder

    /// One sentence for a log.
    package var sentence: String {
        let seconds = (nanoseconds + 500_000_000) / 1_000_000_000
        return (place.map { "The write at \($0)" } ?? "A write")
            + " has been waiting for \(seconds) s for \(holder)"
            + (waiterCount > 1 ? "; \(waiterCount - 1) more wait behind it." : ".")
    }
}

/// Writers that wait for long: time-outs, and reports of whom they wait for.
extension Coordinator {
    /// Fails the writers whose time is up, then waits for the next. One timer serves all: writers
    /// that get their turn leave nothing behind.
    func startWaiterTimer(at time: UInt64) {
        let now = IOPool.now()
        IOPool.shared.schedule(afterNanoseconds: time > now ? time - now : 0) { [weak self] in
            guard let self else { return }
            let (late, holder, next) = state.withLock { state in
                if state.waiterTimerAt == time { state.waiterTimerAt = nil }
                let late = state.waiters.removeAll(until: IOPool.now())
                return (late, state.holder, state.claimWaiterTimer())
            }
            if !late.isEmpty {
                let error = Self.busyError(holder)
                for waiter in late { waiter.resume(returning: .failed(error)) }
            }
            if let next { startWaiterTimer(at: next) }
        }
    }

    static func busyError(_ holder: WriteHolder) -> StoreError {
        StoreError(
            .busy, "Others kept the realm for longer than the write time-out: now \(holder).")
    }

    /// Reports whom the first writer waits for, then again and again while it does.
    func startNoticeTimer(at time: UInt64) {
        let now = IOPool.now()
        IOPool.shared.schedule(afterNanoseconds: time > now ? time - now : 0) { [weak self] in
            guard let self else { return }
            let delay = options.waitNoticeNanoseconds
            let (notice, next) = state.withLock { $0.takeNotice(IOPool.now(), delay) }
            if let notice { options.report(.waiting(notice)) }
            if let next { startNoticeTimer(at: next) }
        }
    }
}

extension CoordinatorState {
    /// Who has the turn, or keeps everybody from it.
    var holder: WriteHolder {
        if isTurnTaken { return .body(turnPlace) }
        if !isGateOpen, let id = log?.lock.lastHolder(), id > 0 { return .process(id) }
        return .disk
    }

    /// The time for which the caller must set the timer of the waiters, if it is not set.
    mutating func claimWaiterTimer() -> UInt64? {
        guard let deadline = waiters.earliestDeadline else { return nil }
        if let set = waiterTimerAt, set <= deadline { return nil }
        waiterTimerAt = deadline
        return deadline
    }

    /// The time for which the caller must set the timer of the notices, if it is not set.
    mutating func claimNotice(_ now: UInt64, _ delay: UInt64) -> UInt64? {
        guard noticeAt == nil, delay > 0 else { return nil }
        let (time, isOver) = now.addingReportingOverflow(delay)
        noticeAt = isOver ? nil : time
        return noticeAt
    }

    /// What to report now, and when to look again.
    mutating func takeNotice(_ now: UInt64, _ delay: UInt64) -> (WaitNotice?, UInt64?) {
        noticeAt = nil
        guard let oldest = waiters.oldest else { return (nil, nil) }
        let age = now - min(now, oldest.since)
        if age < delay {
            noticeAt = oldest.since + delay
            return (nil, noticeAt)
        }
        noticeAt = now + min(delay, .max / 64) * 10
        let notice = WaitNotice(
            nanoseconds: age, place: oldest.place, waiterCount: waiters.count, holder: holder)
        return (notice, noticeAt)
    }
}
