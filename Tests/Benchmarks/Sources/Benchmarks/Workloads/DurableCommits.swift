import BenchmarkKit

/// Durable commits of one object, one caller, back to back.
struct DurableCommits: Workload {
    private static let commitCount = 1_000

    let name = "2a"
    var notes: [String] {
        ["p50 of a round; sqlite and grdb run with WAL and synchronous=FULL, lmdb syncs."]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        let grdb = try GRDBStore(in: setting, .full)
        let sqlite = try SQLiteStore(in: setting, .full)
        var contenders = [try Floor.contender(setting)]
        for engine in setting.stores(for: self) where engine.isRegnum {
            let regnum = try await RegnumStore.make(in: setting, engine)
            contenders.append(
                Contender(engine) {
                    sample(try await regnum.microsecondsOfCommits(people(regnum.ids)))
                })
        }
        contenders += [
            Contender(.grdb) {
                let people = people(grdb.ids)
                return try await onThread {
                    sample(try microsecondsEach(people) { try grdb.commit($0) })
                }
            },
            Contender(.sqlite) {
                let people = people(sqlite.ids)
                return try await onThread {
                    sample(try microsecondsEach(people) { try sqlite.commit($0) })
                }
            },
        ]
        if setting.stores(for: self).contains(.lmdb) {
            let lmdb = try LMDBStore(in: setting, isSynced: true)
            contenders.append(
                Contender(.lmdb) {
                    let people = people(lmdb.ids)
                    return try await onThread {
                        sample(try microsecondsEach(people) { try lmdb.commit($0) })
                    }
                })
        }
        return contenders
    }

    private func people(_ ids: PersonIDs) -> [PersonValues] { ids.newPeople(Self.commitCount) }

    private func sample(_ times: [Double]) -> [Sample] {
        [Sample(name, Statistics.percentile(times, 0.5), .microseconds)]
    }
}
