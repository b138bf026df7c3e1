import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// The file that records the progress of a migration.
@Suite struct MigrationMarkTests {
    /// A mark of the maximum size can be read back; a larger one is refused, and the previous one
    /// remains.
    @Test func aMarkThatCouldNotBeReadBackIsRefused() throws {
        let realm = LogFixture()
        let file = try realm.openWriter().log.migrationMark
        func mark(_ count: Int) -> MigrationMark {
            MigrationMark(version: 1, file: 2, content: Array(repeating: 7, count: count))
        }
        try file.write(mark(10))
        let overhead =
            try requireValue(realm.disk.contents(of: "migration", in: realm.path)).count - 10
        let maximumCount = Int(Limits.maximumMigrationMarkByteCount) - overhead
        for count in [maximumCount - 1, maximumCount] {
            try file.write(mark(count))
            try expectEqual(file.read(), mark(count))
        }
        let error = #expect(throws: StoreError.self) { try file.write(mark(maximumCount + 1)) }
        expectEqual(error?.code, .invalidInput)
        try expectEqual(file.read(), mark(maximumCount))
    }

    @Test func theMarkOfAnEncryptedRealmIsEncrypted() throws {
        var realm = LogFixture()
        realm.options.key = .fake()
        let file = try realm.openWriter().log.migrationMark
        let mark = MigrationMark(version: 1, file: 2, content: Array(repeating: 7, count: 100))
        try file.write(mark)
        try expectEqual(file.read(), mark)
        let bytes = try requireValue(realm.disk.contents(of: "migration", in: realm.path))
        let isReadable = bytes.indices.dropLast(8).contains { offset in
            bytes[offset..<offset + 8].allSatisfy { $0 == 7 }
        }
        expectTrue(!isReadable)
        for offset in bytes.indices {
            var changed = bytes
            changed[offset] ^= 1
            if offset < bytes.count - 4 { Bytes.seal(&changed, at: bytes.count - 4) }
            realm.disk.setContents(changed, of: "migration", in: realm.path)
            try expectNil(file.read(), "byte \(offset)")
        }
    }

    /// A process that has the old `LOCK` open may still be migrating, and append to the file.
    @Test(arguments: [true, false])
    func nothingIsAppendedToTheFileOfAMarkOnceLockWasLost(isLost: Bool) throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        let appender = try first.log.nodes.appender(after: nil, liveByteCount: 0)
        try appender.sync()
        try first.log.migrationMark.write(
            MigrationMark(version: 1, file: appender.fileNumber, content: []))
        first.log.releaseLocks()
        if isLost { realm.disk.removeFile("LOCK", in: realm.path) }
        let second = try realm.openWriter()
        try expectEqual(second.log.migrationMark.read()?.file, 1)
        let next = try second.log.nodes.appender(to: 1, after: nil, liveByteCount: 0)
        expectEqual(next.fileNumber, isLost ? 2 : 1)
    }

    /// Older programs may use the realm from then on, and never one alone.
    @Test(arguments: [false, true])
    func theFileOfAMarkIsRemovedOnceSomethingWasCommitted(isCommitted: Bool) throws {
        let realm = LogFixture()
        let process = try realm.openWriter()
        try process.commit()
        realm.disk.setContents([1], of: "nodes-7", in: realm.path)
        try process.log.migrationMark.write(MigrationMark(version: 1, file: 7, content: []))
        if isCommitted { try process.commit() }
        try expectTrue(process.log.tryLockCheckpoint())
        try process.log.trimmingWithOrphans().run()
        expectEqual(realm.disk.contents(of: "nodes-7", in: realm.path) == nil, isCommitted)
    }
}
