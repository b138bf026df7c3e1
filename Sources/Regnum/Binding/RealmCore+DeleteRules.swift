internal import RegnumEngine
internal import RegnumStore

extension RealmCore {
    /// Returns the delete rules of the registered classes, and of those that they link to, resolved
    /// for a schema.
    ///
    /// - Complexity: O(1) while neither the schema nor the set of registered classes changes.
    func deleteRules(in database: DatabaseSchema) -> KnownDeleteRules {
        let count = joinedClassCount
        if let known = knownDeleteRules.withLock({ $0 }), known.schemaID == database.id,
            known.classCount == count
        {
            return known
        }
        let schemas = ClassSchema.reachable(from: joinedSchemas) { $0.objectType }
        var rules: [DeleteRule] = []
        var mismatches: [TableKey: Realm.Error] = [:]
        for schema in schemas {
            let own = schema.deleteRules(in: database)
            guard let table = own.first?.table,
                let mismatch = schema.mismatch(
                    with: database.tables[Int(table.rawValue)], in: database)
            else {
                rules += own
                continue
            }
            // the stored properties may lead to other classes than the declared ones
            for rule in own { mismatches[rule.isDenial ? rule.target : table] = mismatch }
        }
        let known = KnownDeleteRules(
            schemaID: database.id, classCount: count, rules: DeleteRules(rules),
            mismatches: mismatches)
        knownDeleteRules.withLock { $0 = known }
        return known
    }
}

/// The cached result of `RealmCore.deleteRules(in:)`.
struct KnownDeleteRules: Sendable {
    let schemaID: UInt64
    let classCount: Int
    /// The rules of the classes that match the stored schema; `nil` if there are none.
    let rules: DeleteRules?
    /// The errors of the other classes with rules, by the classes whose objects can't be deleted
    /// because such a rule would apply.
    fileprivate let mismatches: [TableKey: Realm.Error]

    /// Returns the error that prevents deleting objects of some classes, if any.
    func mismatch(of tables: some Sequence<TableKey>) -> Realm.Error? {
        if mismatches.isEmpty { return nil }
        for table in tables {
            if let mismatch = mismatches[table] { return mismatch }
        }
        return nil
    }
}

extension ClassSchema {
    /// Returns the rules of the class's stored properties.
    fileprivate func deleteRules(in database: DatabaseSchema) -> [DeleteRule] {
        guard declarationError == nil, let table = database.table(named: name) else { return [] }
        return properties.compactMap { property in
            guard property.deleteRule != .nullify, let type = property.shape.targetType,
                let target = database.table(named: ClassSchema.of(type).name),
                let route = route(property, table)
            else { return nil }
            return DeleteRule(
                table: table.key, property: property.name, route: route, target: target.key,
                isDenial: property.deleteRule == .deny)
        }
    }

    private func route(_ property: PropertySchema, _ table: TableSchema) -> DeleteRule.Route? {
        switch property.shape {
        case .link: return table.column(named: property.columnName).map { .link($0.key) }
        case .list, .set: return table.list(named: property.columnName).map { .list($0.key) }
        case .map: return table.list(named: property.columnName).map { .map($0.key) }
        case .scalar, .linkingObjects: return nil
        }
    }
}

extension Realm.Error {
    /// Creates the error of a deletion that a rule denies.
    init(_ denial: DeleteDenial, in transaction: EngineTransaction) {
        func name(_ table: TableKey, _ row: ObjectKey) -> (text: String, key: String?) {
            let schema = transaction.schema.tables[Int(table.rawValue)]
            let key = schema.primaryKey.flatMap { transaction.value(table, row, $0) }
            let text = key.map { "\(schema.name) \($0.keyText)" } ?? schema.name.withArticle
            return (text, key?.bareKeyText)
        }
        let className = transaction.schema.tables[Int(denial.rule.table.rawValue)].name
        let holder = name(denial.rule.table, denial.holder)
        let target = name(denial.rule.target, denial.target)
        self.init(
            .deletionDenied,
            "\(className).\(denial.rule.property) denies the deletion of \(target.text): "
                + "\(holder.text) still links to it.",
            className: className, property: denial.rule.property, key: holder.key)
    }
}
