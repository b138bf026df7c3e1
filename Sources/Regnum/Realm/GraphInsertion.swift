internal import RegnumEngine
internal import RegnumStore

/// Stores unmanaged objects together with the unmanaged objects that they link to.
///
/// Rows come first, targets before those that link to them as far as cycles let; then the links that
/// close cycles, then lists; only when all is stored the objects become accessors. So a call that
/// throws leaves the objects unmanaged, and takes its rows back. Walks without recursion: a chain of
/// any length can be added.
struct GraphInsertion {
    private enum Progress {
        case begun
        case stored(ClassBinding, ObjectKey)
    }

    /// An object whose links are being followed.
    private struct Frame {
        let object: ObjectBase
        let binding: ClassBinding
        let links: [ObjectBase]
        var next = 0
    }

    /// A link that closes a cycle.
    private struct LateLink {
        let binding: ClassBinding
        let row: ObjectKey
        let property: Int
        let target: ObjectBase
    }

    private let core: TransactionCore
    private let transaction: EngineTransaction
    private var progress: [ObjectIdentifier: Progress] = [:]
    private var stored: [(object: ObjectBase, binding: ClassBinding, row: ObjectKey)] = []
    private var lateLinks: [LateLink] = []

    init(_ core: TransactionCore, _ transaction: EngineTransaction) {
        self.core = core
        self.transaction = transaction
    }

    /// Stores an unmanaged object and returns its row.
    ///
    /// Throws as `Transaction.add`; nothing is stored then.
    mutating func add(_ root: ObjectBase) throws(Realm.Error) -> ObjectKey {
        do throws(Realm.Error) {
            try insertRows(from: root)
            for link in lateLinks { try close(link) }
            for (object, binding, row) in stored { try insertLists(of: object, binding, row) }
        } catch {
            for (_, binding, row) in stored.reversed() {
                transaction.delete(binding.place.tableKey, row)
            }
            core.didEditAll()
            throw error
        }
        for (object, binding, row) in stored {
            binding.bind(object, to: row)
            binding.bindLists(of: object, row)
            binding.didEdit()
        }
        guard case .stored(_, let row)? = progress[ObjectIdentifier(root)] else {
            preconditionFailure("An object was not stored.")
        }
        return row
    }

    // MARK: Rows

    private mutating func insertRows(from root: ObjectBase) throws(Realm.Error) {
        var stack = [try begin(root)]
        while let last = stack.indices.last {
            if stack[last].next < stack[last].links.count {
                let target = stack[last].links[stack[last].next]
                stack[last].next += 1
                if progress[ObjectIdentifier(target)] == nil { stack.append(try begin(target)) }
            } else {
                try insertRow(stack[last])
                stack.removeLast()
            }
        }
    }

    private mutating func begin(_ object: ObjectBase) throws(Realm.Error) -> Frame {
        let binding = core.binding(for: type(of: object))
        try binding.prepareToStore(in: transaction)
        progress[ObjectIdentifier(object)] = .begun
        var links: [ObjectBase] = []
        if binding.schema.hasOnlyValues { return Frame(object: object, binding: binding, links: []) }
        for property in binding.schema.properties {
            switch property.content(of: object) {
            case .link(let target?):
                try check(target, binding.schema, property, isOwned: property.isOwning)
                if !target.isManaged { links.append(target) }
            case .list(let list):
                for case .link(let target?) in list.contents {
                    try check(target, binding.schema, property, isOwned: property.isOwning)
                    if !target.isManaged { links.append(target) }
                }
            default: break
            }
        }
        return Frame(object: object, binding: binding, links: links)
    }

    /// Refuses what cannot be linked to.
    private func check(
        _ target: ObjectBase, _ schema: ClassSchema, _ property: PropertySchema, isOwned: Bool
    ) throws(Realm.Error) {
        if let other = target._binding {
            try core.checkLinkable(target, other, schema, property)
        } else if isOwned, progress[ObjectIdentifier(target)] != nil {
            throw .ownedTwice(target, schema, property)
        }
    }

    private mutating func insertRow(_ frame: Frame) throws(Realm.Error) {
        let binding = frame.binding
        var late: [(Int, ObjectBase)] = []
        let row: ObjectKey
        do throws(StoreError) {
            row = try binding.insert(frame.object, into: transaction) { property, target in
                if target.isManaged { return target._row }
                if case .stored(_, let row)? = progress[ObjectIdentifier(target)] {
                    return row.rawValue
                }
                late.append((property, target))
                return nil
            }
        } catch {
            throw Realm.Error(error)
        }
        progress[ObjectIdentifier(frame.object)] = .stored(binding, row)
        stored.append((frame.object, binding, row))
        for (property, target) in late {
            lateLinks.append(
                LateLink(binding: binding, row: row, property: property, target: target))
        }
    }

    // MARK: Links and lists

    private func row(of target: ObjectBase) -> ObjectKey? {
        if target.isManaged { return ObjectKey(rawValue: target._row) }
        guard case .stored(_, let row)? = progress[ObjectIdentifier(target)] else { return nil }
        return row
    }

    private func close(_ link: LateLink) throws(Realm.Error) {
        guard let target = row(of: link.target),
            let column = link.binding.mapping?.columns[link.property]
        else { return }
        do throws(StoreError) {
            try transaction.set(
                link.binding.place.tableKey, link.row, ColumnKey(column),
                .int(Int64(bitPattern: target.rawValue)))
        } catch {
            throw Realm.Error(error)
        }
    }

    private func insertLists(
        of object: ObjectBase, _ binding: ClassBinding, _ row: ObjectKey
    ) throws(Realm.Error) {
        if binding.schema.hasOnlyValues { return }
        for (index, property) in binding.schema.properties.enumerated() {
            guard case .list(let list) = property.content(of: object),
                let table = binding.mapping?.table, let number = binding.mapping?.columns[index]
            else { continue }
            let schema = table.lists[Int(number)]
            do throws(StoreError) {
                var keys: [ObjectKey] = []
                for element in list.contents {
                    switch element {
                    case .value(let value):
                        keys.append(try transaction.insert(schema.target, [value]))
                    case .link(let target?):
                        if let key = self.row(of: target) { keys.append(key) }
                    default: break
                    }
                }
                if keys.isEmpty { continue }
                try transaction.insertIntoList(table.key, row, schema.key, at: 0, keys)
            } catch {
                throw Realm.Error(error).naming(binding.schema, index)
            }
        }
    }
}

extension PropertySchema {
    /// What an unmanaged object holds in a link or list; values are not looked at.
    func content(of object: ObjectBase) -> _PropertyContent.Content {
        switch shape {
        case .scalar, .linkingObjects: .linkingObjects
        case .link, .list: field.reference(in: object, at: offset) ?? .linkingObjects
        }
    }

    /// Whether the objects in the property belong to it.
    var isOwning: Bool { shape.targetType is EmbeddedObject.Type }
}

extension TransactionCore {
    /// The row of an object for a link or list of `schema`; an unmanaged object is added.
    ///
    /// Throws as `Transaction.add`, and `.invalidValue` for an object that was deleted, belongs to
    /// another transaction, or is embedded and has an owner.
    func store(
        _ object: ObjectBase, for property: PropertySchema, _ schema: ClassSchema
    ) throws(Realm.Error) -> ObjectKey {
        if let binding = object._binding {
            try checkLinkable(object, binding, schema, property)
            return ObjectKey(rawValue: object._row)
        }
        guard let transaction = writing else {
            preconditionFailure("Only a write stores objects.")
        }
        var insertion = GraphInsertion(self, transaction)
        return try insertion.add(object)
    }

    /// Refuses a managed object that cannot be linked to from here.
    func checkLinkable(
        _ object: ObjectBase, _ binding: ClassBinding, _ schema: ClassSchema,
        _ property: PropertySchema
    ) throws(Realm.Error) {
        let name = "\(type(of: object))"
        func error(_ sentence: String) -> Realm.Error {
            Realm.Error(
                .invalidValue, "\(schema.name).\(property.name) was given \(sentence)",
                className: schema.name, property: property.name)
        }
        guard binding.core === self else {
            throw error(
                "a \(name) of another transaction: look the object up in this one, or add a new "
                    + "one.")
        }
        guard binding.isReadable(row: object._row) else { throw error("a deleted \(name).") }
        if property.isOwning {
            throw error(
                "a \(name) that belongs to another property: an embedded object has one owner, "
                    + "make a new one.")
        }
    }
}

extension Realm.Error {
    fileprivate static func ownedTwice(
        _ object: ObjectBase, _ schema: ClassSchema, _ property: PropertySchema
    ) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "\(schema.name).\(property.name) was given a \(type(of: object)) that is used twice: an "
                + "embedded object has one owner.", className: schema.name,
            property: property.name)
    }

    /// The error with class and property as the user knows them.
    func naming(_ schema: ClassSchema, _ property: Int) -> Realm.Error {
        var error = self
        error.className = schema.name
        error.property = schema.properties[property].name
        return error
    }
}
