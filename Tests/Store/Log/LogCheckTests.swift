import Glibc
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The check of a log beside processes that use it.
@Suite struct LogCheckTests {
    /// A resumable migration of another process begins or ends while the check looks for its mark.
    @Test(arguments: [true, false])
    func markThatComesOrGoesIsNoDamage(comes: Bool) throws {
        let realm = LogFixture()
        let process = try realm.openWriter()
        try process.commit()
        let mark = MigrationMark(version: 1, file: 2, content: [7])
        try process.log.migrationMark.write(mark)
        let bytes = try requireValue(realm.disk.contents(of: "migration", in: realm.path))
        if comes { realm.disk.removeFile("migration", in: realm.path) }
        let system = WatchedFileSystem(realm.disk)
        // a file that is opened is changed by another process before or after that
        if comes {
            system.didOpen = { name in
                guard name == "migration" else { return }
                realm.disk.setContents(bytes, of: name, in: realm.path)
            }
        } else {
            system.willOpen = { name in
                guard name == "migration" else { return }
                realm.disk.removeFile(name, in: realm.path)
            }
        }
        let check = try LogCheck.run(
            system, path: realm.path, options: realm.options, limit: 10
        ) { false }
        expectEqual(check.damages, [])
        expectTrue(check.recordCount > 0)
        realm.disk.setContents([1, 2, 3], of: "migration", in: realm.path)
        let damaged = try LogCheck.run(
            realm.disk, path: realm.path, options: realm.options, limit: 10
        ) { false }
        expectEqual(damaged.damages.map(\.path), [realm.path + "/migration"])
    }

    /// A disk that can't read a block costs the commits that are in it, and no others.
    @Test func unreadableBlockCostsOnlyItsCommits() throws {
        var realm = LogFixture()
        realm.options.firstSegmentByteCount = 1 << 20
        realm.options.maximumSegmentByteCount = 1 << 20
        let process = try realm.openWriter()
        for _ in 0..<100 { try process.commit(3_000) }
        let system = WatchedFileSystem(realm.disk)
        system.unreadable = [("log-0-0", 65_536..<69_632)]
        let check = try LogCheck.run(
            system, path: realm.path, options: realm.options, limit: 10
        ) { false }
        expectEqual(Set(check.damages.map(\.path)), [realm.path + "/log-0-0"])
        expectEqual(check.damages.first?.errno, EIO)
        expectTrue(!check.mayLackEnd)
        expectEqual(check.versions.map(\.lowerBound).first, 1)
        expectEqual(check.versions.map(\.upperBound).last, 100)
        // each record has 3,048 bytes
        try #require(check.versions.count == 2)
        let missingCount = check.versions[1].lowerBound - check.versions[0].upperBound - 1
        expectTrue(missingCount >= 1 && missingCount <= 3, "\(check.versions)")
    }

    /// Several blocks of a segment can't be read, and another record is damaged.
    @Test func eachUnreadableBlockIsNamedAtItsPlace() throws {
        var realm = LogFixture()
        realm.options.firstSegmentByteCount = 1 << 20
        realm.options.maximumSegmentByteCount = 1 << 20
        let process = try realm.openWriter()
        for _ in 0..<100 { try process.commit(3_000) }
        var bytes = try requireValue(realm.disk.contents(of: "log-0-0", in: realm.path))
        process.log.releaseWriterLock()
        bytes[4_096 + 5 * 3_048] ^= 1  // in the header of the record
        realm.disk.setContents(bytes, of: "log-0-0", in: realm.path)
        let system = WatchedFileSystem(realm.disk)
        system.unreadable = [
            ("log-0-0", 65_536..<69_632), ("log-0-0", 131_072..<139_264),
            ("log-0-0", 798_720..<802_816),  // after the end of the log
        ]
        let check = try LogCheck.run(
            system, path: realm.path, options: realm.options, limit: 10
        ) { false }
        let places = check.damages.map(\.position)
        expectEqual(places, [4_096 + 5 * 3_048, 65_536, 131_072, 798_720])
        expectEqual(check.damages.map { $0.errno == EIO }, [false, true, true, true])
        expectTrue(check.damages.contains { $0.message.contains("8192 bytes at offset 131072") })
        expectEqual(check.versions.count, 4)
        expectEqual(check.versions.last?.upperBound, 100)
    }

    /// A small file that isn't needed to read the realm.
    @Test func unreadableRetentionIsDamage() throws {
        let realm = LogFixture()
        let process = try realm.openWriter()
        try process.commit()
        try process.log.retentionFile.write(.none)
        let system = WatchedFileSystem(realm.disk)
        system.unreadable = [("retention", 0..<52)]
        let check = try LogCheck.run(
            system, path: realm.path, options: realm.options, limit: 10
        ) { false }
        expectEqual(check.damages.map(\.path), [realm.path + "/retention"])
        expectEqual(check.damages.first?.errno, EIO)
        expectEqual(check.versions, [1...1])
    }

    /// A segment that can't be read may have had commits, and the one after it doesn't tell if it
    /// has none.
    @Test func unreadableSegmentMayHaveHadTheLastCommits() throws {
        let realm = LogFixture()
        let process = try realm.openWriter()
        for _ in 0..<60 { try process.commit(3_000) }
        func check() throws -> LogCheck {
            try LogCheck.run(realm.disk, path: realm.path, options: realm.options, limit: 10) {
                false
            }
        }
        let count = realm.segmentSizes().count
        try #require(count >= 3)
        realm.disk.removeFile("LOCK", in: realm.path)
        let (last, other) = ("log-0-\(count - 1)", "log-0-\(count - 2)")
        let bytes = try requireValue(realm.disk.contents(of: other, in: realm.path))
        func damage() {
            var damaged = bytes
            damaged[80] ^= 1
            realm.disk.setContents(damaged, of: other, in: realm.path)
        }
        damage()
        let later = try check()
        expectTrue(!later.damages.isEmpty && !later.mayLackEnd)
        expectEqual(later.versions.last?.upperBound, 60)
        realm.disk.setContents(bytes, of: other, in: realm.path)
        // as if the process had been killed after it began the segment
        let header = try requireValue(realm.disk.contents(of: last, in: realm.path))
        let rest = [UInt8](repeating: 0, count: header.count - 4_096)
        realm.disk.setContents(header.prefix(4_096) + rest, of: last, in: realm.path)
        let sound = try check()
        expectTrue(sound.damages.isEmpty && !sound.mayLackEnd)
        damage()
        let hidden = try check()
        expectTrue(!hidden.damages.isEmpty && hidden.mayLackEnd)
        realm.disk.removeFile(other, in: realm.path)
        let missing = try check()
        expectTrue(!missing.damages.isEmpty && missing.mayLackEnd)
    }

    /// The commits after a missing segment don't continue those before it, which is no damage.
    @Test func missingSegmentIsTheOnlyDamage() throws {
        let realm = LogFixture()
        let process = try realm.openWriter()
        for _ in 0..<60 { try process.commit(3_000) }
        try #require(realm.segmentSizes().count >= 4)
        realm.disk.removeFile("log-0-1", in: realm.path)
        let check = try LogCheck.run(
            realm.disk, path: realm.path, options: realm.options, limit: 10
        ) { false }
        expectEqual(check.damages.map(\.path), [realm.path + "/log-0-1"])
        expectEqual(check.versions.count, 2)
        expectEqual(check.versions.first?.lowerBound, 1)
        expectEqual(check.versions.last?.upperBound, 60)
        expectTrue(!check.mayLackEnd)
    }

    /// The place of a segment that was copied from another realm.
    enum Place: CaseIterable {
        case afterTheLast, last, second
    }

    /// A segment of another realm hides the commits of the segment that it replaces, and no others.
    @Test(arguments: Place.allCases, [false, true])
    func segmentOfAnotherRealmCostsOnlyWhatItReplaces(place: Place, isEncrypted: Bool) throws {
        var realm = LogFixture()
        var other = LogFixture()
        if isEncrypted {
            realm.options.key = .fake(1)
            other.options.key = .fake(2)
        }
        let process = try realm.openWriter()
        for _ in 0..<60 { try process.commit(3_000) }
        let count = realm.segmentSizes().count
        try #require(count >= 3)
        let number =
            switch place {
            case .afterTheLast: count
            case .last: count - 1
            case .second: 1
            }
        _ = other.disk.random()  // so that its identity is another one
        let stranger = try other.openWriter()
        while other.segmentSizes().count <= number { try stranger.commit(500) }
        try #require(stranger.log.realmID != process.log.realmID)
        let name = "log-0-\(number)"
        let bytes = try requireValue(other.disk.contents(of: name, in: other.path))
        realm.disk.setContents(bytes, of: name, in: realm.path)

        let check = try LogCheck.run(
            realm.disk, path: realm.path, options: realm.options, limit: 10
        ) { false }
        expectEqual(check.nodes?.realmID, process.log.realmID)
        expectEqual(check.damages.map(\.path), [realm.path + "/" + name])
        expectEqual(check.versions.first?.lowerBound, 1)
        switch place {
        case .afterTheLast: expectEqual(check.versions, [1...60])
        case .last: expectTrue(check.mayLackEnd && check.versions.count == 1)
        case .second:
            expectEqual(check.versions.count, 2)
            expectEqual(check.versions.last?.upperBound, 60)
        }
    }
}
