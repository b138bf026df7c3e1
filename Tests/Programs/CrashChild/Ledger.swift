import RegnumEngine
import RegnumStore

/// The work of one writer in the tests of processes that checkpoint, and the expected content of
/// the realm afterwards. The file is shared by the children and their driver.
///
/// Commit n of a writer inserts its entry n, marks its entry n / 2 with n, deletes its entry n -
/// 200, and increments its count. So n determines the whole content after n commits.
struct Ledger {
    static let maximumEntryCount = 200
    /// Each commit whose number is a multiple of this is a bulk commit.
    static let bulkInterval = 48
    /// One of as many commits is followed by a compaction.
    static let compactionInterval = 16

    let writer: String

    /// Opens the realm of the children, with a checkpoint every few commits, written in small
    /// pieces into files that fill up soon.
    static func open(
        _ path: String, makesCheckpoints: Bool,
        _ report: @escaping @Sendable (CoordinatorEvent) -> Void = { _ in }
    ) async throws -> Coordinator {
        var options = CoordinatorOptions(place: .directory(path: path))
        options.store.firstSegmentByteCount = 64 << 10
        options.store.nodesSlackByteCount = 512 << 10
        options.store.nodesWriteByteCount = 8 << 10
        options.store.nodesSyncByteCount = 64 << 10
        options.checkpoint.isOn = makesCheckpoints
        options.checkpoint.maximumCommitCount = 12
        options.checkpoint.minimumClosingByteCount = .max
        options.checkpoint.minimumReloadByteCount = 0
        options.checkpoint.paceNanoseconds = 400_000
        options.checkpoint.retryNanoseconds = 1_000_000
        options.report = report
        return try await Coordinator.open(options)
    }

    /// Makes a realm with the classes.
    static func make(_ path: String) async throws {
        let realm = try await open(path, makesCheckpoints: false)
        let turn = try await realm.beginWrite()
        let transaction = EngineTransaction(base: turn.base)
        try addTables(transaction)
        let commit = try transaction.commit(timestampMicroseconds: 0)
        try await realm.commit(turn, commit, durability: .full)
        await realm.close()
    }

    private static func addTables(_ transaction: EngineTransaction) throws {
        _ = try transaction.addTable(
            name: "Account",
            columns: [
                ColumnDefinition(name: "writer", type: .string, isPrimaryKey: true),
                ColumnDefinition(name: "commits", type: .int),
            ])
        _ = try transaction.addTable(
            name: "Entry",
            columns: [
                ColumnDefinition(name: "id", type: .string, isPrimaryKey: true),
                ColumnDefinition(name: "writer", type: .string, isIndexed: true),
                ColumnDefinition(name: "mark", type: .int, isOptional: true),
                ColumnDefinition(name: "text", type: .string),
            ])
    }

    /// Returns the number of the writer's commits in a version.
    func commitCount(_ root: DatabaseRoot) -> Int {
        guard let account = root.find(Self.accounts, primaryKey: .string(writer)),
            case .int(let count)? = root.value(Self.accounts, account, Self.second)
        else { return 0 }
        return Int(count)
    }

    /// Makes the next commit of the writer.
    func makeCommit(on base: DatabaseRoot) throws -> (number: Int, commit: Commit) {
        let number = commitCount(base) + 1
        let transaction = EngineTransaction(base: base, origin: writer)
        if let account = base.find(Self.accounts, primaryKey: .string(writer)) {
            try transaction.set(Self.accounts, account, Self.second, .int(Int64(number)))
        } else {
            _ = try transaction.insert(Self.accounts, [.string(writer), .int(Int64(number))])
        }
        _ = try transaction.insert(
            Self.entries, [id(number), .string(writer), .null, .string(text(number))])
        if let half = transaction.find(Self.entries, primaryKey: id(number / 2)) {
            try transaction.set(Self.entries, half, Self.third, .int(Int64(number)))
        }
        if let old = transaction.find(Self.entries, primaryKey: id(number - Self.maximumEntryCount))
        {
            transaction.delete(Self.entries, old)
        }
        let isBulk = number % Self.bulkInterval == 0
        let commit = try transaction.commit(
            timestampMicroseconds: 0,
            maximumBodyByteCount: isBulk ? 16 : Limits.maximumRecordBodyByteCount)
        return (number, commit)
    }

    /// Returns a problem in the writer's content of a version, or `nil`.
    func problem(_ root: DatabaseRoot) -> String? {
        let last = commitCount(root)
        let first = max(1, last - Self.maximumEntryCount + 1)
        for number in first..<(last + 1) {
            guard let key = root.find(Self.entries, primaryKey: id(number)) else {
                return "entry \(number) of \(writer) is missing after \(last) commits"
            }
            let mark: Value =
                2 * number + 1 <= last
                ? .int(Int64(2 * number + 1)) : 2 * number <= last ? .int(Int64(2 * number)) : .null
            guard root.value(Self.entries, key, Self.second) == .string(writer),
                root.value(Self.entries, key, Self.third) == mark,
                root.value(Self.entries, key, ColumnKey(rawValue: 3)) == .string(text(number))
            else { return "entry \(number) of \(writer) is different after \(last) commits" }
        }
        let column = ColumnReference(name: "writer", type: .string, missing: .string(""))
        let plan = QueryPlan(
            tableName: "Entry", predicate: .compare(column, .equal, .string(writer)))
        let count = try? plan.count(QueryState(root))
        guard count == last + 1 - first else {
            return "\(count ?? -1) entries of \(writer) after \(last) commits"
        }
        return root.damage.map { "\($0)" }
    }

    private func id(_ number: Int) -> Value { .string("\(writer)-\(number)") }

    /// Texts of every length, from those that fit into their cell to those with a node of their
    /// own.
    private func text(_ number: Int) -> String {
        let length = number % 16 == 0 ? 6000 : number * 37 % 900
        return String(repeating: "\(writer) \(number) ", count: length / 8 + 1)
    }

    private static let accounts = TableKey(rawValue: 0)
    private static let entries = TableKey(rawValue: 1)
    private static let second = ColumnKey(rawValue: 1)
    private static let third = ColumnKey(rawValue: 2)
}
