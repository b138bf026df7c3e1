import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Operations with little disk space, or none.
@Suite struct FullDiskTests {
    /// Makes a realm with segments of up to 1 MiB whose second one has less than 3 KiB left.
    private func fullSegment(keepsSpare: Bool = false) throws -> (LogFixture, LogFixture.Process) {
        var realm = LogFixture()
        realm.options.firstSegmentByteCount = 256 << 10
        realm.options.maximumSegmentByteCount = 1 << 20
        realm.options.keepsSpareSegment = keepsSpare
        let writer = try realm.openWriter()
        try writer.commit(250_000)
        while realm.segmentSizes().count < 2 || writer.log.roomByteCount > 3000 {
            let room = Int(writer.log.roomByteCount)
            try writer.commit(room > 20_000 ? room - 10_000 : 2000)
        }
        return (realm, writer)
    }

    // Covers 12.10, .diskFull
    @Test func aCommitTakesTheLargestSegmentForWhichThereIsSpace() throws {
        let (realm, writer) = try fullSegment()
        realm.disk.capacityByteCount = realm.disk.usedByteCount + 100_000
        try writer.commit(4000)
        let size = try requireValue(realm.segmentSizes().last)
        expectTrue(size >= 8192 && size <= 100_000)
        realm.disk.capacityByteCount = realm.disk.usedByteCount
        #expect(throws: StoreError.self) { try writer.commit(90_000) }
        realm.disk.capacityByteCount = realm.disk.usedByteCount + 8192
        while realm.segmentSizes().count < 4 { try writer.commit(3000) }
        expectEqual(realm.segmentSizes().last, 8192, "the smallest size that fits the record")
        try expectEqual(realm.open().versions, writer.versions)
    }

    /// The new segment cuts off whatever would be written to its predecessor.
    // Covers 12.10, .diskFull
    @Test func noProcessGoesOnBeforeASegmentWhoseFirstBatchWasRefused() throws {
        let realm = LogFixture()
        let first = try realm.openWriter()
        try first.commit()
        let second = try realm.open()
        // The first two writes are the zeros of the new segment and its header.
        realm.disk.inject(SimFailure(.write, nth: 3, code: .diskFull, writtenByteCount: 1000))
        let body = LogFixture.body(2, 6000)
        let error = #expect(throws: StoreError.self) {
            try first.log.append([body], version: 2)
        }
        expectTrue(error?.code == .diskFull && !first.log.isPoisoned)
        expectEqual(realm.segmentSizes().count, 2)
        first.log.releaseWriterLock()
        try expectTrue(second.log.tryBecomeWriterIfCurrent() || second.becomeWriter())
        try second.commit()
        second.log.releaseWriterLock()
        try first.catchUp()
        expectEqual(first.versions, [1, 2])
        try expectEqual(realm.open().versions, [1, 2])
    }

    // Covers 12.10, .diskFull
    @Test func deletionsArePossibleWithoutAnySpace() throws {
        let (realm, writer) = try fullSegment()
        realm.disk.capacityByteCount = realm.disk.usedByteCount
        let version = writer.log.version + 1
        let body = LogFixture.body(version, 4000)
        let error = #expect(throws: StoreError.self) {
            try writer.log.append([body], version: version)
        }
        expectTrue(error?.code == .diskFull && !writer.log.isPoisoned)
        try writer.log.append([body], version: version, usesReserve: true)
        try writer.log.sync()
        writer.log.publish()
        try writer.log.writeIdle()
        expectEqual(realm.segmentSizes().count, 2)
        for image in realm.disk.crashImages() {
            let log = try RealmLog.open(
                image.fileSystem, path: realm.path, options: realm.options
            ) { (_) throws(StoreError) in }.log
            expectEqual(log.version, version)
        }
    }

    // Covers 12.10, .diskFull
    @Test(arguments: [false, true])
    func aRealmWhoseSyncFailedOpensInLittleSpace(keepsSpare: Bool) throws {
        let (realm, writer) = try fullSegment(keepsSpare: keepsSpare)
        if keepsSpare { writer.log.spareSegment.make() }
        let versions = writer.versions
        realm.disk.inject(SimFailure(.sync, losesDirtyData: true))
        #expect(throws: StoreError.self) { try writer.commit(100) }
        writer.log.releaseWriterLock()
        realm.disk.capacityByteCount = realm.disk.usedByteCount + (keepsSpare ? 0 : 12_288)
        let again = try realm.openWriter()
        expectTrue(again.report.wasPoisoned && again.versions.starts(with: versions))
        expectNil(realm.disk.contents(of: "spare", in: realm.path))
        try again.commit(100)
    }

    /// The log then goes on in the same segment. Other processes never find it empty.
    // Covers 12.10, .diskFull
    @Test func aRealmWhoseLockWasLostOpensWithoutAnySpace() throws {
        let realm = LogFixture()
        try realm.openWriter().commit()
        realm.disk.setControlSlots(ControlWords(), ControlWords(), in: realm.path)
        realm.disk.capacityByteCount = realm.disk.usedByteCount
        let found = Guarded<[UInt64?]>([])
        realm.disk.onEffect = { kind, _ in
            guard kind == .storeControl || kind == .wake else { return }
            found.withLock { $0.append(try? realm.openForReading().version) }
        }
        let again = try realm.open()
        realm.disk.onEffect = nil
        expectTrue(again.report.controlPageWasLost && again.versions == [1])
        expectEqual(realm.segmentSizes().count, 1)
        let versions = found.withLock { $0 }
        expectTrue(!versions.isEmpty && versions.allSatisfy { $0 == 1 })
    }

    /// A process that opens the realm after a failure must know that `LOCK` was lost, too.
    @Test(arguments: [(EffectKind.create, 1), (.syncDirectory, 2)])
    func aLostLockStaysLostUntilTheRealmIsOpen(kind: EffectKind, nth: Int) throws {
        let realm = LogFixture()
        try realm.openWriter().commit()
        realm.disk.setControlSlots(ControlWords(), ControlWords(), in: realm.path)
        realm.disk.inject(SimFailure(kind, nth: nth))
        expectEqual(codeThrown { _ = try realm.open() }, .ioFailed)
        let directory = try realm.disk.openDirectory(realm.path, .existing)
        try expectNil(directory.openLock().loadControl())
        let again = try realm.openWriter()
        expectTrue(again.report.controlPageWasLost && again.versions == [1])
        try again.commit()
        try expectEqual(realm.open().versions, [1, 2])
    }
}
