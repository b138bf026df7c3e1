import Regnum
import RegnumSimulation

// The properties of the classes: values, objects and values of any type, in each container. The
// views outside of transactions have a separate type for each.

// MARK: Values

extension AtlasSlot {
    private static func shape<E>(
        _ name: String, _ kind: AtlasKind, _ container: AtlasContainer, _ type: E.Type
    ) -> AtlasShape {
        AtlasShape(
            name: name, kind: kind, container: container, isOptional: type is any AtlasOptional.Type
        )
    }

    static func value<E: AtlasCell>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<E>
    ) -> AtlasSlot {
        AtlasSlot(
            value: shape(name, kind, .value, E.self), path, E.coding,
            readFrozen: { .value($0[dynamicMember: path].plain) })
    }

    static func list<E: AtlasCell>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<List<E>>
    ) -> AtlasSlot {
        AtlasSlot(
            list: shape(name, kind, .list, E.self), path, E.coding,
            readFrozen: { .list($0[dynamicMember: path].map(\.plain)) },
            watch: { AtlasElementsWatch($0[dynamicMember: path].changes, isSet: false, \.plain) })
    }

    static func set<E: AtlasCell>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<MutableSet<E>>
    ) -> AtlasSlot {
        AtlasSlot(
            set: shape(name, kind, .set, E.self), path, E.coding,
            readFrozen: { .set($0[dynamicMember: path].map(\.plain)) },
            watch: { AtlasElementsWatch($0[dynamicMember: path].changes, isSet: true, \.plain) })
    }

    static func map<E: AtlasCell>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<Map<String, E>>
    ) -> AtlasSlot {
        AtlasSlot(
            map: shape(name, kind, .map, E.self), path, E.coding,
            readFrozen: { .map($0[dynamicMember: path].entriesByKey(\.plain)) },
            watch: { AtlasMapWatch($0[dynamicMember: path].changes) { $0.plain } })
    }
}

extension FrozenMap where Key == String {
    /// Returns the entries, each value looked up by its key; the maps of a stream are iterated.
    fileprivate func entriesByKey(_ plain: (Value) -> AtlasValue) -> [AtlasEntry] {
        keys.map { key in
            guard let value = self[key] else { fatalError("There is no value for the key \(key).") }
            return AtlasEntry(key, plain(value))
        }
    }
}

private protocol AtlasOptional {}
extension Optional: AtlasOptional {}

// MARK: Objects

extension AtlasSlot {
    private static func shape(
        _ name: String, _ kind: AtlasKind, _ container: AtlasContainer
    ) -> AtlasShape {
        AtlasShape(
            name: name, kind: kind, container: container,
            isOptional: container == .value || container == .map)
    }

    static func object<T: AtlasTarget>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<T?>
    ) -> AtlasSlot {
        AtlasSlot(
            value: shape(name, kind, .value), path, T.optionalCoding,
            readFrozen: { .value($0[dynamicMember: path].map { T.plain($0) } ?? .null) })
    }

    static func objects<T: AtlasTarget>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<List<T>>
    ) -> AtlasSlot {
        AtlasSlot(
            list: shape(name, kind, .list), path, T.coding,
            readFrozen: { .list($0[dynamicMember: path].map { T.plain($0) }) },
            watch: { AtlasElementsWatch($0[dynamicMember: path].changes, isSet: false) })
    }

    static func objectSet<T: AtlasTarget>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<MutableSet<T>>
    ) -> AtlasSlot {
        AtlasSlot(
            set: shape(name, kind, .set), path, T.coding,
            readFrozen: { .told(set: $0[dynamicMember: path].map { T.plain($0) }) },
            watch: { AtlasElementsWatch($0[dynamicMember: path].changes, isSet: true) })
    }

    static func objectMap<T: AtlasTarget>(
        _ name: String, _ kind: AtlasKind, _ path: any Path<Map<String, T?>>
    ) -> AtlasSlot {
        AtlasSlot(
            map: shape(name, kind, .map), path, T.optionalCoding,
            readFrozen: {
                .map($0[dynamicMember: path].entriesByKey { $0.map { T.plain($0) } ?? .null })
            },
            watch: {
                AtlasMapWatch($0[dynamicMember: path].changes) {
                    $0.map { T.plain($0) } ?? .null
                }
            })
    }
}

// MARK: Values of any type

extension AtlasSlot {
    private static func anyShape(_ name: String, _ container: AtlasContainer) -> AtlasShape {
        AtlasShape(
            name: name, kind: .any, container: container, isOptional: false,
            depth: container == .set ? 0 : 2)
    }

    static func any(_ name: String, _ path: any Path<AnyRealmValue>) -> AtlasSlot {
        AtlasSlot(
            value: anyShape(name, .value), path, AnyRealmValue.coding,
            readFrozen: { .value($0[dynamicMember: path].plain) },
            watch: { AtlasElementsWatch($0[dynamicMember: path].changes, isSet: false, \.plain) })
    }

    static func anyList(_ name: String, _ path: any Path<List<AnyRealmValue>>) -> AtlasSlot {
        AtlasSlot(
            list: anyShape(name, .list), path, AnyRealmValue.elementCoding,
            readFrozen: { .list($0[dynamicMember: path].map(\.plain)) },
            watch: { AtlasElementsWatch($0[dynamicMember: path].changes, isSet: false, \.plain) })
    }

    static func anySet(_ name: String, _ path: any Path<MutableSet<AnyRealmValue>>) -> AtlasSlot {
        AtlasSlot(
            set: anyShape(name, .set), path, AnyRealmValue.elementCoding,
            readFrozen: { .told(set: $0[dynamicMember: path].map(\.plain)) },
            watch: { AtlasElementsWatch($0[dynamicMember: path].changes, isSet: true, \.plain) })
    }

    static func anyMap(_ name: String, _ path: any Path<Map<String, AnyRealmValue>>) -> AtlasSlot {
        AtlasSlot(
            map: anyShape(name, .map), path, AnyRealmValue.elementCoding,
            readFrozen: { .map($0[dynamicMember: path].entriesByKey(\.plain)) },
            watch: { AtlasMapWatch($0[dynamicMember: path].changes) { $0.plain } })
    }
}
