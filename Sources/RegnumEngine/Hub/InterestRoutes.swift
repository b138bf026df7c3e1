/// An index of the subscriptions by their interests. It finds the subscriptions that a commit
/// concerns without visiting the others.
///
/// Queries have two steps, so that rows can be read in between without a lock: `searches` returns
/// what must be determined about a commit, and `visit` then finds the subscriptions.
struct InterestRoutes {
    typealias Entries = Members<SubscriptionEntry>

    private struct TableRoutes: Emptiable {
        var all = Entries()
        var values: [StoredText: [Value: Entries]] = [:]
        var elements: [ListName: [ObjectKey: Entries]] = [:]

        var isEmpty: Bool { all.isEmpty && values.isEmpty && elements.isEmpty }
    }

    private var all = Entries()
    private var tables: [StoredText: TableRoutes] = [:]

    var isEmpty: Bool { all.isEmpty && tables.isEmpty }

    mutating func insert(_ entry: SubscriptionEntry) {
        change(entry) { $0.insert(entry, entry.id) }
    }

    mutating func remove(_ entry: SubscriptionEntry) {
        change(entry) { $0.remove(entry.id) }
    }

    private mutating func change(
        _ entry: SubscriptionEntry, _ body: (inout Entries) -> Void
    ) {
        for term in entry.interest.terms {
            switch term {
            case .all:
                body(&all)
            case .table(let name):
                tables.change(name) { body(&$0.all) }
            case .value(let name, let column, let value):
                guard let value = value.routingKey else { continue }
                tables.change(name) { table in
                    table.values.change(column) { $0.change(value, body) }
                }
            case .elements(let name, let owner, let list, let row):
                let place = ListName(className: owner.wrappedValue, list: list.wrappedValue)
                tables.change(name) { table in
                    table.elements.change(place) { $0.change(row, body) }
                }
            }
        }
    }

    /// Returns what must be determined about a commit: nothing for classes that aren't observed.
    ///
    /// - Complexity: O(classes of the commit and their routed properties).
    func searches(_ summary: CommitSummary) -> [RouteSearch] {
        if tables.isEmpty { return [] }
        var searches: [RouteSearch] = []
        for delta in summary.tables.values {
            guard let routes = tables[StoredText(delta.tableName)] else { continue }
            if routes.values.isEmpty, routes.elements.isEmpty { continue }
            var search = RouteSearch(delta)
            search.values = routes.values.mapValues {
                RouteSearch.Question(searchedKeys: searchedKeys($0))
            }
            search.elements = routes.elements.mapValues {
                RouteSearch.Question(searchedKeys: searchedKeys($0))
            }
            searches.append(search)
        }
        return searches
    }

    /// Returns the keys to look for if there are few; `nil` for all keys.
    private func searchedKeys<Key>(_ routes: [Key: Entries]) -> Set<Key>? {
        routes.count <= RouteSearch.maximumSearchedKeyCount ? Set(routes.keys) : nil
    }

    /// Calls `body` with the subscriptions that a commit concerns, possibly more than once.
    ///
    /// - Parameter searches: the completed searches of the commit.
    /// - Complexity: O(classes + values found + subscriptions).
    func visit(
        _ summary: CommitSummary, _ searches: [RouteSearch], _ body: (SubscriptionEntry) -> Void
    ) {
        all.forEach(body)
        if tables.isEmpty { return }
        for delta in summary.tables.values {
            tables[StoredText(delta.tableName)]?.all.forEach(body)
        }
        for search in searches {
            guard let routes = tables[StoredText(search.delta.tableName)] else { continue }
            for (column, values) in search.values {
                guard let route = routes.values[column] else { continue }
                for value in values.found { route[value]?.forEach(body) }
            }
            for (list, rows) in search.elements {
                guard let route = routes.elements[list] else { continue }
                for row in rows.found { route[row]?.forEach(body) }
            }
        }
    }
}

/// A collection that is removed from the one that contains it once it is empty.
private protocol Emptiable {
    init()
    var isEmpty: Bool { get }
}

extension Members: Emptiable {}
extension Dictionary: Emptiable {
    /// Changes the value of a key, starting from an empty one if the key has none.
    fileprivate mutating func change(_ key: Key, _ body: (inout Value) -> Void)
    where Value: Emptiable {
        body(&self[key, default: Value()])
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}

struct ListName: Hashable, Sendable {
    @StoredText var className: String
    @StoredText var list: String
}

extension Value {
    /// A key that is equal for values that queries consider equal; `nil` for values equal to
    /// nothing.
    var routingKey: Value? {
        switch self {
        case .double(let number):
            if number.isNaN { return nil }
            return Int64(exactly: number).map { .int($0) } ?? self
        case .date(let seconds):
            if seconds.isNaN { return nil }
            return seconds == 0 ? .date(0) : self
        default: return self
        }
    }
}
