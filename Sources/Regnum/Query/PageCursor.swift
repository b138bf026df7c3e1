internal import RegnumEngine
internal import RegnumStore

/// The place where a page of results ended, from which the next page continues.
///
///     guard let cursor = PageCursor(token) else { throw HTTPError(.badRequest) }
///     let page = try messages.page(after: cursor, limit: 20)
///     respond(with: Array(page), next: page.hasMore ? page.cursor : nil)
///
/// It consists of the last object's sort values and identity, so the next page continues at the
/// right place even if that object has been changed or deleted. A server can hand it to clients: it
/// is `Codable`, and its text form consists of letters, digits, hyphens and underscores, as is safe
/// in a URL. The text is neither encrypted nor signed: a client can read the sort values in it, and
/// can make up others, which only leads to another place in the same results.
public struct PageCursor: Sendable, Hashable {
    /// The identity of the realm.
    let realm: Identity128
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

    init(_ plan: QueryPlan) {
        className = plan.$tableName
        terms = plan.order
        collection = StoredText(plan.source.pageName)
        order = StoredText(terms.map(\.pageName).joined(separator: ", "))
    }

    func cursor(_ place: PagePlace, realm: Identity128) -> PageCursor {
        PageCursor(
            realm: realm, className: className, collection: collection, order: order, place: place)
    }

    /// Throws an error that says how a cursor differs.
    func check(_ cursor: PageCursor) throws(Realm.Error) {
        func owner(_ collection: StoredText) -> String {
            collection.wrappedValue.isEmpty ? "all objects" : collection.wrappedValue
        }
        func sorted(_ order: StoredText) -> String {
            order.wrappedValue.isEmpty
                ? "results that aren't sorted" : "results sorted by \(order.wrappedValue)"
        }
        if cursor.className != className {
            throw refused(
                "belongs to a query for \(cursor.className.wrappedValue), not for "
                    + "\(className.wrappedValue)")
        }
        if cursor.collection != collection {
            throw refused("belongs to \(owner(cursor.collection)), not to \(owner(collection))")
        }
        if cursor.order != order {
            throw refused("belongs to \(sorted(cursor.order)), not to \(sorted(order))")
        }
        if !cursor.place.isPlace(in: terms) {
            throw refused("has values that \(sorted(order)) can't have")
        }
    }

    func refused(_ problem: String) -> Realm.Error {
        Realm.Error(
            .invalidInput, "The page cursor \(problem).", className: className.wrappedValue)
    }
}

extension QuerySource {
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
