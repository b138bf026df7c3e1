import Regnum
import RegnumTestSupport
import Testing

/// Conditions on collections of all kinds, nested in each other, against plain Swift that follows
/// every way.
@Suite struct NestedCollectionTests {
    final class Halt: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var next: Halt?
        @Persisted var stops: List<Halt>
        @Persisted var exits: MutableSet<Halt>
        @Persisted var signs: Map<String, Halt?>
        @Persisted(originProperty: "exits") var entrances: LinkingObjects<Halt>
        @Persisted(originProperty: "signs") var signposts: LinkingObjects<Halt>
    }

    private enum Step: String, CaseIterable, Sendable {
        case stops, exits, entrances, signposts
        case signs = "signs.@values"
        case nextStops = "next.stops"
    }

    private struct PlainHalt: Sendable {
        var next: Int?
        /// May contain an object several times.
        var stops: [Int] = []
        /// Ascending.
        var exits: [Int] = []
        var signs: [Int?] = []
    }

    private struct Plain: Sendable {
        private(set) var halts: [Int: PlainHalt] = [:]

        var ids: [Int] { halts.keys.sorted() }

        init(count: Int, _ random: inout SeededRandom) {
            for id in 0..<count {
                var halt = PlainHalt()
                // some lead to nothing
                if !random.oneIn(6) {
                    halt.next = random.oneIn(3) ? nil : random.below(count)
                    halt.stops = (0..<random.below(4)).map { _ in random.below(count) }
                    let exits = (0..<random.below(4)).map { _ in random.below(count) }
                    halt.exits = Set(exits).sorted()
                    halt.signs = (0..<random.below(4)).map { _ in
                        random.oneIn(3) ? nil : random.below(count)
                    }
                }
                halts[id] = halt
            }
        }

        mutating func remove(_ id: Int) {
            halts[id] = nil
            halts = halts.mapValues { halt in
                PlainHalt(
                    next: halt.next == id ? nil : halt.next, stops: halt.stops.filter { $0 != id },
                    exits: halt.exits.filter { $0 != id },
                    signs: halt.signs.map { $0 == id ? nil : $0 })
            }
        }

        func targets(_ step: Step, _ id: Int) -> [Int] {
            guard let halt = halts[id] else { return [] }
            switch step {
            case .stops: return halt.stops
            case .exits: return halt.exits
            case .signs: return halt.signs.compactMap { $0 }
            case .nextStops: return halt.next.flatMap { halts[$0]?.stops } ?? []
            case .entrances: return halts.keys.filter { halts[$0]?.exits.contains(id) ?? false }
            case .signposts:
                return halts.flatMap { other, halt in
                    halt.signs.compactMap { $0 == id ? other : nil }
                }
            }
        }

        func holds(_ condition: Condition, _ id: Int) -> Bool {
            switch condition {
            case .isBelow(let limit): return id < limit
            case .isNextBelow(let limit): return halts[id]?.next.map { $0 < limit } ?? false
            case .count(let steps, let term, let comparison, let number):
                let count = steps.reduce(0) { count, step in
                    count + targets(step, id).count { holds(term, $0) }
                }
                return switch comparison {
                case "<": count < number
                case "==": count == number
                default: count > number
                }
            case .not(let term): return !holds(term, id)
            case .and(let a, let b): return holds(a, id) && holds(b, id)
            case .or(let a, let b): return holds(a, id) || holds(b, id)
            }
        }
    }

    private indirect enum Condition: Sendable {
        case isBelow(Int)
        case isNextBelow(Int)
        /// A comparison of the number of matching objects in some collections.
        case count([Step], Condition, String, Int)
        case not(Condition)
        case and(Condition, Condition)
        case or(Condition, Condition)

        init(depth: Int, _ random: inout SeededRandom) {
            func end() -> Condition {
                random.oneIn(3) ? .isNextBelow(random.below(20)) : .isBelow(random.below(20))
            }
            guard depth > 0 else {
                self = end()
                return
            }
            let term = Condition(depth: depth - 1, &random)
            let steps = (0...random.below(5) / 4).map { _ in random.oneOf(Step.allCases) }
            let found = Condition.count(
                steps, term, random.oneOf([">", ">", "==", "<"]), random.below(4))
            switch random.below(6) {
            case 0: self = .and(found, end())
            case 1: self = .or(found, end())
            case 2: self = .not(found)
            default: self = found
            }
        }

        func text(_ object: String = "", _ level: Int = 1) -> String {
            switch self {
            case .isBelow(let limit): return "\(object)id < \(limit)"
            case .isNextBelow(let limit): return "\(object)next.id < \(limit)"
            case .count(let steps, let term, let comparison, let number):
                let counts = steps.map { step in
                    "SUBQUERY(\(object)\(step.rawValue), $x\(level), "
                        + "\(term.text("$x\(level).", level + 1))).@count"
                }
                return "\(counts.joined(separator: " + ")) \(comparison) \(number)"
            case .not(let term): return "NOT (\(term.text(object, level)))"
            case .and(let a, let b):
                return "(\(a.text(object, level)) AND \(b.text(object, level)))"
            case .or(let a, let b): return "(\(a.text(object, level)) OR \(b.text(object, level)))"
            }
        }
    }

    private static func store(_ plain: Plain, _ tx: Transaction) throws {
        var halts: [Int: Halt] = [:]
        for id in plain.ids {
            let halt = Halt()
            halt.id = id
            try tx.add(halt)
            halts[id] = halt
        }
        for (id, stored) in plain.halts {
            guard let halt = halts[id] else { continue }
            halt.next = stored.next.flatMap { halts[$0] }
            for stop in stored.stops { if let stop = halts[stop] { halt.stops.append(stop) } }
            for exit in stored.exits { if let exit = halts[exit] { halt.exits.insert(exit) } }
            for (number, sign) in stored.signs.enumerated() {
                halt.signs.updateValue(sign.flatMap { halts[$0] }, forKey: "sign \(number)")
            }
        }
    }

    /// Checks a query for all objects, and for those of a list and a set.
    private static func check(
        _ condition: Condition, _ plain: Plain, _ tx: Transaction, _ what: String
    ) throws {
        let text = condition.text()
        expectEqual(
            try tx.objects(Halt.self).filter(text).map(\.id),
            plain.ids.filter { plain.holds(condition, $0) }, "\(what): \(text)")
        guard let id = plain.ids.last, let last = tx.object(Halt.self, forPrimaryKey: id) else {
            return
        }
        expectEqual(
            try last.stops.filter(text).map(\.id),
            plain.targets(.stops, id).filter { plain.holds(condition, $0) }, "\(what): \(text)")
        expectEqual(
            try last.exits.filter(text).count,
            plain.targets(.exits, id).count { plain.holds(condition, $0) }, "\(what): \(text)")
    }

    // Covers 3.13
    @Test func nestedConditionsFollowCollectionsOfAllKinds() async throws {
        let seed = SeededRandom.seed()
        for run in 0..<Effort.count(gate: 30, soak: 300) {
            var random = SeededRandom(SeededRandom.seed(seed, ofRun: run))
            let plain = Plain(count: 20, &random)
            let conditions = [1, 2, 3, 3, 4].map { Condition(depth: $0, &random) }
            let realm = try await Realm.temporary([Halt.self])
            try await realm.write { tx in try Self.store(plain, tx) }
            try await realm.read { tx in
                for condition in conditions { try Self.check(condition, plain, tx, "run \(run)") }
            }
            let live = try conditions.map { try realm.objects(Halt.self).filter($0.text()) }
            var streams = live.map { $0.changes.makeAsyncIterator() }
            for index in streams.indices { _ = try await streams[index].next() }

            var fewer = plain
            let removed = (0..<3).map { _ in random.below(19) }
            for id in removed { fewer.remove(id) }
            try await realm.write { [fewer] tx in
                for id in removed {
                    if let halt = tx.object(Halt.self, forPrimaryKey: id) { tx.delete(halt) }
                }
                for condition in conditions {
                    try Self.check(condition, fewer, tx, "run \(run), in the write")
                }
            }
            for (index, condition) in conditions.enumerated() {
                let next = try await streams[index].next(within: .zero)
                let expected = fewer.ids.filter { fewer.holds(condition, $0) }
                let before = plain.ids.filter { plain.holds(condition, $0) }
                let text = "run \(run), stream: \(condition.text())"
                if case .update(let now, _)? = next.element {
                    expectEqual(now.map(\.id), expected, "\(text)")
                } else {
                    expectEqual(before, expected, "\(text)")
                }
            }
            await realm.close()
        }
    }
}
