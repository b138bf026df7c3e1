// The full form of change sets: the compact one and, parallel to its arrays, `deleted`, `inserted`
// and `modified`.

private enum ContentKey: String, CodingKey {
    case deleted, inserted, modified, old, new, properties
}

extension ChangeSet: Encodable {
    /// Encodes the members of ``compact``, the objects ``deleted`` and ``inserted``, and
    /// ``modified`` with `old`, `new` and `properties`. Objects are encoded like a ``Frozen``.
    ///
    /// - Throws: The errors of encoding a ``Frozen``.
    public func encode(to encoder: any Encoder) throws {
        try compact.encode(to: encoder)
        var container = encoder.container(keyedBy: ContentKey.self)
        try container.encode(deleted, forKey: .deleted)
        try container.encode(inserted, forKey: .inserted)
        var list = container.nestedUnkeyedContainer(forKey: .modified)
        for modification in modified { try list.encode(modification) }
    }
}

extension ChangeSet.Modification: Encodable {
    /// Encodes `old`, `new` and `properties`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ContentKey.self)
        try container.encode(old, forKey: .old)
        try container.encode(new, forKey: .new)
        try container.encode(properties, forKey: .properties)
    }
}

extension ValueChangeSet: Encodable where Value: Encodable {
    /// Encodes the members of ``compact``, the values ``deleted`` and ``inserted``, and
    /// ``modified`` with `old` and `new`.
    ///
    /// - Throws: The errors of ``Snapshot/read(_:)`` and of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try compact.encode(to: encoder)
        try ReadScope.run { try encodeValues(deleted, inserted, modified, to: encoder) }
    }
}

extension MapChangeSet: Encodable where Value: Encodable {
    /// Encodes the members of ``compact``, the values ``deleted`` and ``inserted``, and
    /// ``modified`` with `old` and `new`.
    ///
    /// - Throws: The errors of ``Snapshot/read(_:)`` and of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try compact.encode(to: encoder)
        try ReadScope.run { try encodeValues(deleted, inserted, modified, to: encoder) }
    }
}

private func encodeValues<Value: Encodable>(
    _ deleted: [Value], _ inserted: [Value], _ modified: [(old: Value, new: Value)],
    to encoder: any Encoder
) throws {
    var container = encoder.container(keyedBy: ContentKey.self)
    try container.encode(deleted, forKey: .deleted)
    try container.encode(inserted, forKey: .inserted)
    var list = container.nestedUnkeyedContainer(forKey: .modified)
    for (old, new) in modified {
        var pair = list.nestedContainer(keyedBy: ContentKey.self)
        try pair.encode(old, forKey: .old)
        try pair.encode(new, forKey: .new)
    }
}

// Elements are encoded under the name of their case.

private enum CaseKey: String, CodingKey {
    case initial, update, inserted, changed, deleted, cursor
}

extension CollectionChange: Encodable {
    /// Encodes the collection as `initial`, with its `cursor`, or the change set as `update`.
    ///
    /// - Throws: The errors of encoding a ``Frozen``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CaseKey.self)
        switch self {
        case .initial(let collection):
            try container.encode(collection, forKey: .initial)
            try container.encode(cursor, forKey: .cursor)
        case .update(_, let changes): try container.encode(changes, forKey: .update)
        }
    }
}

extension ValueChange: Encodable where Value: Encodable {
    /// Encodes the values as `initial`, with their `cursor`, or the change set as `update`.
    ///
    /// - Throws: The errors of ``Snapshot/read(_:)`` and of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CaseKey.self)
        switch self {
        case .initial(let values):
            try container.encode(values, forKey: .initial)
            try container.encode(values.cursor, forKey: .cursor)
        case .update(_, let changes): try container.encode(changes, forKey: .update)
        }
    }
}

extension MapChange: Encodable where Value: Encodable {
    /// Encodes the map as `initial`, with its `cursor`, or the change set as `update`.
    ///
    /// - Throws: The errors of encoding a ``FrozenMap``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CaseKey.self)
        switch self {
        case .initial(let map):
            try container.encode(map, forKey: .initial)
            try container.encode(map.cursor, forKey: .cursor)
        case .update(_, let changes): try container.encode(changes, forKey: .update)
        }
    }
}

extension ObjectChange: Encodable {
    /// Encodes the object as `initial` (null if it doesn't exist), `inserted` or `deleted`, or its
    /// `old` and `new` state and the changed `properties` as `changed`.
    ///
    /// - Throws: The errors of encoding a ``Frozen``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CaseKey.self)
        switch self {
        case .initial(let object): try container.encode(object, forKey: .initial)
        case .inserted(let object): try container.encode(object, forKey: .inserted)
        case .deleted(let object): try container.encode(object, forKey: .deleted)
        case .changed(let old, let new, let properties):
            var changed = container.nestedContainer(keyedBy: ContentKey.self, forKey: .changed)
            try changed.encode(old, forKey: .old)
            try changed.encode(new, forKey: .new)
            try changed.encode(properties, forKey: .properties)
        }
    }
}
