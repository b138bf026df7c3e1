import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// What removing the unneeded parts of a log reads.
@Suite struct TrimmingTests {
    /// The clock of this process is behind that of all commits.
    @Test func commitsOfTheFutureAreNotAllRead() throws {
        var realm = LogFixture()
        realm.options.firstSegmentByteCount = 1 << 20
        realm.options.maximumSegmentByteCount = 1 << 20
        realm.options.retention = HistoryRetention(ageNanoseconds: 1_000_000_000, byteCount: nil)
        let writer = try realm.openWriter()
        // The eight bytes after the version are the time.
        while realm.segmentSizes().count < 3 { try writer.commit(60_000) }
        for _ in 0..<12 { try writer.commit(60_000) }
        expectTrue(realm.segmentSizes().count == 3 && writer.log.version < 100)
        var reference = try requireValue(writer.log.checkpointPoint)
        reference.file = 1
        try writer.log.appendCheckpoint(reference, copy: reference)
        let count = realm.disk.count(.read)
        try writer.log.trimming.run()
        // Headers, and the beginnings of two segments.
        expectTrue(realm.disk.count(.read) - count <= 10)
        expectEqual(realm.segmentSizes().count, 3)
    }

    /// After damage, a checkpoint may continue in the file of the older one.
    @Test func theFileOfTheOlderCheckpointStays() throws {
        let realm = LogFixture()
        let process = try realm.openWriter()
        for file: UInt64 in [2, 1] {
            try process.commit()
            var reference = try requireValue(process.log.checkpointPoint)
            reference.file = file
            try process.log.appendCheckpoint(reference)
        }
        realm.disk.setContents([1], of: "nodes-2", in: realm.path)
        try expectTrue(process.log.tryLockCheckpoint())
        try process.log.trimmingWithOrphans().run()
        expectTrue(realm.disk.contents(of: "nodes-2", in: realm.path) != nil)
    }

    /// Others may be able to read the header later, and a salvage reads what is before it.
    @Test(arguments: [false, true])
    func aDamagedHeaderAmongWhatIsRetainedRemovesNothing(isEncrypted: Bool) throws {
        var realm = LogFixture()
        if isEncrypted { realm.options.key = .fake(1) }
        realm.options.retention = HistoryRetention(ageNanoseconds: nil, byteCount: nil)
        let process = try realm.openWriter()
        while realm.segmentSizes().count < 5 { try process.commit(3_000) }
        var reference = try requireValue(process.log.checkpointPoint)
        reference.file = 1
        try process.log.appendCheckpoint(reference, copy: reference)
        realm.disk.damage("log-0-2", in: realm.path) { $0[100] ^= 1 }
        try process.log.trimming.run()
        expectEqual(realm.segmentSizes().count, 5)
    }
}
