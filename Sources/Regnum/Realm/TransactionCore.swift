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
    @exclusivity(unchecked) private var bindings: [ObjectIdentifier: ClassBinding] = [:]
    @exclusivity(unchecked) private var lastBinding: ClassBinding?
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
    }

    /// Fails the transaction, unless it has failed already.
    func fail(_ error: Realm.Error) {
        if violation == nil { violation = error }
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
        case .writing(let transaction): QueryState(transaction)
        case .reading(let root): QueryState(root)
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
        lastBinding?.didEdit()
        for binding in bindings.values { binding.didEdit() }
    }

    /// The running write, nil in a read and after the body.
    var writing: EngineTransaction? {
        if case .writing(let transaction) = state { transaction } else { nil }
    }

    /// How accessors of a class find their values. Made at the class's first use in the body.
    func binding(for type: ObjectBase.Type) -> ClassBinding {
        if let lastBinding, lastBinding.schema.type == type { return lastBinding }
        let identity = ObjectIdentifier(type)
        let binding: ClassBinding
        if let known = bindings[identity] {
            binding = known
        } else {
            binding = ClassBinding(realm.entry(for: type), core: self, reusesAccessors: true)
        }
        // most bodies use one class: the dictionary begins with the second
        if let last = lastBinding { bindings[ObjectIdentifier(last.schema.type)] = last }
        lastBinding = binding
        return binding
    }
}

/// Where in the program something was called.
struct CallPlace: Sendable, CustomStringConvertible {
    let file: StaticString
    let line: UInt

    /// Module, file and line, as sentences about misuse show it.
    var description: String { "\(file):\(line)" }
}

extension TransactionCore {
    /// The rows whose link or list `property` has a row, ascending.
    func backlinks(of row: ObjectKey, _ origins: ClassBinding?, _ property: String) -> [ObjectKey] {
        guard let table = origins?.mapping?.table, let queryState else { return [] }
        if table.column(named: property) != nil {
            let column = ColumnReference(name: property, type: .int, missing: .null)
            let plan = QueryPlan(
                tableName: table.name,
                predicate: .compare(column, .equal, .int(Int64(bitPattern: row.rawValue))))
            return (try? plan.evaluate(queryState).map { $0 }) ?? []
        }
        guard let list = table.list(named: property) else { return [] }
        switch state {
        case .writing(let transaction):
            return transaction.backlinks(of: row, through: list.key, of: table.key)
        case .reading(let root): return root.backlinks(of: row, through: list.key, of: table.key)
        case .ended: return []
        }
    }
}
