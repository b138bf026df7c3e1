import Regnum
import RegnumSimulation

/// A class of the test.
protocol AtlasModel: Object, SendableMetatype {
    /// The primary key.
    var number: Int { get set }
    static var slots: [AtlasSlot<Self>] { get }
    /// The embedded classes that belong to it.
    static var others: [ObjectBase.Type] { get }
}

extension AtlasModel {
    static var others: [ObjectBase.Type] { [] }
}

/// A property of a class: how its views are read, and how it is changed.
///
/// `given` returns the value for `create(value:)`; `watch` makes a stream of the collection in an
/// object, for properties that have one. `AtlasSlots` creates them for each type.
struct AtlasSlot<Model: AtlasModel>: Sendable {
    let shape: AtlasShape
    let read: @Sendable (Model) -> AtlasState
    let readFrozen: FrozenRead
    let edit: @Sendable (Model, AtlasSlotEdit, AtlasNodes) -> Void
    let given: @Sendable (AtlasState, AtlasNodes) -> Any?
    var watch: (@Sendable (Live<Model>) -> any AtlasWatch)?

    typealias Path<Value> = ReferenceWritableKeyPath<Model, Value> & Sendable
    typealias FrozenRead = @Sendable (Frozen<Model>) -> AtlasState
    typealias Watch = @Sendable (Live<Model>) -> any AtlasWatch

    /// Creates a property with one value.
    init<V>(
        value shape: AtlasShape, _ path: any Path<V>, _ coding: AtlasCoding<V>,
        readFrozen: @escaping FrozenRead, watch: Watch? = nil
    ) {
        self.shape = shape
        read = { .value(coding.plain($0[keyPath: path])) }
        self.readFrozen = readFrozen
        edit = { object, edit, nodes in
            if case .set(let value) = edit {
                object[keyPath: path] = coding.make(value, nodes)
            } else {
                coding.change(object[keyPath: path], edit, nodes)
            }
        }
        given = { state, nodes in coding.given(state.values[0], nodes) }
        self.watch = watch
    }

    init<E: RealmCollectionValue & SendableMetatype>(
        list shape: AtlasShape, _ path: any Path<List<E>>, _ coding: AtlasCoding<E>,
        readFrozen: @escaping FrozenRead, watch: Watch?
    ) {
        self.shape = shape
        read = { .list($0[keyPath: path].map(coding.plain)) }
        self.readFrozen = readFrozen
        edit = { object, edit, nodes in
            if case .assign(let values) = edit {
                object[keyPath: path] = List(values.map { coding.make($0, nodes) })
            } else if case (.at(let position), let rest)? = edit.descent {
                coding.change(object[keyPath: path][position], rest, nodes)
            } else {
                edit.make(object[keyPath: path]) { coding.make($0, nodes) }
            }
        }
        given = { state, nodes in state.values.map { coding.make($0, nodes) } }
        self.watch = watch
    }

    init<E: RealmCollectionValue & SendableMetatype>(
        set shape: AtlasShape, _ path: any Path<MutableSet<E>>, _ coding: AtlasCoding<E>,
        readFrozen: @escaping FrozenRead, watch: Watch?
    ) {
        self.shape = shape
        read = { .told(set: $0[keyPath: path].map(coding.plain)) }
        self.readFrozen = readFrozen
        edit = { object, edit, nodes in
            if case .assign(let values) = edit {
                object[keyPath: path] = MutableSet(values.map { coding.make($0, nodes) })
            } else {
                edit.make(object[keyPath: path]) { coding.make($0, nodes) }
            }
        }
        given = { state, nodes in state.values.map { coding.make($0, nodes) } }
        self.watch = watch
    }

    init<E: MapValue & SendableMetatype>(
        map shape: AtlasShape, _ path: any Path<Map<String, E>>, _ coding: AtlasCoding<E>,
        readFrozen: @escaping FrozenRead, watch: Watch?
    ) {
        self.shape = shape
        read = { .map($0[keyPath: path].map { AtlasEntry($0.key, coding.plain($0.value)) }) }
        self.readFrozen = readFrozen
        edit = { object, edit, nodes in
            if case .assignEntries(let entries) = edit {
                object[keyPath: path] = AtlasSlotEdit.map(entries) { coding.make($0, nodes) }
            } else if case (.key(let key), let rest)? = edit.descent {
                guard let value = object[keyPath: path][key.text] else {
                    fatalError("There is no value for the key \(key).")
                }
                coding.change(value, rest, nodes)
            } else {
                edit.make(object[keyPath: path]) { coding.make($0, nodes) }
            }
        }
        given = { state, nodes in
            AtlasSlotEdit.dictionary(state) { coding.make($0, nodes) as Any }
        }
        self.watch = watch
    }
}

extension AtlasEntry {
    init(_ key: String, _ value: AtlasValue) { self.init(key: AtlasBytes(key), value: value) }
}

extension AtlasState {
    /// Returns a set as a view reports it: links come last, in order of creation, which the oracle
    /// doesn't know.
    static func told(set values: [AtlasValue]) -> AtlasState {
        guard let start = values.firstIndex(where: \.isLink),
            values[start...].allSatisfy(\.isLink)
        else { return .set(values) }
        return .set(values[..<start] + values[start...].sorted(by: AtlasValue.precedes))
    }
}
