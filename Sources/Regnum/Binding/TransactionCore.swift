// The overloads of `attempt` differ in the errors that the closures throw.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

internal import RegnumEngine
internal import RegnumStore

/// The state of one transaction body, shared by its `Transaction`, accessors and results.
///
/// Confined to the task that runs the body. It outlives the body only in values that escaped
/// undetected by the compiler; then its state is `ended`, and any use of it traps.
final class TransactionCore {
    enum State {
        /// The body of a `write`.
        case writing(EngineTransaction)
        /// The body of a `read`, or one property of a frozen object.
        case reading(DatabaseRoot)
        /// The body has returned.
        case ended
    }

    @exclusivity(unchecked) private(set) var state: State
    /// The content of `state` for fast access; both are `nil` after the body.
    @exclusivity(unchecked) private var transaction: Unmanaged<EngineTransaction>?
    @exclusivity(unchecked) private var root: Unmanaged<DatabaseRoot>?
    let realm: RealmCore
    /// The call site of `write` or `read`, for messages about misuse.
    let place: CallPlace
    /// The first error that couldn't be thrown where it occurred. It fails the transaction.
    @exclusivity(unchecked) private(set) var violation: Realm.Error?
    /// Whether the transaction had failed when the running savepoint began.
    @exclusivity(unchecked) private var failedBeforeSavepoint = false
    /// The number of edits that may have touched rows of any class.
    @exclusivity(unchecked) private(set) var sharedEditCount: UInt64 = 0
    /// For tables whose creation a savepoint rolled back, by class name: the first unused row key.
    /// If a table of that name is created again, its rows start at that key.
    @exclusivity(unchecked) private var rolledBackClasses: [StoredText: ObjectKey] = [:]
    /// The same by table key, which may be given to the table of another class.
    @exclusivity(unchecked) private var rolledBackTables: [TableKey: ObjectKey] = [:]
    @exclusivity(unchecked) private var bindings: [ObjectIdentifier: ClassBinding] = [:]
    @exclusivity(unchecked) private var lastBinding: ClassBinding?
    /// The number of lists and dictionaries stored in `AnyRealmValue` properties.
    @exclusivity(unchecked) private var anyCount: UInt64 = 0
    /// The state that the body started from, set once part of it has been frozen.
    @exclusivity(unchecked) private var startSnapshot: SnapshotCore?
    /// Incremented by every edit and at the end of the body; accessors look up their rows again
    /// when it changes. Accessors retain the core through their binding, so they never outlive this
    /// memory.
    private let epoch: UnsafeMutablePointer<UInt64>

    init(_ state: State, realm: RealmCore, place: CallPlace) {
        self.state = state
        switch state {
        case .writing(let transaction): self.transaction = .passUnretained(transaction)
        case .reading(let root): self.root = .passUnretained(root)
        case .ended: break
        }
        self.realm = realm
        self.place = place
        epoch = .allocate(capacity: 1)
        epoch.initialize(to: 1)
    }

    deinit { epoch.deallocate() }

    var epochCell: UnsafePointer<UInt64> { UnsafePointer(epoch) }

    /// Returns an identifier for the next list or dictionary in an `AnyRealmValue`, different from
    /// that of any value that it may replace.
    func nextAnyNumber() -> UInt64 {
        guard case .writing(let transaction) = state else { return 0 }
        anyCount += 1
        return transaction.version << 32 | anyCount
    }

    /// Records that rows may have moved.
    @inline(__always)
    func didEdit() { epoch.pointee &+= 1 }

    /// Ends the body and invalidates all accessors.
    func end() {
        transaction = nil
        root = nil
        state = .ended
        didEdit()
        lastBinding?.end()
        for binding in bindings.values { binding.end() }
        bindings = [:]
        lastBinding = nil
        startSnapshot = nil
    }

    /// Invalidates all accessors like `end`, until `resume`. The bindings are kept for it.
    func pause() {
        transaction = nil
        root = nil
        state = .ended
        didEdit()
        startSnapshot = nil
    }

    /// Continues a paused read of the same state.
    func resume(reading root: DatabaseRoot) {
        self.root = .passUnretained(root)
        state = .reading(root)
    }

    /// The state that the body started from; `nil` after the body.
    var start: SnapshotCore? {
        if let startSnapshot { return startSnapshot }
        let root: DatabaseRoot
        switch state {
        case .writing(let transaction): root = transaction.base
        case .reading(let current): root = current
        case .ended: return nil
        }
        let made = SnapshotCore(realm: realm, root: root, place: place)
        startSnapshot = made
        return made
    }

    /// Continues in a transaction that replaces the current one.
    func move(to other: EngineTransaction) {
        state = .writing(other)
        transaction = .passUnretained(other)
        didEditAll()
        refreshBindings()
    }

    /// Fails the transaction, unless it has already failed. The error names the transaction's call
    /// site, because the line of the misuse isn't known.
    func fail(_ error: Realm.Error) {
        guard violation == nil else { return }
        var error = error
        if place.line > 0 { error.transaction = "\(place)" }
        violation = error
    }

    /// Returns the result of `body`. If it throws, fails the transaction and returns `nil`.
    func attempt<R>(_ body: () throws(Realm.Error) -> R) -> R? {
        do throws(Realm.Error) {
            return try body()
        } catch {
            fail(error)
            return nil
        }
    }

    /// Returns the result of `body` for the current content. If it throws, fails the transaction
    /// and returns `nil`.
    func attempt<R>(_ body: () throws(StoreError) -> R) -> R? {
        do throws(StoreError) {
            return try body()
        } catch {
            fail(Realm.Error(error))
            return nil
        }
    }

    /// Whether the transaction is going to throw, so that anything it reads from now on is
    /// discarded.
    var hasFailed: Bool {
        if violation != nil || failedBeforeSavepoint { return true }
        return switch state {
        case .writing(let transaction): DamageWatch.discardsReads(of: transaction.base)
        case .reading(let root): DamageWatch.discardsReads(of: root)
        case .ended: false
        }
    }

    /// The content as the body sees it; `nil` after the body.
    var view: (any DatabaseView)? {
        switch state {
        case .writing(let transaction): transaction
        case .reading(let root): root
        case .ended: nil
        }
    }

    /// The schema as the body sees it; `nil` after the body.
    var schema: DatabaseSchema? { view?.schema }

    /// Returns the address of a row's cluster node, or `nil` if the row can't be read there.
    @inline(__always)
    func cluster(_ table: Int, _ row: UInt64, columnCount: Int) -> UnsafeRawPointer? {
        if let transaction {
            return transaction._withUnsafeGuaranteedRef {
                $0.cluster(table, row, columnCount: columnCount)
            }
        }
        return root?._withUnsafeGuaranteedRef { $0.cluster(table, row, columnCount: columnCount) }
    }

    /// Returns the row with the given integer primary key.
    @inline(__always)
    func find(_ table: Int, slot: Int, _ value: Int64) -> UInt64? {
        if let transaction {
            return transaction._withUnsafeGuaranteedRef { $0.find(table, slot: slot, value) }
        }
        return root?._withUnsafeGuaranteedRef { $0.find(table, slot: slot, value) } ?? nil
    }

    /// Sets a value in a column that can be written directly. Returns false outside of a write, or
    /// if the row doesn't exist.
    @inline(__always)
    func setPlain(
        _ table: TableKey, _ row: UInt64, _ column: ColumnKey, _ value: Int64
    ) -> Bool {
        transaction?._withUnsafeGuaranteedRef { $0.setPlain(table, row, column, value) } ?? false
    }

    @inline(__always)
    func setPlain(
        _ table: TableKey, _ row: UInt64, _ column: ColumnKey, _ value: Double
    ) -> Bool {
        transaction?._withUnsafeGuaranteedRef { $0.setPlain(table, row, column, value) } ?? false
    }

    func integerKeySlot(_ table: TableKey) -> Int? {
        transaction.map { $0.takeUnretainedValue().integerKeySlot(table) }
            ?? root.map { $0.takeUnretainedValue().integerKeySlot(table) } ?? nil
    }

    /// The `DatabaseSchema.id` of the schema that the body sees; 0 after the body.
    var schemaID: UInt64 {
        if let transaction { return transaction._withUnsafeGuaranteedRef { $0.schemaID } }
        return root?._withUnsafeGuaranteedRef { $0.schemaID } ?? 0
    }

    /// The content as the body currently sees it, for queries; `nil` after the body.
    var queryState: QueryState? {
        switch state {
        case .writing(let transaction): QueryState(transaction, realm.queryCounters)
        case .reading(let root): QueryState(root, realm.queryCounters)
        case .ended: nil
        }
    }

    /// A counter that increases with every edit of the body.
    var editCount: UInt64 { epoch.pointee }

    /// Returns the value of a row's property, or `nil` if it can't be read.
    func value(_ table: TableKey, _ row: ObjectKey, _ column: ColumnKey) -> Value? {
        view?.value(table, row, column)
    }

    /// Records a change that may have touched rows of any class.
    func didEditAll() {
        sharedEditCount &+= 1
        didEdit()
    }

    /// The running write; `nil` in a read and after the body.
    var writing: EngineTransaction? {
        if case .writing(let transaction) = state { transaction } else { nil }
    }

    /// Returns the binding of a class, creating it when the class is first used in the body.
    func binding(for type: ObjectBase.Type) -> ClassBinding {
        if let lastBinding, lastBinding.schema.type == type { return lastBinding }
        let type = type._storedType
        if let lastBinding, lastBinding.schema.type == type { return lastBinding }
        let identity = ObjectIdentifier(type)
        if let known = bindings[identity] {
            lastBinding = known
            return known
        }
        let binding = ClassBinding(realm.entry(for: type), core: self, reusesAccessors: true)
        // most bodies use one class: the dictionary is only used from the second one on
        if let last = lastBinding {
            bindings[ObjectIdentifier(last.schema.type)] = last
            bindings[identity] = binding
        }
        lastBinding = binding
        return binding
    }

    // MARK: Savepoints

    /// Runs `body` with its own record of violations, restoring the previous one afterwards.
    ///
    /// - Returns: The body's result or error, and its first violation.
    func separatingViolations<Result>(
        _ body: () throws -> Result
    ) -> (Swift.Result<Result, any Error>, Realm.Error?) {
        let (before, outerFailed) = (violation, failedBeforeSavepoint)
        failedBeforeSavepoint = failedBeforeSavepoint || violation != nil
        violation = nil
        let outcome = Swift.Result { try body() }
        defer { (violation, failedBeforeSavepoint) = (before, outerFailed) }
        return (outcome, violation)
    }

    /// Rolls back everything since the savepoint, including schema changes. New rows don't reuse
    /// the keys of rolled-back rows, so accessors of those remain invalid.
    func rollBack(to savepoint: Savepoint) {
        guard let transaction = writing else { return }
        let keys = transaction.nextKeys
        let schema = transaction.schema
        transaction.rollback(to: savepoint)
        let tables = transaction.schema.tables
        for table in schema.tables {
            let key = keys[Int(table.key.rawValue)]
            if Int(table.key.rawValue) < tables.count {
                transaction.skipKeys(table.key, below: key)
            } else {
                let name = StoredText(table.name)
                rolledBackClasses[name] = max(rolledBackClasses[name] ?? key, key)
                rolledBackTables[table.key] = max(rolledBackTables[table.key] ?? key, key)
            }
        }
        didEditAll()
        refreshBindings()
    }

    /// Updates all bindings after a schema change. For example, properties of a class that gained
    /// an index can no longer be set directly.
    private func refreshBindings() {
        lastBinding?.refresh()
        for binding in bindings.values { binding.refresh() }
    }

    /// Handles added classes, properties and indexes, some of which a savepoint may have rolled
    /// back earlier.
    func didAddClasses(to transaction: EngineTransaction) {
        refreshBindings()
        for (name, key) in rolledBackClasses {
            guard let table = transaction.schema.table(named: name.wrappedValue) else { continue }
            transaction.skipKeys(table.key, below: key)
            rolledBackClasses[name] = nil
        }
        let tableCount = transaction.schema.tables.count
        for (table, key) in rolledBackTables where Int(table.rawValue) < tableCount {
            transaction.skipKeys(table, below: key)
            rolledBackTables[table] = nil
        }
    }
}
