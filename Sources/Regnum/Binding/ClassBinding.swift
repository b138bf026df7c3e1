internal import RegnumEngine
internal import RegnumStore

/// The state shared by the accessors of one class in one transaction, through which they reach
/// their values.
///
/// Confined like the accessors.
@usableFromInline
final class ClassBinding {
    /// Whether reads are traced: those of recorders, and of accessors that the library creates for
    /// a single call.
    @usableFromInline let isTracing: Bool
    let schema: ClassSchema
    /// The transaction; `nil` for a recorder, which has sample values.
    let core: TransactionCore?
    private let entry: ClassEntry?
    let tracer: ReadTracer?
    /// The number of the recorder; negative for results of a recorder that have no objects.
    let recorder: Int
    /// Whether an unreferenced accessor may be reused for another row. Only if `end` will be
    /// called, because the spare accessor and the binding retain each other.
    private let reusesAccessors: Bool
    @exclusivity(unchecked) private(set) var mapping: ClassMapping? {
        didSet { place = BindingPlace(mapping, core) }
    }
    /// The mapping's layout, for fast access.
    @exclusivity(unchecked) private(set) var place = BindingPlace()
    @exclusivity(unchecked) private var ownChangeCount: UInt64 = 0
    /// The columns and lists of the class when all of them were stored. Accessors may hold these
    /// numbers even after a savepoint has rolled the class back; it gets the same ones when it is
    /// stored again.
    @exclusivity(unchecked) private(set) var grown: (numbers: [Int32], columnCount: Int)?
    /// Zeros in place of a cluster node, for objects that aren't read inline. A longer block is
    /// added when the class gains columns; older blocks are kept for the objects that point to
    /// them.
    @exclusivity(unchecked) private var zeros: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var zerosColumnCount = -1
    /// The last accessor that was created, reused if nothing else references it.
    @exclusivity(unchecked) private var spare: ObjectBase?

    /// Creates the binding of a class.
    ///
    /// - Parameter tracer: Records what is read.
    init(
        _ entry: ClassEntry, core: TransactionCore, reusesAccessors: Bool = false,
        noting tracer: ReadTracer? = nil
    ) {
        self.reusesAccessors = reusesAccessors && entry.schema.hasOnlyStoredProperties
        self.entry = entry
        self.schema = entry.schema
        self.core = core
        self.tracer = tracer
        recorder = 0
        isTracing = tracer != nil
        mapping = core.schema.map { entry.mapping(in: $0) }
        place = BindingPlace(mapping, core)
        noteGrowth()
    }

    /// Creates the binding of a recorder.
    init(recording schema: ClassSchema, _ tracer: ReadTracer, number: Int) {
        recorder = number
        entry = nil
        core = nil
        reusesAccessors = false
        self.schema = schema
        self.tracer = tracer
        isTracing = true
    }

    deinit { for memory in zeros { memory.deallocate() } }

    var tableName: String { schema.name }

    func isSameRealm(as other: ClassBinding) -> Bool {
        core != nil && core?.realm === other.core?.realm
    }

    /// A counter that increases with every change of the class, so that results know when to
    /// reevaluate.
    var changeCount: UInt64 { ownChangeCount &+ (core?.sharedEditCount ?? 0) }

    // MARK: Accessors

    /// The epoch of recorders, which never changes.
    ///
    /// Guard of the unsafe global: written once, before the address is shared.
    nonisolated(unsafe) private static let steadyEpoch: UnsafePointer<UInt64> = {
        let cell = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        cell.initialize(to: 0)
        return UnsafePointer(cell)
    }()

    /// Returns an accessor of a row: a new one, or the last one if nothing else references it. For
    /// a projection type, returns a projection of an accessor. For a superclass, as the static type
    /// of a metatype variable, returns an accessor of the class itself.
    func accessor<T: ObjectBase>(_ type: T.Type, row: ObjectKey) -> T {
        if type != schema.type {
            if let projection = projection(type, row: row) { return projection }
            if let object = schema.type.init() as? T {
                bind(object, to: row)
                return object
            }
        }
        if reusesAccessors {
            if isKnownUniquelyReferenced(&spare), let spare {
                spare._row = row.rawValue
                spare._refresh()
                return unsafeDowncast(spare, to: type)
            }
            let object = type.init()
            bind(object, to: row)
            spare = object
            return object
        }
        let object = type.init()
        bind(object, to: row)
        return object
    }

    /// Makes `object`, an instance of this class, the accessor of a row.
    func bind(_ object: ObjectBase, to row: ObjectKey) {
        for field in place.fields { object.bindField(at: Int(field.offset), to: field.column) }
        attach(object, row: row.rawValue)
    }

    /// Redirects reads of `object` to a row.
    func attach(_ object: ObjectBase, row: UInt64) {
        object._row = row
        object._binding = self
        guard let core else {
            for (index, property) in schema.properties.enumerated() {
                object.bindField(at: property.offset, to: Int32(index))
            }
            object._epochCell = ClassBinding.steadyEpoch
            object._refresh()
            return
        }
        // The cluster is looked up at the first read, since the epoch of a transaction is never 0:
        // many added objects are never read again.
        object._epochCell = core.epochCell
        object._epoch = 0
        object._cluster = UnsafeRawPointer(core.epochCell)
    }

    /// Releases cached state when the transaction body returns.
    func end() { spare = nil }

    /// Records that a row of the class changed, which may have changed rows of other classes.
    func didEditOthers() { core?.didEditAll() }

    /// Records that rows of the class changed.
    @inline(__always)
    func didEdit() {
        ownChangeCount &+= 1
        core?.didEdit()
    }

    /// Returns the cluster node of a row for inlined reads. Returns zeros if reads must take the
    /// slow path, for example for a mismatched class, because inlined reads don't check types.
    func clusterAddress(row: UInt64) -> UnsafeRawPointer {
        guard let core, place.table >= 0, !isTracing, !place.isMismatch else { return noCluster }
        let columnCount = max(place.columnCount, grown?.columnCount ?? 0)
        return core.cluster(place.table, row, columnCount: columnCount) ?? noCluster
    }

    /// Zeros for all of the class's columns, so that every property is read on the slow path.
    private var noCluster: UnsafeRawPointer {
        let columnCount = max(
            place.columnCount, schema.properties.count, grown?.columnCount ?? 0)
        if let last = zeros.last, zerosColumnCount >= columnCount { return UnsafeRawPointer(last) }
        let byteCount = _ClusterLayout.byteCount(columnCount: columnCount)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        zeros.append(memory)
        zerosColumnCount = columnCount
        return UnsafeRawPointer(memory)
    }

    /// Returns whether the row exists and the body is running.
    func isReadable(row: UInt64) -> Bool {
        guard let core, place.table >= 0 else { return false }
        return core.cluster(place.table, row, columnCount: 0) != nil
    }

    // MARK: Schema

    /// Updates the mapping after a schema change.
    func refresh() {
        guard let core, core.schemaID != place.schemaID else { return }
        guard let entry, let schema = core.schema else { return }
        mapping = entry.mapping(in: schema)
        spare = nil  // its fields have the old column numbers
        noteGrowth()
    }

    private func noteGrowth() {
        guard place.isComplete, let mapping, core?.writing != nil else { return }
        grown = (mapping.columns, place.columnCount)
    }

    /// Adds the missing parts of the class, and of the classes that it links to, to the stored
    /// schema.
    func ensureStored(in transaction: EngineTransaction) throws(Realm.Error) {
        refresh()
        guard !place.isComplete, let core else { return }
        defer { core.didAddClasses(to: transaction) }
        try SchemaGrowth.add(schema, to: transaction, core.realm)
    }

    /// Like `ensureStored`, but first throws the mismatch of a class that doesn't match the stored
    /// schema.
    @inline(__always)
    func prepareToStore(in transaction: EngineTransaction) throws(Realm.Error) {
        refresh()
        if place.isMismatch, let mismatch = mapping?.mismatch { throw mismatch }
        if !place.isComplete { try ensureStored(in: transaction) }
    }
}
