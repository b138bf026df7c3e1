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
    private let tracer: ReadTracer?
    /// The number of the recorder.
    private let recorder: Int
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
    @exclusivity(unchecked) private var grown: (numbers: [Int32], columnCount: Int)?
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

    /// An accessor of a row: a new one, or the last one if nobody holds it any more.
    func accessor<T: ObjectBase>(_ type: T.Type, row: ObjectKey) -> T {
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
        object._epochCell = core?.epochCell ?? ClassBinding.steadyEpoch
        object._refresh()
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

    /// The cluster node of a row for inlined reads; zeros where reads must take the long way.
    func clusterAddress(row: UInt64) -> UnsafeRawPointer {
        guard let core, place.table >= 0, !isTracing else { return noCluster }
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

    // MARK: Values

    /// The value of a property. Traps when the body is over or the row deleted.
    func value(row: UInt64, column: Int32) -> Value {
        guard let core else { trapNoRow(column) }
        guard column >= 0, Int(column) < place.columnCount else {
            return lateValue(row: row, ~Int32(propertyIndex(of: column)))
        }
        let key = ColumnKey(column)
        let found: Value?
        switch core.state {
        case .writing(let transaction):
            found = transaction.value(place.tableKey, ObjectKey(rawValue: row), key)
        case .reading(let root):
            found = root.value(place.tableKey, ObjectKey(rawValue: row), key)
        case .ended:
            trapEnded(column)
        }
        guard let found else { trapDeleted(column) }
        return found
    }

    /// The value of a property that had no column when the accessor was made.
    private func lateValue(row: UInt64, _ column: Int32) -> Value {
        let index = Int(~column)
        if let added = mapping?.columns[index], added >= 0 {
            return value(row: row, column: added)
        }
        if case .ended? = core?.state { trapEnded(column) }
        guard isReadable(row: row) else { trapDeleted(column) }
        return schema.properties[index].defaultValue
    }

    /// The value of a property of a tracing accessor.
    func tracedValue(row: UInt64, column: Int32) -> Value {
        guard let tracer, core == nil else {
            let value = value(row: row, column: column)
            tracer?.note(propertyIndex(of: column), value)
            return value
        }
        return tracer.value(recorder, propertyIndex(of: column))
    }

    /// Sets a property. A value that cannot be stored fails the transaction. Traps outside a
    /// write, when the body is over, or when the row was deleted.
    func setValue(_ value: Value, row: UInt64, column: Int32) {
        guard let core else {
            fatalError("A property of \(tableName) was set while a key path was being resolved.")
        }
        guard case .writing(let transaction) = core.state else {
            if case .ended = core.state { trapEnded(column) }
            fatalError(
                "\(tableName).\(propertyName(column)) was set in the read at \(core.place): objects "
                    + "can be changed in a write only.")
        }
        guard isReadable(row: row) else { trapDeleted(column) }
        var column = column
        do {
            if column < 0 || Int(column) >= place.columnCount {
                let index = propertyIndex(of: column)
                try ensureStored(in: transaction)
                column = mapping?.columns[index] ?? ~Int32(index)
            }
            guard column >= 0 else { trapNoRow(column) }
            try transaction.set(
                place.tableKey, ObjectKey(rawValue: row), ColumnKey(column), value)
            didEdit()
        } catch {
            core.fail(Realm.Error(below: error))
        }
    }

    // MARK: Links and lists

    /// The object that a property links to.
    func link<T: ObjectBase>(_ type: T.Type, row: UInt64, column: Int32) -> T? {
        if isTracing {
            let property = propertyIndex(of: column)
            if isRecorder { return tracer?.link(type, recorder, property) }
            noteRead(property)
        }
        guard let core, case .int(let target) = value(row: row, column: column) else { return nil }
        let targets = core.binding(for: type)
        targets.refresh()
        return targets.accessor(type, row: ObjectKey(rawValue: UInt64(bitPattern: target)))
    }

    /// Lets a property link to an object, which is added if it is unmanaged, or to none. What cannot
    /// be linked to fails the transaction.
    func setLink(_ object: ObjectBase?, row: UInt64, column: Int32) {
        guard let object else { return setLink(.null, row: row, column: column) }
        let property = propertyIndex(of: column)
        guard let core, core.writing != nil else { trapNotWriting(property) }
        guard isReadable(row: row) else { trapDeleted(column) }
        if schema.properties[property].isOwning, object.isManaged,
            case .int(let current) = value(row: row, column: column),
            UInt64(bitPattern: current) == object._row, object._binding?.core === core
        {
            return  // the embedded object that is there already
        }
        do throws(Realm.Error) {
            let target = try core.store(object, for: schema.properties[property], schema)
            setLink(.int(Int64(bitPattern: target.rawValue)), row: row, column: column)
        } catch {
            core.fail(error)
        }
    }

    private func setLink(_ target: Value, row: UInt64, column: Int32) {
        setValue(target, row: row, column: column)
        // the object that was there may have been deleted
        if schema.properties[propertyIndex(of: column)].isOwning { didEditOthers() }
    }

    /// Notes that a property is read that has no value.
    func noteRead(_ property: Int) { tracer?.note(recorder, property) }

    /// Whether objects have made-up values and no row.
    var isRecorder: Bool { core == nil }

    /// The position of the property that holds a list, by what its wrapper holds.
    func propertyIndex(ofList number: Int32) -> Int {
        if number < 0 { return Int(~number) }
        if Int(number) < place.listProperties.count { return place.listProperties[Int(number)] }
        return grownProperty(number) {
            if case .list = $0 { true } else { false }
        }
    }

    /// The position of the property that had the number while the class was stored.
    private func grownProperty(_ number: Int32, where isKind: (PropertyShape) -> Bool) -> Int {
        let numbers = grown?.numbers ?? []
        return numbers.indices.first {
            numbers[$0] == number && isKind(schema.properties[$0].shape)
        } ?? 0
    }

    /// Sets an integer as `setValue` does; quickly, where the property is a plain one.
    @usableFromInline
    func setInteger(_ value: Int64, row: UInt64, column: Int32) {
        if let transaction = core?.writing, place.isPlain(column, .int),
            transaction.setPlain(place.tableKey, row, ColumnKey(column), value)
        {
            didEdit()
        } else {
            setValue(.int(value), row: row, column: column)
        }
    }

    /// Sets a double as `setValue` does; quickly, where the property is a plain one.
    @usableFromInline
    func setDouble(_ value: Double, row: UInt64, column: Int32) {
        if let transaction = core?.writing, place.isPlain(column, .double),
            transaction.setPlain(place.tableKey, row, ColumnKey(column), value)
        {
            didEdit()
        } else {
            setValue(.double(value), row: row, column: column)
        }
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
        try SchemaGrowth.add(schema, to: transaction, core.realm)
        core.didAddClasses(to: transaction)
        refresh()
    }

    /// As `ensureStored`, for a class that may be at odds with what is stored: throws its mismatch.
    @inline(__always)
    func prepareToStore(in transaction: EngineTransaction) throws(Realm.Error) {
        refresh()
        if place.isMismatch, let mismatch = mapping?.mismatch { throw mismatch }
        if !place.isComplete { try ensureStored(in: transaction) }
    }

    // MARK: Misuse

    private func propertyIndex(of column: Int32) -> Int {
        guard column >= 0 else { return Int(~column) }
        guard core != nil, let mapping else { return Int(column) }
        let found = schema.properties.indices.first {
            mapping.columns[$0] == column && schema.properties[$0].isColumn
        }
        return found
            ?? grownProperty(column) {
                switch $0 {
                case .scalar, .link: true
                case .list, .linkingObjects: false
                }
            }
    }

    /// Fails the transaction: a stored value is none of its property's type.
    func reportUndecodable(_ value: Value, _ column: Int32) {
        reportUndecodable(value, property: propertyIndex(of: column))
    }

    func reportUndecodable(_ value: Value, property: Int) {
        let property = schema.properties[property]
        core?.fail(
            Realm.Error(
                .invalidValue,
                "\(tableName).\(property.name) is stored as \(value.keyText), which is no value of "
                    + "its type: another version of the program may have written it.",
                className: tableName, property: property.name))
    }

    /// Ends the process: the object of a list or inverse is gone, or its transaction over.
    func trapUnreadable(_ property: Int) -> Never {
        let column = ~Int32(property)
        guard let core else { trapNoRow(column) }
        if case .ended = core.state { trapEnded(column) }
        trapDeleted(column)
    }

    /// Ends the process: a change outside of a write.
    func trapNotWriting(_ property: Int) -> Never {
        guard let core else { trapNoRow(~Int32(property)) }
        if case .ended = core.state { trapEnded(~Int32(property)) }
        fatalError(
            "\(tableName).\(schema.properties[property].name) was changed in the read at "
                + "\(core.place): objects can be changed in a write only.")
    }

    private var callPlace: String { core.map { "\($0.place)" } ?? "no place" }

    private func propertyName(_ column: Int32) -> String {
        schema.properties[propertyIndex(of: column)].name
    }

    private func trapEnded(_ column: Int32) -> Never {
        fatalError(
            "\(tableName).\(propertyName(column)) was used after the body of the transaction at "
                + "\(callPlace) had returned: objects live until then. Return a value, or "
                + "take a Frozen from a snapshot.")
    }

    private func trapDeleted(_ column: Int32) -> Never {
        fatalError(
            "\(tableName).\(propertyName(column)) of a deleted object was used in the transaction "
                + "at \(callPlace): ask isInvalidated first.")
    }

    private func trapNoRow(_ column: Int32) -> Never {
        fatalError("\(tableName).\(propertyName(column)) was used on an object without a row.")
    }
}
