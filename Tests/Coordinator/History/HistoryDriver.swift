import RegnumSimulation
import RegnumStore
import RegnumTestSupport

@testable import EngineOracle
@testable import RegnumEngine

/// Random histories of two processes on a simulated disk, and a plain model of every version.
final class HistoryDriver {
    /// A commit as the model represents it.
    struct Version {
        var rows: [ObjectKey: Int] = [:]
        var summary: CommitSummary?
        /// Wall clock, in microseconds.
        var time: Int64 = 0
        /// The outermost possible bounds of its record in the log.
        var start: LogPosition = 0
        var hash: UInt64 = 0
    }

    enum Step: String, CaseIterable {
        case commit, relaxed, bulk, checkpoint, bothCheckpoint, reopen, reopenAll, other, wait
    }

    let disk = SimFileSystem()
    let retention: HistoryRetention
    private(set) var versions = [Version()]
    private(set) var foundCount = 0
    private(set) var trimmedCount = 0
    var restoreCounts = (restored: 0, refused: 0)
    var numbers: SeededRandom
    private(set) var peers: [Coordinator] = []
    private var views: [any FileSystem] = []
    private var clock: Int64 = 1_700_000_000_000_000
    private var turn = 0

    init(_ retention: HistoryRetention, _ numbers: SeededRandom) {
        self.retention = retention
        self.numbers = numbers
    }

    private func open(_ index: Int) async throws {
        let closes = numbers.oneIn(2)
        let peer = try await openPeer("/sim", views[index]) { options in
            options.store.retention = retention
            options.checkpoint.isOn = false
            options.checkpoint.paceNanoseconds = 0
            options.checkpoint.retryNanoseconds = 100_000
            options.checkpoint.minimumReloadByteCount = 0
            options.checkpoint.minimumClosingByteCount = closes ? 600 : .max
            options.store.firstSegmentByteCount = 8192
            options.store.maximumSegmentByteCount = 16384
            options.store.nodesSlackByteCount = 4 << 10
        }
        if peers.count == index { peers.append(peer) } else { peers[index] = peer }
    }

    /// - Parameter restoreCount: The number of versions that are restored at the end.
    func run(stepCount: Int, checkedEvery rounds: Int, restoreCount: Int = 0) async throws {
        views = [disk, SimView(disk)]
        disk.setWallClock(microseconds: clock)
        for index in views.indices { try await open(index) }
        for number in 1...stepCount {
            let step = numbers.oneIn(3) ? Step.allCases.randomElement(using: &numbers)! : .commit
            try await run(step)
            if number % rounds == 0 { try await check(numbers.below(versions.count)) }
        }
        for version in versions.indices { try await check(version) }
        for number in 0..<restoreCount { try await restore(number) }
        for peer in peers { await peer.close() }
    }

    private func run(_ step: Step) async throws {
        switch step {
        case .commit: try await commit()
        case .relaxed: try await commit(durability: .relaxed(withinNanoseconds: 1_000_000))
        case .bulk: try await commit(isBulk: true)
        case .checkpoint: try await checkpointNow(peers[turn])
        case .bothCheckpoint:
            for peer in peers {
                try await peer.catchUp()
                try await checkpointNow(peer)
            }
        case .reopen:
            await peers[turn].close()
            try await open(turn)
        case .reopenAll:
            for peer in peers { await peer.close() }
            for index in peers.indices { try await open(index) }
        case .other: turn = 1 - turn
        case .wait:
            let time = Int64(numbers.below(30_000_000))
            clock += time
            disk.advanceTime(nanoseconds: UInt64(time) * 1000)
        }
    }

    private func commit(durability: Durability = .full, isBulk: Bool = false) async throws {
        let peer = peers[turn]
        let turn = try await peer.beginWrite()
        let origin = numbers.oneIn(2) ? "origin \(numbers.below(3))" : nil
        let transaction = EngineTransaction(base: turn.base, origin: origin)
        var version = Version()
        version.rows = versions[versions.count - 1].rows
        let table: TableKey
        if let schema = transaction.schema.table(named: "Row") {
            table = schema.key
        } else {
            let columns = ["value", "other"].map { ColumnDefinition(name: $0, type: .int) }
            table = try transaction.addTable(name: "Row", columns: columns)
        }
        let count = 1 + numbers.below(isBulk ? 60 : 12)
        for _ in 0..<count {
            let value = numbers.below(1000)
            let keys = version.rows.keys.sorted()
            switch keys.isEmpty ? 0 : numbers.below(4) {
            case 0, 1:
                let row = [Value.int(Int64(value)), .int(Int64(numbers.below(1 << 40)))]
                version.rows[try transaction.insert(table, row)] = value
            case 2:
                let key = keys[numbers.below(keys.count)]
                try transaction.set(table, key, ColumnKey(rawValue: 0), .int(Int64(value)))
                version.rows[key] = value
            default:
                let key = keys[numbers.below(keys.count)]
                transaction.delete(table, key)
                version.rows[key] = nil
            }
        }
        let start = peer.state.withLock { $0.log?.position ?? 0 }
        let commit = try transaction.commit(
            timestampMicroseconds: clock,
            maximumBodyByteCount: isBulk ? 16 : 4 << 20)
        try await peer.commit(turn, commit, durability: durability)
        guard commit.root.version == UInt64(versions.count) else {
            throw TestFailure("version \(commit.root.version) after \(versions.count - 1)")
        }
        version.summary = commit.summary
        version.time = clock
        version.start = start
        version.hash = commit.root.stateHash()
        versions.append(version)
    }

    /// Whether the commit after the version is within the retention now, so that the version must
    /// be available.
    func isRetained(_ version: Int, end: LogPosition) -> Bool {
        guard version + 1 < versions.count else { return true }
        let next = versions[version + 1]
        if let age = retention.ageNanoseconds, clock - next.time > age / 1000 { return false }
        if let byteCount = retention.byteCount, end - next.start > byteCount { return false }
        return true
    }

    /// Reads the version, and everything after it, in both processes.
    private func check(_ version: Int) async throws {
        for (index, peer) in peers.enumerated() {
            try await peer.catchUp()
            guard peer.published.version == UInt64(versions.count - 1) else {
                throw TestFailure("process \(index) is at \(peer.published.version)")
            }
            let end = peer.state.withLock { $0.log?.position ?? 0 }
            let reader: HistoryReader
            do {
                reader = try await peer.history(from: UInt64(version))
            } catch let error as StoreError {
                guard error.code == .historyTrimmed else { throw error }
                if isRetained(version, end: end) {
                    throw TestFailure("version \(version) of \(versions.count - 1): \(error)")
                }
                trimmedCount += 1
                continue
            }
            foundCount += 1
            do {
                try await read(on: reader, version)
            } catch let error as StoreError {
                // The log may be trimmed while it is read.
                guard error.code == .historyTrimmed, !isRetained(version, end: end) else {
                    throw error
                }
                trimmedCount += 1
            }
        }
    }

    /// Reads everything after the version, or a part of it.
    private func read(on reader: HistoryReader, _ version: Int) async throws {
        try compare(reader.root, version)
        if numbers.oneIn(2) {
            for next in (version + 1)..<max(versions.count, version + 1) {
                guard let step = try await reader.next(through: .max) else {
                    throw TestFailure("version \(next) is missing")
                }
                try compare(step.summary, next)
                try compare(step.root, next)
            }
        } else {
            let through = version + numbers.below(versions.count - version)
            let summaries = try await reader.summaries(through: UInt64(through))
            guard summaries.count == through - version else {
                throw TestFailure("\(summaries.count) summaries, not \(through - version)")
            }
            for (offset, summary) in summaries.enumerated() {
                try compare(summary, version + 1 + offset)
            }
            try compare(reader.root, through)
        }
    }

    func compare(_ root: DatabaseRoot, _ version: Int) throws {
        var rows: [ObjectKey: Int] = [:]
        if let table = root.schema.table(named: "Row")?.key {
            for key in root.keys(table) {
                guard case .int(let value)? = root.value(table, key, ColumnKey(rawValue: 0)) else {
                    throw TestFailure("a row without a value")
                }
                rows[key] = Int(value)
            }
        }
        guard root.version == UInt64(version), rows == versions[version].rows,
            version == 0 || root.stateHash() == versions[version].hash
        else { throw TestFailure("version \(version) is read with different content") }
    }

    private func compare(_ summary: CommitSummary, _ version: Int) throws {
        guard let expected = versions[version].summary, summary.version == UInt64(version),
            summary.origin == expected.origin, summary.tables == expected.tables
        else { throw TestFailure("the summary of version \(version) is different") }
    }
}

extension HistoryReader {
    /// Returns the summaries of the next commits, through `version`. `root` is then the root of the
    /// last one.
    func summaries(through version: UInt64) async throws -> [CommitSummary] {
        var summaries: [CommitSummary] = []
        while let step = try await next(through: version) { summaries.append(step.summary) }
        return summaries
    }
}
