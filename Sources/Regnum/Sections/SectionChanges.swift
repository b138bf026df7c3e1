internal import RegnumEngine
internal import RegnumStore

/// The changes of sectioned results, or of one of their sections. See ``Changes`` for how streams
/// start, merge and end, and for the errors that they throw.
///
///     for try await change in realm.objects(Message.self).sectioned(by: \.room).changes {
///         switch change {
///         case .initial(let rooms): show(rooms)
///         case .update(let rooms, let delta): update(rooms, delta)
///         }
///     }
///
/// If the key is a property, only the keys of inserted and modified objects are read for an
/// element; the positions of the others are updated in O(n) for n objects. If a closure returns the
/// keys, it is called for all objects.
public struct SectionChanges<Key: SectionKey, Model: ObjectBase>: ChangeStream {
    public typealias Element = SectionChange<Key, Model>
    public typealias Failure = Realm.Error

    let request: StreamRequest
    let source: FrozenSectionSource<Key, Model>
    /// The number of paths of the stream's filter that make an object count as modified; the ones
    /// after them are followed for the section keys. `nil` for a filter without paths.
    let pathCount: Int?
    /// Whether every object whose key changes counts as modified.
    let marksAllKeys: Bool
    /// The key of the section that is followed; `nil` for all sections.
    let key: Key?

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// An iterator, which holds the version and the sections that it delivered last.
    public struct AsyncIterator: ChangeStreamIterator {
        private let changes: SectionChanges
        private let stream: CollectionStream
        private let position = Position()

        fileprivate init(_ changes: SectionChanges) {
            self.changes = changes
            stream = CollectionStream(changes.request)
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
            try await next(until: nil, isolation: actor).element
        }

        public mutating func next(
            within duration: Duration, clock: any Clock<Duration>,
            isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> NextElement<Element> {
            try await next(until: Deadline(in: duration, of: clock), isolation: actor)
        }

        private mutating func next(
            until deadline: Deadline?, isolation actor: isolated (any Actor)?
        ) async throws(Realm.Error) -> NextElement<Element> {
            let published = stream.publishedVersion
            while true {
                switch try await stream.next(until: deadline, isolation: actor) {
                case .element(let element):
                    if let change = try convert(element) { return .element(change) }
                    if stream.isOver(deadline, from: published) { return .timedOut }
                case .timedOut: return .timedOut
                case .end:
                    position.known = nil
                    return .end
                }
            }
        }

        public var cursor: ChangeCursor? { stream.cursor }

        // not inlined, so that its locals aren't part of the frames of suspended tasks
        @inline(never)
        private mutating func convert(_ element: StreamElement) throws(Realm.Error) -> Element? {
            do throws(Realm.Error) {
                switch element {
                case .initial(let place):
                    let sectioning = try changes.sectioning(at: place)
                    position.known = (sectioning, place.root.schema)
                    return .initial(FrozenSections(changes.results(at: place), sectioning))
                case .update(let old, let result, let place, let change, let origins, _):
                    return try advance(old, result, place, change, origins)
                }
            } catch {
                stream.finish()
                position.known = nil
                throw error
            }
        }

        /// Returns the element of a step, or `nil` if the step changes nothing that is followed.
        private mutating func advance(
            _ oldTable: FrozenTable, _ oldResult: MaintainedResult?, _ place: StreamPlace,
            _ change: ResultChange, _ origins: [String]
        ) throws(Realm.Error) -> Element? {
            let old: Sectioning<Key>
            let oldSchema: DatabaseSchema
            let isKnown = position.skippedCount == stream.skippedCount
            position.skippedCount = stream.skippedCount
            if isKnown, let known = position.known {
                old = known.sectioning
                oldSchema = known.schema
            } else {
                guard let oldResult else {
                    preconditionFailure("A stream of sections has no sections to start from.")
                }
                old = try changes.sectioning(at: StreamPlace(table: oldTable, result: oldResult))
                oldSchema = oldTable.snapshot.root.schema
            }
            // A property that wasn't stored reads as its default, and another program may have
            // stored it with a different one: then other objects have new keys, too.
            let marksAllKeys = changes.marksAllKeys && oldSchema === place.root.schema
            let new =
                try marksAllKeys
                ? changes.sectioning(after: old, change, at: place) : changes.sectioning(at: place)
            position.known = (new, place.root.schema)
            var difference = old.difference(
                to: new, change, newKeys: marksAllKeys ? nil : place.result.tree,
                isModified: changes.reported)
            if let key = changes.key {
                difference = difference.restricted(
                    old: old.number(of: key), new: new.number(of: key))
            }
            if difference.isEmpty { return nil }
            return .update(
                FrozenSections(changes.results(at: place), new),
                SectionChangeSet(
                    deletedKeys: difference.deletedSections.map { old.keys[$0] },
                    insertedKeys: difference.insertedSections.map { new.keys[$0] },
                    origins: origins, difference: difference, request: changes.request,
                    oldTable: oldTable, newTable: place.table))
        }

        /// The sections at the iterator's position. A class, because copies of the iterator share
        /// one stream.
        ///
        /// Confined to the iterator's task.
        private final class Position {
            /// The sections at the last element, and the stored schema with which their keys were
            /// read; `nil` before the first one.
            var known: (sectioning: Sectioning<Key>, schema: DatabaseSchema)?
            /// The `skippedCount` of the stream at which the sections were determined.
            var skippedCount = 0
        }
    }
}

extension SectionChanges {
    fileprivate func results(at place: StreamPlace) -> FrozenResults<Model> {
        FrozenResults(
            place.table, plan: request.plan.with(place.result.plan), tree: place.result.tree)
    }

    /// Returns all sections at a version.
    fileprivate func sectioning(at place: StreamPlace) throws(Realm.Error) -> Sectioning<Key> {
        let results = results(at: place)
        return try ReadScope.runThrowing { () throws(Realm.Error) in
            try source.sectioning(of: results)
        }
    }

    /// Returns the sections after a step in which only the keys of inserted and modified rows can
    /// have changed. If a closure returns the keys, it is called for all rows.
    fileprivate func sectioning(
        after old: Sectioning<Key>, _ change: ResultChange, at place: StreamPlace
    ) throws(Realm.Error) -> Sectioning<Key> {
        guard case .column(let column) = source else { return try sectioning(at: place) }
        let query = results(at: place).query
        let keys = change.insertedKeys + change.modified.map(\.key)
        return try ReadScope.runThrowing { () throws(Realm.Error) in
            let values = try query.run { state throws(StoreError) in
                try query.plan.values(of: column, for: keys, state)
            }
            return try old.advanced(
                by: change, count: place.result.tree.count, values, in: column,
                place.table.schema)
        }
    }

    /// Returns the row to report if it counts as modified, without the paths that are followed only
    /// for the section keys.
    fileprivate func reported(_ row: ModifiedResult) -> ModifiedResult? {
        guard let pathCount else { return row }
        var row = row
        row.mark.paths = row.mark.paths.filter { $0 < pathCount }
        return row.mark.paths.isEmpty ? nil : row
    }
}
