/// The elements of a stream and, while it is quiet, heartbeats.
///
/// A server-sent events route writes one event for each of them, so that proxies don't close an
/// idle connection, and the client's `Last-Event-ID` never falls behind the retained history:
///
///     for try await event in messages.changes(since: lastID).heartbeats(every: .seconds(15)) {
///         switch event {
///         case .change(let change, let cursor): try await write(change, id: "\(cursor)")
///         case .heartbeat(let cursor): try await write(id: "\(cursor)")
///         }
///     }
///
/// Each iteration is independent, and ends and throws as the stream does.
public struct Heartbeats<Base: ChangeStream>: AsyncSequence, Sendable {
    public typealias Element = StreamEvent<Base.Element>
    public typealias Failure = Realm.Error

    let base: Base
    let interval: Duration
    let clock: any Clock<Duration>

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator(), interval: interval, clock: clock)
    }

    /// An iterator, which wraps the iterator of the stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        private let interval: Duration
        private let clock: any Clock<Duration>

        fileprivate init(
            base: Base.AsyncIterator, interval: Duration, clock: any Clock<Duration>
        ) {
            self.base = base
            self.interval = interval
            self.clock = clock
        }

        /// Waits for the next element of the stream, or until it is time for a heartbeat. Returns
        /// `nil` when the stream has ended.
        ///
        /// - Throws: The errors of the stream.
        public mutating func next() async throws(Realm.Error) -> Element? {
            try await next(isolation: #isolation)
        }

        /// Waits for the next element of the stream, or until it is time for a heartbeat, in the
        /// isolation of the given actor. Returns `nil` when the stream has ended.
        ///
        /// - Throws: The errors of the stream.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> Element? {
            switch try await base.next(within: interval, clock: clock, isolation: actor) {
            case .element(let element): .change(element, cursor: cursor)
            case .timedOut: .heartbeat(cursor: cursor)
            case .end: nil
            }
        }

        private var cursor: ChangeCursor {
            guard let cursor = base.cursor else {
                preconditionFailure("A stream that has begun has no position.")
            }
            return cursor
        }
    }
}

/// An element of a stream with heartbeats; see ``Heartbeats``.
public enum StreamEvent<Change: Sendable>: Sendable {
    /// An element of the stream, and the position after it.
    case change(Change, cursor: ChangeCursor)
    /// Nothing has arrived for the interval. The position can be newer than that of the last
    /// element, because the stream has passed commits that don't concern it.
    case heartbeat(cursor: ChangeCursor)
}

extension StreamEvent {
    /// The element of the stream; `nil` for a heartbeat.
    public var change: Change? {
        if case .change(let change, _) = self { change } else { nil }
    }

    /// The position to resume from after this event; see ``ChangeStreamIterator/cursor``. If an
    /// object was deleted and added again, the event of the deletion has the position before both,
    /// so that a stream that resumes there delivers both.
    public var cursor: ChangeCursor {
        switch self {
        case .change(_, let cursor), .heartbeat(let cursor): cursor
        }
    }
}

extension ChangeStream {
    /// Returns the stream with a heartbeat whenever nothing has arrived for an interval. The
    /// interval starts when an element is requested, so a busy consumer gets no heartbeats, and
    /// they don't queue up.
    ///
    /// Apply it before `map` or `filter`.
    ///
    /// - Parameters:
    ///   - interval: The duration of the wait before a heartbeat.
    ///   - clock: The clock that measures the interval.
    /// - Precondition: `interval > .zero`.
    public func heartbeats(
        every interval: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> Heartbeats<Self> {
        guard interval > .zero else {
            fatalError("The interval of heartbeats must be positive: \(interval).")
        }
        return Heartbeats(base: self, interval: interval, clock: clock)
    }
}
