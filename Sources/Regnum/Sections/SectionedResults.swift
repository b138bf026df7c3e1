internal import RegnumEngine
internal import RegnumStore

/// The results of a query in a transaction, divided into sections by key.
///
///     let rooms = tx.objects(Message.self).sectioned(by: \.room)
///     for room in rooms {
///         for message in room { message.isRead = room.key == "general" }
///     }
///
/// Sections are in the order in which their keys appear in the sorted results, and the objects in a
/// section keep the order of the results. Objects with the same key are in one section even if they
/// aren't adjacent in the results.
///
/// Sectioned results are live inside the body: every use shows the current state, including
/// uncommitted changes. A `for` loop iterates over the sections that existed when it started. After
/// a change in the transaction, the next use determines all sections again, in O(n). Confined to
/// the body, like the objects themselves.
public struct SectionedResults<Key: SectionKey, Model: ObjectBase> {
    let results: Results<Model>
    private let source: SectionSource<Key, Model>
    private let cache = SectionCache<Key>()

    init(_ results: Results<Model>, _ source: SectionSource<Key, Model>) {
        self.results = results
        self.source = source
    }

    /// The keys of the sections in the current state, in order.
    public var allKeys: [Key] { current.sectioning.keys }

    /// The number of sections in the current state.
    public var count: Int { current.sectioning.keys.count }

    /// Whether there are no sections in the current state.
    public var isEmpty: Bool { count == 0 }

    /// The first section, or `nil` if there are none.
    public var first: ResultsSection<Key, Model>? { isEmpty ? nil : self[0] }

    /// The last section, or `nil` if there are none.
    public var last: ResultsSection<Key, Model>? { isEmpty ? nil : self[count - 1] }

    /// The section that is currently at a position. It keeps referring to the same key when
    /// sections are inserted or deleted before it.
    ///
    /// - Precondition: `0 <= position < count`.
    public subscript(position: Int) -> ResultsSection<Key, Model> {
        let sectioning = current.sectioning
        guard position >= 0, position < sectioning.keys.count else {
            if results._hasFailed { return ResultsSection(self, Key.placeholder()) }
            trap("Index \(position) of \(name) is out of range: the count is \(count).")
        }
        return ResultsSection(self, sectioning.keys[position])
    }

    /// The object that is currently at a path.
    ///
    /// - Precondition: There is an object at the path.
    public subscript(path: SectionPath) -> Model {
        let current = current
        guard let position = current.sectioning.layout.position(at: path) else {
            if results._hasFailed { return object(.nowhere) }
            trap("\(name) have no object at \(path): the section count is \(count).")
        }
        return object(current.keys[position])
    }

    /// Returns the section with a key, or `nil` if no object currently has the key.
    public func section(forKey key: Key) -> ResultsSection<Key, Model>? {
        current.sectioning.number(of: key) == nil ? nil : ResultsSection(self, key)
    }

    /// The realm of the results, or `nil` if it has been released.
    public var realm: Realm? { results.realm }

    /// Whether the transaction of the results has ended.
    public var isInvalidated: Bool { results.isInvalidated }

    /// Returns the sections as they were at the start of the transaction, as a `Sendable` value.
    /// Changes made by the transaction itself aren't visible.
    ///
    /// - Precondition: The body is running.
    /// - Complexity: O(1); O(n log n) if a closure returns the keys.
    public func freeze() -> FrozenSections<Key, Model> {
        let frozen = results.freeze()
        switch source {
        case .column(let column): return FrozenSections(frozen, .column(column))
        case .closure(let key):
            let table = frozen.table
            do throws(Realm.Error) {
                let sectioning = try ReadScope.runThrowing {
                    () throws(Realm.Error) -> Sectioning<Key> in
                    let rows = frozen.query.tree
                    let keys = table.computeAll(Model.self) { object in
                        rows.map { key(object($0)) }
                    }
                    return try .of(keys, table.schema)
                }
                return FrozenSections(frozen, sectioning)
            } catch {
                table.snapshot.fail(error)
                return FrozenSections(frozen, .failure(error))
            }
        }
    }

    // MARK: Evaluation

    /// The sections and the keys of the rows in the current state. An error fails the transaction.
    var current: (sectioning: Sectioning<Key>, keys: ResultTree) {
        // also traps after the body
        let keys = results.keys()
        let editCount = results.binding.core?.editCount
        if let known = cache.known, known.editCount == editCount { return (known.sectioning, keys) }
        let sectioning = evaluate(keys)
        cache.known = (sectioning, editCount)
        return (sectioning, keys)
    }

    private func evaluate(_ keys: ResultTree) -> Sectioning<Key> {
        do throws(Realm.Error) {
            switch source {
            case .column(let column):
                let values = results.run([]) { state throws(StoreError) in
                    try results._plan.plan.values(of: column, for: keys, state)
                }
                // no values, because the transaction has failed
                return values.count == keys.count
                    ? try .of(values, in: column, results.modelSchema) : Sectioning()
            case .closure(let key):
                return try .of(keys.map { key(object($0)) }, results.modelSchema)
            }
        } catch {
            results.binding.core?.fail(error)
            return Sectioning()
        }
    }

    func object(_ row: ObjectKey) -> Model { results.binding.accessor(Model.self, row: row) }

    var name: String { "SectionedResults<\(Key.self), \(results.binding.tableName)>" }

    private func trap(_ message: String) -> Never {
        fatalError(message + ReadScope.callSiteMessage)
    }
}

/// The source of the section keys of objects in a transaction.
enum SectionSource<Key: SectionKey, Model: ObjectBase> {
    case column(ColumnReference)
    case closure((Model) -> Key)
}

/// The sections, and the state of the transaction that they belong to.
private final class SectionCache<Key: SectionKey> {
    var known: (sectioning: Sectioning<Key>, editCount: UInt64?)?
}

@available(*, unavailable, message: "results are confined to their transaction: use a snapshot")
extension SectionedResults: Sendable {}

extension SectionedResults: Sequence {
    /// Returns an iterator over the sections that exist when the loop starts.
    public func makeIterator() -> Iterator {
        Iterator(sections: self, keys: allKeys.makeIterator())
    }

    /// An iterator over the sections that existed when the loop started.
    public struct Iterator: IteratorProtocol {
        let sections: SectionedResults
        var keys: Array<Key>.Iterator

        public mutating func next() -> ResultsSection<Key, Model>? {
            keys.next().map { ResultsSection(sections, $0) }
        }
    }
}

extension SectionedResults: Equatable {
    /// Returns whether both are copies of the same sectioned results, or sections of the same query
    /// by the same property in the same transaction.
    public static func == (left: SectionedResults, right: SectionedResults) -> Bool {
        if left.cache === right.cache { return true }
        guard case .column(let a) = left.source, case .column(let b) = right.source else {
            return false
        }
        return a == b && left.results.isSameQuery(as: right.results)
    }
}
