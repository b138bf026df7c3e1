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
    /// The place after the last object of the page or, if the page is empty, the cursor that was
    /// passed; `nil` for an empty first page. The next page also contains objects that are added
    /// after this place later, so the cursor is useful even if there are none yet.
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
        case page(RowPage, version: UInt64, tables: [UInt32])
        case otherClass
        case undefinedPlace
    }

    private let cursor: PageCursor?
    private let limit: Int
    private let realm: RealmCore
    private let origin: PageOrigin

    /// Throws if the cursor is that of another query, or of commits that the realm doesn't have, or
    /// if the limit isn't positive.
    init(
        _ plan: QueryPlan, after cursor: PageCursor?, limit: Int, _ realm: RealmCore
    ) throws(Realm.Error) {
        guard limit > 0 else {
            throw Realm.Error(
                .invalidInput, "The limit of a page must be at least 1: \(limit).",
                className: plan.tableName)
        }
        origin = PageOrigin(plan)
        if let cursor {
            try origin.check(cursor)
            try origin.check(cursor, realm)
        }
        self.cursor = cursor
        self.limit = limit
        self.realm = realm
    }

    func ask(_ plan: QueryPlan, _ state: QueryState) throws(StoreError) -> Answer {
        let tables = origin.tables(state)
        if let cursor, let tables, cursor.tables.prefix(tables.count) != tables[...] {
            return .otherClass
        }
        guard let page = try plan.page(after: cursor?.place, limit: limit, state) else {
            return .undefinedPlace
        }
        return .page(page, version: state.version, tables: tables ?? [])
    }

    func found(_ answer: Answer) throws(Realm.Error) -> FoundPage {
        switch answer {
        case .page(let page, let version, let tables):
            // an empty page leaves the place that the cursor had in its version
            guard !page.keys.isEmpty, let end = page.end else {
                return FoundPage(keys: [], cursor: cursor)
            }
            return FoundPage(
                keys: page.keys,
                cursor: origin.cursor(end, realm, version: version, tables),
                hasMore: page.hasMore)
        case .otherClass:
            throw origin.refused(
                "belongs to a class that was removed from the realm and added again; start again "
                    + "with the first page")
        case .undefinedPlace:
            throw origin.refused(
                "no longer has a place: its object was removed from "
                    + "\(origin.collection.wrappedValue), whose objects are ordered only by their "
                    + "positions; start again with the first page")
        }
    }
}

extension Queryable {
    /// Returns the rows of a page of the result; `nil` for results of a recorder (see
    /// `ReadTracer`).
    func rowPage(after cursor: PageCursor?, limit: Int) throws(Realm.Error) -> FoundPage? {
        if let problem = _realm.problem { throw problem }
        guard let realm = _realm.core else { return nil }
        let query = _plan.plan
        let request = try PageRequest(query, after: cursor, limit: limit, realm)
        let answer = try answer(through: []) { plan, state throws(StoreError) in
            try request.ask(plan, state)
        }
        guard let answer else { return nil }
        return try request.found(answer)
    }
}
