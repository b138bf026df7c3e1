import Foundation
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Random trees of copies. A cursor is accepted exactly by the realms that have all commits up to
/// its version, as a model that knows each realm's commits says.
@Suite(.timeLimit(.minutes(40)), .disabled(if: Effort.isReduced))
struct TimelineRandomTests {
    private struct Tree {
        /// The commits of each realm, as unique numbers.
        var commits: [[Int]] = []
        /// The cursors that were taken, with the commits up to there.
        var cursors: [ChangeCursor: [Int]] = [:]
    }

    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private func open(_ number: Int) async throws -> Realm {
        try await Realm.open(folder.configuration("\(number).realm", [BackupAccount.self]))
    }

    @Test(arguments: 0..<Effort.count(gate: 4, soak: 40))
    func cursorsAreAcceptedByRealmsWithTheirCommits(_ run: Int) async throws {
        var random = SeededRandom(SeededRandom.seed(SeededRandom.seed(), ofRun: run))
        var tree = Tree()
        var next = 0
        func write(_ number: Int, _ count: Int) async throws {
            let realm = try await open(number)
            for _ in 0..<count {
                next += 1
                let id = next
                try await realm.write { try $0.add(BackupAccount(value: ["id": id, "amount": 0])) }
                tree.commits[number].append(id)
                tree.cursors[realm.snapshot().cursor] = tree.commits[number]
            }
            await realm.close()
        }
        tree.commits.append([])
        // The first commit also adds the class.
        try await write(0, 3)
        for _ in 0..<20 {
            let number = random.below(tree.commits.count)
            let name = folder["\(tree.commits.count).realm"]
            switch random.below(4) {
            case 0, 1:
                try await write(number, 1 + random.below(4))
            case 2:
                let realm = try await open(number)
                try await realm.backup(to: name)
                await realm.close()
                tree.commits.append(tree.commits[number])
            default:
                let all = tree.commits[number]
                let oldest = try await oldestVersion(number)
                let newest = Int(try await version(number))
                let chosen = Int(oldest) + random.below(newest - Int(oldest) + 1)
                guard chosen > 0 else { continue }
                try await Realm.restore(
                    from: folder["\(number).realm"], to: name, upTo: .version(UInt64(chosen)))
                tree.commits.append(Array(all.prefix(max(0, all.count - (newest - chosen)))))
            }
        }
        try await check(tree)
    }

    private func version(_ number: Int) async throws -> UInt64 {
        let realm = try await open(number)
        let version = realm.snapshot().version
        await realm.close()
        return version
    }

    private func oldestVersion(_ number: Int) async throws -> UInt64 {
        let realm = try await open(number)
        let version = try await realm.information()?.oldestVersion
        await realm.close()
        return try requireValue(version)
    }

    private func check(_ tree: Tree) async throws {
        var counts = (accepted: 0, refused: 0)
        for (number, commits) in tree.commits.enumerated() {
            let realm = try await open(number)
            let newest = realm.snapshot().version
            let oldest = try requireValue(try await realm.information()?.oldestVersion)
            for (cursor, past) in tree.cursors {
                let error = await realmError {
                    guard cursor.version < newest else {
                        // Nothing to deliver: the baseline must be found all the same.
                        var changes = realm.objects(BackupAccount.self).changes(since: cursor)
                            .makeAsyncIterator()
                        _ = try await changes.next(within: .zero)
                        return
                    }
                    var iterator = realm.commits(since: cursor).makeAsyncIterator()
                    for version in cursor.version + 1...newest {
                        try await expectEqual(iterator.next()?.version, version)
                    }
                }
                let has = commits.starts(with: past)
                if !has {
                    counts.refused += 1
                    expectEqual(error?.code, .invalidInput, "\(number) \(cursor)")
                } else if cursor.version >= oldest {
                    counts.accepted += 1
                    expectNil(error, "\(number) \(cursor)")
                } else {
                    expectEqual(error?.code, .historyTrimmed, "\(number) \(cursor)")
                }
            }
            await realm.close()
        }
        print("\(counts.accepted) cursors accepted, \(counts.refused) refused")
        expectTrue(counts.accepted > 0)
    }
}
