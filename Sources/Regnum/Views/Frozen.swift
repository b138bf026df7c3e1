internal import RegnumEngine

/// An object as it was in one snapshot: a value that can be sent and kept.
///
///     let message: Frozen<Message> = snapshot.objects(Message.self)[0]
///     print(message.text)              // every property of the model, read-only
///     await print(message.isRecent)    // computed ones too, if their result is Sendable
///
/// Two frozen values are equal if they are the same row with the same content, whatever their
/// snapshots. `rowIdentity` stays when the content changes.
@dynamicMemberLookup
public struct Frozen<Model: ObjectBase>: Sendable {
    let table: FrozenTable
    let row: ObjectKey

    init(_ table: FrozenTable, row: ObjectKey) {
        self.table = table
        self.row = row
    }

    /// The value of a stored property.
    public subscript<Value: ScalarValue & Sendable>(
        dynamicMember keyPath: KeyPath<Model, Value>
    ) -> Value {
        switch table.schema.meaning(of: keyPath) {
        case .property(let index): return Value.fromEngine(table.value(row, index))
        case .computed: return table.accessor(Model.self, row)[keyPath: keyPath]
        }
    }

    /// The value of a computed property of the model, computed on a fresh object of this snapshot.
    ///
    /// - Precondition: the computation changes no stored property.
    public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<Model, Value>) -> Value {
        table.accessor(Model.self, row)[keyPath: keyPath]
    }
}

/// Which row of which class something is, for as long as the realm lives.
public struct RowIdentity: Hashable, Sendable {
    let className: String
    let row: UInt64
}

extension Frozen {
    /// The identity of the row in its realm. It stays when the content changes; an object that is
    /// deleted and made again, with the same primary key even, is another row.
    public var rowIdentity: RowIdentity {
        RowIdentity(className: table.schema.name, row: row.rawValue)
    }
}

/// A frozen value has its model's `id`: `message.id` is the property that the model declares, and
/// where the model is `Identifiable`, so are its frozen values.
extension Frozen: Identifiable where Model: Identifiable {
    public typealias ID = Model.ID

    public var id: Model.ID { table.accessor(Model.self, row).id }
}

extension Frozen: Hashable {
    /// Whether both are the same row of the same realm with the same content.
    public static func == (left: Frozen, right: Frozen) -> Bool {
        guard left.row == right.row, left.table.snapshot.realm === right.table.snapshot.realm,
            left.table.schema === right.table.schema
        else { return false }
        if left.table === right.table { return true }
        return left.table.contentVersion(left.row) == right.table.contentVersion(right.row)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(row)
        hasher.combine(table.contentVersion(row))
    }
}

extension Frozen: CustomStringConvertible {
    /// Class and properties, for logs.
    public var description: String {
        let properties = table.schema.properties.enumerated().map { index, property in
            "\(property.name): \(table.value(row, index).text)"
        }
        return "\(table.schema.name)(\(properties.joined(separator: ", ")))"
    }
}
