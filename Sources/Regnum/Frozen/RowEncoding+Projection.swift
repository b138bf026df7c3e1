internal import RegnumEngine

extension RowEncoding {
    /// Encodes the properties of the row's projection under their own names, in declaration
    /// order: values as themselves, links and collections like those of a frozen object, projected
    /// collections as arrays.
    func encode(_ projection: ProjectionSchema, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameCodingKey.self)
        for property in projection.properties {
            if let index = property.storedIndex {
                try encoding(of: (index, property.name), table, row).encode(to: encoder)
                continue
            }
            let shown = table.compute(projection.type, row) { object in
                Shown(projection.value(property, in: object), table, row)
            }
            let key = NameCodingKey(stringValue: property.name)
            switch shown {
            case .inverse: continue
            case .collection(let table, let owner, let index):
                try encoding(of: (index, property.name), table, owner).encode(to: encoder)
            default: try container.encode(ShownEncoding(origin: self, shown: shown), forKey: key)
            }
        }
    }

    /// Returns the encoding of one property of a row, under the given name.
    fileprivate func encoding(
        of only: (property: Int, name: String), _ table: FrozenTable, _ row: ObjectKey
    ) -> RowEncoding {
        RowEncoding(table: table, row: row, linkDepth: linkDepth, path: path, only: only)
    }
}

/// The value of a projection's property in a snapshot, without accessors, which
/// don't outlive the read.
private enum Shown {
    case null
    case value(any Encodable)
    case any(FrozenAnyValue)
    case object(FrozenTable, ObjectKey, isEmbedded: Bool)
    /// A stored list, set or map.
    case collection(FrozenTable, ObjectKey, property: Int)
    case values([Shown])
    /// The entries of a map that isn't stored.
    case entries([(key: String, value: Shown)])
    /// The origins of links, which aren't encoded.
    case inverse
    /// The description of a value that is not encodable.
    case text(String)

    /// - Parameters:
    ///   - table: The class of the projected object.
    ///   - row: The projected object.
    init(_ value: Any, _ table: FrozenTable, _ row: ObjectKey) {
        let value = unwrapped(value)
        if let handle = (value as? any UnmanagedCollection)?.managed {
            self =
                handle.slot == nil
                ? .collection(
                    table.other(handle.binding.schema.type), handle.row, property: handle.property)
                : .any(table.frozen(handle))
            return
        }
        switch value {
        case nil: self = .null
        case let object as ObjectBase:
            let object = object._storedObject
            guard object.isManaged else {
                table.failUnstored("\(type(of: object))".withArticle, row)
                self = .null
                return
            }
            self = .object(
                table.other(type(of: object)), ObjectKey(rawValue: object._row),
                isEmbedded: object is EmbeddedObject)
        case let value as AnyRealmValue: self = .any(table.result(value, of: row))
        case let map as any UnmanagedMap:
            let entries = map.anyEntries
            table.checkKeys(entries.map(\.key), row, nil)
            self = .entries(
                entries.map { entry in
                    (entry.key, entry.value.map { Shown($0, table, row) } ?? .null)
                })
        case is any InverseDeclaration: self = .inverse
        case let collection as any _ConfinedCollection:
            self = .values(collection.map { Shown($0, table, row) })
        case let objects as [ObjectBase]:
            self = .values(objects.map { Shown($0, table, row) })
        case let value as any Encodable: self = .value(value)
        case let other?: self = .text("\(other)")
        }
    }
}

private struct ShownEncoding: Encodable {
    let origin: RowEncoding
    let shown: Shown

    func encode(to encoder: any Encoder) throws {
        if case .entries(let entries) = shown {
            var container = encoder.container(keyedBy: NameCodingKey.self)
            for (key, value) in entries {
                try container.encode(
                    ShownEncoding(origin: origin, shown: value),
                    forKey: NameCodingKey(stringValue: key))
            }
            return
        }
        var container = encoder.singleValueContainer()
        switch shown {
        case .null, .inverse, .entries: try container.encodeNil()
        // Use a container, so that the encoder's strategies apply.
        case .value(let value): try container.encode(value)
        case .any(let value):
            try container.encode(RowEncoding.AnyEncoding(origin: origin, value: value))
        case .text(let text): try container.encode(text)
        case .object(let table, let row, let isEmbedded):
            try container.encode(
                RowEncoding.LinkEncoding(
                    origin: origin, table: table, row: row, isOwned: isEmbedded))
        case .values(let values):
            try container.encode(values.map { ShownEncoding(origin: origin, shown: $0) })
        case .collection(let table, let row, let property):
            // A collection within a projected one, encoded under the name of its property.
            let name = table.schema.properties[property].name
            try container.encode(origin.encoding(of: (property, name), table, row))
        }
    }
}
