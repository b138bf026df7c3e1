/// A list of which only the stored schema is known: of values, or of ``DynamicObject``s. It is a property, or the
/// value of one of any type.
///
/// Elements are given as ``DynamicObject/set(_:of:)`` takes them. What is wrong is thrown, and changes
/// nothing; reading the list of a deleted object fails the transaction. Confined to the body of its
/// transaction.
public final class DynamicList: _ConfinedCollection {
    public typealias SubSequence = ConfinedSlice<DynamicList>
    public typealias Iterator = ConfinedIterator<Any?>

    let place: DynamicPlace

    init(_ place: DynamicPlace) { self.place = place }

    public var startIndex: Int { 0 }
    public var endIndex: Int { place.count }

    /// An element; nil for nil.
    ///
    /// - Precondition: the position is one of the list.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Any? { place.element(at: position, of: "list") }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Any?> {
        place.taken(at: positions) { [place] in place.store.element(place, $0) }
    }

    /// Puts an element at the end.
    public func append(_ value: Any?) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.insert(value, into: place, at: place.count)
        }
    }

    /// Whether the object was deleted, the transaction is over, or the value of any type replaced that the
    /// list was.
    public var isInvalidated: Bool { place.isInvalidated }

    /// Gives a position another element; an embedded one that was there is deleted.
    ///
    /// - Precondition: the position is one of the list.
    public func set(_ value: Any?, at position: Int) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            _ = place.key(at: position, of: "list")
            try writer.set(value, in: place, at: position)
        }
    }

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
public final class DynamicMutableSet: _ConfinedCollection {
    public typealias SubSequence = ConfinedSlice<DynamicMutableSet>
    public typealias Iterator = ConfinedIterator<Any?>

    let place: DynamicPlace

    init(_ place: DynamicPlace) { self.place = place }

    public var startIndex: Int { 0 }
    public var endIndex: Int { place.count }

    /// An element; nil for nil.
    ///
    /// - Precondition: the position is one of the set.
    public subscript(position: Int) -> Any? { place.element(at: position, of: "set") }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Any?> {
        place.taken(at: positions) { [place] in place.store.element(place, $0) }
    }

    /// Puts an element in, if it is not there; if it is, nothing is changed, and no stream tells of it.
    ///
    /// - Complexity: O(log² count).
    public func insert(_ value: Any?) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.insert(intoSet: [value], place)
        }
    }

    /// Takes an element out, if it is there.
    ///
    /// - Complexity: O(log² count).
    public func remove(_ value: Any?) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.remove(value, fromSet: place)
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
public final class DynamicMap: _ConfinedCollection {
    public typealias Element = (key: String, value: Any?)
    public typealias Index = Int
    public typealias Indices = Range<Int>
    public typealias SubSequence = ConfinedSlice<DynamicMap>
    public typealias Iterator = ConfinedIterator<Element>

    let place: DynamicPlace

    init(_ place: DynamicPlace) { self.place = place }

    public var startIndex: Int { 0 }
    public var endIndex: Int { place.count }

    /// An entry.
    ///
    /// - Precondition: the position is one of the map.
    public subscript(position: Int) -> (key: String, value: Any?) {
        let entry = place.key(at: position, of: "map")
        return (place.mapKey(entry), place.store.element(place, entry))
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Element> {
        place.taken(at: positions) { [place] in
            (key: place.mapKey($0), value: place.store.element(place, $0))
        }
    }

    /// As ``DynamicList/isInvalidated``.
    public var isInvalidated: Bool { place.isInvalidated }

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
