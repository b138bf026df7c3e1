internal import RegnumEngine

/// The changes of a collection or an object, as they are committed by any process.
///
///     for try await change in realm.objects(Message.self).sorted(by: \.sentAt).changes {
///         switch change {
///         case .initial(let messages): show(messages)
///         case .update(let messages, let delta): update(messages, delta)
///         }
///     }
///
/// Each iteration is independent and starts at the newest version published when it begins.
/// Iteration is pull-based: a slow consumer receives the changes of all intervening commits as one
/// exact change set, unless its ``ChangePolicy`` says otherwise, and writers never wait for it. If
/// the merged commits have no net effect on what the stream follows, nothing is delivered. Streams
/// of the same query share its result; the cost of a commit depends on what it changed, not on the
/// size of the collection.
///
/// The sequence ends normally when the task is cancelled or the realm is closed. Waiting for the
/// first element throws `.schemaMismatch` or `.invalidInput` if a class that the stream reads
/// doesn't match the stored schema, `.invalidQuery` if an operand belongs to another realm,
/// `.closed` if the realm is closed and, for a cursor, `.historyTrimmed` or `.invalidInput` (if the
/// cursor is from another realm, or refers to a version that the realm doesn't have), for which
/// ``Realm/Error/isHistoryUnavailable`` is true. Waiting for later elements throws errors that keep
/// this process from reading the realm, `.schemaMismatch` once another program has changed what the
/// stream reads, and `.historyTrimmed` if ``ChangePolicy/everyCommit`` can't be honored. See
/// `Docs/OBSERVATION.md` for details.
public struct Changes<Element: Sendable>: ChangeStream {
    public typealias Failure = Realm.Error

    /// Converts an element of the stream. If it becomes two elements, the result includes a closure
    /// that makes the second one.
    typealias Conversion =
        @Sendable (StreamElement) throws(Realm.Error) -> (
            Element, rest: (() -> Element)?
        )

    let request: StreamRequest
    let conversion: Conversion

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(request, conversion)
    }

    /// The newest published version of the realm.
    package var publishedVersion: UInt64 { request.realm.coordinator.published.version }

    /// An iterator, which holds the version and the result that it delivered last.
    public struct AsyncIterator: ChangeStreamIterator {
        private let stream: CollectionStream
        let conversion: Conversion
        private let pending = Pending()

        fileprivate init(_ request: StreamRequest, _ conversion: @escaping Conversion) {
            stream = CollectionStream(request)
            self.conversion = conversion
        }

        /// Waits for the next element. Returns `nil` when the sequence has ended.
        ///
        /// - Throws: The errors described at ``Changes``.
        public mutating func next() async throws(Realm.Error) -> Element? {
            try await next(isolation: #isolation)
        }

        /// Waits for the next element in the isolation of the given actor. Returns `nil` when the
        /// sequence has ended.
        ///
        /// - Throws: The errors described at ``Changes``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> Element? {
            if pending.rest != nil { return takeRest() }
            switch try await stream.next(isolation: actor) {
            case .element(let element): return try convert(element)
            case .timedOut, .end: return nil
            }
        }

        public mutating func next(
            within duration: Duration, clock: any Clock<Duration>,
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> NextElement<Element> {
            if pending.rest != nil { return takeRest().map { .element($0) } ?? .end }
            let deadline = Deadline(in: duration, of: clock)
            switch try await stream.next(until: deadline, isolation: actor) {
            case .element(let element): return .element(try convert(element))
            case .timedOut: return .timedOut
            case .end: return .end
            }
        }

        public var cursor: ChangeCursor? {
            pending.rest == nil ? stream.cursor : pending.cursor
        }

        @inline(never)
        private mutating func takeRest() -> Element? {
            defer { pending.rest = nil }
            if !Task.isCancelled { return pending.rest?() }
            stream.finish()
            return nil
        }

        // not inlined, so that its locals aren't part of the frames of suspended tasks
        @inline(never)
        private mutating func convert(
            _ element: StreamElement
        ) throws(Realm.Error) -> Element {
            do throws(Realm.Error) {
                let converted = try conversion(element)
                pending.rest = converted.rest
                if pending.rest != nil, case .update(let old, _, _, _, _, _) = element {
                    // not before the position that the stream had already reached while waiting
                    let snapshot = old.snapshot
                    pending.cursor = snapshot.realm.cursor(
                        at: Swift.max(snapshot.root.version, stream.stepStart))
                }
                return converted.0
            } catch {
                stream.finish()
                throw error
            }
        }

        /// The second of two elements. A class, because copies of the iterator share one stream.
        ///
        /// Confined to the iterator's task.
        private final class Pending {
            var rest: (() -> Element)?
            /// The position before both elements, while `rest` is pending.
            var cursor: ChangeCursor?
        }
    }
}
