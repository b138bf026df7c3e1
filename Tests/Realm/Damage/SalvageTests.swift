import Foundation
import Regnum
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Each kind of damage costs only what it hits, and the report names it.
@Suite(.timeLimit(.minutes(20)))
struct SalvageTests {
    let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    static func name(_ id: Int) -> String { "the name of the crate \(id), in full" }

    func configuration(_ name: String) -> Realm.Configuration {
        var configuration = folder.configuration(name, [Crate.self])
        configuration.logger = nil
        return configuration
    }

    /// Adds crates in one commit each, to a realm that is then closed. Each links to the first one.
    func write(_ commits: [Range<Int>], hasCheckpoint: Bool = false) async throws {
        var configuration = configuration("test.realm")
        if hasCheckpoint {
            configuration.adjust = { $0.checkpoint.minimumClosingByteCount = 1 }
        }
        let realm = try await Realm.open(configuration)
        for ids in commits {
            try await realm.write { tx in
                for id in ids {
                    let crate = Crate()
                    crate.id = id
                    crate.name = Self.name(id)
                    crate.tags.append("tag \(id)")
                    try tx.add(crate)
                    if let first = tx.object(Crate.self, forPrimaryKey: 0) {
                        crate.next = first
                        crate.others.append(first)
                    }
                }
            }
        }
        await realm.close()
    }

    /// Makes a realm without a log: a backup.
    func makeBackup(count: Int) async throws {
        try await write([0..<count])
        let realm = try await Realm.open(configuration("test.realm"))
        try await realm.backup(to: folder["backup.realm"])
        await realm.close()
    }

    /// Flips a bit of a file at the offset that `place` returns for its bytes.
    func flip(_ realm: String, _ name: String, _ place: (Data) -> Int?) throws {
        let file = folder[realm].appending(path: name)
        var bytes = try Data(contentsOf: file)
        let offset = try requireValue(place(bytes))
        bytes[offset] ^= 1
        try bytes.write(to: file, options: .atomic)
    }

    static func text(_ id: Int, _ bytes: Data) -> Int? {
        bytes.range(of: Data(name(id).utf8))?.lowerBound
    }

    /// Salvages a realm, and checks that the original is unchanged and the new realm sound.
    func salvage(_ name: String = "test.realm") async throws -> SalvageReport {
        let before = try DamagedSource.files(in: folder[name])
        let report = try await Realm.salvage(folder[name], to: folder["new.realm"])
        try expectEqual(DamagedSource.files(in: folder[name]), before)
        let verified = try await Realm.verify(at: folder["new.realm"])
        expectTrue(verified.isSound && verified.isComplete, "\(verified)")
        return report
    }

    /// Returns the crates in the new realm, by ID, after checking that each is as it was written.
    func saved() async throws -> Set<Int> {
        let realm = try await Realm.open(configuration("new.realm"))
        let found = try await realm.read { tx in
            tx.objects(Crate.self).map { crate in
                (id: crate.id, name: crate.name, tags: Array(crate.tags))
            }
        }
        for crate in found {
            expectEqual(crate.name, Self.name(crate.id))
            expectEqual(crate.tags, ["tag \(crate.id)"])
        }
        await realm.close()
        return Set(found.map(\.id))
    }

    /// Returns the first and the last version of each run of missing commits.
    static func missing(_ report: SalvageReport) -> [[UInt64?]] {
        report.missingCommits.map { [$0.first, $0.last] }
    }

    /// The last line of a report.
    static func summary(_ report: SalvageReport) -> String {
        report.description.split(separator: "\n").last.map(String.init) ?? ""
    }

    func crates(_ report: SalvageReport) throws -> SalvageReport.ClassCounts {
        try requireValue(report.classes.first { $0.className == "Crate" })
    }

    // MARK: Nothing lost

    @Test func soundRealmIsSavedWhole() async throws {
        try await write([0..<600, 600..<1_100], hasCheckpoint: true)
        let report = try await salvage()
        expectTrue(report.isComplete && report.damages.isEmpty, "\(report)")
        expectTrue(report.checkpointVersion == 2 && report.version == 2, "\(report)")
        try expectEqual(crates(report).savedCount, 1_100)
        try await expectEqual(saved(), Set(0..<1_100))
        let realm = try await Realm.open(configuration("new.realm"))
        let linked = try await realm.read { tx in
            tx.objects(Crate.self).where { $0.next.id == 0 }.count
        }
        expectEqual(linked, 1_100)
        await realm.close()
    }

    @Test func schemaVersionStays() async throws {
        var versioned = configuration("test.realm")
        versioned.schemaVersion = 7
        let realm = try await Realm.open(versioned)
        try await realm.write { tx in try tx.add(Crate()) }
        await realm.close()
        let report = try await salvage()
        expectTrue(report.isComplete, "\(report)")
        try await expectEqual(Realm.schemaVersion(at: folder["new.realm"]), 7)
    }

    /// The log is kept for history, so it has everything that the nodes file has.
    @Test func logReplacesDamagedLeavesAndDirectories() async throws {
        try await write([0..<1_100], hasCheckpoint: true)
        try flip("test.realm", "nodes-1") { Self.text(99, $0) }
        let report = try await salvage()
        expectTrue(report.isComplete && report.damages.count == 1, "\(report)")
        try await expectEqual(saved(), Set(0..<1_100))
        try FileManager.default.removeItem(at: folder["new.realm"])
        try flip("test.realm", "nodes-1") { $0.range(of: Data("RGDI".utf8))?.lowerBound }
        let again = try await salvage()
        expectTrue(again.isComplete && again.checkpointVersion == nil, "\(again)")
        try await expectEqual(saved(), Set(0..<1_100))
    }

    @Test func logReplacesTheNodesFile() async throws {
        try await write([0..<1_100], hasCheckpoint: true)
        let file = folder["test.realm"].appending(path: "nodes-1")
        try FileManager.default.removeItem(at: file)
        let report = try await salvage()
        expectTrue(report.isComplete && !report.damages.isEmpty, "\(report)")
        try await expectEqual(saved(), Set(0..<1_100))
    }

    @Test func indexesAreBuiltAnew() async throws {
        try await makeBackup(count: 1_100)
        try flip("backup.realm", "nodes-1") { bytes in
            let keys = [500, 501].flatMap { number in
                let key = UInt64(bitPattern: Int64(number)) ^ 1 << 63
                return withUnsafeBytes(of: key.littleEndian) { Array($0) }
            }
            return bytes.range(of: Data(keys))?.lowerBound
        }
        let report = try await salvage("backup.realm")
        expectTrue(report.isComplete && report.damages.first?.property == "id", "\(report)")
        try await expectEqual(saved(), Set(0..<1_100))
    }

    // MARK: Damaged leaves

    // Covers 12.16
    @Test func damagedLeafCostsOnlyItsObjects() async throws {
        try await makeBackup(count: 1_100)
        try flip("backup.realm", "nodes-1") { Self.text(99, $0) }
        let report = try await salvage("backup.realm")
        expectTrue(!report.isComplete && report.damages.count == 1, "\(report)")
        expectTrue(report.damages.first?.offset != nil && report.missingCommits.isEmpty)
        expectEqual(report.lostObjects.compactMap(\.key), (0..<1_024).map { "\($0)" })
        expectTrue(report.lostObjects.allSatisfy { $0.property == "name" })
        // the links to the first crate, which is lost
        let changed = report.changedProperties.map { "\($0.key ?? "") \($0.property)" }
        let expected = (1_024..<1_100).flatMap { ["\($0) next", "\($0) others"] }
        expectEqual(Set(changed), Set(expected))
        expectTrue(
            report.description.hasSuffix("; 1024 objects lost, 152 properties changed"),
            "\(report)")
        try await expectEqual(saved(), Set(1_024..<1_100))
    }

    /// What was committed between a missing commit and the checkpoint is what the checkpoint has.
    @Test func logAfterAGapReplacesDamagedLeaves() async throws {
        try await write([0..<10, 10..<20, 20..<30], hasCheckpoint: true)
        try flip("test.realm", "log-0-0") { Self.text(15, $0) }
        try flip("test.realm", "nodes-1") { Self.text(5, $0) }
        let report = try await salvage()
        expectTrue(report.checkpointVersion == 3 && report.missingCommits.isEmpty, "\(report)")
        expectEqual(report.lostObjects.compactMap(\.key), (0..<20).map { "\($0)" })
        try expectEqual(crates(report).uncertainCount, 0)
        try await expectEqual(saved(), Set(20..<30))
    }

    @Test func shortTextsAreNotInTheLeafOfTexts() async throws {
        let realm = try await Realm.open(configuration("test.realm"))
        try await realm.write { tx in
            for id in 0..<20 {
                let crate = Crate()
                crate.id = id
                crate.name = id % 2 == 0 ? "\(id)" : Self.name(id)
                try tx.add(crate)
            }
        }
        try await realm.backup(to: folder["backup.realm"])
        await realm.close()
        try flip("backup.realm", "nodes-1") { Self.text(5, $0) }
        let report = try await salvage("backup.realm")
        expectEqual(
            report.lostObjects.compactMap(\.key),
            (0..<20).filter { $0 % 2 == 1 }.map { "\($0)" })
        let new = try await Realm.open(configuration("new.realm"))
        let names = try await new.read { tx in tx.objects(Crate.self).map(\.name) }
        await new.close()
        expectEqual(names.sorted(), (0..<20).filter { $0 % 2 == 0 }.map { "\($0)" }.sorted())
    }

    @Test func keyIsReadFromTheIndex() async throws {
        try await makeBackup(count: 1_100)
        // The IDs of the second cluster take 2 bytes each.
        try flip("backup.realm", "nodes-1") { bytes in
            let ids = (1_024..<1_100).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            return bytes.range(of: Data(ids))?.lowerBound
        }
        let report = try await salvage("backup.realm")
        expectTrue(report.isComplete && report.damages.first?.property == "id", "\(report)")
        try await expectEqual(saved(), Set(0..<1_100))
    }

    @Test func damagedListKeepsItsElements() async throws {
        let count = 300
        try await writeReversedList(count) { realm in
            try await realm.backup(to: folder["backup.realm"])
        }
        try flipList("backup.realm")
        let report = try await salvage("backup.realm")
        expectTrue(report.damages.count == 1 && report.lostObjects.isEmpty, "\(report)")
        let changed = report.changedProperties.map(\.description)
        expectEqual(changed, ["Crate 0, others: the order may differ"])
        expectTrue(report.description.hasSuffix("; 1 property changed"), "\(report)")
        try await expectEqual(saved(), Set(0..<count))
        let others = try await savedOthers()
        expectEqual(others.sorted(), Array(0..<count))
        expectTrue(others.first == count - 1 && others.last == 0)
    }

    @Test func logReplacesADamagedList() async throws {
        let count = 300
        try await writeReversedList(count) { _ in }
        try flipList("test.realm")
        let report = try await salvage()
        expectTrue(report.damages.count == 1 && report.isComplete, "\(report)")
        try await expectEqual(savedOthers(), Array((0..<count).reversed()))
    }

    /// Adds crates, the first of which has a list of all in descending order, and a checkpoint.
    private func writeReversedList(
        _ count: Int, _ body: (Realm) async throws -> Void
    ) async throws {
        try await write([0..<count])
        var configuration = configuration("test.realm")
        configuration.adjust = { $0.checkpoint.minimumClosingByteCount = 1 }
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            let first = try requireValue(tx.object(Crate.self, forPrimaryKey: 0))
            first.others.removeAll()
            for id in (0..<count).reversed() {
                let other = try requireValue(tx.object(Crate.self, forPrimaryKey: id))
                first.others.append(other)
            }
        }
        try await body(realm)
        await realm.close()
    }

    /// Damages a leaf in the middle of the list, with some of its elements in order.
    private func flipList(_ name: String) throws {
        try flip(name, "nodes-1") { bytes in
            let places = (140..<160).lazy.compactMap { row in
                let rows = [UInt64(row), UInt64(row - 1), UInt64(row - 2)].flatMap { row in
                    withUnsafeBytes(of: row.littleEndian) { Array($0) }
                }
                return bytes.range(of: Data(rows))?.lowerBound
            }
            return places.first
        }
    }

    /// Returns the list of the first crate in the new realm.
    private func savedOthers() async throws -> [Int] {
        let new = try await Realm.open(configuration("new.realm"))
        let others = try await new.read { tx in
            Array(tx.object(Crate.self, forPrimaryKey: 0)?.others.map(\.id) ?? [])
        }
        await new.close()
        return others
    }

    // MARK: The log

    // Covers 12.16
    @Test func damagedRecordCostsOnlyItsCommit() async throws {
        try await write([0..<10, 10..<20, 20..<30])
        try flip("test.realm", "log-0-0") { Self.text(15, $0) }
        let report = try await salvage()
        expectEqual(Self.missing(report), [[2, 2]])
        expectTrue(!report.isComplete && report.version == 3, "\(report)")
        try expectEqual(crates(report).uncertainCount, 10)
        expectEqual(
            Self.summary(report), "version 3; 1 commit missing (version 2), 10 objects uncertain")
        try await expectEqual(saved(), Set(0..<10).union(20..<30))
    }

    @Test func truncatedLogCostsWhatFollows() async throws {
        try await write([0..<10, 10..<20, 20..<30])
        let file = folder["test.realm"].appending(path: "log-0-0")
        let bytes = try Data(contentsOf: file)
        let end = try requireValue(Self.text(15, bytes))
        try bytes.prefix(end).write(to: file, options: .atomic)
        let report = try await salvage()
        expectEqual(Self.missing(report), [[2, 3]])
        expectEqual(
            Self.summary(report),
            "version 1; 2 commits missing (versions 2 to 3), 10 objects uncertain")
        try await expectEqual(saved(), Set(0..<10))
    }

    @Test func damagedSchemaRecordLeavesNothing() async throws {
        try await write([0..<10, 10..<20])
        try flip("test.realm", "log-0-0") { Self.text(5, $0) }
        let error = await realmError { try await salvage() }
        expectEqual(error?.code, .invalidDatabase)
        try expectEqual(folder.names(), ["test.realm"])
    }

    // MARK: Errors

    @Test func placesAreChecked() async throws {
        try await write([0..<10])
        let inside = folder["test.realm"].appending(path: "new.realm")
        for (source, target, code) in [
            (folder["none.realm"], folder["new.realm"], Realm.Error.Code.fileNotFound),
            (folder["test.realm"], folder["test.realm"], .fileExists),
            (folder["test.realm"], inside, .invalidInput),
            (folder["test.realm"], folder["none"].appending(path: "new.realm"), .fileAccess),
        ] {
            let error = await realmError { try await Realm.salvage(source, to: target) }
            expectEqual(error?.code, code, "\(source.path) to \(target.path)")
        }
        try expectEqual(folder.names(), ["test.realm"])
    }
}
