internal import RegnumEngine

extension RowEncoding {
    /// Encodes the properties of the row's projection under their own names, in declaration
    /// order: values as themselves, links and lists like those of a frozen object, projected
    /// collections as arrays.
    func encode(_ projection: ProjectionSchema, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PropertyKey.self)
        for property in projection.properties {
            if let index = property.storedIndex {
                var one = RowEncoding(table, row, linkDepth: linkDepth, path: path)
                one.only = (index, property.name)
                try one.encode(to: encoder)
                continue
            }
            let shown = table.compute(projection.type, row) { object in
                Shown(projection.value(property, in: object), table)
            }
            let key = PropertyKey(stringValue: property.name)
            if case .list(let table, let owner, let index) = shown {
                var list = RowEncoding(table, owner, linkDepth: linkDepth, path: path)
                list.only = (index, property.name)
                try list.encode(to: encoder)
            } else {
                try container.encode(ShownEncoding(origin: self, shown: shown), forKey: key)
            }
        }
    }
}

/// The value of a projection's property in a snapshot, without accessors, which
/// don't outlive the read.
private enum Shown {
    case null
    case value(any Encodable)
    case object(FrozenTable, ObjectKey, isEmbedded: Bool)
    case list(FrozenTable, ObjectKey, property: Int)
    case values([Shown])
    /// The description of a value that is not encodable.
    case text(String)

    /// - Parameter table: any table of the snapshot.
    init(_ value: Any, _ table: FrozenTable) {
        switch unwrapped(value) {
        case nil: self = .null
        case let object as ObjectBase:
            let object = object._storedObject
            self = .object(
                table.other(type(of: object)), ObjectKey(rawValue: object._row),
                isEmbedded: object is EmbeddedObject)
        case let collection as any AnyProjectedCollection:
            self = .values(collection.anyValues.map { Shown($0, table) })
        case let list as any HandledList:
            guard let handle = list.handle else {
                self = .values([])
                return
            }
            self = .list(
                table.other(handle.binding.schema.type), handle.row, property: handle.property)
        case let value as any Encodable: self = .value(value)
        case let other?: self = .text("\(other)")
        }
    }
}

private struct ShownEncoding: Encodable {
    let origin: RowEncoding
    let shown: Shown

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch shown {
        case .null: try container.encodeNil()
        // Use a container, so that the encoder's strategies apply.
        case .value(let value): try container.encode(value)
        case .text(let text): try container.encode(text)
        case .object(let table, let row, let isEmbedded):
            try container.encode(
                RowEncoding.LinkEncoding(origin, table, row, isOwned: isEmbedded))
        case .values(let values):
            try container.encode(values.map { ShownEncoding(origin: origin, shown: $0) })
        case .list(let table, let row, let property):
            // A list within a projected collection, encoded under the name of its property.
            var list = RowEncoding(
                table, row, linkDepth: origin.linkDepth, path: origin.path)
            list.only = (property, table.schema.properties[property].name)
            try container.encode(list)
        }
    }
}

/// An object's list, whatever its element type.
private protocol HandledList {
    var handle: _ManagedList? { get }
}

extension List: HandledList {}
