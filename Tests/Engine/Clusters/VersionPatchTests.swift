import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Changes of single rows in many clusters: what they copy, and the versions of the rows.
@Suite struct VersionPatchTests {
    private static let columns = [
        TableTrial.column(0, .int, isOptional: false),
        TableTrial.column(1, .double, isOptional: false),
    ]

    /// Returns a committed trial with that many full clusters.
    private func filled(_ clusterCount: Int) -> TableTrial {
        let trial = TableTrial(columns: Self.columns)
        let version = trial.version
        trial.withAppender { appender, table in
            for index in 0..<clusterCount * rowsPerCluster {
                let values: [Value] = [.int(Int64(index % 100)), .double(Double(index))]
                let key = appender.append(values, to: &table, version: version)
                trial.rows[key] = TableTrial.Row(values: values, version: version)
            }
        }
        trial.commit()
        return trial
    }

    private func set(_ trial: TableTrial, _ key: UInt64, _ value: Int64) {
        let isSet = trial.table.setInt(
            key, ColumnKey(rawValue: 0), value, version: trial.version, columns: trial.columns,
            edit: trial.edit ?? trial.currentEdit)
        expectTrue(isSet)
        trial.rows[key]?.values[0] = .int(value)
        trial.rows[key]?.version = trial.version
    }

    /// Copied: the chunk of bytes, the cluster, its share of the path and a patch, but no chunk of
    /// versions.
    @Test func anUpdateOfAClusterCopiesLittle() throws {
        let clusterCount = 40
        let trial = filled(clusterCount)
        for round in 0..<3 {
            let edit = trial.currentEdit
            let before = trial.store.usage.byteCount
            for cluster in 0..<clusterCount {
                set(trial, UInt64(cluster * rowsPerCluster + 7 * round), Int64(round))
            }
            expectTrue(edit.copiedByteCount / clusterCount < 2200)
            expectTrue((trial.store.usage.byteCount - before) / clusterCount < 2400)
            try trial.checkAll()
            trial.commit()
            trial.release(0)
        }
        try trial.end()
    }

    /// An entry has 54 bits for the version.
    @Test func aVersionThatNoEntryHoldsIsKept() throws {
        var content = ScanContent("A", [ColumnDefinition(name: "n", type: .int)])
        content.insert([[Value]](repeating: [.int(1)], count: 50))
        let file = MemoryNodesFile()
        for version in [1 << 54 - 2, 1 << 54 - 1, 1 << 60] as [UInt64] {
            var checkpoint = try TestCheckpoint(content.root, to: file)
            checkpoint.version = version
            for byte in 0..<8 {
                file[checkpoint.directory.lowerBound + 8 + byte] =
                    UInt8(truncatingIfNeeded: version >> UInt64(8 * byte))
            }
            try checkpoint.fixChecksum(in: file)
            var root = try checkpoint.load(from: file)
            let table = TableKey(rawValue: 0)
            for row in [3, 40] as [UInt64] {
                let transaction = EngineTransaction(base: root)
                try transaction.set(
                    table, ObjectKey(rawValue: row), ColumnKey(rawValue: 0), .int(7))
                root = try commitAndReplay(transaction).root
            }
            expectEqual(root.contentVersion(table, ObjectKey(rawValue: 3)), version + 1)
            expectEqual(root.contentVersion(table, ObjectKey(rawValue: 40)), version + 2)
            expectEqual(root.contentVersion(table, ObjectKey(rawValue: 4)), 2)
        }
    }

    @Test func aPatchThatIsFullBecomesAChunk() throws {
        let trial = filled(2)
        for number in 0..<3 * VersionPatch.maximumEntryCount {
            _ = trial.currentEdit
            // Includes rows that are already in the patch.
            set(trial, UInt64(number * 11 % rowsPerCluster), Int64(number))
            set(trial, UInt64(number / 2 * 11 % rowsPerCluster), Int64(number))
            try TableTrial.check(trial.table, trial.rows, trial.columns)
            if number % 4 == 0 { trial.commit() }
            if number % 8 == 1 { trial.abort() }
        }
        try trial.checkAll()
        let cluster = try requireValue(trial.table.cluster(containing: 0))
        expectEqual(cluster.contentVersions().count, rowsPerCluster)
        expectTrue((cluster.node.load(ClusterOffsets.versionWord) as UInt) != 0)
        try trial.end()
    }

    @Test func rowsAreAppendedAndCutOffBesideAPatch() throws {
        var generator = SeededRandom("rowsAreAppendedAndCutOffBesideAPatch")
        let trial = filled(1)
        let version = trial.version
        for _ in 0..<300 {
            let edit = trial.currentEdit
            let first = trial.firstNewKey
            switch generator.below(6) {
            case 0, 1:
                let values: [Value] = [.int(Int64(generator.below(90))), .double(0)]
                let version = trial.version
                trial.withAppender { appender, table in
                    for _ in 0..<1 + generator.below(5) {
                        let key = appender.append(values, to: &table, version: version)
                        trial.rows[key] = TableTrial.Row(values: values, version: version)
                    }
                }
            case 2, 3:
                let key = trial.table.key(at: generator.below(trial.table.count))
                set(trial, key, Int64(generator.below(90)))
            case 4:
                // Uncommitted rows are dropped, and their keys are assigned again.
                for key in trial.rows.keys where key >= first {
                    _ = trial.table.remove(key, edit: edit)
                    trial.rows[key] = nil
                }
                trial.table.setNextKey(first, edit: edit)
            default:
                trial.commit()
                if trial.held.count > 3 { trial.release(generator.below(2)) }
            }
            try TableTrial.check(trial.table, trial.rows, trial.columns)
        }
        expectTrue(trial.version > version)
        try trial.checkAll()
        try trial.end()
    }
}
