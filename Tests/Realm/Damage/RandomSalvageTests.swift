import Foundation
import Regnum
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// What is salvaged from realms whose files were changed at random is what was committed; what is
/// lost is named; and what can be read of a damaged realm that still opens is salvaged.
@Suite(.timeLimit(.minutes(60)), .disabled(if: Effort.isReduced))
struct RandomSalvageTests {
    // Covers 12.16
    @Test func salvagedRealmTellsTheTruthAndNamesWhatIsLost() async throws {
        let folder = try RealmFolder()
        let runs = NumberedRuns(
            "RandomSalvageTests", count: Effort.count(gate: 12, soak: 1_000))
        var made: [DamagedSource] = []
        for number in 0..<3 {
            // With history, the log alone has everything.
            if number > 0 { try await Self.keepNoHistory(folder["source-\(number).realm"]) }
            made.append(
                try await DamagedSource(
                    folder, number, seed: SeededRandom.seed(runs.seed, ofRun: 1_000_000 + number)))
        }
        let sources = made
        let counts = Guarded<[String: Int]>([:])
        try await runs.run { number, seed in
            try await RunWatchdog.run { pulse in
                let outcome = try await SalvageRun(folder, sources, number, seed).run(pulse)
                counts.withLock { $0[outcome, default: 0] += 1 }
            }
        }
        let found = counts.withLock { $0 }
        print("of \(runs.numbers.count) damaged realms \(found.sorted { $0.key < $1.key })")
        expectTrue(runs.isOne || found["whole"] ?? 0 > 0)
    }

    private static func keepNoHistory(_ url: URL) async throws {
        var configuration = DamagedSource.configuration(url)
        configuration.historyRetention = .nothing
        let realm = try await Realm.open(configuration)
        await realm.close()
    }
}

private struct SalvageRun {
    private typealias Parts = SalvageTruth.Parts

    private let damaged: URL
    private let target: URL
    private let opened: URL
    private let source: DamagedSource
    private let damage: FileDamage
    /// Whether the machine was restarted since: only what is on disk tells where the log ends.
    private let isRebooted: Bool

    init(_ folder: RealmFolder, _ sources: [DamagedSource], _ number: Int, _ seed: UInt64) {
        var numbers = SeededRandom(seed)
        source = sources[numbers.below(sources.count)]
        // If most files were those of another realm, that one would be salvaged.
        damage = FileDamage(source, others: [], &numbers)
        isRebooted = numbers.oneIn(3) && !damage.touched.contains("LOCK")
        damaged = folder["damaged-\(number).realm"]
        target = folder["salvaged-\(number).realm"]
        opened = folder["opened-\(number).realm"]
    }

    /// Returns the outcome.
    func run(_ pulse: RunPulse) async throws -> String {
        defer {
            for url in [damaged, target, opened] { try? FileManager.default.removeItem(at: url) }
        }
        do {
            try damage.write(to: damaged)
            try damage.write(to: opened)
            if isRebooted {
                for url in [damaged, opened] { try DamagedSource.setOtherBoot(url) }
            }
            pulse.beat()
            return try await salvage(pulse)
        } catch {
            throw RunFailure("\(damage.steps.joined(separator: "; ")): \(error)")
        }
    }

    private func salvage(_ pulse: RunPulse) async throws -> String {
        let (readable, version) = try await readOpened()
        pulse.beat()
        let before = try DamagedSource.files(in: damaged)
        let report: SalvageReport
        do {
            report = try await Realm.salvage(damaged, to: target)
        } catch let error as Realm.Error {
            guard
                [.invalidDatabase, .unsupportedFormat, .fileNotFound, .incompatiblePeer]
                    .contains(error.code)
            else { throw error }
            if !readable.isEmpty { throw RunFailure("can be opened, but not salvaged: \(error)") }
            return "nothing"
        }
        pulse.beat()
        let kept = try DamagedSource.files(in: damaged)
        if kept != before { throw RunFailure("the damaged realm was changed") }
        let found = try await readSalvaged()
        pulse.beat()
        do {
            try checkTruth(found, report)
            try checkLost(found, report)
            try checkUnchanged(found, report)
            if report.version < version { throw RunFailure("version \(version) can be opened") }
            if report.version == version { try checkReadable(readable, found, report) }
        } catch {
            throw RunFailure("\(error)\n\(report)")
        }
        return report.isComplete ? "whole" : "with losses"
    }

    // MARK: Reading

    /// Opens a copy of the damaged realm. Returns the objects that can be read, and the version;
    /// 0 if the realm can't be opened.
    private func readOpened() async throws -> (objects: [Int: Parts], version: UInt64) {
        let realm: Realm
        do {
            realm = try await Realm.open(DamagedSource.configuration(opened))
        } catch is Realm.Error {
            return ([:], 0)
        }
        let snapshot = realm.snapshot()
        var objects: [Int: Parts] = [:]
        for id in 0..<90 {
            // Damage makes the read throw.
            let texts = try? snapshot.read { snapshot in
                CrateText.all(snapshot.objects(Crate.self).where { $0.id == id })
            }
            if let text = texts?[id] { objects[id] = SalvageTruth.parts(text) }
        }
        await realm.close()
        return (objects, snapshot.version)
    }

    private func readSalvaged() async throws -> [Int: Parts] {
        let verified = try await Realm.verify(at: target)
        if !verified.isSound { throw RunFailure("the new realm is damaged: \(verified)") }
        let realm = try await Realm.open(DamagedSource.configuration(target))
        let found = try await realm.read { CrateText.all($0) }
        await realm.close()
        return found.mapValues(SalvageTruth.parts)
    }

    // MARK: Checks

    /// Properties are as they were committed, unless the report says that they may not be.
    private func checkTruth(_ found: [Int: Parts], _ report: SalvageReport) throws {
        guard source.contents[report.version] != nil else {
            throw RunFailure("version \(report.version) was never committed")
        }
        let truth = SalvageTruth(source, report)
        for (id, parts) in found {
            for index in parts.indices where !truth.allows(parts, index, of: id) {
                throw RunFailure(
                    "object \(id) has the \(CrateText.properties[index]) \(parts[index])")
            }
        }
    }

    /// Without missing commits, each object is saved or named.
    private func checkLost(_ found: [Int: Parts], _ report: SalvageReport) throws {
        guard report.missingCommits.isEmpty else { return }
        if report.version < source.version, !damage.mayLoseCommits {
            throw RunFailure("commits after version \(report.version) aren't reported as missing")
        }
        let named = Set(report.lostObjects.filter { $0.className == "Crate" }.compactMap(\.key))
        let unnamedCount = report.lostObjects.count { $0.className == "Crate" && $0.key == nil }
        let missing = (source.contents[report.version] ?? [:]).keys.filter { found[$0] == nil }
        let unknown = missing.filter { !named.contains("\($0)") }
        if unknown.count != unnamedCount {
            throw RunFailure("objects \(unknown) are missing, and \(unnamedCount) unnamed")
        }
        if missing.isEmpty, report.changedProperties.isEmpty, !report.isComplete {
            throw RunFailure("nothing is missing")
        }
    }

    /// Objects that were the same before the missing commits and in all versions since are saved as
    /// they are, or named.
    private func checkUnchanged(_ found: [Int: Parts], _ report: SalvageReport) throws {
        guard let first = report.missingCommits.first?.first else { return }
        let later = source.contents.filter { $0.key >= first && $0.key <= report.version }
        let before = (source.contents[first - 1] ?? [:]).mapValues(SalvageTruth.parts)
        let unchanged = before.filter { id, parts in
            later.values.allSatisfy { $0[id].map(SalvageTruth.parts) == parts }
        }
        let named = Set(report.lostObjects.filter { $0.className == "Crate" }.compactMap(\.key))
        let unnamedCount = report.lostObjects.count { $0.className == "Crate" && $0.key == nil }
        let unknown = unchanged.keys.filter { found[$0] == nil && !named.contains("\($0)") }
        if unknown.count > unnamedCount {
            throw RunFailure("objects \(unknown) are missing, and \(unnamedCount) unnamed")
        }
        let changed = Set(report.changedProperties.compactMap(\.key))
        for (id, parts) in unchanged where !changed.contains("\(id)") {
            guard let saved = found[id], saved != parts else { continue }
            throw RunFailure("object \(id) is \(saved) instead of \(parts)")
        }
    }

    /// What can be read through the damaged realm is saved as it is.
    private func checkReadable(
        _ readable: [Int: Parts], _ found: [Int: Parts], _ report: SalvageReport
    ) throws {
        let changed = Set(report.changedProperties.compactMap(\.key))
        for (id, parts) in readable where found[id] != parts && !changed.contains("\(id)") {
            throw RunFailure(
                "object \(id) can be read as \(parts), and is \(found[id] ?? ["missing"])")
        }
    }
}
