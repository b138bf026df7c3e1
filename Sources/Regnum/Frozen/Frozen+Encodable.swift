internal import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Frozen: Encodable {
    /// Encodes the stored properties by name, in declaration order.
    ///
    /// Values are encoded like values of their Swift types, and `nil` as null; dates and data use
    /// the encoder's strategies. Lists and sets of values are arrays. Embedded objects, and lists
    /// of them, are encoded inline. Links, and lists of links, are encoded as the primary keys of
    /// their objects, or as the ``RowIdentity`` (such as `"Dog#12"`) if the class has no primary
    /// key; use ``encoded(linkDepth:)`` or `CodingUserInfoKey.linkDepth` to encode the objects
    /// themselves. Inverses are omitted.
    ///
    /// - Throws: `EncodingError.invalidValue` if an object that is encoded inline links back to an
    ///   object that contains it, or is nested more than 32 levels deep; the errors of
    ///   ``Snapshot/read(_:)`` and of the encoder.
    public func encode(to encoder: any Encoder) throws {
        let depth = encoder.userInfo[.linkDepth] as? Int ?? 0
        try encoded(linkDepth: depth).encode(to: encoder)
    }

    /// Returns an encodable form of the object with linked objects inline, up to the given number
    /// of links deep. Links beyond that are encoded as primary keys.
    ///
    ///     let json = try JSONEncoder().encode(person.encoded(linkDepth: 1))   // with its dogs
    ///
    /// Encoding throws an error if a link within that depth leads back to an object that contains
    /// it, and if objects would be nested more than 32 levels deep.
    public func encoded(linkDepth: Int) -> some Encodable & Sendable {
        RowEncoding(
            table: table, row: row, linkDepth: linkDepth,
            projection: ProjectionSchema.of(Model.self))
    }
}

extension FrozenResults: Encodable {
    /// Encodes the objects as an array. Each is encoded like a ``Frozen``.
    public func encode(to encoder: any Encoder) throws {
        let depth = encoder.userInfo[.linkDepth] as? Int ?? 0
        try encoded(linkDepth: depth).encode(to: encoder)
    }

    /// Returns an encodable form of the objects with linked objects inline; see
    /// ``Frozen/encoded(linkDepth:)``.
    public func encoded(linkDepth: Int) -> some Encodable & Sendable {
        RowsEncoding(
            query: query, linkDepth: linkDepth, projection: ProjectionSchema.of(Model.self))
    }
}

extension CodingUserInfoKey {
    /// The key for the number of links, an `Int`, up to which linked frozen objects are encoded
    /// inline. The default is 0.
    ///
    ///     encoder.userInfo[.linkDepth] = 2
    public static let linkDepth: CodingUserInfoKey = {
        guard let key = CodingUserInfoKey(rawValue: "regnum.linkDepth") else {
            preconditionFailure("The coding key regnum.linkDepth is invalid.")
        }
        return key
    }()
}

/// Objects that are encoded as an array.
private struct RowsEncoding: Encodable, Sendable {
    let query: FrozenQuery
    let linkDepth: Int
    let projection: ProjectionSchema?

    func encode(to encoder: any Encoder) throws {
        try ReadScope.run {
            var container = encoder.unkeyedContainer()
            for row in query.keys {
                try container.encode(
                    RowEncoding(
                        table: query.table, row: row, linkDepth: linkDepth, projection: projection))
            }
        }
    }
}

/// A row that is encoded as a keyed container.
struct RowEncoding: Encodable, Sendable {
    let table: FrozenTable
    let row: ObjectKey
    let linkDepth: Int
    /// The rows that contain this one.
    var path: [RowIdentity] = []
    /// The projection that is encoded instead of the stored properties.
    var projection: ProjectionSchema?
    /// The only property to encode, and its key; `nil` for all properties.
    var only: (property: Int, name: String)?

    var identity: RowIdentity {
        RowIdentity(className: table.schema.name, row: row.rawValue)
    }

    func encode(to encoder: any Encoder) throws {
        if path.isEmpty {
            try ReadScope.run { try encodeContent(to: encoder) }
        } else {
            try encodeContent(to: encoder)
        }
    }

    private func encodeContent(to encoder: any Encoder) throws {
        if let problem = table.mismatch { throw problem }
        if let projection { return try encode(projection, to: encoder) }
        if path.contains(identity) {
            let names = (path + [identity]).map(\.description).joined(separator: " -> ")
            throw EncodingError.refusing(
                identity, encoder,
                "The objects \(names) link to each other in a cycle, which can't be encoded "
                    + "inline. Use a smaller linkDepth.")
        }
        guard path.count < Limits.maximumInlineLevel else {
            throw EncodingError.invalidValue(
                identity,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "The objects are nested more than \(Limits.maximumInlineLevel) levels "
                        + "deep, which can't be encoded inline. Use a smaller linkDepth."))
        }
        var container = encoder.container(keyedBy: NameCodingKey.self)
        for (index, property) in table.schema.properties.enumerated()
        where only == nil || only?.property == index {
            let key = NameCodingKey(stringValue: only?.name ?? property.name)
            switch property.shape {
            case .scalar where property.shape.isAny:
                let value = table.anyValue(row, index)
                try container.encode(AnyEncoding(origin: self, value: value), forKey: key)
            case .list(.scalar) where property.shape.hasAnyValues,
                .set(.scalar) where property.shape.hasAnyValues:
                let value = FrozenAnyValue.list(table.anyElements(row, index))
                try container.encode(AnyEncoding(origin: self, value: value), forKey: key)
            case .map where property.shape.hasAnyValues:
                var entries = container.nestedContainer(keyedBy: NameCodingKey.self, forKey: key)
                let stored = table.anyEntries(row, index)
                table.checkKeys(stored.lazy.map(\.key), row, index)
                for (name, value) in stored {
                    try entries.encode(
                        AnyEncoding(origin: self, value: value),
                        forKey: NameCodingKey(stringValue: name))
                }
            case .scalar:
                try container.encode(
                    ValueEncoding(table.value(row, index), table, row, index), forKey: key)
            case .link(let type) where property.isProjected:
                let encoding = ProjectedEncoding(
                    origin: self, property: property, type: type, row: table.link(row, index))
                try container.encode(encoding, forKey: key)
            case .list(.object(let type)) where property.isProjected:
                var list = container.nestedUnkeyedContainer(forKey: key)
                for target in table.list(row, index) {
                    let encoding = ProjectedEncoding(
                        origin: self, property: property, type: type, row: target)
                    try list.encode(encoding)
                }
            case .link(let type):
                guard let target = table.link(row, index) else {
                    try container.encodeNil(forKey: key)
                    continue
                }
                try container.encode(link(target, table.other(type), property), forKey: key)
            case .list(.scalar), .set(.scalar):
                var list = container.nestedUnkeyedContainer(forKey: key)
                guard let elements = table.elements(index) else { continue }
                for element in table.list(row, index) {
                    let value = table.elementValue(element, elements, ColumnKey(0))
                    try list.encode(ValueEncoding(value, table, row, index))
                }
            case .list(.object(let type)), .set(.object(let type)):
                var list = container.nestedUnkeyedContainer(forKey: key)
                let targets = table.other(type)
                for target in table.list(row, index) {
                    try list.encode(link(target, targets, property))
                }
            case .map(let element):
                var entries = container.nestedContainer(keyedBy: NameCodingKey.self, forKey: key)
                let stored = table.map(row, index)
                table.checkKeys(stored.lazy.map(\.key), row, index)
                for (name, value) in stored {
                    let key = NameCodingKey(stringValue: name)
                    switch (element, value.linkedObject) {
                    case (.scalar, _):
                        try entries.encode(ValueEncoding(value, table, row, index), forKey: key)
                    case (.object(let type), let target?) where property.isProjected:
                        let encoding = ProjectedEncoding(
                            origin: self, property: property, type: type, row: target)
                        try entries.encode(encoding, forKey: key)
                    case (.object(let type), let target?):
                        try entries.encode(link(target, table.other(type), property), forKey: key)
                    case (.object, nil): try entries.encodeNil(forKey: key)
                    }
                }
            case .linkingObjects: continue
            }
        }
    }

    private func link(
        _ target: ObjectKey, _ table: FrozenTable, _ property: PropertySchema
    ) -> LinkEncoding {
        LinkEncoding(origin: self, table: table, row: target, isOwned: property.isOwning)
    }

    /// A value of a projected type that is stored as an embedded object. It is encoded as the
    /// projected type or, if that isn't `Encodable`, as the object inline. If it can't be created
    /// from the object, that fails the read, or is encoded as null if the value is optional.
    private struct ProjectedEncoding: Encodable {
        let origin: RowEncoding
        let property: PropertySchema
        let type: ObjectBase.Type
        /// The row of the object, or `nil` if there is none.
        let row: ObjectKey?

        func encode(to encoder: any Encoder) throws {
            let table = origin.table.other(type)
            var isRequired = property.field.valueType is any FailableCustomPersistable.Type
            if case .list = property.shape { isRequired = true }
            guard let row else {
                // a required property then has its default
                let value = isRequired ? property.field.projected(type.init()) : nil
                if let value = value as? any Encodable { return try value.encode(to: encoder) }
                return try encodeNil(to: encoder)
            }
            let value = table.compute(type, row) { object in
                let value = property.field.projected(object)
                if value == nil, isRequired {
                    let schema = origin.table.schema
                    origin.table.fail(
                        .undecodable(schema.name, property.name, "\(object)"), origin.row, nil)
                }
                return value
            }
            guard let value else { return try encodeNil(to: encoder) }
            if let value = value as? any Encodable { return try value.encode(to: encoder) }
            try origin.link(row, table, property).encode(to: encoder)
        }

        private func encodeNil(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    /// A link of the row, encoded as the object or its key.
    struct LinkEncoding: Encodable {
        let origin: RowEncoding
        let table: FrozenTable
        let row: ObjectKey
        let isOwned: Bool

        func encode(to encoder: any Encoder) throws {
            if isOwned || origin.linkDepth > 0 {
                let depth = isOwned ? origin.linkDepth : origin.linkDepth - 1
                try RowEncoding(
                    table: table, row: row, linkDepth: depth, path: origin.path + [origin.identity]
                ).encode(to: encoder)
            } else if let key = table.schema.primaryKey {
                try ValueEncoding(table.value(row, key), table, row, key).encode(to: encoder)
            } else {
                try RowIdentity(className: table.schema.name, row: row.rawValue)
                    .encode(to: encoder)
            }
        }
    }

    /// An `AnyRealmValue`, whose objects are encoded as links of the row.
    struct AnyEncoding: Encodable {
        let origin: RowEncoding
        let value: FrozenAnyValue

        func encode(to encoder: any Encoder) throws {
            switch value {
            case .object(let object):
                try LinkEncoding(
                    origin: origin, table: object.table, row: object.row, isOwned: false
                ).encode(to: encoder)
            case .list(let values):
                var container = encoder.unkeyedContainer()
                for value in values {
                    try container.encode(AnyEncoding(origin: origin, value: value))
                }
            case .dictionary(let values):
                var container = encoder.container(keyedBy: NameCodingKey.self)
                for (key, value) in values {
                    try container.encode(
                        AnyEncoding(origin: origin, value: value),
                        forKey: NameCodingKey(stringValue: key))
                }
            default: try value.encode(to: encoder)
            }
        }
    }
}
