import Regnum
import RegnumTestSupport
import Testing

/// Counters of the work that streams cause.
struct StreamCost: Equatable, CustomStringConvertible {
    var evaluatedRows = 0
    var reachedRows = 0
    var wakes = 0
    var steps = 0

    var description: String {
        "\(evaluatedRows) rows evaluated, \(reachedRows) reached, \(wakes) wakes, \(steps) steps"
    }

    /// Returns the counters of a realm so far.
    static func of(_ realm: Realm) -> StreamCost {
        let stats = realm.stats()
        return StreamCost(
            evaluatedRows: stats.evaluatedRows, reachedRows: stats.reachedRows,
            wakes: stats.streamWakes, steps: stats.streamSteps)
    }

    static func - (a: StreamCost, b: StreamCost) -> StreamCost {
        StreamCost(
            evaluatedRows: a.evaluatedRows - b.evaluatedRows,
            reachedRows: a.reachedRows - b.reachedRows, wakes: a.wakes - b.wakes,
            steps: a.steps - b.steps)
    }
}

/// The kinds of streams whose cost is measured.
enum StreamKind: CaseIterable {
    case all, filtered, indexed, sorted, filteredSorted
    case linked, linkedSort, distinct, distinctSorted
    case list, filteredList, sortedList, inverse, object, values

    /// Returns a type-erased iterator.
    func makePull(_ realm: Realm) -> Pull {
        let seats = realm.objects(Scale.Seat.self)
        let hall = realm.object(Scale.Hall.self, forPrimaryKey: 0)
        switch self {
        case .all: return Pull(seats.changes)
        case .filtered: return Pull(seats.where { $0.rank > 40 }.changes)
        case .indexed: return Pull(seats.where { $0.hall == 0 && $0.rank > 1 }.changes)
        case .sorted: return Pull(seats.sorted(by: \.rank).changes)
        case .filteredSorted:
            return Pull(seats.where { $0.rank > 40 }.sorted(by: \.rank).sorted(by: \.name).changes)
        case .linked: return Pull(seats.where { $0.guest.age > 20 }.changes)
        case .linkedSort: return Pull(seats.sorted(by: \.guest?.age).changes)
        case .distinct: return Pull(seats.distinct(by: \.hall).changes)
        case .distinctSorted: return Pull(seats.sorted(by: \.rank).distinct(by: \.hall).changes)
        case .list: return Pull(hall.seats.changes)
        case .filteredList: return Pull(hall.seats.where { $0.rank > 40 }.changes)
        case .sortedList: return Pull(hall.seats.sorted(by: \.rank).changes)
        case .inverse:
            return Pull(realm.object(Scale.Guest.self, forPrimaryKey: 0).seats.changes)
        case .object: return Pull(realm.object(Scale.Seat.self, forPrimaryKey: 0).changes)
        case .values: return Pull(hall.tags.changes)
        }
    }
}

/// A stream of any kind, pulled by hand. Confined to one task.
final class Pull {
    private let pullNext: () async throws -> Bool

    init<Changes: AsyncSequence>(_ changes: Changes) {
        var iterator = changes.makeAsyncIterator()
        pullNext = { try await iterator.next(isolation: nil) != nil }
    }

    /// Waits for the next element.
    func next() async throws {
        #expect(try await pullNext())
    }
}

extension Scale {
    /// Makes a commit that all kinds of streams report: it changes ten seats among the first
    /// hundred, and their guests, lists and tags.
    static func commit(_ number: Int, _ realm: Realm) async throws {
        try await realm.write { tx in
            for id in 0..<8 {
                let seat = tx.object(Seat.self, forPrimaryKey: id * (number % 3 + 1))
                // Above and below the bounds of the conditions; one always matches, and one is
                // always first.
                switch id {
                case 0: seat?.rank = 41 + number
                case 1: seat?.rank = -number
                default: seat?.rank = (id * 13 + number * 31) % 97
                }
            }
            tx.object(Guest.self, forPrimaryKey: number % 4 + 1)?.age = (number * 17) % 50
            let hall = tx.object(Hall.self, forPrimaryKey: 0)
            hall?.tags.append("tag \(number)")
            if let last = hall?.seats.last {
                hall?.seats.removeLast()
                hall?.seats.insert(last, at: 3)
            }
        }
    }
}
