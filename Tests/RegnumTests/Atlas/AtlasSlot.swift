import Regnum

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
/// `given` is the value for `create(value:)`; `watch` makes a stream of the collection of the object
/// with a number, for properties that have one.
struct AtlasSlot<Model: AtlasModel>: Sendable {
    let shape: AtlasShape
    let read: @Sendable (Model) -> AtlasState
    let readFrozen: @Sendable (Frozen<Model>) -> AtlasState
    let edit: @Sendable (Model, AtlasSlotEdit, AtlasNodes) -> Void
    let given: @Sendable (AtlasState, AtlasNodes) -> Any?
    var watch: (@Sendable (Realm, Int) -> any AtlasWatch)?

    typealias Path<Value> = ReferenceWritableKeyPath<Model, Value> & Sendable

    private static func shape<E>(
        _ name: String, _ kind: AtlasKind, _ container: AtlasContainer, _ type: E.Type
    ) -> AtlasShape {
        AtlasShape(
            name: name, kind: kind, container: container, isOptional: type is any AtlasOptional.Type
        )
    }

    // MARK: Values

    static func value<E: AtlasCell>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<E>
    ) -> AtlasSlot {
        AtlasSlot(
            shape: shape(name, kind, .value, E.self),
            read: { .value($0[keyPath: path].plain) },
            readFrozen: { .value($0[dynamicMember: path].plain) },
            edit: { object, edit, _ in
                guard case .set(let value) = edit else { fatalError("\(edit) of a value") }
                object[keyPath: path] = E.make(value)
            },
            given: { state, _ in state.values.first.map { E.make($0) } })
    }

    static func list<E: AtlasCell>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<List<E>>
    ) -> AtlasSlot {
        AtlasSlot(
            shape: shape(name, kind, .list, E.self),
            read: { .list($0[keyPath: path].map(\.plain)) },
            readFrozen: { .list($0[dynamicMember: path].map(\.plain)) },
            edit: { object, edit, _ in
                if case .assign(let values) = edit {
                    object[keyPath: path] = List(values.map(E.make))
                } else {
                    edit.make(object[keyPath: path], E.make)
                }
            },
            given: { state, _ in state.values.map(E.make) },
            watch: { realm, number in
                AtlasValueWatch(
                    realm.object(Model.self, forPrimaryKey: number)[dynamicMember: path].changes,
                    isSet: false)
            })
    }

    static func set<E: AtlasCell>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<MutableSet<E>>
    ) -> AtlasSlot {
        AtlasSlot(
            shape: shape(name, kind, .set, E.self),
            read: { .set($0[keyPath: path].map(\.plain)) },
            readFrozen: { .set($0[dynamicMember: path].map(\.plain)) },
            edit: { object, edit, _ in
                if case .assign(let values) = edit {
                    object[keyPath: path] = MutableSet(values.map(E.make))
                } else {
                    edit.make(object[keyPath: path], E.make)
                }
            },
            given: { state, _ in state.values.map(E.make) },
            watch: { realm, number in
                AtlasValueWatch(
                    realm.object(Model.self, forPrimaryKey: number)[dynamicMember: path].changes,
                    isSet: true)
            })
    }

    static func map<E: AtlasCell>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<Map<String, E>>
    ) -> AtlasSlot {
        AtlasSlot(
            shape: shape(name, kind, .map, E.self),
            read: { .map($0[keyPath: path].map { AtlasEntry($0.key, $0.value.plain) }) },
            readFrozen: {
                .map($0[dynamicMember: path].map { AtlasEntry($0.key, $0.value.plain) })
            },
            edit: { object, edit, _ in
                if case .assignEntries(let entries) = edit {
                    object[keyPath: path] = AtlasSlotEdit.map(entries, E.make)
                } else {
                    edit.make(object[keyPath: path], E.make)
                }
            },
            given: { state, _ in AtlasSlotEdit.dictionary(state) { E.make($0) } },
            watch: { realm, number in
                AtlasMapWatch(
                    realm.object(Model.self, forPrimaryKey: number)[dynamicMember: path].changes
                ) { $0.plain }
            })
    }

    // MARK: Objects

    static func object<T: AtlasTarget>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<T?>
    ) -> AtlasSlot {
        AtlasSlot(
            shape: AtlasShape(name: name, kind: kind, container: .value, isOptional: true),
            read: { .value($0[keyPath: path].map { T.plain($0) } ?? .null) },
            readFrozen: { .value($0[dynamicMember: path].map { T.plain($0) } ?? .null) },
            edit: { object, edit, nodes in
                switch edit {
                case .set(.null): object[keyPath: path] = nil
                case .set(let value): object[keyPath: path] = T.make(value, nodes)
                case .editBox(_, let edit): object[keyPath: path]?.apply(edit, nodes)
                default: fatalError("\(edit) of a link")
                }
            },
            given: { state, nodes in T?.given(state.values[0], nodes) })
    }

    static func objects<T: AtlasTarget>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<List<T>>
    ) -> AtlasSlot {
        AtlasSlot(
            shape: AtlasShape(name: name, kind: kind, container: .list, isOptional: false),
            read: { .list($0[keyPath: path].map { T.plain($0) }) },
            readFrozen: { .list($0[dynamicMember: path].map { T.plain($0) }) },
            edit: { object, edit, nodes in
                switch edit {
                case .assign(let values):
                    object[keyPath: path] = List(values.map { T.make($0, nodes) })
                case .editBox(.at(let position), let edit):
                    object[keyPath: path][position].apply(edit, nodes)
                default: edit.make(object[keyPath: path]) { T.make($0, nodes) }
                }
            },
            given: { state, nodes in state.values.map { T.make($0, nodes) } },
            watch: { realm, number in
                AtlasObjectsWatch(
                    realm.object(Model.self, forPrimaryKey: number)[dynamicMember: path].changes,
                    isSet: false)
            })
    }

    static func objectSet<T: AtlasTarget>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<MutableSet<T>>
    ) -> AtlasSlot {
        AtlasSlot(
            shape: AtlasShape(name: name, kind: kind, container: .set, isOptional: false),
            // in order of creation, which the oracle does not know
            read: { .objectSet($0[keyPath: path].map { T.plain($0) }) },
            readFrozen: { .objectSet($0[dynamicMember: path].map { T.plain($0) }) },
            edit: { object, edit, nodes in
                if case .assign(let values) = edit {
                    object[keyPath: path] = MutableSet(values.map { T.make($0, nodes) })
                } else {
                    edit.make(object[keyPath: path]) { T.make($0, nodes) }
                }
            },
            given: { state, nodes in state.values.map { T.make($0, nodes) } },
            watch: { realm, number in
                AtlasObjectsWatch(
                    realm.object(Model.self, forPrimaryKey: number)[dynamicMember: path].changes,
                    isSet: true)
            })
    }

    static func objectMap<T: AtlasTarget>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<Map<String, T?>>
    ) -> AtlasSlot {
        AtlasSlot(
            shape: AtlasShape(name: name, kind: kind, container: .map, isOptional: true),
            read: {
                .map(
                    $0[keyPath: path].map {
                        AtlasEntry($0.key, $0.value.map { T.plain($0) } ?? .null)
                    })
            },
            readFrozen: {
                .map(
                    $0[dynamicMember: path].map {
                        AtlasEntry($0.key, $0.value.map { T.plain($0) } ?? .null)
                    })
            },
            edit: { object, edit, nodes in
                func made(_ value: AtlasValue) -> T? {
                    value == .null ? nil : T.make(value, nodes)
                }
                switch edit {
                case .assignEntries(let entries):
                    object[keyPath: path] = AtlasSlotEdit.map(entries, made)
                case .editBox(.key(let key), let edit):
                    object[keyPath: path][key.text]??.apply(edit, nodes)
                default: edit.make(object[keyPath: path], made)
                }
            },
            given: { state, nodes in AtlasSlotEdit.dictionary(state) { T?.given($0, nodes) as Any }
            },
            watch: { realm, number in
                AtlasMapWatch(
                    realm.object(Model.self, forPrimaryKey: number)[dynamicMember: path].changes
                ) { $0.map { T.plain($0) } ?? .null }
            })
    }
}

private protocol AtlasOptional {}
extension Optional: AtlasOptional {}

extension Optional where Wrapped: AtlasTarget {
    fileprivate static func given(_ value: AtlasValue, _ nodes: AtlasNodes) -> Wrapped? {
        value == .null ? nil : Wrapped.make(value, nodes)
    }
}

extension AtlasEntry {
    init(_ key: String, _ value: AtlasValue) { self.init(key: AtlasBytes(key), value: value) }
}

extension AtlasState {
    static func objectSet(_ values: [AtlasValue]) -> AtlasState {
        .set(values.sorted(by: AtlasValue.precedes))
    }
}
