internal import RegnumEngine
internal import RegnumStore

/// A page of results: some successive objects, and the place where the next page starts.
///
///     var page = try messages.page(limit: 100)
///     show(page)
///     while page.hasMore {
///         page = try messages.page(after: page.cursor, limit: 100)
///         show(page)
///     }
///
/// Pages of confined results are confined to their transaction like the objects in them; those of
/// frozen and live results are `Sendable`.
public struct ResultsPage<Element>: RandomAccessCollection {
    private let elements: [Element]
    /// The place after the last object of the page, or after that of the page before if this one is
    /// empty; `nil` if the results are empty. Objects that are added behind it later are found by
    /// the page after it, even if there are none now.
    public let cursor: PageCursor?
    /// Whether more objects followed when the page was read.
    public let hasMore: Bool

    init(_ found: FoundPage, _ element: (ObjectKey) -> Element) {
        elements = found.keys.map(element)
        cursor = found.cursor
        hasMore = found.hasMore
    }

    public var startIndex: Int { 0 }

    public var endIndex: Int { elements.count }

    public subscript(position: Int) -> Element { elements[position] }
}

extension ResultsPage: Sendable where Element: Sendable {}

/// The rows of a page.
struct FoundPage {
    var keys: [ObjectKey]
    var cursor: PageCursor?
    var hasMore = false
}

/// A request for a page of a query's result.
struct PageRequest: Sendable {
    enum Answer: Sendable {
        case page(RowPage, realm: Identity128)
        case otherRealm
        case undefinedPlace
    }

    private let cursor: PageCursor?
    private let limit: Int

    /// Throws if the cursor is that of another query, or the limit isn't positive.
    init(_ plan: QueryPlan, after cursor: PageCursor?, limit: Int) throws(Realm.Error) {
        guard limit > 0 else {
            throw Realm.Error(
                .invalidInput, "The limit of a page must be at least 1: \(limit).",
                className: plan.tableName)
        }
        if let cursor { try PageOrigin(plan).check(cursor) }
        self.cursor = cursor
        self.limit = limit
    }

    func ask(_ plan: QueryPlan, _ state: QueryState) throws(StoreError) -> Answer {
        if let cursor, cursor.realm != state.identity { return .otherRealm }
        guard let page = try plan.page(after: cursor?.place, limit: limit, state) else {
            return .undefinedPlace
        }
        return .page(page, realm: state.identity)
    }

    func found(_ answer: Answer, _ plan: QueryPlan) throws(Realm.Error) -> FoundPage {
        let origin = PageOrigin(plan)
        switch answer {
        case .page(let page, let realm):
            return FoundPage(
                keys: page.keys, cursor: page.end.map { origin.cursor($0, realm: realm) },
                hasMore: page.hasMore)
        case .otherRealm:
            throw origin.refused("belongs to another realm")
        case .undefinedPlace:
            throw origin.refused(
                "has no place any more: its object was removed from "
                    + "\(origin.collection.wrappedValue), whose objects have no other order than "
                    + "their positions; start again with the first page")
        }
    }
}

extension Queryable {
    /// Returns the rows of a page of the result; `nil` for results of a recorder (see
    /// `ReadTracer`).
    func rowPage(after cursor: PageCursor?, limit: Int) throws(Realm.Error) -> FoundPage? {
        if let problem = _realm.problem { throw problem }
        let query = _plan.plan
        let request = try PageRequest(query, after: cursor, limit: limit)
        let answer = try answer(through: []) { plan, state throws(StoreError) in
            try request.ask(plan, state)
        }
        guard let answer else { return nil }
        return try request.found(answer, query)
    }
}
