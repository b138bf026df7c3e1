import Foundation
import Regnum
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Realms whose files were changed at random are refused, show what was committed, or throw where
/// it is damaged; they never crash the process, hang or show anything else.
@Suite(.timeLimit(.minutes(60)), .disabled(if: Effort.isReduced))
struct RandomDamageTests {
    // Covers 12.16, .invalidDatabase
    @Test func damagedRealmThrowsOrTellsTheTruth() async throws {
        let folder = try RealmFolder()
        let runs = NumberedRuns(
            "RandomDamageTests", count: Effort.count(gate: 300, soak: 10_000))
        var made: [DamagedSource] = []
        for number in 0..<3 {
            made.append(
                try await DamagedSource(
                    folder, number, seed: SeededRandom.seed(runs.seed, ofRun: 1_000_000 + number)))
        }
        let sources = made
        let tally = Tally()
        try await runs.run { number, seed in
            try await RunWatchdog.run { pulse in
                try await DamageRun(folder, sources, number, seed, tally).run(pulse)
            }
        }
        print("of \(runs.numbers.count) damaged realms \(tally.text)")
        expectTrue(runs.isOne || tally[.refused] > 0 && tally[.sound] > 0)
    }
}

/// The outcomes of the runs.
private final class Tally: Sendable {
    enum Outcome: String, CaseIterable {
        case refused, unreadable, shortened, sound, unwritable
        case refusedAfterwards = "refused after a write"
    }

    private let counts = Guarded<[Outcome: Int]>([:])

    func add(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }
    subscript(outcome: Outcome) -> Int { counts.withLock { $0[outcome] ?? 0 } }

    var text: String {
        Outcome.allCases.map { "\(self[$0]) \($0.rawValue)" }.joined(separator: ", ")
    }
}

private struct DamageRun {
    private let url: URL
    private let source: DamagedSource
    private let damage: FileDamage
    private let tally: Tally
    private let edit: CrateEdit

    init(
        _ folder: RealmFolder, _ sources: [DamagedSource], _ number: Int, _ seed: UInt64,
        _ tally: Tally
    ) {
        var numbers = SeededRandom(seed)
        var others = sources
        source = others.remove(at: numbers.below(sources.count))
        damage = FileDamage(source, others: others, &numbers)
        edit = CrateEdit(&numbers, 5)
        url = folder["run-\(number).realm"]
        self.tally = tally
    }

    func run(_ pulse: RunPulse) async throws {
        try damage.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        do {
            try await openReadAndWrite(pulse)
        } catch {
            throw RunFailure("\(damage.steps.joined(separator: "; ")): \(error)")
        }
    }

    private func openReadAndWrite(_ pulse: RunPulse) async throws {
        guard let realm = try await open() else { return tally.add(.refused) }
        pulse.beat()
        do {
            guard let content = try await read(realm) else { return await realm.close() }
            pulse.beat()
            let written = try await write(realm)
            await realm.close()
            pulse.beat()
            guard let again = try await open() else {
                return tally.add(.refusedAfterwards)
            }
            do {
                if let found = try await confined(again) {
                    // The content in the body is what was read before.
                    try check(found, written ?? content, "opened again")
                }
            } catch {
                await again.close()
                throw error
            }
            await again.close()
        } catch {
            await realm.close()
            throw error
        }
    }

    /// Opens the realm; `nil` if it is refused for a valid reason.
    private func open() async throws -> Realm? {
        do {
            return try await Realm.open(DamagedSource.configuration(url))
        } catch let error as Realm.Error {
            switch error.code {
            case .invalidDatabase, .unsupportedFormat, .fileNotFound, .fileAccess,
                .incompatiblePeer,
                .schemaMismatch:
                return nil
            default: throw error
            }
        }
    }

    /// Reads the realm through all views; `nil` if its content can't be read.
    private func read(_ realm: Realm) async throws -> [Int: String]? {
        let snapshot = realm.snapshot()
        let version = snapshot.version
        guard let expected = source.contents[version] else {
            throw RunFailure("version \(version) was never committed")
        }
        if version < source.version, !damage.mayLoseCommits {
            throw RunFailure("version \(version) is shown and \(source.version) committed")
        }
        try view(snapshot, expected, "frozen") { $0.objects(Crate.self) }
        try view(snapshot, expected, "live") { _ in realm.objects(Crate.self).current }
        guard let found = try await confined(realm) else {
            tally.add(.unreadable)
            return nil
        }
        try check(found, expected, "in a body")
        tally.add(version < source.version ? .shortened : .sound)
        return found
    }

    /// Compares what frozen values show, unless they throw.
    private func view(
        _ snapshot: Snapshot, _ expected: [Int: String], _ place: String,
        _ crates: (Snapshot) -> FrozenResults<Crate>
    ) throws {
        do {
            let found = try snapshot.read { CrateText.all(crates($0)) }
            try check(found, expected, place)
        } catch let error as Realm.Error {
            guard error.code == .invalidDatabase else { throw error }
        }
    }

    private func confined(_ realm: Realm) async throws -> [Int: String]? {
        do {
            return try await realm.read { CrateText.all($0) }
        } catch let error as Realm.Error {
            guard error.code == .invalidDatabase else { throw error }
            return nil
        }
    }

    /// Returns the content after a transaction; `nil` if it failed.
    private func write(_ realm: Realm) async throws -> [Int: String]? {
        do {
            return try await realm.write { tx in
                try edit.apply(to: tx)
                return CrateText.all(tx)
            }
        } catch let error as Realm.Error {
            guard error.code == .invalidDatabase else { throw error }
            tally.add(.unwritable)
            return nil
        }
    }

    private func check(
        _ found: [Int: String], _ expected: [Int: String], _ place: String
    ) throws {
        for key in Set(found.keys).union(expected.keys).sorted()
        where found[key] != expected[key] {
            throw RunFailure(
                "\(place): object \(key) is \(found[key] ?? "missing") instead of "
                    + (expected[key] ?? "missing"))
        }
    }
}
