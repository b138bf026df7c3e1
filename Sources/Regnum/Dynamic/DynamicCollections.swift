internal import RegnumEngine
internal import RegnumStore

/// Where a dynamic collection is.
struct DynamicPlace {
    let store: DynamicStore
    let table: TableKey
    let row: ObjectKey
    let list: ListSchema

    var count: Int {
        store.requireLive("count")
        return store.listCount(table, row, list.key)
    }

    var keys: [ObjectKey] {
        store.requireLive("list")
        return store.list(table, row, list.key)
    }

    var elements: [Any?] { keys.map { store.element(list, $0) } }

    /// Edits the collection; throws where it is only read.
    func write(
        _ body: (DynamicWriter) throws(Realm.Error) -> Void
    ) throws(Realm.Error) {
        store.requireLive("list")
        let name = "\(store.name(of: table)).\(list.name)"
        let writer = DynamicWriter(store, try store.writing(name))
        defer { store.core.didEditAll() }
        try body(writer)
    }

    /// The key of a map's entry.
    func mapKey(_ entry: ObjectKey) -> String {
        guard case .string(let key)? = store.value(list.target, entry, ColumnKey(rawValue: 1))
        else {
            return ""
        }
        return key
    }

    /// What stands at a position of a list or set, which are named so in sentences.
    func element(at position: Int, of kind: StaticString) -> Any? {
        store.requireLive(kind)
        guard let key = store.listElement(table, row, list.key, at: position) else {
            preconditionFailure("A \(kind) of \(count) elements has no position \(position).")
        }
        return store.element(list, key)
    }

    /// The position of a key in a map, or where it would be, and whether it is there.
    func position(ofKey key: String) -> (position: Int, isThere: Bool) {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            guard let entry = store.listElement(table, row, list.key, at: middle) else { break }
            if MapKeyText.precedes(mapKey(entry), key) { low = middle + 1 } else { high = middle }
        }
        let entry = store.listElement(table, row, list.key, at: low)
        return (low, entry.map { !MapKeyText.precedes(key, mapKey($0)) } ?? false)
    }
}

/// A list of which only the stored schema is known: of values, or of ``DynamicObject``s.
///
/// Elements are given as ``DynamicObject/set(_:of:)`` takes them. What is wrong is thrown, and changes
/// nothing. Confined to the body of its transaction.
public final class DynamicList: RandomAccessCollection {
    let place: DynamicPlace

    init(_ place: DynamicPlace) { self.place = place }

    public var startIndex: Int { 0 }
    public var endIndex: Int { place.count }

    /// An element; nil for nil.
    ///
    /// - Precondition: the position is one of the list.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Any? { place.element(at: position, of: "list") }

    /// Puts an element at the end.
    public func append(_ value: Any?) throws(Realm.Error) { try insert(value, at: endIndex) }

    /// Puts an element before the one at a position.
    ///
    /// - Precondition: the position is in `0...count`.
    public func insert(_ value: Any?, at position: Int) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.insert(value, into: place, at: position)
        }
    }

    /// Takes an element out; an embedded one is deleted.
    ///
    /// - Precondition: the position is one of the list.
    public func remove(at position: Int) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            writer.remove(position..<position + 1, from: place)
        }
    }

    /// Takes all elements out; embedded ones are deleted.
    public func removeAll() throws(Realm.Error) { try replaceAll(with: []) }

    /// Gives the list other elements.
    public func replaceAll(with values: [Any?]) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.replaceAll(place, with: values)
        }
    }
}

/// A set of which only the stored schema is known, in the order in which it is stored: as
/// ``DynamicList``.
public final class DynamicMutableSet: RandomAccessCollection {
    let place: DynamicPlace

    init(_ place: DynamicPlace) { self.place = place }

    public var startIndex: Int { 0 }
    public var endIndex: Int { place.count }

    /// An element; nil for nil.
    ///
    /// - Precondition: the position is one of the set.
    public subscript(position: Int) -> Any? { place.element(at: position, of: "set") }

    /// Puts an element in, if it is not there.
    ///
    /// - Complexity: O(count).
    public func insert(_ value: Any?) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.replaceAll(place, with: Array(self) + [value])
        }
    }

    /// Takes all elements out.
    public func removeAll() throws(Realm.Error) { try replaceAll(with: []) }

    /// Gives the set other elements, each once.
    public func replaceAll(with values: [Any?]) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.replaceAll(place, with: values)
        }
    }
}

/// A map of which only the stored schema is known, in ascending order of its keys: as ``DynamicList``.
public final class DynamicMap: RandomAccessCollection {
    let place: DynamicPlace

    init(_ place: DynamicPlace) { self.place = place }

    public var startIndex: Int { 0 }
    public var endIndex: Int { place.count }

    /// An entry.
    ///
    /// - Precondition: the position is one of the map.
    public subscript(position: Int) -> (key: String, value: Any?) {
        let (store, list) = (place.store, place.list)
        store.requireLive("map")
        guard let key = store.listElement(place.table, place.row, list.key, at: position) else {
            preconditionFailure("A map of \(count) entries has no position \(position).")
        }
        return (place.mapKey(key), store.element(list, key))
    }

    /// The keys, ascending.
    public var keys: [String] { place.keys.map { place.mapKey($0) } }

    /// The value of a key; nil for nil, and where there is no such key.
    ///
    /// - Complexity: O(log² n).
    public subscript(key: String) -> Any? {
        let (position, isThere) = place.position(ofKey: key)
        return isThere ? self[position].value : nil
    }

    /// Gives a key a value.
    ///
    /// - Throws: `.invalidValue` for a key that contains `.` or begins with `$`, and for a value that the
    ///   map cannot have.
    public func set(_ value: Any?, forKey key: String) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.set(value, forKey: key, in: place)
        }
    }

    /// Takes a key out.
    public func remove(_ key: String) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            let (position, isThere) = place.position(ofKey: key)
            if isThere { writer.remove(position..<position + 1, from: place) }
        }
    }

    /// Takes all keys out.
    public func removeAll() throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            writer.remove(0..<place.count, from: place)
        }
    }
}

@available(*, unavailable) extension DynamicList: Sendable {}
@available(*, unavailable) extension DynamicMutableSet: Sendable {}
@available(*, unavailable) extension DynamicMap: Sendable {}
