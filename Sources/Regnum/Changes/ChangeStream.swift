/// A stream of changes or commits: every ``Changes``, ``SectionChanges`` and ``CommitSequence``.
///
/// Functions that are generic over this protocol, such as the handler of a server-sent events
/// route, accept any of them. Implemented by the streams of the library; do not conform your own
/// types.
public protocol ChangeStream: AsyncSequence, Sendable
where Element: Sendable, Failure == Realm.Error, AsyncIterator: ChangeStreamIterator {}

/// The iterator of a ``ChangeStream``.
public protocol ChangeStreamIterator: AsyncIteratorProtocol
where Element: Sendable, Failure == Realm.Error {
    /// Waits for the next element in the isolation of the given actor, for at most the given
    /// duration. See ``next(within:clock:)``.
    mutating func next(
        within duration: Duration, clock: any Clock<Duration>,
        isolation actor: isolated (any Actor)?
    ) async throws(Realm.Error) -> NextElement<Element>

    /// The position to resume from after the elements delivered so far: `changes(since: cursor)`
    /// continues from where this iterator is. `nil` before the initial element, unless the stream
    /// itself resumes from a cursor, and after the end.
    ///
    /// While the stream waits, the position advances with commits that don't concern it. Storing it
    /// on each timeout therefore keeps a quiet stream within the retained history.
    var cursor: ChangeCursor? { get }
}

extension ChangeStreamIterator {
    /// Waits for the next element for at most the given duration.
    ///
    ///     switch try await iterator.next(within: .seconds(25)) {
    ///     case .element(let change): send(change)
    ///     case .timedOut: sendNothingNew()
    ///     case .end: return
    ///     }
    ///
    /// A timeout neither ends the stream nor loses changes: those that arrive later are part of the
    /// next element. That is why the result is an enumeration rather than an optional, whose `nil`
    /// would also mean the end, or an error, which would end the stream. A wait that timed out
    /// leaves nothing behind, not even a task.
    ///
    /// If commits that were published before the call yield an element, it is always delivered, so
    /// a duration of zero polls. The duration limits only the wait for a commit, not the time it
    /// takes to produce an element, for example by reading history from the log.
    ///
    /// - Parameter clock: The clock that measures the duration.
    /// - Throws: The errors of the stream.
    public nonisolated(nonsending) mutating func next(
        within duration: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) async throws(Realm.Error) -> NextElement<Element> {
        try await next(within: duration, clock: clock, isolation: #isolation)
    }
}

/// The result of a wait with a time limit.
public enum NextElement<Element: Sendable>: Sendable {
    /// The next element.
    case element(Element)
    /// The duration has elapsed. The next call continues the stream.
    case timedOut
    /// The stream has ended.
    case end
}

extension NextElement {
    /// The element, if there is one.
    public var element: Element? {
        if case .element(let element) = self { element } else { nil }
    }
}

extension NextElement: Equatable where Element: Equatable {}
