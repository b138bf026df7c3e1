import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// The place where a page ended.
struct PlainPlace {
    /// The sort values that the last node had.
    var values: [PlainValue]
    var node: Int
    /// How often the node occurs before that.
    var occurrence: Int
}

struct PlainPage {
    var nodes: [Int]
    var end: PlainPlace?
    var hasMore: Bool
}

extension PlainPlan {
    /// The sorts that order the result, most significant first.
    private var order: [(key: PlainKey, isAscending: Bool)] {
        var order: [(key: PlainKey, isAscending: Bool)] = []
        for case .sort(let orders) in steps.reversed() { order += orders }
        return order
    }

    /// Returns the nodes of the result after a place; `nil` if the place isn't defined, because the
    /// node was removed from a list in which nodes have the same sort values.
    func page(after place: PlainPlace?, limit: Int, _ world: PlainWorld) -> PlainPage? {
        let order = order
        let elements = elements(world)
        let isList = source.map { $0.hop == .nodes } ?? false
        func end(at position: Int) -> PlainPlace {
            PlainPlace(
                values: order.map { $0.key.value(world, elements[position]) ?? .null },
                node: elements[position],
                occurrence: elements[..<position].count { $0 == elements[position] })
        }
        var places = positions(world).map { (position: $0, place: end(at: $0)) }
        if let place {
            let occurrences = elements.indices.filter { elements[$0] == place.node }
            let position = occurrences.dropFirst(place.occurrence).first
            var isDefined = true
            places = places.filter { other in
                for (index, term) in order.enumerated() {
                    let sign = PlainValue.order(other.place.values[index], place.values[index])
                    if sign != 0 { return term.isAscending ? sign > 0 : sign < 0 }
                }
                if isList {
                    guard let position else {
                        isDefined = false
                        return false
                    }
                    return other.position > position
                }
                // ascending in order of creation, as the ids are
                if other.place.node != place.node { return other.place.node > place.node }
                return other.place.occurrence > place.occurrence
            }
            if !isDefined { return nil }
        }
        let page = places.prefix(limit)
        return PlainPage(
            nodes: page.map(\.place.node), end: page.last?.place ?? place,
            hasMore: places.count > limit)
    }
}

extension WorldRun {
    /// A page of the library: the ids of its nodes, and what the page has besides.
    typealias FoundPage = (ids: [Int], cursor: PageCursor?, hasMore: Bool)

    /// Checks that pages of a random size make up the whole result.
    static func checkPages(
        _ expected: [Int], _ view: String, _ plan: PlainPlan, _ random: inout SeededRandom,
        _ read: (PageCursor?, Int) throws -> FoundPage
    ) throws {
        let limit = Int.random(in: 1...max(3, expected.count / 2), using: &random)
        var found: [Int] = []
        var cursor: PageCursor?
        while true {
            let page = try read(cursor, limit)
            found += page.ids
            guard page.ids.count <= limit, page.hasMore == (found.count < expected.count) else {
                throw Difference(
                    description: "\(view): a page of \(limit) after \(found) says hasMore = "
                        + "\(page.hasMore) for \(plan)")
            }
            // as a client would return it
            cursor = page.cursor.flatMap { PageCursor($0.description) }
            if cursor != page.cursor {
                throw Difference(description: "\(view): the text form differs for \(plan)")
            }
            if !page.hasMore { break }
        }
        if found == expected { return }
        throw Difference(
            description: "\(view): pages of \(limit) are \(found) instead of \(expected) for "
                + "\(plan)")
    }

    /// Reads a few pages with changes between them.
    static func checkPages(
        _ results: Results<WorldNode>, _ plan: PlainPlan, _ world: inout PlainWorld,
        _ tx: Transaction, _ random: inout SeededRandom
    ) throws {
        let limit = Int.random(in: 1...4, using: &random)
        var cursor: PageCursor?
        var place: PlainPlace?
        for _ in 0..<4 {
            if let source = plan.source, world.object(source.node) == nil { return }
            let expected = plan.page(after: place, limit: limit, world)
            let found: ResultsPage<WorldNode>
            do throws(Realm.Error) {
                found = try results.page(after: cursor, limit: limit)
            } catch {
                if expected == nil, error.code == .invalidInput { return }
                throw Difference(description: "a page over changes throws \(error): \(plan)")
            }
            guard let page = expected, found.map(\.id) == page.nodes,
                found.hasMore == page.hasMore
            else {
                throw Difference(
                    description: "a page over changes is \(found.map(\.id)), \(found.hasMore), "
                        + "instead of \(expected.map { "\($0.nodes)" } ?? "an error") for \(plan)")
            }
            cursor = found.cursor
            place = page.end
            for _ in 0..<Int.random(in: 0...2, using: &random) { try change(&world, tx, &random) }
        }
    }
}
