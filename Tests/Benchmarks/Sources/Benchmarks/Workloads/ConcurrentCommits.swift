import BenchmarkKit

/// Durable commits of one object each, from 64 concurrent tasks.
struct ConcurrentCommits: Workload {
    private static let callerCount = 64

    let name = "2c"
    var notes: [String] {
        ["64 tasks; grdb runs with WAL and synchronous=FULL; plain SQLite has no tasks to share."]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        var contenders: [Contender] = []
        for engine in setting.stores(for: self) where engine.isRegnum {
            let regnum = try await RegnumStore.make(in: setting, engine)
            contenders.append(
                Contender(engine) {
                    try await measure(regnum.ids, perCaller: 500) { try await regnum.commit($0) }
                })
        }
        let grdb = try GRDBStore(in: setting, .full)
        contenders.append(
            Contender(.grdb) {
                try await measure(grdb.ids, perCaller: 30) { try await grdb.commit($0) }
            })
        return contenders
    }

    private func measure(
        _ ids: PersonIDs, perCaller: Int,
        _ commit: @escaping @Sendable ([PersonValues]) async throws -> Void
    ) async throws -> [Sample] {
        let shares = (0..<Self.callerCount).map { _ in ids.newPeople(perCaller) }
        let start = monotonicNanoseconds()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for share in shares { group.addTask { try await commit(share) } }
            try await group.waitForAll()
        }
        let rate = perSecond(Self.callerCount * perCaller, since: start)
        return [Sample(name, rate, .commitsPerSecond)]
    }
}
