import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Values of any type against plain Swift: random changes at random depths, in transactions,
/// rolled-back savepoints and failing transactions, interleaved with snapshots, conditions and
/// reopening the realm.
@Suite struct AnyRandomTests {
    /// A value in plain Swift.
    private indirect enum Plain: Equatable, Sendable {
        case none
        case int(Int)
        case double(Double)
        case string(String)
        case pet(String)
        case list([Plain])
        case dictionary([String: Plain])

        init(_ value: AnyRealmValue) {
            switch value {
            case .int(let value): self = .int(value)
            case .double(let value): self = .double(value)
            case .string(let value): self = .string(value)
            case .object(let value): self = .pet((value as? AnyPet)?.name ?? "?")
            case .list(let list): self = .list(list.map { Plain($0) })
            case .dictionary(let map):
                self = .dictionary(
                    Dictionary(uniqueKeysWithValues: map.map { ($0.key, Plain($0.value)) }))
            default: self = .none
            }
        }

        init(_ value: FrozenAnyValue) {
            switch value {
            case .int(let value): self = .int(value)
            case .double(let value): self = .double(value)
            case .string(let value): self = .string(value)
            case .object(let value): self = .pet(value.object(AnyPet.self)?.name ?? "?")
            case .list(let list): self = .list(list.map { Plain($0) })
            case .dictionary(let map): self = .dictionary(map.mapValues { Plain($0) })
            default: self = .none
            }
        }

        func value(_ tx: Transaction) throws -> AnyRealmValue {
            switch self {
            case .none: .none
            case .int(let value): .int(value)
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .pet(let name): .object(try Self.pet(name, tx))
            case .list(let list): .fromArray(try list.map { try $0.value(tx) })
            case .dictionary(let map): .fromDictionary(try map.mapValues { try $0.value(tx) })
            }
        }

        /// Returns the pet with that name, added at once because a value may contain it several
        /// times.
        private static func pet(_ name: String, _ tx: Transaction) throws -> AnyPet {
            if let pet = tx.object(AnyPet.self, forPrimaryKey: name) { return pet }
            let pet = AnyPet(name)
            try tx.add(pet)
            return pet
        }

        /// Returns the value without a pet.
        func without(_ name: String) -> Plain {
            switch self {
            case .pet(name): .none
            case .list(let list): .list(list.map { $0.without(name) })
            case .dictionary(let map): .dictionary(map.mapValues { $0.without(name) })
            default: self
            }
        }

        /// The numeric value.
        var number: Double? {
            switch self {
            case .int(let value): Double(value)
            case .double(let value): value
            default: nil
            }
        }

        static func random(_ random: inout SeededRandom, depth: Int) -> Plain {
            switch random.next() % (depth > 0 ? 8 : 6) {
            case 0: return .none
            case 1, 2: return .int(Int(random.next() % 4))
            case 3: return .double(Double(random.next() % 8) / 2)
            case 4: return .string(["", "a", "b"][Int(random.next() % 3)])
            case 5: return .pet(["Rex", "Bo", "Ida"][Int(random.next() % 3)])
            case 6:
                return .list(
                    (0..<random.next() % 4).map { _ in .random(&random, depth: depth - 1) })
            default:
                var map: [String: Plain] = [:]
                for _ in 0..<random.next() % 4 {
                    map[["", "k", "x", "y"][Int(random.next() % 4)]] = .random(
                        &random, depth: depth - 1)
                }
                return .dictionary(map)
            }
        }
    }

    /// The content of the note.
    private struct Model: Equatable, Sendable {
        var content = Plain.none
        var list: [Plain] = []
        var map: [String: Plain] = [:]

        init() {}

        init(_ note: AnyNote) {
            content = Plain(note.content)
            list = note.list.map { Plain($0) }
            for entry in note.map { map[entry.key] = Plain(entry.value) }
        }

        init(_ note: Frozen<AnyNote>) {
            content = Plain(note.content)
            list = note.list.map { Plain($0) }
            map = note.map.dictionary.mapValues { Plain($0) }
        }
    }

    private struct TakenBack: Error {}

    /// Changes a value and its model at a random depth; the result is to be stored in the place of
    /// the value.
    private static func change(
        _ value: AnyRealmValue, _ plain: Plain, _ random: inout SeededRandom, _ tx: Transaction,
        set: (AnyRealmValue) -> Void
    ) throws -> Plain {
        let goesIn = random.next() % 4 != 0
        switch (value, plain) {
        case (.list(let list), .list(var model)) where goesIn:
            let position = Int(random.next() % UInt64(model.count + 1))
            if position == model.count || random.next() % 4 == 0 {
                let new = Plain.random(&random, depth: 2)
                list.insert(try new.value(tx), at: position)
                model.insert(new, at: position)
            } else if random.next() % 5 == 0 {
                list.remove(at: position)
                model.remove(at: position)
            } else {
                model[position] = try change(list[position], model[position], &random, tx) {
                    list[position] = $0
                }
            }
            return .list(model)
        case (.dictionary(let map), .dictionary(var model)) where goesIn:
            let key = ["", "k", "x", "y"][Int(random.next() % 4)]
            if random.next() % 5 == 0 {
                map[key] = nil
                model[key] = nil
            } else if let old = map[key], let plain = model[key] {
                model[key] = try change(old, plain, &random, tx) { map[key] = $0 }
            } else {
                let new = Plain.random(&random, depth: 2)
                map[key] = try new.value(tx)
                model[key] = new
            }
            return .dictionary(model)
        default:
            let new = Plain.random(&random, depth: 3)
            set(try new.value(tx))
            return new
        }
    }

    private static func step(
        _ note: AnyNote, _ model: inout Model, _ random: inout SeededRandom, _ tx: Transaction
    ) throws {
        switch random.next() % 8 {
        case 0...2:
            model.content = try change(note.content, model.content, &random, tx) {
                note.content = $0
            }
        case 3, 4:
            let position = Int(random.next() % UInt64(model.list.count + 1))
            if position == model.list.count {
                let new = Plain.random(&random, depth: 2)
                note.list.append(try new.value(tx))
                model.list.append(new)
            } else if random.next() % 6 == 0 {
                note.list.remove(at: position)
                model.list.remove(at: position)
            } else {
                model.list[position] = try change(
                    note.list[position], model.list[position], &random, tx
                ) { note.list[position] = $0 }
            }
        case 5, 6:
            let key = ["", "k", "x"][Int(random.next() % 3)]
            if let old = note.map[key], let plain = model.map[key] {
                model.map[key] = try change(old, plain, &random, tx) { note.map[key] = $0 }
            } else {
                let new = Plain.random(&random, depth: 2)
                note.map[key] = try new.value(tx)
                model.map[key] = new
            }
        default:
            let name = ["Rex", "Bo", "Ida"][Int(random.next() % 3)]
            guard let pet = tx.object(AnyPet.self, forPrimaryKey: name) else { return }
            tx.delete(pet)
            model.content = model.content.without(name)
            model.list = model.list.map { $0.without(name) }
            model.map = model.map.mapValues { $0.without(name) }
        }
    }

    // Covers 1.84, 1.90, 3.37
    @Test(arguments: 0..<8) func valuesAgreeWithPlainOnes(round: Int) async throws {
        let start = SeededRandom.seed() &+ UInt64(round)
        var random = SeededRandom(start)
        let folder = try RealmFolder()
        let configuration = folder.configuration("any.realm", anyClasses)
        var realm = try await Realm.open(configuration)
        try await realm.write { try $0.add(AnyNote(1)) }
        var model = Model()
        var kept: [(Frozen<AnyNote>, Model)] = []
        for step in 0..<40 {
            let place = Comment(rawValue: "seed \(start), step \(step)")
            let (seed, before) = (random.next(), model)
            let fails = random.next() % 5 == 0
            do {
                model = try await realm.write { tx in
                    var random = SeededRandom(seed)
                    var model = before
                    let note = tx.objects(AnyNote.self)[0]
                    for _ in 0...random.next() % 4 {
                        if random.next() % 4 == 0 {
                            try? tx.savepoint {
                                var lost = model
                                try Self.step(note, &lost, &random, tx)
                                throw TakenBack()
                            }
                        } else {
                            try Self.step(note, &model, &random, tx)
                        }
                        #expect(Model(note) == model, place)
                    }
                    if fails { throw TakenBack() }
                    return model
                }
            } catch is TakenBack {}
            if random.next() % 8 == 0 {
                await realm.close()
                realm = try await Realm.open(configuration)
            }
            let frozen = try #require(realm.snapshot().object(AnyNote.self, forPrimaryKey: 1))
            #expect(Model(frozen) == model, place)
            let expected = model
            try await realm.read { tx in
                let note = try #require(tx.object(AnyNote.self, forPrimaryKey: 1))
                #expect(Model(note) == expected, place)
            }
            // Conditions.
            let notes = realm.snapshot().objects(AnyNote.self)
            #expect(
                notes.where { $0.list == .double(1) }.isEmpty
                    == !model.list.contains { $0.number == 1 }, place)
            if case .dictionary(let map) = model.content {
                #expect(
                    notes.where { $0.content["k"] == .int(2) }.isEmpty == (map["k"]?.number != 2),
                    place)
            }
            if case .list(let list) = model.content {
                #expect(
                    notes.where { $0.content[1] == .string("a") }.isEmpty
                        == (list.count < 2 || list[1] != .string("a")), place)
            }
            if random.next() % 6 == 0 { kept.append((frozen, model)) }
        }
        for (frozen, model) in kept { #expect(Model(frozen) == model) }
        // Nothing is left of replaced values.
        try await realm.write { $0.deleteAll() }
        #expect(realm.snapshot().objects(AnyNote.self).isEmpty)
        await realm.close()
    }
}
