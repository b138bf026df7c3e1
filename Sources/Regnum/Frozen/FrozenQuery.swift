internal import RegnumEngine
internal import RegnumStore

/// A query on one snapshot, evaluated when it is first used, with a cached result.
///
/// Concurrent first uses may each evaluate the query; they get equal results.
final class FrozenQuery: Sendable {
    private struct Known {
        var tree: ResultTree?
        var count: Int?
        /// The result of a search for the first `limit` keys.
        var first: [ObjectKey] = []
        var limit = 0
        /// Whether the classes that the query reads through links are known to match.
        var isMatched = false
    }

    let table: FrozenTable
    let plan: QueryPlan
    /// The error of an invalid operand of the query, if any.
    let problem: Realm.Error?
    private let known: Guarded<Known>

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - table: The class of the elements; for values, the class of the objects that own the
    ///     list.
    ///   - problem: The error of an invalid operand of the query, if any.
    ///   - tree: The result, if it is known.
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

    /// Returns whether both are the same query on the same version. False for a query that is an
    /// error, because it may not be that of the collection: see `FrozenTable.plan`.
    func isSame(as other: FrozenQuery) -> Bool {
        root === other.root && plan == other.plan && problem == nil && other.problem == nil
            && table.mismatch == nil && other.table.mismatch == nil
    }

    /// Returns the answer of `question` for the snapshot.
    ///
    /// - Parameter classes: The classes that the question reads through links, besides those of the
    ///   query.
    /// - Throws: The errors of mismatched classes or of an invalid operand; the errors of
    ///   `question`; damage that it encounters.
    func run<Answer>(
        through classes: Set<StoredText> = [], _ question: (QueryState) throws(StoreError) -> Answer
    ) throws(Realm.Error) -> Answer {
        if let problem = table.mismatch ?? problem { throw problem }
        try checkLinks(classes)
        do throws(Realm.Error) {
            return try table.snapshot.checked { () throws(StoreError) in
                try question(QueryState(root, table.snapshot.realm.queryCounters))
            }
        } catch {
            throw naming(error)
        }
    }

    /// Throws the mismatch of a class that the query or a question reads through links.
    private func checkLinks(_ classes: Set<StoredText>) throws(Realm.Error) {
        var classes = classes
        let isMatched = known.withLock { $0.isMatched }
        if !isMatched { classes.formUnion(plan.linkedDependencies) }
        let realm = table.snapshot.realm
        if let mismatch = realm.mismatch(of: classes, from: table.schema, in: root.schema) {
            throw mismatch
        }
        if !isMatched { known.withLock { $0.isMatched = true } }
    }

    /// Returns an error that names the class.
    private func naming(_ error: Realm.Error) -> Realm.Error {
        var error = error
        error.className = error.className ?? table.schema.name
        return error
    }

    /// Returns the answer of `question`, or the placeholder after an error, which can't be thrown
    /// here; see `SnapshotCore.fail`.
    func run<Answer>(
        _ placeholder: @autoclosure () -> Answer, through classes: Set<StoredText> = [],
        _ question: (QueryState) throws(StoreError) -> Answer
    ) -> Answer {
        table.snapshot.answer(placeholder()) { () throws(Realm.Error) in
            try run(through: classes, question)
        }
    }

    /// Returns what `body` reads from the result, which may have to read from its version.
    ///
    /// - Throws: Damage that it encounters.
    private func read<Answer>(
        _ tree: ResultTree, _ body: (ResultTree) -> Answer
    ) throws(Realm.Error) -> Answer {
        let answer = body(tree)
        guard let root = tree.heldRoot, root.hasDamage else { return answer }
        let (again, damage) = DamageWatch.run(on: root) { body(tree) }
        guard let damage else { return again }
        table.snapshot.realm.coordinator.heal()
        throw naming(Realm.Error(damage))
    }

    /// The result, if it is already known.
    var knownTree: ResultTree? { known.withLock { $0.tree } }

    /// The keys of the rows found.
    var tree: ResultTree {
        table.snapshot.answer(ResultTree()) { () throws(Realm.Error) in try evaluatedTree() }
    }

    /// The keys of the rows found, in order. An error fails the read.
    var keys: FrozenKeys {
        do throws(Realm.Error) {
            return FrozenKeys(table, try evaluatedTree())
        } catch {
            table.snapshot.fail(error)
            return FrozenKeys(table, missing: known.withLock { $0.count } ?? 0)
        }
    }

    private func evaluatedTree() throws(Realm.Error) -> ResultTree {
        if let tree = knownTree { return tree }
        let found = try run { state throws(StoreError) in try plan.evaluate(state) }
        known.withLock { $0.tree = found }
        return found
    }

    /// The number of rows, determined without collecting the result.
    var count: Int {
        if let count = known.withLock({ $0.tree?.count ?? $0.count }) { return count }
        return table.snapshot.answer(0) { () throws(Realm.Error) in
            let found = try run { state throws(StoreError) in try plan.count(state) }
            known.withLock { $0.count = found }
            return found
        }
    }

    /// Returns the first keys: at least `count`, or all of them.
    func firstKeys(_ count: Int) -> [ObjectKey] {
        table.snapshot.answer([]) { () throws(Realm.Error) in try findFirst(count) }
    }

    private func findFirst(_ count: Int) throws(Realm.Error) -> [ObjectKey] {
        let known = known.withLock { $0 }
        if let tree = known.tree {
            return try read(tree) { Array($0.prefix(count)) }
        }
        if known.limit >= count { return known.first }
        let found = try run { state throws(StoreError) in try plan.firstKeys(count, state) }
        self.known.withLock { known in
            known.first = found
            known.limit = count
        }
        return found
    }

    /// Returns whether there are at least `count` rows. True if an error prevents finding out.
    func hasKeys(_ count: Int) -> Bool {
        table.snapshot.answer(true) { () throws(Realm.Error) in
            try findFirst(count).count >= count
        }
    }

    /// Returns the positions of a prefix, finding only as many rows as needed. Traps for a negative
    /// length, naming the collection.
    func positions(ofPrefix maxLength: Int, _ name: @autoclosure () -> String) -> Range<Int> {
        guard maxLength >= 0 else {
            if ReadScope.hasFailed { return 0..<0 }
            fatalError("The length of a prefix of \(name()) is negative: \(maxLength).")
        }
        return 0..<min(maxLength, firstKeys(maxLength).count)
    }

    /// Traps for positions that are out of range, naming the collection.
    func check(_ bounds: Range<Int>, _ name: @autoclosure () -> String) {
        guard bounds.lowerBound >= 0 && hasKeys(bounds.upperBound) || ReadScope.hasFailed else {
            fatalError(
                "The range \(bounds) of \(name()) is out of range: the count is \(count)."
                    + table.snapshot.callSiteMessage)
        }
    }

    /// Positions below this are looked up without evaluating the whole query.
    private static let shortCount = 32

    /// Returns the key at a position, or `nil` if there are fewer rows. Returns a key that no row
    /// has if an error prevents finding it.
    func key(at position: Int) -> ObjectKey? {
        let key = table.snapshot.answer(.nowhere) { () throws(Realm.Error) in
            try findKey(position)
        }
        if key != nil { return key }
        if ReadScope.hasFailed { return .nowhere }
        guard position >= 0, position < count else { return nil }
        // Only in a damaged file does a list have elements whose rows don't exist.
        table.snapshot.fail(.missingRow("element of \(table.schema.name)"))
        return .nowhere
    }

    private func findKey(_ position: Int) throws(Realm.Error) -> ObjectKey? {
        guard position >= 0 else { return nil }
        let known = known.withLock { $0 }
        if let tree = known.tree { return try key(at: position, in: tree) }
        if position < known.first.count { return known.first[position] }
        // what is read now is discarded, so it isn't evaluated for each position
        if ReadScope.innermostHasFailed { return .nowhere }
        if position < FrozenQuery.shortCount {
            let keys = try findFirst(2 * FrozenQuery.shortCount)
            return position < keys.count ? keys[position] : nil
        }
        return try key(at: position, in: try evaluatedTree())
    }

    private func key(at position: Int, in tree: ResultTree) throws(Realm.Error) -> ObjectKey? {
        guard position < tree.count else { return nil }
        return try read(tree) { $0[position] }
    }

    /// The last key, or `nil` if there is none.
    var lastKey: ObjectKey? {
        if knownTree == nil, problem == nil, case .table = plan.source,
            case .constant(true) = plan.predicate, plan.sort.isEmpty, plan.steps.isEmpty,
            plan.limit == nil
        {
            return table.lastRow
        }
        return table.snapshot.answer(nil) { () throws(Realm.Error) in
            try read(try evaluatedTree()) { $0.last }
        }
    }

    /// Returns the first position of a row, or `nil` if it isn't found.
    func position(of row: ObjectKey) -> Int? {
        if let tree = knownTree {
            return table.snapshot.answer(nil) { () throws(Realm.Error) in
                try read(tree) { $0.firstIndex(of: row) }
            }
        }
        return run(nil) { state throws(StoreError) in try plan.position(of: row, state) }
    }

    func contains(_ row: ObjectKey) -> Bool {
        run(false) { state throws(StoreError) in try plan.contains(row, state) }
    }

    /// Up to this number of rows, queries are evaluated on the caller's thread.
    private static let quickRowCount = 2_000

    /// Evaluates the query, on one of the library's threads if the class is large. Errors are
    /// ignored, because the first use encounters them again.
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

    /// Threads for large evaluations, so that they don't block the cooperative pool.
    private static let pool = IOPool(maximumThreadCount: 2, overflow: .shared)
}

extension ObjectKey {
    /// A key that no row has.
    static let nowhere = ObjectKey(rawValue: .max)
}
