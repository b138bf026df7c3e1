/// A list of values or ``DynamicObject``s, accessed using only the stored schema: the list of a
/// property, or one contained in an `AnyRealmValue`.
///
///     let dogs = try person.dynamicList("dogs")
///     try dogs.append(["name": "Rex"])
///
/// Elements can be anything that ``DynamicObject/set(_:of:)`` accepts. Calls that change the list
/// throw `.invalidValue` for an element that it cannot hold, and `.invalidInput` if the list no
/// longer exists, belongs to an old object of a migration, or is changed outside of a write. A call
/// that throws changes nothing. Reading the list of a deleted object fails the transaction.
/// Confined to the body of its transaction.
public final class DynamicList: _ConfinedCollection {
    public typealias Iterator = ConfinedIterator<Any?>

    let place: DynamicPlace

    init(_ place: DynamicPlace) { self.place = place }

    public var endIndex: Int { place.count }

    /// The element at a position, which may be `nil`.
    ///
    /// - Precondition: `0 <= position < count`.
    /// - Complexity: O(log n).
    public subscript(position: Int) -> Any? { place.element(at: position, of: "list") }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Any?> {
        place.loopElements(at: positions) { [place] in place.store.element(place, $0) }
    }

    /// Appends an element.
    public func append(_ value: Any?) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.insert(value, into: place, at: place.count)
        }
    }

    /// Whether the object was deleted, the transaction has ended, or the `AnyRealmValue` that
    /// contained the list was replaced.
    public var isInvalidated: Bool { place.isInvalidated }

    /// Replaces the element at a position. An embedded object that was there is deleted.
    ///
    /// - Precondition: `0 <= position < count`.
    public func set(_ value: Any?, at position: Int) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            let element = place.key(at: position, of: "list")
            guard element != .nowhere else { return }
            try writer.set(value, in: place, at: position, element)
        }
    }

    /// Inserts an element before the one at a position.
    ///
    /// - Precondition: The position is in `0...count`.
    public func insert(_ value: Any?, at position: Int) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            if position != place.count, place.key(at: position, of: "list") == .nowhere { return }
            try writer.insert(value, into: place, at: position)
        }
    }

    /// Removes the element at a position. An embedded object is deleted.
    ///
    /// - Precondition: `0 <= position < count`.
    public func remove(at position: Int) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            guard place.key(at: position, of: "list") != .nowhere else { return }
            writer.remove(position..<position + 1, from: place)
        }
    }

    /// Removes all elements. Embedded objects are deleted.
    public func removeAll() throws(Realm.Error) { try replaceAll(with: []) }

    /// Replaces all elements.
    public func replaceAll(with values: [Any?]) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.replaceAll(place, with: values)
        }
    }
}

/// A set accessed using only the stored schema, in stored order. Otherwise behaves like
/// ``DynamicList``.
public final class DynamicMutableSet: _ConfinedCollection, MemberCollection {
    public typealias Iterator = ConfinedIterator<Any?>

    let place: DynamicPlace

    init(_ place: DynamicPlace) { self.place = place }

    public var endIndex: Int { place.count }

    /// The element at a position, which may be `nil`.
    ///
    /// - Precondition: `0 <= position < count`.
    public subscript(position: Int) -> Any? { place.element(at: position, of: "set") }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Any?> {
        place.loopElements(at: positions) { [place] in place.store.element(place, $0) }
    }

    /// Inserts an element. Inserting an existing element changes nothing, and streams don't report
    /// it.
    ///
    /// - Complexity: O(log² count).
    public func insert(_ value: Any?) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.insert(intoSet: [value], place)
        }
    }

    /// Removes an element, if the set contains it.
    ///
    /// - Complexity: O(log² count).
    public func remove(_ value: Any?) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.remove(value, fromSet: place)
        }
    }

    /// Removes all elements.
    public func removeAll() throws(Realm.Error) { try replaceAll(with: []) }

    /// Replaces all elements. Duplicates are dropped.
    public func replaceAll(with values: [Any?]) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.replaceAll(place, with: values)
        }
    }
}

/// A map accessed using only the stored schema, in ascending order of its keys. Otherwise behaves
/// like ``DynamicList``.
public final class DynamicMap: _ConfinedCollection, KeyedCollection {
    public typealias Element = (key: String, value: Any?)
    public typealias Index = Int
    public typealias Indices = Range<Int>
    public typealias Iterator = ConfinedIterator<Element>

    let place: DynamicPlace

    init(_ place: DynamicPlace) { self.place = place }

    public var endIndex: Int { place.count }

    /// The entry at a position.
    ///
    /// - Precondition: `0 <= position < count`.
    public subscript(position: Int) -> (key: String, value: Any?) {
        let entry = place.key(at: position, of: "map")
        return (place.mapKey(entry), place.store.element(place, entry))
    }

    public func _elements(at positions: Range<Int>) -> _TakenElements<Element> {
        place.loopElements(at: positions) { [place] in
            (key: place.mapKey($0), value: place.store.element(place, $0))
        }
    }

    /// Whether the map can no longer be used; see ``DynamicList/isInvalidated``.
    public var isInvalidated: Bool { place.isInvalidated }

    /// The keys, in ascending order.
    public var keys: [String] { place.keys.map { place.mapKey($0) } }

    /// The value for a key, or `nil` if the value is `nil` or there is no such key.
    ///
    /// - Complexity: O(log² n).
    public subscript(key: String) -> Any? {
        let (position, isThere) = place.position(ofKey: key)
        return isThere ? self[position].value : nil
    }

    /// Sets the value for a key.
    ///
    /// - Throws: `.invalidValue` for a key that contains `.` or begins with `$`, and for a value
    ///   that the map cannot hold.
    public func set(_ value: Any?, forKey key: String) throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            try writer.set(value, forKey: key, in: place)
        }
    }

    /// Removes a key and its value.
    public func remove(_ key: String) throws(Realm.Error) {
        try place.change { (writer) throws(Realm.Error) in
            let (position, isThere) = place.position(ofKey: key)
            if isThere { writer.remove(position..<position + 1, from: place) }
            return isThere
        }
    }

    /// Removes all keys and values.
    public func removeAll() throws(Realm.Error) {
        try place.write { (writer) throws(Realm.Error) in
            writer.remove(0..<place.count, from: place)
        }
    }
}

@available(*, unavailable) extension DynamicList: Sendable {}
@available(*, unavailable) extension DynamicMutableSet: Sendable {}
@available(*, unavailable) extension DynamicMap: Sendable {}
