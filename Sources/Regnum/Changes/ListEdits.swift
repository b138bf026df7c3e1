internal import RegnumEngine

/// Which lists of which rows of a class changed in a step: elements put in, taken out or moved, or,
/// in a list of values, set.
struct ListEdits {
    private(set) var lists: [ObjectKey: Set<ListKey>] = [:]

    /// No edits.
    init() {}

    /// The edits of rows that were there before the step and still are.
    ///
    /// - Complexity: O(changes x log n).
    init(_ step: CommitStep, _ delta: MergedDelta, tableName: String) {
        guard let table = step.new.schema.table(named: tableName) else { return }
        for (list, changes) in delta.listChanges {
            for change in changes { lists[change.row, default: []].insert(list) }
        }
        for list in table.lists {
            let target = step.new.schema.tables[Int(list.target.rawValue)]
            guard target.kind == .elements else { continue }
            for row in step.delta(target.name).modified {
                // an element belongs to one list
                for owner in step.new.backlinks(of: row.key, through: list.key, of: table.key)
                where step.old.contains(table.key, owner) {
                    lists[owner, default: []].insert(list.key)
                }
            }
        }
    }

    subscript(row: ObjectKey) -> Set<ListKey> { lists[row] ?? [] }
}

extension ClassSchema {
    /// The classes of which commits change objects of this one: itself, and those that hold the
    /// elements of its lists of values.
    var contentNames: Set<String> {
        var names: Set<String> = [name]
        for property in properties {
            if case .list(.scalar) = property.shape { names.insert(elementsName(of: property)) }
        }
        return names
    }
}
