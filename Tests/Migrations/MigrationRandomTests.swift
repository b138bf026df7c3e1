import Foundation
import RegnumEngine
import RegnumTestSupport
import Synchronization
import Testing

@testable import EngineOracle
@testable import Regnum
@testable import RegnumTestModels

/// Random content is migrated through random programs, with random copying, renaming, dropping,
/// deleting and creating, and compared with a plain model after each migration and each reopening.
@Suite struct MigrationRandomTests {
    static let historyCount = UInt64(Effort.count(gate: 3, soak: 60))

    /// The actions of one migration, drawn before it runs: the block only carries them out.
    struct Plan: Sendable {
        var renames: [(old: String, new: String)] = []
        var drops: [String] = []
        var copied: Set<String> = []
        var deleted: Set<Int> = []
        var made: [Int] = []
        var failsAfterwards = false
        /// The migration is written in parts, ...
        var parts: ResumableMigration?
        /// ... and if it fails, it is cancelled at that object or at its end, and resumes then.
        var cancelledAt: Int?
    }

    @Test func contentsAreCarriedThroughAnyPrograms() async throws {
        let seed = SeededRandom.seed()
        for round in 0..<Self.historyCount {
            var random = SeededRandom(seed &+ round &* 7919)
            try await run(&random)
        }
    }

    private func run(_ random: inout SeededRandom) async throws {
        let realm = try MigrationRealm()
        var model = MigrationModel()
        var program = Int.random(in: 0..<6, using: &random)
        model.types = MigVariants.properties[program]
        model.defaults = model.types.mapValues { MigrationModel.zero($0) }
        var version: UInt64 = 1
        var nextID = 1
        let objectCount = [3, 40, 40, 1_100].randomElement(using: &random) ?? 3
        try await edit(realm, version, program, &model, &nextID, making: objectCount, &random)
        for _ in 0..<5 {
            var next = Int.random(in: 0..<5, using: &random)
            if next >= program { next += 1 }
            version += 1
            let plan = plan(from: model, to: next, &nextID, &random)
            let after = apply(plan, to: model, from: program, next)
            if plan.failsAfterwards {
                var failing = plan
                failing.failsAfterwards = true
                let failure = await #expect(throws: (any Error).self) {
                    try await Realm.open(configuration(realm, version, next, failing, model))
                }
                expectTrue(failure is CancellationError == (plan.cancelledAt != nil))
                try await compare(realm, version - 1, program, model)
            }
            var sure = plan
            sure.failsAfterwards = false
            let opened = try await Realm.open(configuration(realm, version, next, sure, model))
            expectNil(opened.core.coordinator.published.nodeProblem)
            await opened.close()
            model = after
            try await compare(realm, version, next, model)
            let refused = await realmError {
                try await Realm.open(
                    realm.configuration(version - 1, MigVariants.types[program]))
            }
            expectEqual(refused?.code, .schemaMismatch)
            program = next
            try await edit(realm, version, program, &model, &nextID, making: 5, &random)
        }
    }

    // MARK: Migrating

    private func plan(
        from model: MigrationModel, to next: Int, _ nextID: inout Int, _ random: inout SeededRandom
    ) -> Plan {
        let declared = MigVariants.properties[next]
        var plan = Plan()
        var targets = Set(declared.keys).subtracting(model.types.keys)
        for name in model.types.keys.sorted() where declared[name] == nil {
            let type = model.types[name] ?? ""
            let fits = targets.sorted().first { declared[$0] == type || declared[$0] == type + "?" }
            if let fits, Bool.random(using: &random) {
                plan.renames.append((name, fits))
                targets.remove(fits)
            } else if Bool.random(using: &random) {
                plan.drops.append(name)
            }
        }
        plan.copied = Set(declared.keys.filter { _ in Bool.random(using: &random) })
        plan.deleted = Set(
            model.objects.keys.filter { _ in Int.random(in: 0..<10, using: &random) == 0 })
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            plan.made.append(nextID)
            nextID += 1
        }
        plan.failsAfterwards = Int.random(in: 0..<3, using: &random) == 0
        if Bool.random(using: &random) {
            plan.parts = ResumableMigration(
                memoryByteCount: Bool.random(using: &random) ? 0 : 30_000,
                batchCount: [7, 60, 300].randomElement(using: &random) ?? 7)
            plan.failsAfterwards = Bool.random(using: &random)
            plan.cancelledAt = Int.random(in: 0...model.objects.count, using: &random)
        }
        return plan
    }

    /// Whether the block copies a property whose type changes, as text.
    private static func isCopied(_ old: String?, _ new: String, _ name: String, _ plan: Plan)
        -> Bool
    {
        guard let old, plan.copied.contains(name) else { return false }
        return (old == "Int" || old == "Int?") && new == "String"
            || old == "List<Int>" && new == "List<String>"
    }

    private func configuration(
        _ realm: MigrationRealm, _ version: UInt64, _ next: Int, _ plan: Plan,
        _ model: MigrationModel
    ) -> Realm.Configuration {
        let declared = MigVariants.properties[next]
        let old = model.types
        var configuration = realm.configuration(version, MigVariants.types[next]) {
            migration, oldVersion in
            expectEqual(oldVersion, version - 1)
            for (old, new) in plan.renames {
                try migration.renameProperty(onType: "MigRand", from: old, to: new)
            }
            try migration.enumerateObjects(ofType: "MigRand") { before, after in
                if plan.failsAfterwards, plan.cancelledAt == migration.position {
                    throw CancellationError()
                }
                let (before, after) = (try requireValue(before), try requireValue(after))
                if plan.deleted.contains(before["uid"] as? Int ?? -1) {
                    return try migration.delete(after)
                }
                for (name, type) in declared
                where Self.isCopied(old[name], type, name, plan) {
                    if type == "String" {
                        after[name] = MigrationModel.text(before[name])
                    } else {
                        after[name] = try before.dynamicList(name).map { MigrationModel.text($0) }
                    }
                }
            }
            for name in plan.drops { try migration.deleteProperty(onType: "MigRand", name) }
            for uid in plan.made { try migration.create("MigRand", value: ["uid": uid]) }
            if plan.failsAfterwards {
                if plan.cancelledAt != nil { throw CancellationError() }
                throw MigrationFailure.wanted
            }
        }
        configuration.resumableMigration = plan.parts
        return configuration
    }

    private func apply(
        _ plan: Plan, to model: MigrationModel, from program: Int, _ next: Int
    ) -> MigrationModel {
        var model = model
        let declared = MigVariants.properties[next]
        for (old, new) in plan.renames { move(&model, old, new) }
        for (name, type) in declared {
            let old = model.types[name]
            model.types[name] = type
            if old == type || old.map({ $0 + "?" }) == type { continue }
            model.defaults[name] = MigrationModel.zero(type)
            if Self.isCopied(old, type, name, plan) { continue }
            for uid in model.objects.keys {
                model.objects[uid]?[name] = MigrationModel.zero(type)
            }
        }
        var drops = plan.drops
        if MigVariants.isEmbedded[next], !MigVariants.isEmbedded[program] {
            // Properties that are no longer declared own nothing.
            drops += model.types.keys.filter {
                declared[$0] == nil && model.types[$0]?.contains("MigSide") == true
            }
        }
        for name in drops {
            model.types[name] = nil
            model.defaults[name] = nil
            for uid in model.objects.keys { model.objects[uid]?[name] = nil }
        }
        for uid in plan.deleted { model.objects[uid] = nil }
        for uid in plan.made {
            model.make(uid, declared)
        }
        return model
    }

    private func move(_ model: inout MigrationModel, _ old: String, _ new: String) {
        model.types[new] = model.types.removeValue(forKey: old)
        model.defaults[new] = model.defaults.removeValue(forKey: old)
        for uid in model.objects.keys {
            let text = model.objects[uid]?.removeValue(forKey: old)
            model.objects[uid]?[new] = text
        }
    }

    // MARK: Between migrations

    /// Creates, changes and deletes as the program does.
    private func edit(
        _ realm: MigrationRealm, _ version: UInt64, _ program: Int, _ model: inout MigrationModel,
        _ nextID: inout Int, making count: Int, _ random: inout SeededRandom
    ) async throws {
        let declared = MigVariants.properties[program]
        var made: [[String: any Sendable]] = []
        var changed: [(Int, String, UInt64)] = []
        for _ in 0..<count {
            made.append(["uid": nextID])
            model.make(nextID, declared)
            nextID += 1
        }
        for uid in model.objects.keys.sorted() {
            for name in declared.keys.sorted()
            where name != "uid" && Int.random(in: 0..<3, using: &random) > 0 {
                let seed = random.next()
                var own = SeededRandom(seed)
                model.objects[uid]?[name] =
                    MigrationModel.value(declared[name] ?? "", &own).text
                changed.append((uid, name, seed))
            }
        }
        let deleted = Set(model.objects.keys.filter { $0 % 13 == Int(version) % 13 })
        for uid in deleted { model.objects[uid] = nil }
        let (new, edits) = (made, changed)
        try await realm.write(version, MigVariants.types[program]) { tx in
            for values in new { try tx.dynamicCreate("MigRand", value: values) }
            var objects: [Int: DynamicObject] = [:]
            for object in try tx.dynamicObjects("MigRand") {
                objects[object["uid"] as? Int ?? -1] = object
            }
            for (uid, name, seed) in edits {
                var own = SeededRandom(seed)
                let value = MigrationModel.value(declared[name] ?? "", &own).value
                try requireValue(objects[uid]).set(value, of: name)
            }
            for uid in deleted { tx.delete(try requireValue(objects[uid])) }
        }
        try await compare(realm, version, program, model)
    }

    private func compare(
        _ realm: MigrationRealm, _ version: UInt64, _ program: Int, _ model: MigrationModel
    ) async throws {
        let opened = try await Realm.open(
            realm.configuration(version, MigVariants.types[program]))
        let isEmbedded = MigVariants.isEmbedded[program]
        try await opened.read { tx in
            let objects = try MigrationModel.objects(of: tx)
            expectEqual(objects.count, model.objects.count)
            for (uid, values) in model.objects {
                expectEqual(objects[uid], values, "uid \(uid)")
                if objects[uid] != values { break }
            }
            guard isEmbedded else { return }
            let sides = try tx.dynamicObjects("MigSide")
            let owned = model.objects.values.reduce(0) { sum, values in
                sum
                    + values.reduce(0) {
                        model.types[$1.key]?.contains("MigSide") == true
                            ? $0 + $1.value.count(where: { $0 == "<" }) : $0
                    }
            }
            expectEqual(sides.count, owned)
        }
        await opened.close()
    }
}
