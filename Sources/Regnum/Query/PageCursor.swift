internal import RegnumEngine
internal import RegnumStore

/// The place where a page of results ended, from which the next page continues.
///
///     guard let cursor = PageCursor(token) else { throw HTTPError(.badRequest) }
///     let page = try messages.page(after: cursor, limit: 20)
///     respond(with: Array(page), next: page.hasMore ? page.cursor : nil)
///
/// It consists of the last object's sort values and identity, so the next page continues at the
/// right place even if that object has been changed or deleted. A server can pass it to clients: it
/// is `Codable`, and its text form consists of letters, digits, hyphens and underscores, which are
/// safe in URLs. The text is neither encrypted nor signed: a client can read the sort values in it,
/// and can make up others, which only leads to another place in the same results.
///
/// If a realm is restored to an earlier state, new objects can take the places of those that were
/// lost. From its first commit on, it therefore refuses cursors of pages that were read after that
/// state, as it does for cursors of streams. Earlier cursors remain valid.
public struct PageCursor: Sendable, Hashable {
    /// The version in which the object had its place, and its timeline.
    let version: UInt64
    let timeline: Identity128
    /// The keys of the stored class and, for a list, map or inverse, of the class of its owner. A
    /// class that was dropped and is declared again has another key, and numbers its rows from 0.
    let tables: [UInt32]
    let className: StoredText
    /// The list, map or inverse; empty for all objects of a class.
    let collection: StoredText
    /// The sort terms; empty for results that aren't sorted.
    let order: StoredText
    let place: PagePlace
}

/// The properties of a query that its cursors must match.
struct PageOrigin {
    let className: StoredText
    let collection: StoredText
    let order: StoredText
    private let terms: [SortTerm]
    /// Whether the results are those of an owner that doesn't exist, so that its collection isn't
    /// known.
    private let isOwnerless: Bool
    private let classNames: [StoredText]

    init(_ plan: QueryPlan) {
        className = plan.$tableName
        classNames = [className] + plan.source.ownerNames
        isOwnerless = plan.findsNothing
        terms = plan.order
        collection = StoredText(plan.source.pageName)
        order = StoredText(terms.map(\.pageName).joined(separator: ", "))
    }

    func cursor(
        _ place: PagePlace, _ realm: RealmCore, version: UInt64, _ tables: [UInt32]
    ) -> PageCursor {
        PageCursor(
            version: version, timeline: realm.coordinator.timelines.id(at: version), tables: tables,
            className: className, collection: collection, order: order, place: place)
    }

    /// Returns the keys of the stored classes, or `nil` if one isn't stored.
    func tables(_ state: QueryState) -> [UInt32]? {
        let keys = classNames.compactMap { state.table(named: $0.wrappedValue)?.rawValue }
        return keys.count == classNames.count ? keys : nil
    }

    /// Throws an error that says how a cursor differs.
    func check(_ cursor: PageCursor) throws(Realm.Error) {
        func owner(_ name: String) -> String { name.isEmpty ? "all objects" : name }
        func sorted(_ terms: String) -> String {
            terms.isEmpty ? "results that aren't sorted" : "results sorted by \(terms)"
        }
        // A client can put texts of any length into a cursor.
        if cursor.className != className {
            throw refused(
                "belongs to a query for \(cursor.className.wrappedValue.shortened), not for "
                    + "\(className.wrappedValue)")
        }
        if cursor.collection != collection, !isOwnerless {
            let other = cursor.collection.wrappedValue.shortened
            throw refused("belongs to \(owner(other)), not to \(owner(collection.wrappedValue))")
        }
        if cursor.order != order {
            let other = cursor.order.wrappedValue.shortened
            throw refused("belongs to \(sorted(other)), not to \(sorted(order.wrappedValue))")
        }
        if !cursor.place.isPlace(in: terms) {
            throw refused("has values that \(sorted(order.wrappedValue)) can't have")
        }
    }

    /// Throws an error if a cursor refers to commits that a realm doesn't have. One of a version
    /// that this process hasn't read yet is a place in older ones, too.
    func check(_ cursor: PageCursor, _ realm: RealmCore) throws(Realm.Error) {
        switch realm.timelineProblem(cursor.version, cursor.timeline) {
        case nil: return
        case .unknown:
            throw refused("belongs to another realm, or to commits of another copy of it")
        case .left(let problem): throw refused("\(problem); start again with the first page")
        }
    }

    func refused(_ problem: String) -> Realm.Error {
        Realm.Error(
            .invalidInput, "The page cursor \(problem).", className: className.wrappedValue)
    }
}

extension QuerySource {
    /// The class of the owner of a list, map or inverse.
    fileprivate var ownerNames: [StoredText] {
        switch self {
        case .table: []
        case .list(let owner, _, _): [owner]
        case .backlinks(_, let target, _): [target]
        }
    }

    fileprivate var pageName: String {
        switch self {
        case .table: ""
        case .list(let owner, let row, let name):
            "\(owner.wrappedValue).\(name.wrappedValue) of object \(row.rawValue)"
        case .backlinks(let name, let target, let row):
            "the objects whose \(name.wrappedValue) contains object \(row.rawValue) of "
                + target.wrappedValue
        }
    }
}

extension SortTerm {
    fileprivate var pageName: String {
        var path = ""
        for hop in column.hops {
            if !path.isEmpty { path += "." }
            path += hop.holder?.wrappedValue ?? hop.name
            if let position = hop.position { path += "[\(position)]" }
            if let key = hop.key { path += "['\(key.wrappedValue)']" }
        }
        // The values of a list or map are columns of a hidden class, whose name has a point.
        let isElement =
            column.hops.last.map {
                $0.kind == .list && $0.target.utf8.contains(UInt8(ascii: "."))
            } ?? false
        if !isElement { path += path.isEmpty ? column.name : ".\(column.name)" }
        return "\(path) \(ascending ? "ASC" : "DESC")"
    }
}
