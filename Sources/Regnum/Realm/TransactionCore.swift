internal import RegnumEngine

/// The state of one transaction body, shared by its `Transaction`, accessors and results.
///
/// Confined to the task that runs the body. It outlives the body only in what was leaked past the
/// compiler; then its state is `ended`, and whatever touches it traps.
final class TransactionCore {
    enum State {
        /// The body of a `write`.
        case writing(EngineTransaction)
        /// The body of a `read`, or one computed property of a frozen object.
        case reading(DatabaseRoot)
        /// The body has returned.
        case ended
    }

    @exclusivity(unchecked) private(set) var state: State
    /// What `state` holds, for quick use: nil after the body.
    @exclusivity(unchecked) private var transaction: Unmanaged<EngineTransaction>?
    @exclusivity(unchecked) private var root: Unmanaged<DatabaseRoot>?
    let realm: RealmCore
    /// Where `write` or `read` was called, for sentences about misuse.
    let place: CallPlace
    /// The first thing that went wrong where nothing could be thrown: fails the transaction.
    @exclusivity(unchecked) private(set) var violation: Realm.Error?
    /// Counts the edits that may have touched rows of any class.
    @exclusivity(unchecked) private(set) var sharedEditCount: UInt64 = 0
    /// The keys that rows of classes had which a savepoint has taken back, by name of the class: rows
    /// of a class of that name that is made again begin after them.
    @exclusivity(unchecked) private var takenBack: [String: ObjectKey] = [:]
    @exclusivity(unchecked) private var bindings: [ObjectIdentifier: ClassBinding] = [:]
    @exclusivity(unchecked) private var lastBinding: ClassBinding?
    /// How many lists and dictionaries of any type were stored.
    @exclusivity(unchecked) private var anyCount: UInt64 = 0
    /// The state that the body started from, once something of it was frozen.
    @exclusivity(unchecked) private var startSnapshot: SnapshotCore?
    /// Counts edits, and the end of the body: accessors look for their rows again when it rises.
    /// Accessors hold the core through their binding, so they never outlive the memory.
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

    /// The number of the next list or dictionary of any type: no other one of the realm has it.
    func nextAnyNumber() -> UInt64 {
        guard case .writing(let transaction) = state else { return 0 }
        anyCount += 1
        return transaction.version << 32 | anyCount
    }

    /// Notes that rows may have moved.
    @inline(__always)
    func didEdit() { epoch.pointee &+= 1 }

    /// Ends the body: every accessor is dead from here on.
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

    /// The state that the body started from, nil after the body.
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

    /// Goes on in a transaction that has taken the place of the one before.
    func move(to other: EngineTransaction) {
        state = .writing(other)
        transaction = .passUnretained(other)
        didEditAll()
        refreshBindings()
    }

    /// Fails the transaction, unless it has failed already. The error names the transaction's call:
    /// the line of the misuse is not known.
    func fail(_ error: Realm.Error) {
        guard violation == nil else { return }
        var error = error
        if place.line > 0 { error.transaction = "\(place)" }
        violation = error
    }

    /// Whether the transaction will throw: what it reads from here on is discarded.
    var hasFailed: Bool {
        if violation != nil { return true }
        return switch state {
        case .writing(let transaction): transaction.base.hasDamage
        case .reading(let root): root.hasDamage
        case .ended: false
        }
    }

    /// The classes and columns as the body sees them.
    var schema: DatabaseSchema? {
        switch state {
        case .writing(let transaction): transaction.schema
        case .reading(let root): root.schema
        case .ended: nil
        }
    }

    /// The address of a row's cluster node, nil if it cannot be read there.
    @inline(__always)
    func cluster(_ table: Int, _ row: UInt64, columnCount: Int) -> UnsafeRawPointer? {
        if let transaction {
            return transaction._withUnsafeGuaranteedRef {
                $0.cluster(table, row, columnCount: columnCount)
            }
        }
        return root?._withUnsafeGuaranteedRef { $0.cluster(table, row, columnCount: columnCount) }
    }

    /// The row with a primary key that is an integer.
    @inline(__always)
    func find(_ table: Int, slot: Int, _ value: Int64) -> UInt64? {
        if let transaction {
            return transaction._withUnsafeGuaranteedRef { $0.find(table, slot: slot, value) }
        }
        return root?._withUnsafeGuaranteedRef { $0.find(table, slot: slot, value) } ?? nil
    }

    /// Sets a value in a column that can be set directly; false where that is not in a write, or there
    /// is no such row.
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

    /// `DatabaseSchema.id` of what the body sees; 0 after it.
    var schemaID: UInt64 {
        if let transaction { return transaction._withUnsafeGuaranteedRef { $0.schemaID } }
        return root?._withUnsafeGuaranteedRef { $0.schemaID } ?? 0
    }

    /// The content as the body sees it now, for queries; nil after the body.
    var queryState: QueryState? {
        switch state {
        case .writing(let transaction): QueryState(transaction, realm.queryCounters)
        case .reading(let root): QueryState(root, realm.queryCounters)
        case .ended: nil
        }
    }

    /// How often the body has changed something.
    var editCount: UInt64 { epoch.pointee }

    /// The value of a property of a row; nil where it cannot be read.
    func value(_ table: TableKey, _ row: ObjectKey, _ column: ColumnKey) -> Value? {
        switch state {
        case .writing(let transaction): transaction.value(table, row, column)
        case .reading(let root): root.value(table, row, column)
        case .ended: nil
        }
    }

    /// Notes a change that may have touched rows of any class.
    func didEditAll() {
        sharedEditCount &+= 1
        didEdit()
    }

    /// The running write, nil in a read and after the body.
    var writing: EngineTransaction? {
        if case .writing(let transaction) = state { transaction } else { nil }
    }

    /// How accessors of a class find their values. Made at the class's first use in the body.
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
        // most bodies use one class: the dictionary begins with the second
        if let last = lastBinding {
            bindings[ObjectIdentifier(last.schema.type)] = last
            bindings[identity] = binding
        }
        lastBinding = binding
        return binding
    }

    // MARK: Savepoints

    /// Runs `body` with violations of its own: those before it count again afterwards.
    ///
    /// - Returns: what the body returned or threw, and its first violation.
    func separatingViolations<Result>(
        _ body: () throws -> Result
    ) -> (Swift.Result<Result, any Error>, Realm.Error?) {
        let before = violation
        violation = nil
        let outcome = Swift.Result { try body() }
        defer { violation = before }
        return (outcome, violation)
    }

    /// Takes everything since the savepoint back, classes and properties too. Rows that come next do
    /// not get the keys of those taken back: accessors of these stay invalid.
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
                takenBack[table.name] = max(takenBack[table.name] ?? key, key)
            }
        }
        didEditAll()
        refreshBindings()
    }

    /// Brings all bindings up to date after the schema changed: a class may have got an index, without
    /// which its properties could be set directly.
    private func refreshBindings() {
        lastBinding?.refresh()
        for binding in bindings.values { binding.refresh() }
    }

    /// Notes that classes, properties or indexes were added, which a savepoint may have taken back
    /// before.
    func didAddClasses(to transaction: EngineTransaction) {
        refreshBindings()
        for (name, key) in takenBack {
            guard let table = transaction.schema.table(named: name) else { continue }
            transaction.skipKeys(table.key, below: key)
            takenBack[name] = nil
        }
    }
}
