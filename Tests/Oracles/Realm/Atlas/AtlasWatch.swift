import Regnum
import RegnumSimulation

/// A stream with a mirror: the consumer's knowledge from the reported changes alone.
protocol AtlasWatch {
    var mirror: AtlasMirror { get }
    /// The version of the last element.
    var version: UInt64 { get }
    /// Waits for the next element and applies it to the mirror.
    mutating func pull() async throws
}

enum AtlasMirror: Hashable, Sendable {
    /// The elements of a collection.
    case state(AtlasState)
    /// All objects of a class.
    case objects([Int: [AtlasState]])
}

extension AtlasFailure {
    /// Returns the failure of a stream that ended, or that waited for an element until its sequence
    /// was cancelled.
    fileprivate static func ended(_ stream: String) -> AtlasFailure {
        AtlasFailure(Task.isCancelled ? "\(stream) delivers nothing" : "\(stream) ended")
    }
}

/// The part that is common to all streams: positions and the elements there.
private struct AtlasPositions<Element: Equatable> {
    var elements: [Element] = []

    /// Applies a change set; everything that it doesn't report must be unchanged.
    mutating func apply(
        deletions: [Int], insertions: [Int], modifications: [Int], to new: [Element]
    ) throws {
        for position in deletions.reversed() { elements.remove(at: position) }
        for position in insertions { elements.insert(new[position], at: position) }
        for position in modifications { elements[position] = new[position] }
        if elements != new {
            throw AtlasFailure("the stream's changes result in \(elements), the view has \(new)")
        }
    }
}

struct AtlasClassWatch<T: AtlasModel>: AtlasWatch {
    private struct Entry: Equatable {
        let row: RowIdentity
        let number: Int
        let states: [AtlasState]
    }

    private var iterator: CollectionChanges<T>.AsyncIterator
    private var positions = AtlasPositions<Entry>()
    private(set) var version: UInt64 = 0

    init(_ realm: Realm) {
        iterator = realm.objects(T.self).changes.makeAsyncIterator()
    }

    var mirror: AtlasMirror {
        .objects(Dictionary(positions.elements.map { ($0.number, $0.states) }) { _, _ in [] })
    }

    private static func entries(_ objects: FrozenResults<T>) -> [Entry] {
        let slots = T.slots
        return objects.map { object in
            Entry(
                row: object.rowIdentity, number: object.number,
                states: slots.map { $0.readFrozen(object) })
        }
    }

    mutating func pull() async throws {
        switch try await iterator.next(isolation: #isolation) {
        case nil: throw AtlasFailure.ended("the stream of \(T.self)")
        case .initial(let objects)?:
            positions.elements = Self.entries(objects)
            version = objects.version
        case .update(let objects, let delta)?:
            for change in delta.modified {
                let slots = T.slots
                let old = Entry(
                    row: change.old.rowIdentity, number: change.old.number,
                    states: slots.map { $0.readFrozen(change.old) })
                if !positions.elements.contains(old) {
                    throw AtlasFailure("the stream of \(T.self) reports \(old) as old")
                }
            }
            try positions.apply(
                deletions: delta.deletions, insertions: delta.insertions,
                modifications: delta.newModifications, to: Self.entries(objects))
            version = delta.version
        }
    }
}

/// Watches the stream of a list or set, or of the contents of a value of any type.
struct AtlasElementsWatch: AtlasWatch {
    private struct Told {
        let elements: [AtlasValue]
        let version: UInt64
        var changes: (deletions: [Int], insertions: [Int], modifications: [Int])?
    }

    private let next: () async throws -> Told?
    private var positions = AtlasPositions<AtlasValue>()
    private let isSet: Bool
    private(set) var version: UInt64 = 0

    init<T: AtlasTarget>(_ changes: CollectionChanges<T>, isSet: Bool) {
        var iterator = changes.makeAsyncIterator()
        next = {
            switch try await iterator.next(isolation: #isolation) {
            case nil: nil
            case .initial(let objects)?:
                Told(elements: objects.map { T.plain($0) }, version: objects.version)
            case .update(let objects, let delta)?:
                Told(
                    elements: objects.map { T.plain($0) }, version: delta.version,
                    changes: (delta.deletions, delta.insertions, delta.newModifications))
            }
        }
        self.isSet = isSet
    }

    init<E>(_ changes: ValueChanges<E>, isSet: Bool, _ plain: @escaping (E) -> AtlasValue) {
        var iterator = changes.makeAsyncIterator()
        next = {
            switch try await iterator.next(isolation: #isolation) {
            case nil: return nil
            case .initial(let values)?:
                return Told(elements: values.map(plain), version: values.version)
            case .update(let values, let delta)?:
                if isSet, !delta.modifications.isEmpty {
                    throw AtlasFailure("the stream of a set reports modifications")
                }
                return Told(
                    elements: values.map(plain), version: delta.version,
                    changes: (delta.deletions, delta.insertions, delta.newModifications))
            }
        }
        self.isSet = isSet
    }

    var mirror: AtlasMirror {
        .state(isSet ? .told(set: positions.elements) : .list(positions.elements))
    }

    mutating func pull() async throws {
        guard let told = try await next() else {
            throw AtlasFailure.ended("the stream of a collection")
        }
        if let (deletions, insertions, modifications) = told.changes {
            try positions.apply(
                deletions: deletions, insertions: insertions, modifications: modifications,
                to: told.elements)
        } else {
            positions.elements = told.elements
        }
        version = told.version
    }
}

struct AtlasMapWatch<Value: Sendable>: AtlasWatch {
    private var iterator: MapChanges<String, Value>.AsyncIterator
    private var entries: [AtlasEntry] = []
    private let plain: (Value) -> AtlasValue
    private(set) var version: UInt64 = 0

    init(_ changes: MapChanges<String, Value>, _ plain: @escaping (Value) -> AtlasValue) {
        iterator = changes.makeAsyncIterator()
        self.plain = plain
    }

    var mirror: AtlasMirror { .state(.map(entries)) }

    private func told(_ map: FrozenMap<String, Value>) -> [AtlasEntry] {
        map.map { AtlasEntry($0.key, plain($0.value)) }
    }

    mutating func pull() async throws {
        switch try await iterator.next(isolation: #isolation) {
        case nil: throw AtlasFailure.ended("the stream of a map")
        case .initial(let map)?:
            entries = told(map)
            version = map.version
        case .update(let map, let delta)?:
            let new = told(map)
            var known = entries
            let deletions = delta.deletions.map { AtlasBytes($0) }
            known.removeAll { deletions.contains($0.key) }
            for key in (delta.insertions + delta.modifications).map({ AtlasBytes($0) }) {
                guard let entry = new.first(where: { $0.key == key }) else {
                    throw AtlasFailure("the stream of a map reports the missing key \(key)")
                }
                known.removeAll { $0.key == key }
                known.append(entry)
            }
            known.sort { $0.key < $1.key }
            if known != new {
                throw AtlasFailure("the map's changes result in \(known), the view has \(new)")
            }
            entries = new
            version = delta.version
        }
    }
}
