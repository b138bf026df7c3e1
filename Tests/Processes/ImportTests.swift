import Regnum
import RegnumTestSupport
import Testing

@Suite(.serialized) struct ImportTests {
    @Test func oneTransactionShowsTheLinesOfTheFileInOrder() async throws {
        let log = try ChatLog.plays.get()
        try await checkImport(log) { realm in
            try await realm.write { tx in try tx.add(log.lines.map { Message($0) }) }
            return 1
        }
    }

    @Test func batchesOfAHundredShowTheLinesOfTheFileInOrder() async throws {
        let log = try ChatLog.plays.get()
        try await checkImport(log) { realm in
            var commits = 0
            for start in stride(from: 0, to: log.lines.count, by: 100) {
                let batch = log.lines[start..<min(start + 100, log.lines.count)]
                try await realm.write { tx in try tx.add(batch.map { Message($0) }) }
                commits += 1
            }
            return commits
        }
    }

    /// If the syncs would take more than 20 s on this disk, only every 100th commit is synced; the
    /// others are also written to the log, just without waiting for the disk.
    @Test func singleCommitsShowTheLinesOfTheFileInOrder() async throws {
        let log = try ChatLog.plays.get()
        try await checkImport(log) { realm in
            let start = ContinuousClock.now
            var isSlow = false
            var syncedCommits = 0
            for (index, line) in log.lines.enumerated() {
                let isFull = !isSlow || index % 100 == 0
                try await realm.write(durability: isFull ? .full : .relaxed(within: .seconds(1))) {
                    try $0.add(Message(line))
                }
                if isFull { syncedCommits += 1 }
                if index == 1000 {
                    let projected = start.duration(to: .now) * (log.lines.count / 1000)
                    isSlow = projected > .seconds(20)
                }
            }
            print(
                "import: \(log.lines.count) single commits, \(syncedCommits) of them .full, in "
                    + "\(start.duration(to: .now))")
            return log.lines.count
        }
    }
}

/// Imports into a new realm, which must then, and after reopening, contain exactly the file.
private func checkImport(
    _ log: ChatLog, _ importLines: (Realm) async throws -> Int
) async throws {
    try await withChildren { group in
        let realm = try await Realm.test(group.realm)
        let commits = try await importLines(realm)
        expectEqual(realm.snapshot().version, UInt64(commits))
        try requireSame(realm.chatLog(), log)
        await realm.close()

        let reopened = try await Realm.test(group.realm)
        expectEqual(reopened.snapshot().version, UInt64(commits))
        try requireSame(reopened.chatLog(), log)
        await reopened.close()
    }
}

/// Reports the first difference, since a report of tens of thousands of lines would be useless.
private func requireSame(_ found: [String], _ log: ChatLog) throws {
    for (index, (found, line)) in zip(found, log.source).enumerated()
    where !found.utf8.elementsEqual(line.utf8) {
        throw ChildFailure("line \(index + 1) is \"\(found)\" instead of \"\(line)\"")
    }
    try require(
        found.count == log.source.count,
        "\(found.count) messages of \(log.source.count) lines")
}
