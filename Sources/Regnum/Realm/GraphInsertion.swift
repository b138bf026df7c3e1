internal import RegnumEngine
internal import RegnumStore

/// Stores unmanaged objects together with the unmanaged objects that they link to.
///
/// First all objects are found, targets before those that link to them as far as cycles let, without a
/// change; then the new rows are stored, the links that close cycles, and the lists of the new rows;
/// then the rows that existed are updated, which cannot fail. Only when all is stored the objects
/// become accessors. So a call that throws takes its rows back and leaves the transaction and the
/// objects as they were. Walks without recursion: a chain of any length can be added.
struct GraphInsertion {
    /// An object and what it holds.
    struct Node {
        let object: ObjectBase
        let binding: ClassBinding
        /// Its row, once there is one.
        var row: ObjectKey?
        /// Whether the row was there before, to be updated.
        var exists: Bool
        /// The objects of links and lists that have to be stored with it, and the rows of embedded
        /// ones that are there already.
        let targets: [(object: ObjectBase, row: ObjectKey?)]
        let lists: [(property: Int, list: any UnmanagedList, contents: [_PropertyContent.Content])]
        let maps: [(property: Int, map: any UnmanagedMap, entries: [MapEntry])]
        /// Values of any type: of new rows those that are more than a value in a column, of rows that
        /// are updated all.
        let anyValues: [(property: Int, tree: AnyTree)]
        /// What properties of projected types are stored as: it is made anew whenever it is asked for.
        let made: [Int: ObjectBase]
    }

    let core: TransactionCore
    let transaction: EngineTransaction
    let policy: Realm.UpdatePolicy
    /// The properties that were given, of objects that do not stand for all of theirs.
    let supplied: [ObjectIdentifier: Set<Int>]
    var nodes: [Node] = []
    private(set) var numbers: [ObjectIdentifier: Int] = [:]
    /// The nodes, targets first.
    private var order: [Int] = []
    private var inserted: [Int] = []
    /// The embedded objects that have an owner among the nodes.
    private var owned: Set<ObjectIdentifier> = []

    init(
        _ core: TransactionCore, _ transaction: EngineTransaction,
        _ policy: Realm.UpdatePolicy = .error, supplied: [ObjectIdentifier: Set<Int>] = [:]
    ) {
        self.core = core
        self.transaction = transaction
        self.policy = policy
        self.supplied = supplied
    }

    /// Stores an unmanaged object and returns its row.
    ///
    /// Throws as `Transaction.add`; nothing is changed then.
    mutating func add(_ root: ObjectBase) throws(Realm.Error) -> ObjectKey {
        try collect(from: root)
        do throws(Realm.Error) {
            let late = try insertRows()
            for link in late { try close(link) }
            for number in inserted {
                try insertLists(of: nodes[number])
                try insertMaps(of: nodes[number])
                try insertAnyValues(of: nodes[number])
            }
            if policy != .error { try checkUpdates() }
        } catch {
            for number in inserted.reversed() {
                if let row = nodes[number].row {
                    transaction.delete(nodes[number].binding.place.tableKey, row)
                }
            }
            core.didEditAll()
            throw error
        }
        if policy != .error {
            update()
            core.didEditAll()
        }
        for node in nodes {
            guard let row = node.row else { continue }
            node.binding.didEdit()
            node.binding.bind(node.object, to: row)
            // rows link to each other now: instances that still did would never be released in a cycle,
            // and by a deep recursion in a chain
            for property in node.binding.schema.properties {
                if property.shape.isAny {
                    property.field.forget(in: node.object, at: property.offset)
                }
                if case .link = property.shape {
                    property.field.forget(in: node.object, at: property.offset)
                }
            }
            for (property, list, _) in node.lists {
                guard let number = node.binding.mapping?.columns[property] else { continue }
                list.bind(to: _ManagedList(node.binding, row: row.rawValue, number: number))
            }
            for (property, map, _) in node.maps {
                guard let number = node.binding.mapping?.columns[property] else { continue }
                map.bind(to: _ManagedList(node.binding, row: row.rawValue, number: number))
            }
        }
        guard let row = nodes[0].row else { preconditionFailure("An object was not stored.") }
        return row
    }

    // MARK: Finding the objects

    private mutating func collect(from root: ObjectBase) throws(Realm.Error) {
        var stack = [(node: try begin(root, nil), next: 0)]
        while let last = stack.indices.last {
            let (number, next) = stack[last]
            if next < nodes[number].targets.count {
                stack[last].next += 1
                let target = nodes[number].targets[next]
                if numbers[ObjectIdentifier(target.object)] == nil {
                    stack.append((try begin(target.object, target.row), 0))
                }
            } else {
                order.append(number)
                stack.removeLast()
            }
        }
    }

    /// - Parameter row: the row that an embedded object is to update.
    private mutating func begin(
        _ object: ObjectBase, _ row: ObjectKey?
    ) throws(Realm.Error) -> Int {
        let binding = core.binding(for: type(of: object))
        try binding.prepareToStore(in: transaction)
        let number = nodes.count
        numbers[ObjectIdentifier(object)] = number
        let row = policy == .error ? nil : row ?? binding.existingRow(of: object, transaction)
        var targets: [(ObjectBase, ObjectKey?)] = []
        var lists: [(Int, any UnmanagedList, [_PropertyContent.Content])] = []
        var maps: [(Int, any UnmanagedMap, [MapEntry])] = []
        var anyValues: [(Int, AnyTree)] = []
        var made: [Int: ObjectBase] = [:]
        if !binding.schema.hasOnlyValues {
            for (index, property) in binding.schema.properties.enumerated() {
                // a default would be made of what is not to be changed
                if property.isProjected, row != nil, !isSupplied(index, object) { continue }
                switch property.content(of: object) {
                case .value(let value) where policy != .error:
                    let value = AnyRealmValue(plain: value) ?? .none
                    anyValues.append(
                        (index, try AnyTree(value, core, binding.schema, property)))
                case .any(let value):
                    let tree = try checked(value, binding.schema, property)
                    anyValues.append((index, tree))
                    targets += tree.unmanagedTargets
                case .link(let target?):
                    try check(target, binding.schema, property)
                    if property.isProjected { made[index] = target }
                    if target.isManaged { continue }
                    targets.append((target, ownedRow(index, binding, row)))
                case .list(let list):
                    let contents = try checked(list.contents, binding.schema, property)
                    for case .tree(let tree) in contents { targets += tree.unmanagedTargets }
                    lists.append((index, list, contents))
                    let owned = ownedRows(index, binding, row)
                    for (position, content) in contents.enumerated() {
                        guard case .link(let target?) = content else { break }
                        try check(target, binding.schema, property)
                        if target.isManaged { continue }
                        targets.append((target, position < owned.count ? owned[position] : nil))
                    }
                case .map(let map):
                    let entries = try checked(map.contents, binding.schema, property)
                    for case .tree(let tree) in entries.map(\.content) {
                        targets += tree.unmanagedTargets
                    }
                    maps.append((index, map, entries))
                    targets += try mapTargets(of: entries, index, binding, row)
                default: break
                }
            }
        }
        nodes.append(
            Node(
                object: object, binding: binding, row: row, exists: row != nil, targets: targets,
                lists: lists, maps: maps, anyValues: anyValues, made: made))
        return number
    }

    /// The row of the embedded object that a row links to and that is updated in place.
    private func ownedRow(_ property: Int, _ binding: ClassBinding, _ row: ObjectKey?) -> ObjectKey?
    {
        guard let row, policy == .modified, binding.schema.properties[property].isOwning,
            let column = binding.mapping?.columns[property],
            case .int(let target)? = transaction.value(
                binding.place.tableKey, row, ColumnKey(column))
        else { return nil }
        return ObjectKey(rawValue: UInt64(bitPattern: target))
    }

    private func ownedRows(
        _ property: Int, _ binding: ClassBinding, _ row: ObjectKey?
    ) -> [ObjectKey] {
        guard let row, policy == .modified, binding.schema.properties[property].isOwning,
            let list = binding.place.lists[property]
        else { return [] }
        return transaction.list(binding.place.tableKey, row, list.key)
    }

    /// Refuses what cannot be linked to.
    mutating func check(
        _ target: ObjectBase, _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) {
        if let other = target._binding {
            try core.checkLinkable(target, other, schema, property)
            return
        }
        try TransactionCore.checkClass(target, schema, property)
        if property.isOwning, !owned.insert(ObjectIdentifier(target)).inserted {
            throw .ownedTwice(target, schema, property)
        }
    }

    // MARK: New rows

    /// A link that closes a cycle.
    private struct LateLink {
        let node: Int
        let property: Int
        let target: ObjectBase
    }

    private mutating func insertRows() throws(Realm.Error) -> [LateLink] {
        var late: [LateLink] = []
        for number in order where !nodes[number].exists {
            let node = nodes[number]
            // an object of this call may have the same key
            if policy != .error, let row = node.binding.existingRow(of: node.object, transaction) {
                nodes[number].row = row
                nodes[number].exists = true
                continue
            }
            do throws(StoreError) {
                let row = try node.binding.insert(node.object, into: transaction) {
                    property, target in
                    let target = node.made[property] ?? target
                    if let row = self.row(of: target) { return row.rawValue }
                    late.append(LateLink(node: number, property: property, target: target))
                    return nil
                }
                nodes[number].row = row
                inserted.append(number)
            } catch {
                throw Realm.Error(error)
            }
        }
        return late
    }

    /// The row of an object that a property holds, nil while it has none.
    func row(of target: ObjectBase) -> ObjectKey? {
        if target.isManaged { return ObjectKey(rawValue: target._row) }
        return numbers[ObjectIdentifier(target)].flatMap { nodes[$0].row }
    }

    private func close(_ link: LateLink) throws(Realm.Error) {
        let node = nodes[link.node]
        guard let target = row(of: link.target), let row = node.row,
            let column = node.binding.mapping?.columns[link.property]
        else { return }
        do throws(StoreError) {
            try transaction.set(
                node.binding.place.tableKey, row, ColumnKey(column),
                .int(Int64(bitPattern: target.rawValue)))
        } catch {
            throw Realm.Error(error)
        }
    }

    private func insertLists(of node: Node) throws(Realm.Error) {
        for (property, _, contents) in node.lists where !contents.isEmpty {
            guard let row = node.row, let list = node.binding.place.lists[property] else {
                continue
            }
            do throws(StoreError) {
                let table = node.binding.place.tableKey
                if case .set = node.binding.schema.properties[property].shape {
                    let stored = StoredSet(transaction, table, row, list)
                    try stored.add(members(of: contents))
                    continue
                }
                let keys = try keys(of: contents, list.target)
                try transaction.insertIntoList(table, row, list.key, at: 0, keys)
            } catch {
                throw Realm.Error(error).naming(node.binding.schema, property)
            }
        }
    }

    /// The elements of a set, whose objects have rows.
    func members(of contents: [_PropertyContent.Content]) -> SetMembers {
        let writer = anyWriter
        let linked = contents.compactMap { content in
            if case .tree(let tree) = content { writer.cell(tree) } else { nil }
        }
        return SetMembers(
            values: contents.values + linked, keys: contents.objects.compactMap { row(of: $0) })
    }

    /// The rows of elements: those of objects, and new ones for values. If it throws, none is made.
    func keys(
        of contents: some Sequence<_PropertyContent.Content>, _ target: TableKey
    ) throws(StoreError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        var iterator = contents.makeIterator()
        while let content = iterator.next() {
            switch content {
            case .value(let value):
                do throws(StoreError) {
                    keys.append(try transaction.insert(target, [value]))
                } catch {
                    // no list has them yet, which would take them along when its object goes
                    transaction.delete(target, keys)
                    throw error
                }
            case .link(let object?): if let key = row(of: object) { keys.append(key) }
            case .tree(let tree):
                do throws(StoreError) {
                    keys += try anyWriter.insert([("", tree)], target)
                } catch {
                    transaction.delete(target, keys)
                    throw error
                }
            default: break
            }
        }
        return keys
    }
}

extension PropertySchema {
    /// What an unmanaged object holds in a link or list; values are not looked at.
    func content(of object: ObjectBase) -> _PropertyContent.Content {
        switch shape {
        case .scalar where shape.isAny:
            field.reference(in: object, at: offset) ?? .value(.null)
        case .scalar, .linkingObjects: .linkingObjects
        case .link, .list: field.reference(in: object, at: offset) ?? .linkingObjects
        case .map: field.reference(in: object, at: offset) ?? .linkingObjects
        case .set: field.reference(in: object, at: offset) ?? .linkingObjects
        }
    }

    /// Whether the objects in the property belong to it.
    var isOwning: Bool { shape.targetType is EmbeddedObject.Type }
}
