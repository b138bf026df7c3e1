internal import RegnumEngine
internal import RegnumStore

/// A query over one snapshot, which is evaluated at first use and keeps what it found.
///
/// Two tasks that ask at once may both do the work; both get an equal answer.
final class FrozenQuery: Sendable {
    private struct Known {
        var tree: ResultTree?
        var count: Int?
        /// What a search for the first `limit` keys found.
        var first: [ObjectKey] = []
        var limit = 0
    }

    let table: FrozenTable
    let plan: QueryPlan
    /// What is wrong with an operand of the query.
    private let problem: Realm.Error?
    private let known: Guarded<Known>

    /// - Parameters:
    ///   - table: the class of the elements; for values, that of the objects whose list it is.
    ///   - problem: what is wrong with an operand of the query.
    ///   - tree: the result, if it is known.
    init(
        _ table: FrozenTable, _ plan: QueryPlan, problem: Realm.Error? = nil,
        tree: ResultTree? = nil
    ) {
        self.table = table
        self.plan = plan
        self.problem = problem
        known = Guarded(Known(tree: tree))
    }

    var root: DatabaseRoot { table.snapshot.root }

    /// What `question` answers about the snapshot.
    ///
    /// - Throws: what is wrong with the class or an operand; what the question throws; damage that
    ///   it meets.
    func ask<Answer>(
        _ question: (QueryState) throws(StoreError) -> Answer
    ) throws(Realm.Error) -> Answer {
        if let problem = table.mismatch ?? problem { throw problem }
        do throws(Realm.Error) {
            return try table.snapshot.checked { () throws(StoreError) in
                try question(QueryState(root, table.snapshot.realm.queryCounters))
            }
        } catch {
            var error = error
            error.className = error.className ?? table.schema.name
            throw error
        }
    }

    /// The same where nothing can be thrown: see `SnapshotCore.fail`.
    func ask<Answer>(
        _ placeholder: @autoclosure () -> Answer,
        _ question: (QueryState) throws(StoreError) -> Answer
    ) -> Answer {
        table.snapshot.answer(placeholder()) { () throws(Realm.Error) in try ask(question) }
    }

    /// The result, if it is known by now.
    var knownTree: ResultTree? { known.withLock { $0.tree } }

    /// The keys of the rows found.
    var tree: ResultTree {
        table.snapshot.answer(ResultTree()) { () throws(Realm.Error) in try evaluatedTree() }
    }

    private func evaluatedTree() throws(Realm.Error) -> ResultTree {
        if let tree = knownTree { return tree }
        let found = try ask { state throws(StoreError) in try plan.evaluate(state) }
        known.withLock { $0.tree = found }
        return found
    }

    /// How many there are; found without making the result.
    var count: Int {
        if let count = known.withLock({ $0.tree?.count ?? $0.count }) { return count }
        return table.snapshot.answer(0) { () throws(Realm.Error) in
            let found = try ask { state throws(StoreError) in try plan.count(state) }
            known.withLock { $0.count = found }
            return found
        }
    }

    /// The first keys: at least `count`, or all.
    func firstKeys(_ count: Int) -> [ObjectKey] {
        table.snapshot.answer([]) { () throws(Realm.Error) in try findFirst(count) }
    }

    private func findFirst(_ count: Int) throws(Realm.Error) -> [ObjectKey] {
        let known = known.withLock { $0 }
        if let tree = known.tree { return Array(tree.prefix(count)) }
        if known.limit >= count { return known.first }
        let found = try ask { state throws(StoreError) in try plan.firstKeys(count, state) }
        self.known.withLock { known in
            known.first = found
            known.limit = count
        }
        return found
    }

    /// Whether there are so many rows. True where that is not known for an error.
    func hasKeys(_ count: Int) -> Bool {
        table.snapshot.answer(true) { () throws(Realm.Error) in
            try findFirst(count).count >= count
        }
    }

    /// Positions below this are looked up without evaluating the rest.
    private static let shortCount = 32

    /// The key at a position, nil if there are not so many; one that no row has where it cannot be
    /// found for an error.
    func key(at position: Int) -> ObjectKey? {
        let key = table.snapshot.answer(.nowhere) { () throws(Realm.Error) in
            try findKey(position)
        }
        return key ?? (ReadScope.hasFailed ? .nowhere : nil)
    }

    private func findKey(_ position: Int) throws(Realm.Error) -> ObjectKey? {
        guard position >= 0 else { return nil }
        let known = known.withLock { $0 }
        if let tree = known.tree { return position < tree.count ? tree[position] : nil }
        if position < known.first.count { return known.first[position] }
        if position < FrozenQuery.shortCount {
            let keys = try findFirst(2 * FrozenQuery.shortCount)
            return position < keys.count ? keys[position] : nil
        }
        let tree = try evaluatedTree()
        return position < tree.count ? tree[position] : nil
    }

    /// The last key, nil if there is none.
    var lastKey: ObjectKey? {
        if let tree = knownTree { return tree.last }
        if case .table = plan.source, case .constant(true) = plan.predicate, plan.sort.isEmpty,
            plan.steps.isEmpty, plan.limit == nil
        {
            return table.lastRow
        }
        return tree.last
    }

    /// The first position of a row, nil if it is not there.
    func position(of row: ObjectKey) -> Int? {
        if let tree = knownTree { return table.checked { tree.firstIndex(of: row) } }
        return ask(nil) { state throws(StoreError) in try plan.position(of: row, state) }
    }

    func contains(_ row: ObjectKey) -> Bool {
        ask(false) { state throws(StoreError) in try plan.contains(row, state) }
    }

    /// The first position of a row that also matches a condition, nil if none does.
    func firstPosition(where predicate: Predicate) -> Int? {
        ask(nil) { state throws(StoreError) in
            try plan.firstPosition(where: predicate, state)
        }
    }

    /// Fewer rows than these are evaluated where the caller is.
    private static let quickRowCount = 2_000

    /// Evaluates the query, a large one on a thread of the library. An error is left to the first
    /// use, which meets it again.
    func evaluate() async {
        if knownTree != nil { return }
        guard table.rowCount > FrozenQuery.quickRowCount else {
            _ = try? evaluatedTree()
            return
        }
        await withCheckedContinuation { continuation in
            FrozenQuery.pool.submit {
                _ = try? self.evaluatedTree()
                continuation.resume()
            }
        }
    }

    /// Threads for large evaluations, so that they take none from the cooperative pool.
    private static let pool = IOPool(threadCountMax: 2, overflow: .shared)
}

extension ObjectKey {
    /// A key that no row has.
    static let nowhere = ObjectKey(rawValue: .max)
}
