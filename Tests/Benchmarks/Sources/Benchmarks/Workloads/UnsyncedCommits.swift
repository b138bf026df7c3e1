import BenchmarkKit
import Regnum

/// Commits of one object that don't wait for the disk, by one caller.
struct UnsyncedCommits: Workload {
    private static let commitCount = 50_000

    let name = "2b"
    var notes: [String] {
        [
            "regnum commits with .relaxed(within: .seconds(1)) and so syncs once a second;",
            "sqlite and grdb run with WAL and synchronous=OFF, lmdb with MDB_NOSYNC: never a sync.",
        ]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        let grdb = try GRDBStore(in: setting, .off)
        let sqlite = try SQLiteStore(in: setting, .off)
        var contenders: [Contender] = []
        for engine in setting.stores(for: self) where engine.isRegnum {
            let regnum = try await RegnumStore.make(
                in: setting, engine, durability: .relaxed(within: .seconds(1)))
            contenders.append(
                Contender(engine) {
                    let people = people(regnum.ids)
                    let start = monotonicNanoseconds()
                    try await regnum.commit(people)
                    return sample(since: start)
                })
        }
        contenders += [
            Contender(.grdb) {
                let people = people(grdb.ids)
                return try await onThread {
                    let start = monotonicNanoseconds()
                    for person in people { try grdb.commit(person) }
                    return sample(since: start)
                }
            },
            Contender(.sqlite) {
                let people = people(sqlite.ids)
                return try await onThread {
                    let start = monotonicNanoseconds()
                    for person in people { try sqlite.commit(person) }
                    return sample(since: start)
                }
            },
        ]
        if setting.stores(for: self).contains(.lmdb) {
            let lmdb = try LMDBStore(in: setting, isSynced: false)
            contenders.append(
                Contender(.lmdb) {
                    let people = people(lmdb.ids)
                    return try await onThread {
                        let start = monotonicNanoseconds()
                        for person in people { try lmdb.commit(person) }
                        return sample(since: start)
                    }
                })
        }
        return contenders
    }

    private func people(_ ids: PersonIDs) -> [PersonValues] { ids.newPeople(Self.commitCount) }

    private func sample(since start: Int64) -> [Sample] {
        [Sample(name, perSecond(Self.commitCount, since: start), .commitsPerSecond)]
    }
}
