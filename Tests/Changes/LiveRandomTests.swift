import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Random histories of objects with lists: what a stream reports, and when frozen values are equal,
/// compared with the changes of the history.
@Suite struct LiveRandomTests {
    /// The changes of walkers between two elements of the stream.
    private struct Touched: Sendable {
        /// Properties that were set, by the walker's row; they are always reported.
        var set: [RowIdentity: Set<String>] = [:]
        /// Lists that were edited; reported unless they are the same as before.
        var edited: [RowIdentity: Set<String>] = [:]

        mutating func merge(_ other: Touched) {
            set.merge(other.set) { $0.union($1) }
            edited.merge(other.edited) { $0.union($1) }
        }
    }

    @Test(arguments: 0..<Effort.count(gate: 12, soak: 120))
    func streamsAndEqualityAgreeWithTheHistory(round: Int) async throws {
        let start = SeededRandom.seed() &+ UInt64(round)
        var random = SeededRandom(start)
        // Every other one compares versions, since no summaries of commits are kept.
        let isBare = round % 2 == 1
        let types: [ObjectBase.Type] = [Walker.self, Whelp.self, Medal.self]
        let realm =
            isBare
            ? try await LaterProgram.withoutSummaries(types) : try await Realm.temporary(types)
        try await realm.fillKennel()
        var stream = realm.objects(Walker.self).changes(depth: 0).makeAsyncIterator()
        guard case .initial(var old)? = try await stream.next() else {
            Issue.record("no initial collection")
            return
        }
        for step in 0..<40 {
            var touched = Touched()
            for _ in 0...random.below(3) {
                let seed = random.next()
                touched.merge(try await realm.write { try Self.edit($0, seed) })
            }
            // Something is reported at every step.
            try await realm.write { try $0.add(Walker("step \(step)")) }
            guard case .update(let new, let delta)? = try await stream.next() else {
                Issue.record("no update, seed \(start)")
                return
            }
            if isBare {
                touched.edited.merge(touched.set) { $0.union($1) }
                touched.set = [:]
            }
            try check(old, new, delta, touched, "seed \(start), step \(step)")
            old = new
        }
    }

    private func check(
        _ old: FrozenResults<Walker>, _ new: FrozenResults<Walker>, _ delta: ChangeSet<Walker>,
        _ touched: Touched, _ place: String
    ) throws {
        var mirror = old.map(\.rowIdentity)
        for position in delta.deletions.reversed() { mirror.remove(at: position) }
        for position in delta.insertions {
            mirror.insert(new[position].rowIdentity, at: position)
        }
        #expect(mirror == new.map(\.rowIdentity), "\(place)")
        let reported = Dictionary(
            uniqueKeysWithValues: delta.modified.map { ($0.new.rowIdentity, $0) })
        #expect(Array(delta.modified.map(\.new)) == new.objects(at: delta.newModifications))
        let before = Dictionary(uniqueKeysWithValues: old.map { ($0.rowIdentity, $0) })
        for walker in new {
            guard let earlier = before[walker.rowIdentity] else { continue }
            let row = walker.rowIdentity
            var must = touched.set[row] ?? []
            let lists = touched.edited[row] ?? []
            if earlier.name != walker.name { must.insert("name") }
            if earlier.favourite?.name != walker.favourite?.name { must.insert("favourite") }
            if earlier.tags != walker.tags { must.insert("tags") }
            if earlier.scores != walker.scores { must.insert("scores") }
            if earlier.pups.map(\.name) != walker.pups.map(\.name) { must.insert("pups") }
            let properties = Set(reported[row]?.properties ?? [])
            #expect(properties.isSuperset(of: must), "\(place)")
            #expect(properties.isSubset(of: must.union(lists)), "\(place)")
            // An embedded object is content of its owner, but has a row of its own.
            let isMedalTouched = lists.contains("medal")
            if earlier == walker {
                #expect(must.isEmpty, "\(place)")
                #expect(try json(earlier) == json(walker), "\(place)")
            } else {
                #expect(reported[row] != nil || isMedalTouched, "\(place)")
            }
        }
    }

    private func json(_ walker: Frozen<Walker>) throws -> Data {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(walker)
    }

    /// Makes one random change, and returns what it touches.
    private static func edit(_ tx: Transaction, _ seed: UInt64) throws -> Touched {
        var random = SeededRandom(seed)
        var touched = Touched()
        let walkers = tx.objects(Walker.self)
        guard walkers.count > 1 else { return touched }
        let walker = walkers[random.below(walkers.count)]
        let row = RowKey.of(walker)
        func whelp() throws -> Whelp {
            let whelps = tx.objects(Whelp.self)
            if whelps.count > 3 { return whelps[random.below(whelps.count)] }
            let new = Whelp("whelp \(seed)")
            try tx.add(new)
            return new
        }
        switch random.below(12) {
        case 0:
            walker.name = ["Ann", "Bob", "Cal"][random.below(3)]
            touched.set[row] = ["name"]
        case 1:
            walker.tags.append("tag \(random.below(4))")
            touched.edited[row] = ["tags"]
        case 2 where !walker.tags.isEmpty:
            walker.tags[random.below(walker.tags.count)] = "tag \(random.below(4))"
            touched.edited[row] = ["tags"]
        case 3 where !walker.tags.isEmpty:
            walker.tags.remove(at: random.below(walker.tags.count))
            touched.edited[row] = ["tags"]
        case 4 where walker.scores.count > 1:
            walker.scores.move(from: 0, to: random.below(walker.scores.count))
            touched.edited[row] = ["scores"]
        case 5:
            walker.scores.append(random.below(2) == 0 ? nil : random.below(9))
            touched.edited[row] = ["scores"]
        case 6:
            walker.pups.insert(try whelp(), at: random.below(walker.pups.count + 1))
            touched.edited[row] = ["pups"]
        case 7:
            walker.favourite = random.below(3) == 0 ? nil : try whelp()
            touched.set[row] = ["favourite"]
        case 8:
            let gone = try whelp()
            for other in walkers {
                let key = RowKey.of(other)
                if other.favourite == gone { touched.set[key] = ["favourite"] }
                if other.pups.contains(gone) { touched.edited[key] = ["pups"] }
            }
            tx.delete(gone)
        case 9:
            if let medal = walker.badge {
                medal.code = "code \(random.below(3))"
                touched.edited[row] = ["medal"]
            } else {
                walker.badge = Medal("new")
                touched.set[row] = ["badge"]
            }
        case 10 where walkers.count > 3:
            tx.delete(walker)
        default:
            try whelp().age = random.below(20)
        }
        return touched
    }

    /// The identity of a confined object, in the form of frozen ones.
    private enum RowKey {
        static func of(_ walker: Walker) -> RowIdentity {
            guard let frozen = try? walker.freeze() else {
                fatalError("The walkers of these tests are older than the transaction.")
            }
            return frozen.rowIdentity
        }
    }
}
