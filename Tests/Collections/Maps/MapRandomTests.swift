import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Maps against dictionaries: random changes in transactions, savepoints that are taken back and
/// transactions that fail, with snapshots, streams and the realm opened again in between.
@Suite struct MapRandomTests {
    /// What the maps of a keeper hold; of pets the names, of notes the texts.
    private struct Model: Equatable, Sendable {
        var scores: [String: Int] = [:]
        var nicknames: [String: String?] = [:]
        var pets: [String: String?] = [:]
        var notes: [String: String?] = [:]

        init() {}

        init(_ keeper: MapKeeper) {
            for entry in keeper.scores { scores[entry.key] = entry.value }
            for entry in keeper.nicknames { nicknames[entry.key] = entry.value }
            for entry in keeper.pets { pets[entry.key] = .some(entry.value?.name) }
            for entry in keeper.notes { notes[entry.key] = .some(entry.value?.text) }
        }

        init(_ keeper: Frozen<MapKeeper>) {
            for entry in keeper.scores { scores[entry.key] = entry.value }
            for entry in keeper.nicknames { nicknames[entry.key] = entry.value }
            for entry in keeper.pets { pets[entry.key] = .some(entry.value?.name) }
            for entry in keeper.notes { notes[entry.key] = .some(entry.value?.text) }
        }
    }

    private struct TakenBack: Error {}

    // Covers 2.84, 2.85, 2.86, 2.88, 2.89, 4.40, O40
    @Test(arguments: 0..<8) func mapsAgreeWithDictionaries(round: Int) async throws {
        let start = SeededRandom.seed() &+ UInt64(round)
        var random = SeededRandom(start)
        let folder = try RealmFolder()
        let configuration = folder.configuration("maps.realm", mapClasses)
        var realm = try await Realm.open(configuration)
        try await realm.write { try $0.add(MapKeeper(1)) }
        var model = Model()
        var kept: [(Frozen<MapKeeper>, Model)] = []
        var stream = realm.object(MapKeeper.self, forPrimaryKey: 1).scores.changes
            .makeAsyncIterator()
        guard case .initial? = try await stream.next() else {
            Issue.record("no initial map")
            return
        }
        for step in 0..<40 {
            let place = Comment(rawValue: "seed \(start), step \(step)")
            let (seed, before) = (random.next(), model)
            let fails = random.next() % 5 == 0
            do {
                model = try await realm.write { tx in
                    var random = SeededRandom(seed)
                    var model = before
                    for _ in 0...random.next() % 3 {
                        if random.next() % 3 == 0 {
                            try? tx.savepoint {
                                var lost = model
                                try Self.edit(tx, &lost, &random)
                                throw TakenBack()
                            }
                        }
                        try Self.edit(tx, &model, &random)
                        #expect(Model(tx.objects(MapKeeper.self)[0]) == model, place)
                    }
                    if fails { throw TakenBack() }
                    return model
                }
            } catch is TakenBack {
                #expect(fails)
            }
            let frozen = try #require(realm.snapshot().objects(MapKeeper.self).first)
            #expect(Model(frozen) == model, place)
            #expect(frozen.scores.keys == model.scores.keys.sorted(), place)
            for key in Self.keys { #expect(frozen.scores[key] == model.scores[key], place) }
            kept.append((frozen, model))
            if model.scores != before.scores {
                guard case .update(let map, let delta)? = try await stream.next() else {
                    Issue.record("no update")
                    return
                }
                #expect(map.dictionary == model.scores, place)
                Self.check(delta, before.scores, model.scores, place)
            }
            if random.next() % 8 == 0 {
                kept = []
                await realm.close()
                realm = try await Realm.open(configuration)
                stream = realm.object(MapKeeper.self, forPrimaryKey: 1).scores.changes
                    .makeAsyncIterator()
                _ = try await stream.next()
            }
            for (frozen, model) in kept { #expect(Model(frozen) == model, place) }
        }
        await realm.close()
    }

    private static func check(
        _ delta: MapChangeSet<String, Int>, _ old: [String: Int], _ new: [String: Int],
        _ place: Comment
    ) {
        let (removed, added) = (Set(delta.deletions), Set(delta.insertions))
        #expect(Set(old.keys).subtracting(removed).union(added) == Set(new.keys), place)
        #expect(removed.isSubset(of: old.keys) && added.isSubset(of: new.keys), place)
        for (key, value) in new where old[key] != value {
            #expect(delta.modifications.contains(key) || added.contains(key), place)
        }
        #expect(Set(delta.modifications).isDisjoint(with: removed.union(added)), place)
        #expect(delta.deletions == delta.deletions.sorted(), place)
        #expect(delta.deleted == delta.deletions.map { old[$0] ?? -1 }, place)
    }

    private static let keys = ["", "a", "b", "ä", "key", "k$", "zz", "1", "2", "3", "日本"]

    private static func edit(
        _ tx: Transaction, _ model: inout Model, _ random: inout SeededRandom
    ) throws {
        let keeper = tx.objects(MapKeeper.self)[0]
        for _ in 0..<6 {
            let key = keys[Int(random.next() % UInt64(keys.count))]
            let number = Int(random.next() % 50)
            switch random.next() % 12 {
            case 0, 1, 2:
                keeper.scores[key] = number
                model.scores[key] = number
            case 3:
                keeper.scores[key] = nil
                model.scores[key] = nil
            case 4:
                keeper.scores.merge([(key, number), ("m", 1)]) { $0 + $1 }
                model.scores.merge([(key, number), ("m", 1)]) { $0 + $1 }
            case 5 where number < 10:
                let new = Map<String, Int>()
                for key in keys.prefix(number) { new[key] = number }
                keeper.scores = new
                model.scores = Dictionary(
                    uniqueKeysWithValues: keys.prefix(number).map { ($0, number) })
            case 6:
                keeper.nicknames[key] = .some(number % 2 == 0 ? nil : "n\(number)")
                model.nicknames[key] = .some(number % 2 == 0 ? nil : "n\(number)")
            case 7:
                let name = "pet \(number)"
                let pet = tx.object(MapPet.self, forPrimaryKey: name) ?? MapPet(name)
                keeper.pets[key] = pet
                model.pets[key] = .some(name)
            case 8:
                guard let pet = tx.objects(MapPet.self).first else { break }
                for (key, name) in model.pets where name == pet.name {
                    model.pets[key] = .some(nil)
                }
                tx.delete(pet)
            case 9:
                keeper.notes[key] = MapNote("\(number)")
                model.notes[key] = .some("\(number)")
            case 10:
                keeper.notes.removeObject(for: key)
                model.notes[key] = nil
                keeper.pets.removeObject(for: key)
                model.pets[key] = nil
            case 11 where number < 3:
                keeper.nicknames.removeAll()
                model.nicknames = [:]
                try tx.create(
                    MapKeeper.self, value: ["id": 1, "scores": [key: number]] as [String: Any],
                    update: .modified)
                model.scores[key] = number
            default: break
            }
        }
        #expect(tx.objects(MapKeeper.self).count == 1)
    }
}
