internal import RegnumStore

/// The reason why a writer is waiting.
package enum WriteHolder: Sendable, Equatable, CustomStringConvertible {
    /// A body running in this process; `nil` if its call site is unknown.
    case body(CallPlace?)
    /// The process that last acquired the writer lock.
    case process(UInt32)
    /// Earlier commits being written to disk.
    case disk

    package var description: String {
        switch self {
        case .body(let place?): "the write at \(place) in this process"
        case .body(nil): "another write in this process"
        case .process(let id): processDescription(id)
        case .disk: "earlier commits that are being written to disk"
        }
    }
}

/// A report that writers have been waiting for a long time.
package struct WaitNotice: Sendable {
    /// The time for which the first of them has been waiting.
    package let nanoseconds: UInt64
    /// Its call site.
    package let place: CallPlace?
    package let waiterCount: Int
    package let holder: WriteHolder

    /// A message for a log.
    package var message: String {
        let seconds = (nanoseconds + 500_000_000) / 1_000_000_000
        return (place.map { "The write at \($0)" } ?? "A write")
            + " has been waiting for \(seconds) s for \(holder)"
            + (waiterCount > 1 ? "; other waiting writes: \(waiterCount - 1)." : ".")
    }
}

/// Writers that wait for a long time: timeouts, and wait notices.
extension Coordinator {
    /// Fails the writers that have timed out, then waits for the next. A single timer serves all
    /// writers, so those that get their turn leave nothing behind.
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
            .busy, "The write timed out while waiting for other writers, most recently \(holder).")
    }

    /// Reports what the first writer is waiting for, repeatedly while it waits.
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
    /// The holder of the turn, or whatever blocks all writers.
    var holder: WriteHolder {
        if isTurnTaken { return .body(turnPlace) }
        if !isGateOpen, let id = log?.lock.load(.lastHolder), id > 0 { return .process(id) }
        return .disk
    }

    /// Returns the time for which the caller must set the writers' timer; `nil` if it is set
    /// already.
    mutating func claimWaiterTimer() -> UInt64? {
        guard let deadline = waiters.earliestDeadline else { return nil }
        if let set = waiterTimerAt, set <= deadline { return nil }
        waiterTimerAt = deadline
        return deadline
    }

    /// Returns the time for which the caller must set the notice timer; `nil` if it is set already.
    mutating func claimNotice(_ now: UInt64, _ delay: UInt64) -> UInt64? {
        guard noticeAt == nil, delay > 0 else { return nil }
        let (time, isOver) = now.addingReportingOverflow(delay)
        noticeAt = isOver ? nil : time
        return noticeAt
    }

    /// Returns the notice to report now, and the time of the next check.
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
