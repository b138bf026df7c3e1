/// A delete rule of a link or list of a class.
package struct DeleteRule: Sendable {
    /// The property that refers to the target.
    package enum Route: Sendable {
        case link(ColumnKey)
        case list(ListKey)
        /// A list of entries whose first column is the link.
        case map(ListKey)
    }

    /// The class that declares the property.
    package let table: TableKey
    package let property: String
    package let route: Route
    /// The class that the property refers to.
    package let target: TableKey
    /// Whether the target can't be deleted while a row refers to it. If false, the target is
    /// deleted with the rows that refer to it.
    package let isDenial: Bool

    package init(
        table: TableKey, property: String, route: Route, target: TableKey, isDenial: Bool
    ) {
        self.table = table
        self.property = property
        self.route = route
        self.target = target
        self.isDenial = isDenial
    }
}

/// The delete rules of a realm, by class.
package final class DeleteRules: Sendable {
    /// Cascade rules by the class that declares the property.
    fileprivate let cascades: [Int: [DeleteRule]]
    /// Deny rules by the target class.
    fileprivate let denials: [Int: [DeleteRule]]

    /// Returns `nil` if `rules` is empty.
    package init?(_ rules: [DeleteRule]) {
        if rules.isEmpty { return nil }
        cascades = Dictionary(grouping: rules.filter { !$0.isDenial }) { $0.table.index }
        denials = Dictionary(grouping: rules.filter(\.isDenial)) { $0.target.index }
    }

    /// Returns whether deleting a row of the class may cascade or be denied.
    package func concern(_ table: TableKey) -> Bool {
        cascades[table.index] != nil || denials[table.index] != nil
    }
}

/// A set of rows to delete together.
package struct Deletion {
    /// The rows by class.
    fileprivate(set) var rows: [Int: [UInt64]] = [:]
    /// The classes of the rows, in the order of their tables.
    package var tables: [TableKey] { rows.keys.sorted().map { TableKey(rawValue: UInt32($0)) } }
    /// The reason why nothing may be deleted, or `nil`.
    package fileprivate(set) var denial: DeleteDenial?
}

/// A reference that prevents an object from being deleted.
package struct DeleteDenial: Sendable {
    package let rule: DeleteRule
    /// The row of `rule.table` that refers to the target.
    package let holder: ObjectKey
    /// The row of `rule.target` that must not be deleted.
    package let target: ObjectKey
}

extension EngineTransaction {
    /// Returns all rows that the rules delete along with `rows`, and whether they allow it. Changes
    /// nothing.
    ///
    /// Not recursive, because chains of links may be long.
    ///
    /// - Complexity: O(log n) for each row to delete, each of its links with a rule, and each
    ///   reference to it with a deny rule.
    package func deletion(
        of rows: [(table: TableKey, keys: [ObjectKey])], by rules: DeleteRules
    ) -> Deletion {
        var walk = DeletionWalk(content: content)
        for (table, keys) in rows {
            for key in keys { walk.add(table.index, key.rawValue) }
        }
        while let (table, row) = walk.pending.popLast() {
            for rule in rules.cascades[table] ?? [] {
                for target in walk.targets(rule, row) { walk.add(rule.target.index, target) }
            }
        }
        var deletion = Deletion(rows: walk.found)
        for table in walk.found.keys.sorted() {
            for rule in rules.denials[table] ?? [] {
                for row in walk.found[table] ?? [] {
                    guard let holder = walk.survivor(rule, row) else { continue }
                    deletion.denial = DeleteDenial(
                        rule: rule, holder: ObjectKey(rawValue: holder),
                        target: ObjectKey(rawValue: row))
                    return deletion
                }
            }
        }
        return deletion
    }

    /// Deletes the rows of a deletion, each like `delete`.
    ///
    /// - Precondition: Nothing has changed since the deletion was computed, and it isn't denied.
    package func delete(_ deletion: Deletion) {
        willEdit()
        delete(deletion.rows)
    }
}

/// A traversal that collects the rows to delete.
private struct DeletionWalk {
    let content: DatabaseContent
    private(set) var found: [Int: [UInt64]] = [:]
    var known: [Int: Set<UInt64>] = [:]
    var pending: [(table: Int, row: UInt64)] = []

    mutating func add(_ table: Int, _ row: UInt64) {
        guard content[table].contains(row), known[table, default: []].insert(row).inserted else {
            return
        }
        found[table, default: []].append(row)
        pending.append((table, row))
    }

    /// Returns the rows that a property of a row refers to.
    func targets(_ rule: DeleteRule, _ row: UInt64) -> [UInt64] {
        switch rule.route {
        case .link(let column):
            return [link(rule.table, row, column)].compactMap { $0 }
        case .list(let list):
            return content.elements(rule.table, list).elements(row)
        case .map(let list):
            guard let entries = content.listSchema(rule.table, list)?.target else { return [] }
            return content.elements(rule.table, list).elements(row)
                .compactMap { link(entries, $0, ColumnKey(rawValue: 0)) }
        }
    }

    private func link(_ table: TableKey, _ row: UInt64, _ column: ColumnKey) -> UInt64? {
        guard let (cluster, place) = content[table.index].place(row) else { return nil }
        let columns = content.schema.tables[table.index].columns
        return cluster.value(place, columns[column.index]).linkedRow
    }

    /// Returns a row that refers to `target` and won't be deleted itself.
    func survivor(_ rule: DeleteRule, _ target: UInt64) -> UInt64? {
        switch rule.route {
        case .link(let column):
            let place = LinkPlace(table: rule.table, column: column)
            return content.origins(target, place).first { !willBeDeleted(rule.table, $0) }
        case .list(let list):
            let place = ListPlace(table: rule.table, list: list)
            return content.backlinks(target, place).first { !willBeDeleted(rule.table, $0) }
        case .map(let list):
            guard let entries = content.listSchema(rule.table, list)?.target else { return nil }
            let place = ListPlace(table: rule.table, list: list)
            let links = LinkPlace(table: entries, column: ColumnKey(rawValue: 0))
            return content.origins(target, links).lazy
                .flatMap { content.backlinks($0, place) }
                .first { !willBeDeleted(rule.table, $0) }
        }
    }

    /// Returns whether a row or one of its owners will be deleted.
    private func willBeDeleted(_ table: TableKey, _ row: UInt64) -> Bool {
        var place = (table: table, row: row)
        // In a forged file, rows may own each other. Brent's algorithm detects such cycles: it
        // compares with an earlier row, which is replaced after 128 steps, then 256, and so on.
        var passed = place
        var (stepCount, maximumStepCount) = (0, 128)
        while true {
            if known[place.table.index]?.contains(place.row) == true { return true }
            guard content.schema.tables[place.table.index].kind.isOwned,
                let owner = content.owner(place.table, place.row)
            else { return false }
            if owner == passed {
                content.report(content.damage(ofOwnersIn: owner.table))
                return false
            }
            place = owner
            stepCount += 1
            if stepCount == maximumStepCount {
                passed = place
                maximumStepCount *= 2
            }
        }
    }
}
