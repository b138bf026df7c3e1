import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Commits at the end of the log and around a gap, and changes of collections that were damaged.
extension SalvageTests {
    /// Opens the backup and writes to it in one commit each. Its log then has only these.
    private func change(_ bodies: [@Sendable (Transaction) throws -> Void]) async throws {
        let realm = try await Realm.open(configuration("backup.realm"))
        for body in bodies { try await realm.write { tx in try body(tx) } }
        await realm.close()
    }

    /// Makes a realm, and a backup of it, of objects that `body` adds.
    private func makeBackup(
        _ body: @escaping @Sendable (Transaction) throws -> Void
    ) async throws {
        let realm = try await Realm.open(configuration("test.realm"))
        try await realm.write { tx in try body(tx) }
        try await realm.backup(to: folder["backup.realm"])
        await realm.close()
    }

    private static func add(_ id: Int, _ tx: Transaction) throws {
        let crate = Crate()
        crate.id = id
        crate.name = name(id)
        crate.tags.append("tag \(id)")
        try tx.add(crate)
    }

    private static func first(_ tx: Transaction) throws -> Crate {
        try requireValue(tx.object(Crate.self, forPrimaryKey: 0))
    }

    /// Returns the offset of three consecutive elements of a list of rows in descending order, in
    /// the middle of 300.
    private static func descendingRows(_ bytes: Data) -> Int? {
        let places = (140..<160).lazy.compactMap { row in
            let rows = [UInt64(row), UInt64(row - 1), UInt64(row - 2)].flatMap { row in
                withUnsafeBytes(of: row.littleEndian) { Array($0) }
            }
            return bytes.range(of: Data(rows))?.lowerBound
        }
        return places.first
    }

    /// Flips a bit of the name of a crate in the log.
    private func damageCommit(_ id: Int, of realm: String = "test.realm") throws {
        let names = try folder.names(in: realm).filter { $0.hasPrefix("log-") }
        let name = try names.first { name in
            let bytes = try Data(contentsOf: folder[realm].appending(path: name))
            return Self.text(id, bytes) != nil
        }
        try flip(realm, requireValue(name)) { Self.text(id, $0) }
    }

    // MARK: The end of the log

    /// After a reboot, nothing but the damage tells that there was another commit.
    @Test func damagedLastCommitIsMissing() async throws {
        try await write([0..<10, 10..<20, 20..<30])
        try damageCommit(25)
        let known = try await salvage()
        expectEqual(Self.missing(known), [[3, 3]])
        try FileManager.default.removeItem(at: folder["new.realm"])
        let isSet = try DamagedSource.setOtherBoot(folder["test.realm"])
        expectTrue(isSet)
        let report = try await salvage()
        expectEqual(Self.missing(report), [[3, nil]])
        expectTrue(!report.isComplete && report.version == 2, "\(report)")
        try await expectEqual(saved(), Set(0..<20))
    }

    /// The checkpoint made at closing is of the version of the damaged commit.
    @Test func damagedLastCommitIsInTheCheckpoint() async throws {
        try await write([0..<10, 10..<20, 20..<30], hasCheckpoint: true)
        try damageCommit(25)
        try DamagedSource.setOtherBoot(folder["test.realm"])
        let report = try await salvage()
        expectTrue(report.isComplete && report.damages.count == 1, "\(report)")
        try await expectEqual(saved(), Set(0..<30))
    }

    // MARK: Rows around a gap

    @Test func objectThatWasReplacedInAGapIsNamed() async throws {
        try await makeBackup { tx in for id in 0..<10 { try Self.add(id, tx) } }
        try await change([
            { tx in
                let third = try requireValue(tx.object(Crate.self, forPrimaryKey: 3))
                tx.delete(third)
                try Self.add(50, tx)
            },
            { tx in try Self.add(3, tx) },
        ])
        try damageCommit(50, of: "backup.realm")
        let report = try await salvage("backup.realm")
        expectEqual(report.missingCommits.count, 1)
        expectEqual(report.lostObjects.map(\.key), ["3"])
        expectNil(report.lostObjects.first?.property)
        let counts = try crates(report)
        expectTrue(counts.savedCount == 10 && counts.uncertainCount == 9, "\(report)")
        expectEqual(counts.lostCount, 1)
        try await expectEqual(saved(), Set(0..<10))
    }

    /// Together, these may never have been the content of the collections.
    @Test func collectionsFromBeforeAGapHaveTheirKnownElements() async throws {
        try await makeBackup { tx in
            for id in 0..<4 { try Self.add(id, tx) }
            let first = try Self.first(tx)
            for id in [1, 2] {
                let other = try requireValue(tx.object(Crate.self, forPrimaryKey: id))
                first.others.append(other)
            }
            first.marks["kept"] = "old"
            first.marks["changed"] = "old"
        }
        try await change([
            { tx in
                try Self.add(50, tx)
                let first = try Self.first(tx)
                let other = try requireValue(tx.object(Crate.self, forPrimaryKey: 3))
                first.others.append(other)
                first.marks["kept"] = "hidden"
                first.marks["added"] = "hidden"
            },
            { tx in
                let second = try requireValue(tx.object(Crate.self, forPrimaryKey: 1))
                tx.delete(second)
                try Self.first(tx).marks["changed"] = "new"
            },
        ])
        try damageCommit(50, of: "backup.realm")
        let report = try await salvage("backup.realm")
        expectEqual(report.missingCommits.count, 1)
        expectTrue(report.changedProperties.isEmpty, "\(report)")
        try expectEqual(crates(report).uncertainCount, 3)
        let new = try await Realm.open(configuration("new.realm"))
        let (others, marks) = try await new.read { tx in
            let first = try Self.first(tx)
            let marks = first.marks.map { "\($0.key)=\($0.value)" }
            return (Array(first.others.map(\.id)), marks.sorted())
        }
        await new.close()
        expectEqual(others, [2])
        expectEqual(marks, ["changed=new", "kept=old"])
    }

    // MARK: Changes of damaged collections

    /// Makes the backup of a crate with 300 others in descending order, changes the list, and
    /// damages a leaf in the middle of it.
    private func damageList(
        _ body: @escaping @Sendable (Crate, Transaction) throws -> Void
    ) async throws -> (changed: [String], others: [Int]) {
        try await makeBackup { tx in
            for id in 0..<300 { try Self.add(id, tx) }
            let first = try Self.first(tx)
            for id in (0..<300).reversed() {
                let other = try requireValue(tx.object(Crate.self, forPrimaryKey: id))
                first.others.append(other)
            }
        }
        try await change([{ tx in try body(Self.first(tx), tx) }])
        try flip("backup.realm", "nodes-1", Self.descendingRows)
        let report = try await salvage("backup.realm")
        expectTrue(report.lostObjects.isEmpty && report.missingCommits.isEmpty, "\(report)")
        let new = try await Realm.open(configuration("new.realm"))
        let others = try await new.read { tx in
            Array(tx.object(Crate.self, forPrimaryKey: 0)?.others.map(\.id) ?? [])
        }
        await new.close()
        return (report.changedProperties.map(\.description), others)
    }

    @Test func elementsThatWereMovedInADamagedListAreThereOnce() async throws {
        let (changed, others) = try await damageList { first, _ in
            first.others.remove(at: 299)
            first.others.move(from: 20, to: 200)
        }
        expectEqual(changed, ["Crate 0, others: later changes are missing"])
        expectEqual(others.sorted(), Array(0..<300))
    }

    @Test func elementsThatWereAddedToADamagedListAreThere() async throws {
        let (changed, others) = try await damageList { first, tx in
            try Self.add(300, tx)
            let other = try requireValue(tx.object(Crate.self, forPrimaryKey: 300))
            first.others.append(other)
        }
        expectEqual(changed, ["Crate 0, others: the order may differ"])
        expectTrue(others.sorted() == Array(0...300) && others.last == 300)
    }

    @Test func damagedListThatWasReplacedIsWhole() async throws {
        let (changed, others) = try await damageList { first, _ in
            let second = try requireValue(first.others.first { $0.id == 2 })
            first.others.removeAll()
            first.others.append(objectsIn: [second, first])
        }
        expectTrue(changed.isEmpty && others == [2, 0])
    }

    /// The elements of a set must be in order.
    @Test func outdatedSetOfADamagedLeafIsInOrder() async throws {
        try await makeBackup { tx in
            try Self.add(0, tx)
            let first = try Self.first(tx)
            for number in (0..<300).reversed() { first.numbers.insert(number) }
        }
        try await change([
            { tx in try Self.add(50, tx) },
            { tx in try Self.first(tx).numbers.insert(1_000) },
        ])
        try damageCommit(50, of: "backup.realm")
        try flip("backup.realm", "nodes-1", Self.descendingRows)
        let report = try await salvage("backup.realm")
        expectEqual(report.missingCommits.count, 1)
        expectEqual(
            report.changedProperties.map(\.description),
            ["Crate 0, numbers: later changes are missing"])
        let new = try await Realm.open(configuration("new.realm"))
        let numbers = try await new.read { tx in
            Array(tx.object(Crate.self, forPrimaryKey: 0)?.numbers.map { $0 } ?? [])
        }
        await new.close()
        expectEqual(numbers, Array(0..<300))
    }

    // MARK: Hidden classes and properties

    /// The collections of lost objects are lost with them, and have no name of their own.
    @Test func collectionsOfLostObjectsAreNotNamed() async throws {
        try await makeBackup { tx in
            for id in 0..<1_100 { try Self.add(id, tx) }
            for id in [3, 1_050] {
                let crate = try requireValue(tx.object(Crate.self, forPrimaryKey: id))
                let lost = try requireValue(tx.object(Crate.self, forPrimaryKey: 5))
                crate.value = .fromArray([.fromArray([.object(lost)])])
            }
        }
        try flip("backup.realm", "nodes-1") { Self.text(99, $0) }
        let report = try await salvage("backup.realm")
        try expectEqual(crates(report).lostCount, 1_024)
        expectEqual(
            report.changedProperties.map(\.description),
            ["Crate 1050, value: lost objects or elements are missing"])
    }
}
