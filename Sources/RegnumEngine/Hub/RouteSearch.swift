/// A search in the rows of one class that a commit changed: for the values of some of their
/// properties, and for the owners of lists that contain them, before or after the commit.
struct RouteSearch {
    struct Question<Key: Hashable> {
        /// The keys to look for, `nil` for all.
        let searchedKeys: Set<Key>?
        fileprivate(set) var found: Set<Key> = []

        /// Whether all wanted keys were found.
        fileprivate var isDone: Bool { found.count == searchedKeys?.count }

        fileprivate mutating func note(_ key: Key) {
            if searchedKeys?.contains(key) ?? true { found.insert(key) }
        }
    }

    /// The maximum number of keys copied from the routes.
    static let maximumSearchedKeyCount = 64

    let delta: TableDelta
    var values: [StoredText: Question<Value>] = [:]
    var elements: [ListName: Question<ObjectKey>] = [:]

    init(_ delta: TableDelta) { self.delta = delta }

    /// The approximate number of rows to read.
    var cost: Int {
        let rows =
            delta.inserted.count + delta.deleted.count + delta.modified.count
            + delta.listChanges.values.reduce(0) { $0 + $1.count }
        return rows * (values.count + elements.count)
    }

    /// Runs the search. The roots are those before and after the commit, with the same schema.
    ///
    /// - Complexity: O(changed rows x properties x log n); for lists with many wanted owners, also
    ///   the number of lists that contain each row.
    mutating func run(_ old: DatabaseRoot, _ new: DatabaseRoot) {
        let schema = new.schema.tables[delta.table.index]
        for column in Array(values.keys) {
            guard let found = schema.column(named: column.wrappedValue),
                var question = values[column]
            else { continue }
            values[column] = nil
            find(found.key, old, new, &question)
            values[column] = question
        }
        for list in Array(elements.keys) {
            let place = new.schema.listPlace(
                list.className, list.list, target: delta.table)
            guard let place, var question = elements[list] else { continue }
            elements[list] = nil
            find(place, old, &question)
            find(place, new, &question)
            elements[list] = question
        }
    }

    private func find(
        _ column: ColumnKey, _ old: DatabaseRoot, _ new: DatabaseRoot,
        _ question: inout Question<Value>
    ) {
        let note = { (root: DatabaseRoot, row: ObjectKey, question: inout Question<Value>) in
            if let key = root.value(delta.table, row, column)?.routingKey { question.note(key) }
        }
        for row in delta.inserted where !question.isDone { note(new, row, &question) }
        for row in delta.deleted where !question.isDone { note(old, row, &question) }
        for row in delta.modified where !question.isDone {
            note(new, row.key, &question)
            if row.columns.contains(column) { note(old, row.key, &question) }
        }
        for change in delta.listChanges.values.joined() where !question.isDone {
            note(new, change.row, &question)
            note(old, change.row, &question)
        }
    }

    private func find(
        _ place: ListPlace, _ root: DatabaseRoot, _ question: inout Question<ObjectKey>
    ) {
        for row in delta.changedRows where !question.isDone {
            if let searchedKeys = question.searchedKeys {
                for owner in searchedKeys where !question.found.contains(owner) {
                    if root.isElement(row, of: place, owner) { question.note(owner) }
                }
            } else {
                for owner in root.content.backlinks(row.rawValue, place) {
                    question.note(ObjectKey(rawValue: owner))
                }
            }
        }
    }
}
