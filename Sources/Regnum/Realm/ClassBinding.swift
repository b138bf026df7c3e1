internal import RegnumEngine
internal import RegnumStore

/// What the accessors of one class in one transaction share: the way to their values.
///
/// Confined like the accessors.
@usableFromInline
final class ClassBinding {
    /// Whether reads are noted: those of recorders, and of accessors of rows that the library makes
    /// for one call.
    @usableFromInline let isTracing: Bool
    let schema: ClassSchema
    /// The transaction, nil for a recorder, whose values are made up.
    let core: TransactionCore?
    private let entry: ClassEntry?
    let tracer: ReadTracer?
    /// The number of the recorder.
    let recorder: Int
    /// Whether an accessor that nobody holds any more may become that of another row. Only where
    /// `end` will be called: the spare one and the binding hold each other.
    private let reusesAccessors: Bool
    @exclusivity(unchecked) private(set) var mapping: ClassMapping? {
        didSet { place = BindingPlace(mapping, core) }
    }
    /// What the mapping says, for quick use.
    @exclusivity(unchecked) private(set) var place = BindingPlace()
    @exclusivity(unchecked) private var ownChangeCount: UInt64 = 0
    /// The columns and lists of the class once all were stored: accessors may have their numbers, also
    /// where a savepoint has taken them back. A class that is stored again gets the same ones.
    @exclusivity(unchecked) private(set) var grown: (numbers: [Int32], columnCount: Int)?
    /// Zeros in the place of a cluster, for objects that are not read inline. Longer ones replace it
    /// when the class gets columns; those before live on for the objects that know them.
    @exclusivity(unchecked) private var zeros: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var zerosColumnCount = -1
    /// The accessor that was made last, to be used again when nobody else holds it.
    @exclusivity(unchecked) private var spare: ObjectBase?

    /// - Parameter tracer: notes what is read.
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

    /// The binding of a recorder.
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

    /// Rises with every change of the class, so that results know when to look again.
    var changeCount: UInt64 { ownChangeCount &+ (core?.sharedEditCount ?? 0) }

    // MARK: Accessors

    /// The epoch of a recorder: it never rises.
    ///
    /// Guard of the unsafe global: written once, before anybody else knows the address.
    nonisolated(unsafe) private static let steadyEpoch: UnsafePointer<UInt64> = {
        let cell = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        cell.initialize(to: 0)
        return UnsafePointer(cell)
    }()

    /// An accessor of a row: a new one, or the last one if nobody holds it any more. Of a projection
    /// one that projects an accessor; of a superclass, which a metatype in a variable has as its
    /// static type, one of the class itself.
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

    /// Makes `object`, of this class, the accessor of a row.
    func bind(_ object: ObjectBase, to row: ObjectKey) {
        for field in place.fields { object.bindField(at: Int(field.offset), to: field.column) }
        attach(object, row: row.rawValue)
    }

    /// Makes reads of `object` go to a row.
    func attach(_ object: ObjectBase, row: UInt64) {
        object._row = row
        object._binding = self
        guard let core else {
            object._epochCell = ClassBinding.steadyEpoch
            object._refresh()
            return
        }
        // The cluster is looked for at the first read, since the epoch of a transaction is never 0: many
        // objects that are added are not read again.
        object._epochCell = core.epochCell
        object._epoch = 0
        object._cluster = UnsafeRawPointer(core.epochCell)
    }

    /// Lets go of what an ended body needs no more.
    func end() { spare = nil }

    /// Notes that a row of the class, and through it perhaps rows of other classes, have changed.
    func didEditOthers() { core?.didEditAll() }

    /// Notes that rows of the class have changed.
    @inline(__always)
    func didEdit() {
        ownChangeCount &+= 1
        core?.didEdit()
    }

    /// The cluster node of a row for inlined reads; zeros where reads must take the long way, as of a
    /// class that does not fit what is stored: inlined reads check no types.
    func clusterAddress(row: UInt64) -> UnsafeRawPointer {
        guard let core, place.table >= 0, !isTracing, !place.isMismatch else { return noCluster }
        let columnCount = max(place.columnCount, grown?.columnCount ?? 0)
        return core.cluster(place.table, row, columnCount: columnCount) ?? noCluster
    }

    /// Zeros for as many columns as the class has, so that every property is read the long way.
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

    /// Whether the row exists and the body is running.
    func isReadable(row: UInt64) -> Bool {
        guard let core, place.table >= 0 else { return false }
        return core.cluster(place.table, row, columnCount: 0) != nil
    }

    // MARK: Schema

    /// Brings the mapping up to date after the schema changed.
    func refresh() {
        guard let core, core.schemaID != place.schemaID else { return }
        guard let entry, let schema = core.schema else { return }
        mapping = entry.mapping(in: schema)
        spare = nil  // its fields have the old numbers
        noteGrowth()
    }

    private func noteGrowth() {
        guard place.isComplete, let mapping, core?.writing != nil else { return }
        grown = (mapping.columns, place.columnCount)
    }

    /// Adds what the stored schema lacks of the class and of the classes that it links to.
    func ensureStored(in transaction: EngineTransaction) throws(Realm.Error) {
        refresh()
        guard !place.isComplete, let core else { return }
        defer { core.didAddClasses(to: transaction) }
        try SchemaGrowth.add(schema, to: transaction, core.realm)
    }

    /// As `ensureStored`, for a class that may be at odds with what is stored: throws its mismatch.
    @inline(__always)
    func prepareToStore(in transaction: EngineTransaction) throws(Realm.Error) {
        refresh()
        if place.isMismatch, let mismatch = mapping?.mismatch { throw mismatch }
        if !place.isComplete { try ensureStored(in: transaction) }
    }
}
