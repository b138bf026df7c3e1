import RegnumEngine
import RegnumSimulation
import RegnumTestSupport

/// Snapshots and query results that a sequence retains, with their expected content.
struct OracleObservations {
    private struct Snapshot {
        let peer: Int
        let root: DatabaseRoot
        let hash: UInt64
        let database: OracleDatabase
    }

    private struct HeldResult {
        let peer: Int
        let query: OracleQuery
        var root: DatabaseRoot
        var database: OracleDatabase
        var result: ResultTree
    }

    private var snapshots: [Snapshot] = []
    private var results: [HeldResult] = []
    /// The properties that each commit set, by version, table and key.
    private var settings: [UInt64: [[UInt64: Set<Int>]]] = [:]

    /// Returns the roots of one peer that are retained here.
    func roots(_ peer: Int) -> [DatabaseRoot] {
        snapshots.filter { $0.peer == peer }.map(\.root)
            + results.filter { $0.peer == peer }.map(\.root)
    }

    mutating func note(_ transaction: OracleTransaction) {
        settings[transaction.database.version] = transaction.committedSettings
    }

    mutating func hold(_ peer: Int, _ root: DatabaseRoot, _ database: OracleDatabase) {
        snapshots.append(
            Snapshot(peer: peer, root: root, hash: root.stateHash(), database: database))
    }

    mutating func letGo(_ generator: inout SeededRandom) {
        if !snapshots.isEmpty { snapshots.remove(at: generator.below(snapshots.count)) }
    }

    /// Throws if a snapshot has changed.
    func recheck(_ generator: inout SeededRandom) throws {
        for snapshot in snapshots {
            do {
                try snapshot.database.compare(
                    root: snapshot.root, maximumRowCount: 100, &generator)
            } catch {
                throw OracleFailure("the snapshot of \(snapshot.database.version): \(error)")
            }
            try require(
                snapshot.root.stateHash() == snapshot.hash,
                "the snapshot of \(snapshot.database.version) has a different hash than before")
        }
    }

    mutating func holdResult(
        _ peer: Int, _ root: DatabaseRoot, _ database: OracleDatabase, _ log: OracleLog,
        _ generator: inout SeededRandom
    ) throws {
        guard !database.tables.isEmpty, results.count < 8 else { return }
        let query = generator.query(generator.oneOf(database.tables))
        log.add("hold the result of \(query) at peer \(peer)")
        let result = try QueryPlan(query).evaluate(root)
        try database.compare(result.map(\.rawValue), query.evaluate(database), query)
        results.append(
            HeldResult(peer: peer, query: query, root: root, database: database, result: result))
    }

    /// Drops the results, which belong to an open coordinator; snapshots outlive it.
    mutating func forgetResults() { results = [] }

    /// Advances one result to the published version, and compares it, the change and the merged
    /// deltas.
    mutating func advance(
        _ target: some OracleTarget, _ database: OracleDatabase, _ generator: inout SeededRandom
    ) throws {
        guard !results.isEmpty else { return }
        let index = generator.below(results.count)
        let held = results[index]
        let root = target.root(held.peer)
        guard root.version == database.version else { return }
        guard let table = database.tables.firstIndex(where: { $0.name == held.query.tableName })
        else { return }
        let versions = held.database.version..<database.version
        let summaries = versions.compactMap { target.summary(held.peer, $0 + 1) }
        let before = table < held.database.tables.count ? held.database.tables[table] : nil
        let after = database.tables[table]
        let between = versions.map { version in
            let tables = settings[version + 1] ?? []
            return table < tables.count ? tables[table] : [:]
        }
        let expected = OracleDelta(before, after, between)
        let what = "\(held.query), \(held.database.version) to \(database.version)"
        let hasSummaries = summaries.count == versions.count && !generator.oneIn(3)
        if summaries.count == versions.count {
            let delta = MergedDelta(summaries, tableName: held.query.tableName)
            let found = OracleDelta(delta.inserted, delta.deleted, delta.modified)
            try require(found == expected, "\(what): merged \(found), not \(expected)")
            try compareLists(delta.listChanges, before, after, held.root, root, what)
        }
        try compareTrees(held.root, root, before, after, expected, what)
        let step = VersionStep(
            from: held.root, to: root, summaries: hasSummaries ? summaries : nil)
        let (result, change) = try QueryPlan(held.query).advance(held.result, step)
        let found = result.map(\.rawValue)
        try database.compare(found, held.query.evaluate(database), held.query)
        try compare(change, held.result.map(\.rawValue), found, what)
        if before?.columns.count == after.columns.count {
            // Rows of which only a list changed may move, too.
            let touched = Set(expected.inserted + expected.deleted + expected.modified.keys)
                .union(step.rows(held.query.tableName).modified.map(\.key.rawValue))
            let reported = change.insertedKeys + change.deletedKeys
            try require(
                touched.isSuperset(of: reported.map(\.rawValue)),
                "\(what): the change reports rows that were not modified")
        }
        results[index].root = root
        results[index].database = database
        results[index].result = result
    }

    /// Compares the delta of two trees: the same rows, with the columns whose values differ.
    private func compareTrees(
        _ old: DatabaseRoot, _ new: DatabaseRoot, _ before: OracleTable?, _ after: OracleTable,
        _ expected: OracleDelta, _ what: String
    ) throws {
        let delta = MergedDelta(from: old, to: new, tableName: after.name)
        let found = OracleDelta(delta.inserted, delta.deleted, delta.modified)
        try compareLists(delta.listChanges, before, after, old, new, what + " by trees")
        var differing = expected
        for key in expected.modified.keys {
            guard let a = before?.rows[key], let b = after.rows[key] else { continue }
            differing.modified[key] = Set(
                b.values.indices.filter { column in
                    let old =
                        column < a.values.count
                        ? a.values[column] : after.columns[column].defaultValue
                    return old != b.values[column]
                })
        }
        try require(
            found == differing, "\(what): the trees differ in \(found) instead of \(differing)")
    }

    /// Checks that the splices turn the old lists into the new ones and that no change is missing.
    private func compareLists(
        _ changes: [ListKey: [ListChange]], _ before: OracleTable?, _ after: OracleTable,
        _ old: DatabaseRoot, _ new: DatabaseRoot, _ what: String
    ) throws {
        guard let table = new.schema.table(named: after.name)?.key else { return }
        for list in after.lists.indices {
            let key = ListKey(rawValue: UInt16(list))
            let reported = changes[key] ?? []
            try require(
                zip(reported, reported.dropFirst()).allSatisfy { $0.row < $1.row },
                "\(what): list changes are out of order")
            var splices: [UInt64: [ListSplice]] = [:]
            for change in reported {
                splices[change.row.rawValue] =
                    change.splices
                    ?? new.listSplices(table, change.row, key, since: old)
            }
            let rows = after.keys.filter { before?.rows[$0] != nil }
            try require(
                Set(rows).isSuperset(of: splices.keys),
                "\(what): list changes of rows that are not in both")
            for row in rows {
                var mirror = before?.rows[row]?.lists.dropFirst(list).first ?? []
                for splice in (splices[row] ?? []).reversed() {
                    mirror.replaceSubrange(
                        splice.position..<splice.position + splice.removedCount,
                        with: splice.inserted.map(\.rawValue))
                }
                let expected = after.rows[row]?.lists[list] ?? []
                try require(
                    mirror == expected,
                    "\(what): row \(row), list \(list) becomes \(mirror), not \(expected)")
            }
        }
    }

    /// Applies the change as an observer does: deletes from the back, inserts from the front.
    private func compare(
        _ change: ResultChange, _ before: [UInt64], _ after: [UInt64], _ what: String
    ) throws {
        var mirror = before
        for index in change.deletions.reversed() { mirror.remove(at: index) }
        for index in change.insertions { mirror.insert(after[index], at: index) }
        try require(mirror == after, "\(what): the change doesn't produce the new result")
        try require(
            change.modified.allSatisfy {
                before[$0.oldIndex] == $0.key.rawValue && after[$0.newIndex] == $0.key.rawValue
            }, "\(what): the change modifies rows at wrong positions")
    }
}
