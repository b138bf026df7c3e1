internal import RegnumEngine
internal import RegnumStore

/// Stores unmanaged objects together with the unmanaged objects that they link to.
///
/// First all objects are collected, without changing anything. Then the new rows are stored: link
/// targets before the objects that link to them if there is at most one object of each class,
/// otherwise in the order in which they were found. Then the remaining links and the lists of the
/// new rows are stored, and finally the existing rows are updated, which can't fail. The objects
/// become accessors only after everything is stored, so a call that throws removes its rows and
/// leaves the transaction and the objects unchanged. The traversal isn't recursive: chains of any
/// length can be added.
final class GraphInsertion {
    let core: TransactionCore
    let transaction: EngineTransaction
    let policy: Realm.UpdatePolicy
    /// The given properties of objects for which not all properties were given.
    let supplied: [ObjectIdentifier: SuppliedProperties]
    // Edited by one call at a time, and only the caller has access: no exclusivity checks are
    // needed.
    @exclusivity(unchecked) private(set) var nodes: [Node] = []
    @exclusivity(unchecked) private(set) var numbers = Numbering<ObjectIdentifier>()
    /// The nodes, link targets first.
    @exclusivity(unchecked) private var order: [Int] = []
    @exclusivity(unchecked) private var inserted: [Int] = []
    /// The number of nodes that earlier calls of `insert` stored.
    @exclusivity(unchecked) private var storedCount = 0
    /// The primary keys of the objects, by class. Only for updates.
    @exclusivity(unchecked) private var knownKeys: [ObjectIdentifier: Set<Value>] = [:]
    /// The objects with the same key as an earlier object. They are stored after the others, each
    /// as a separate update.
    @exclusivity(unchecked) private var repeated: [ObjectBase] = []
    /// The repeated objects of earlier insertions that are stored after this one. Their contents
    /// aren't collected again.
    private let waiting: Set<ObjectIdentifier>
    /// The embedded objects that have an owner among the nodes.
    @exclusivity(unchecked) private var owned = Numbering<ObjectIdentifier>()

    init(
        _ core: TransactionCore, _ transaction: EngineTransaction,
        _ policy: Realm.UpdatePolicy = .error,
        supplied: [ObjectIdentifier: SuppliedProperties] = [:],
        waiting: Set<ObjectIdentifier> = []
    ) {
        self.core = core
        self.transaction = transaction
        self.policy = policy
        self.supplied = supplied
        self.waiting = waiting
    }

    /// Stores an unmanaged object and returns its row.
    ///
    /// Throws the errors of `Transaction.add`; then nothing is changed.
    func add(_ root: ObjectBase) throws(Realm.Error) -> ObjectKey {
        let row = try insert(root)
        bind()
        var rest = Array(repeated.reversed())
        var waiting = Set(rest.map { ObjectIdentifier($0) })
        while let object = rest.popLast() {
            waiting.remove(ObjectIdentifier(object))
            if object.isManaged { continue }
            let insertion = GraphInsertion(
                core, transaction, policy, supplied: supplied, waiting: waiting)
            do throws(Realm.Error) {
                _ = try insertion.insert(object)
            } catch {
                core.fail(error)  // something has been changed
                throw error
            }
            insertion.bind()
            rest += insertion.repeated.reversed()
            waiting.formUnion(insertion.repeated.map { ObjectIdentifier($0) })
        }
        return row
    }

    /// Stores an unmanaged object unless it has been stored, and returns its row. The objects
    /// become accessors when `bind` is called.
    ///
    /// Throws the errors of `Transaction.add`; the insertion can then no longer be used, and
    /// `deleteRows` must be called.
    func insert(_ root: ObjectBase) throws(Realm.Error) -> ObjectKey {
        if numbers[root] == nil {
            try collect(from: root)
            try store()
        }
        guard let row = row(of: root) else { preconditionFailure("An object was not stored.") }
        return row
    }

    /// Stores the unmanaged objects among the elements of a list or set, and returns the rows of
    /// all elements.
    ///
    /// Throws the errors of `Transaction.add`, and `.invalidValue` for an object that was deleted,
    /// belongs to another transaction, is of another class, or is embedded and has an owner; then
    /// nothing is changed.
    func add(
        _ elements: [ObjectBase], _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) -> [ObjectKey] {
        nodes.reserveCapacity(elements.count)
        for element in elements {
            try check(element, schema, property)
            if element.isManaged || numbers[element] != nil { continue }
            try collect(from: element)
        }
        if !nodes.isEmpty {
            try store()
            bind()
        }
        return elements.map { element in
            guard let row = row(of: element) else {
                preconditionFailure("An object was not stored.")
            }
            return row
        }
    }

    /// Stores the objects that were collected.
    private func store() throws(Realm.Error) {
        do throws(Realm.Error) {
            let late = try insertRows()
            for link in late { try close(link) }
            for number in inserted { try insertCollections(of: nodes[number]) }
            if policy != .error { try checkUpdates() }
        } catch {
            delete(inserted.map { nodes[$0] })
            throw error
        }
        if policy != .error {
            update()
            core.didEditAll()
        }
        storedCount = nodes.count
        order = []
        inserted = []
    }

    /// Deletes the rows of all objects that `insert` has stored.
    func deleteRows() { delete(nodes.filter { !$0.exists }) }

    private func delete(_ nodes: [Node]) {
        for (table, nodes) in Dictionary(grouping: nodes, by: \.binding.place.tableKey) {
            transaction.delete(table, nodes.compactMap(\.row))
        }
        core.didEditAll()
    }

    /// Makes the objects accessors of their rows.
    func bind() {
        for node in nodes where !node.isDeferred {
            guard let row = node.row else { continue }
            node.binding.didEdit()
            node.binding.bind(node.object, to: row)
            // the rows link to each other now; instances that still did would never be released if
            // they formed a cycle, and would be released by deep recursion if they formed a chain
            for index in node.binding.schema.compoundProperties {
                let property = node.binding.schema.properties[index]
                // a collection that an update leaves out isn't bound below
                if property.isColumn || !isSupplied(index, node) {
                    property.field.clear(in: node.object, at: property.offset)
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
    }

    /// Returns whether an update replaces a set or map of a row instead of adding to it.
    func replaces(_ property: Int, _ node: Node) -> Bool {
        policy == .all
            || supplied[ObjectIdentifier(node.object)]?.emptied.contains(property) ?? false
    }

    // MARK: Finding the objects

    private func collect(from root: ObjectBase) throws(Realm.Error) {
        var stack = [(node: try begin(root, nil, false), next: 0)]
        while let last = stack.indices.last {
            let (number, next) = stack[last]
            if next < nodes[number].targets.count {
                stack[last].next += 1
                let target = nodes[number].targets[next]
                if numbers[target.object] == nil, !isWaiting(target.object) {
                    let isDeferred = nodes[number].isDeferred && target.object is EmbeddedObject
                    stack.append((try begin(target.object, target.row, isDeferred), 0))
                }
            } else {
                order.append(number)
                stack.removeLast()
            }
        }
    }

    /// Returns whether an object is stored by a later insertion. If so, creates its node. Its row
    /// exists, unless an earlier insertion has deleted it.
    private func isWaiting(_ object: ObjectBase) -> Bool {
        guard waiting.contains(ObjectIdentifier(object)) else { return false }
        let binding = core.binding(for: type(of: object))
        guard let row = binding.existingRow(of: object, transaction) else { return false }
        let node = Node(object, binding, row)
        node.isDeferred = true
        numbers.append(object)
        nodes.append(node)
        return true
    }

    /// Creates the node of an object and collects its content.
    ///
    /// - Parameters:
    ///   - row: The row that an embedded object updates.
    ///   - isDeferred: Whether the object is embedded in a deferred one.
    private func begin(
        _ object: ObjectBase, _ row: ObjectKey?, _ isDeferred: Bool
    ) throws(Realm.Error) -> Int {
        let binding = core.binding(for: type(of: object))
        try binding.prepareToStore(in: transaction)
        let row = policy == .error ? nil : row ?? binding.existingRow(of: object, transaction)
        let node = Node(object, binding, row)
        let number = nodes.count
        numbers.append(object)
        nodes.append(node)
        let isRepeated = isRepeated(object, binding)
        if isRepeated { repeated.append(object) }
        node.isDeferred = isDeferred || isRepeated
        let isUpdate = row != nil || node.isDeferred
        for index in binding.schema.compoundProperties {
            // the default of a property that isn't to be changed must not be stored
            if isUpdate, !isSupplied(index, object) { continue }
            let property = binding.schema.properties[index]
            try find(property.content(of: object), in: index, property, node)
        }
        return number
    }

    /// Returns whether another object with the key was found before, so that this one updates it.
    private func isRepeated(_ object: ObjectBase, _ binding: ClassBinding) -> Bool {
        guard policy != .error, let key = binding.primaryKey(of: object) else { return false }
        return !knownKeys[ObjectIdentifier(binding), default: []].insert(key).inserted
    }

    /// Collects the content of a property.
    private func find(
        _ content: _PropertyContent.Content, in index: Int, _ property: PropertySchema, _ node: Node
    ) throws(Realm.Error) {
        let binding = node.binding
        switch content {
        case .value(let value) where policy != .error:
            try check(value, in: index, binding)
            let value = AnyRealmValue(plain: value) ?? .none
            node.anyValues.append((index, try AnyTree(value, core, binding.schema, property)))
        case .any(let value):
            let tree = try checked(value, binding.schema, property)
            node.anyValues.append((index, tree))
            node.targets += tree.unmanagedTargets
        case .link(let target?):
            try check(target, binding.schema, property)
            if property.isProjected { node.made[index] = target }
            if target.isManaged { return }
            node.targets.append((target, ownedRow(index, binding, node.row)))
        case .list(let list):
            let contents = try checked(list.contents, binding.schema, property)
            for case .tree(let tree) in contents { node.targets += tree.unmanagedTargets }
            node.lists.append((index, list, contents))
            let owned = ownedRows(index, binding, node.row)
            for (position, content) in contents.enumerated() {
                guard case .link(let target?) = content else { break }
                try check(target, binding.schema, property)
                if target.isManaged { continue }
                node.targets.append((target, position < owned.count ? owned[position] : nil))
            }
        case .map(let map):
            let entries = try checked(map.contents, binding.schema, property)
            for entry in entries {
                if case .tree(let tree) = entry.content { node.targets += tree.unmanagedTargets }
            }
            node.maps.append((index, map, entries))
            node.targets += try mapTargets(of: entries, index, node)
        default: break
        }
    }

    /// Throws if a column can't hold a value.
    private func check(
        _ value: Value, in index: Int, _ binding: ClassBinding
    ) throws(Realm.Error) {
        guard let column = binding.mapping?.columns[index], column >= 0 else { return }
        try engine { () throws(StoreError) in
            try transaction.check(binding.place.tableKey, ColumnKey(column), value)
        }
    }

    /// Throws `.invalidValue` for an object that can't be linked to.
    func check(
        _ target: ObjectBase, _ schema: ClassSchema, _ property: PropertySchema
    ) throws(Realm.Error) {
        if let other = target._binding {
            try core.checkLinkable(target, other, schema, property)
            return
        }
        try TransactionCore.checkClass(target, schema, property)
        guard property.isOwning else { return }
        guard owned[target] == nil else { throw .alreadyOwned(target, schema, property) }
        owned.append(target)
    }

    // MARK: New rows

    /// A link whose target had no row yet when its own row was inserted.
    private struct LateLink {
        let node: Int
        let property: Int
        let target: ObjectBase
    }

    private func insertRows() throws(Realm.Error) -> [LateLink] {
        var late: [LateLink] = []
        // rows of one class are stored in the order in which their objects were found, so that an
        // object comes before the objects of its class that it links to
        let order = hasSeveralOfAClass ? Array(storedCount..<nodes.count) : order
        for number in order where !nodes[number].exists {
            let node = nodes[number]
            if node.isDeferred {
                node.row = node.binding.existingRow(of: node.object, transaction)
                node.exists = node.row != nil
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

    private var hasSeveralOfAClass: Bool {
        guard nodes.count - storedCount > 1 else { return false }
        var known: Set<ObjectIdentifier> = []
        return !nodes[storedCount...].allSatisfy {
            known.insert(ObjectIdentifier($0.binding)).inserted
        }
    }

    /// Returns the row of an object that a property holds, or `nil` while it has none.
    func row(of target: ObjectBase) -> ObjectKey? {
        if target.isManaged { return ObjectKey(rawValue: target._row) }
        return numbers[target].flatMap { nodes[$0].row }
    }

    private func close(_ link: LateLink) throws(Realm.Error) {
        let node = nodes[link.node]
        guard let target = row(of: link.target), let row = node.row,
            let column = node.binding.mapping?.columns[link.property]
        else { return }
        try engine { () throws(StoreError) in
            try transaction.set(
                node.binding.place.tableKey, row, ColumnKey(column), target.linkValue)
        }
    }
}
