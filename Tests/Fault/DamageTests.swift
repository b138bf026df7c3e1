import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The damage table: kinds of damage, and the result of opening.
@Suite struct DamageTests {
    private let realm: ClosedRealm
    private let directory = ClosedRealm.directory

    init() throws {
        realm = try ClosedRealm()
    }

    /// Opens the machine and expects a refusal that changed nothing.
    private func refusal(
        _ disk: SimFileSystem, _ place: String, sourceLocation: SourceLocation = #_sourceLocation
    ) -> StoreError? {
        let names = disk.fileNames(in: directory)
        let before = names.map { disk.contents(of: $0, in: directory) }
        guard case .refused(let error) = realm.open(disk) else {
            Issue.record("\(place) was not refused", sourceLocation: sourceLocation)
            return nil
        }
        #expect(error.message.contains(directory), "\(place)", sourceLocation: sourceLocation)
        let after = names.map { disk.contents(of: $0, in: directory) }
        #expect(before == after, "\(place) changed", sourceLocation: sourceLocation)
        let added = disk.fileNames(in: directory).filter { !names.contains($0) }
        expectTrue(added.allSatisfy { $0 == "LOCK" }, "\(place)", sourceLocation: sourceLocation)
        return error
    }

    @Test func theRealmIsWhatTheTableSays() {
        expectTrue(realm.places.filter { $0.file == "log-0-0" }.count > 2)
        expectTrue(realm.places.filter { $0.file == "log-0-1" }.count > 2)
        expectEqual(realm.places.last?.isIdle, true)
        for circumstance in ClosedRealm.Circumstance.allCases {
            expectEqual(realm.open(realm.machine(circumstance)), .identical(discarded: 0))
        }
    }

    // Covers 12.16, .invalidDatabase
    @Test(arguments: ClosedRealm.Circumstance.allCases)
    func aFlippedRecordIsRefusedWithItsPosition(circumstance: ClosedRealm.Circumstance) {
        for place in realm.places {
            // Only the control page vouches for the IDLE record, since nothing follows it.
            if place.isIdle, circumstance == .noLock { continue }
            for offset in stride(from: place.range.lowerBound, to: place.range.upperBound, by: 13) {
                let disk = realm.machine(circumstance)
                disk.flipBit(offset * 8 + offset % 8, of: place.file, in: directory)
                let error = refusal(disk, "\(place.file) byte \(offset)")
                expectEqual(error?.code, .invalidDatabase)
                expectEqual(error?.position, place.position)
                expectEqual(error?.lastGoodVersion, UInt64(place.versionBefore))
            }
        }
    }

    @Test func aFlippedIdleRecordWithoutControlPageLosesNothing() throws {
        let idle = try requireValue(realm.places.last)
        for offset in idle.range {
            let disk = realm.machine(.noLock)
            disk.flipBit(offset * 8, of: idle.file, in: directory)
            guard case .identical(let discarded) = realm.open(disk) else {
                Issue.record("byte \(offset) of the IDLE record")
                continue
            }
            expectTrue(discarded > 0 && discarded <= 40)
        }
    }

    @Test(arguments: ClosedRealm.Circumstance.allCases)
    func aFlippedSegmentHeaderIsRefused(circumstance: ClosedRealm.Circumstance) {
        for name in ClosedRealm.names {
            for offset in [0, 7, 8, 24, 47, 48, 63, 64, 72, 80, 84, 88, 200, 4000, 4092, 4095] {
                let disk = realm.machine(circumstance)
                disk.flipBit(offset * 8 + 3, of: name, in: directory)
                let error = refusal(disk, "\(name) byte \(offset)")
                expectEqual(error?.code, .invalidDatabase)
                expectEqual(error?.message.contains(name), true)
            }
        }
    }

    @Test(arguments: [ClosedRealm.Circumstance.sameBoot, .otherBoot, .unknownBoot])
    func aDamagedControlPageIsRebuilt(circumstance: ClosedRealm.Circumstance) throws {
        let garbage = ControlWords(repeating: 0xDEAD_BEEF_0BAD_F00D)
        for (first, second) in [
            (garbage, realm.slot(1)), (realm.slot(0), garbage), (garbage, garbage),
        ] {
            let disk = realm.machine(circumstance)
            disk.setControlSlots(first, second, in: directory)
            expectEqual(realm.open(disk), .identical(discarded: 0))
            // It also accepts commits.
            let opened = try TinyStore.open(disk, options: ClosedRealm.options)
            expectTrue(!opened.report.controlPageWasLost)
            try expectTrue(opened.log.takeWriter())
            let body = TestBody.make(version: 9, payloadByteCount: 3)
            try opened.log.commit([body])
            let again = try TinyStore.open(disk.killImage(), options: ClosedRealm.options)
            expectEqual(again.bodies, realm.bodies + [body])
        }
    }

    @Test func zerosBehindTheEndAreAnEnd() {
        // The segment contains zeros after its last record, as every opening checks.
        for circumstance in ClosedRealm.Circumstance.allCases {
            let disk = realm.machine(circumstance)
            disk.damage("log-0-1", in: directory) { $0 += [UInt8](repeating: 0, count: 4096) }
            expectEqual(realm.open(disk), .identical(discarded: 0))
        }
    }

    /// Adds bytes after the end that were never acknowledged.
    private func garbage(_ circumstance: ClosedRealm.Circumstance, from gap: Int, _ count: Int)
        -> SimFileSystem
    {
        let end = realm.places.last!.range.upperBound + gap
        var numbers = SeededRandom(9)
        let bytes = numbers.bytes(count).map { $0 | 1 }
        let disk = realm.machine(circumstance)
        disk.damage("log-0-1", in: directory) { file in
            file.replaceSubrange(end..<end + count, with: bytes)
        }
        return disk
    }

    @Test(arguments: [ClosedRealm.Circumstance.otherBoot, .unknownBoot, .noLock])
    func garbageBehindTheEndIsDiscardedAndReportedAfterAnotherBoot(
        circumstance: ClosedRealm.Circumstance
    ) throws {
        for (gap, count) in [(0, 1), (0, 39), (0, 40), (0, 500), (8, 8), (100, 77)] {
            let disk = garbage(circumstance, from: gap, count)
            expectEqual(realm.open(disk), .identical(discarded: UInt64(gap + count)))
            expectTrue(!disk.hasUnsyncedChanges)
            expectEqual(realm.open(disk), .identical(discarded: 0), "it was zeroed")
        }
    }

    @Test func garbageBehindTheEndIsRefusedInTheSameBoot() {
        for (gap, count) in [(0, 20), (0, 39), (0, 40), (0, 500), (16, 1), (100, 77)] {
            let error = refusal(garbage(.sameBoot, from: gap, count), "garbage of \(count) bytes")
            expectEqual(error?.code, .invalidDatabase)
            expectEqual(error?.position, realm.places.last!.position + 40)
        }
    }

    @Test func theBeginningOfTheNextRecordIsDiscardedInTheSameBoot() throws {
        let disk = realm.machine(.sameBoot)
        let opened = try TinyStore.open(disk, options: ClosedRealm.options)
        _ = try opened.log.takeWriter()
        let start = realm.places.last!.range.upperBound
        try opened.log.append([TestBody.make(version: 9, payloadByteCount: 200)], version: 9)
        let whole = try requireValue(disk.contents(of: "log-0-1", in: directory))
        for count in 1..<248 {
            var files = realm.files
            var bytes = files["log-0-1"]!
            bytes.replaceSubrange(start..<start + count, with: whole[start..<start + count])
            files["log-0-1"] = bytes
            let machine = realm.machine(.sameBoot, files: files)
            let outcome = realm.open(machine)
            expectTrue(outcome.isIdentical, "\(count) bytes: \(outcome)")
        }
    }

    @Test(arguments: ClosedRealm.Circumstance.allCases)
    func whatIsBehindTheBaseOfTheNextSegmentDoesNotCount(circumstance: ClosedRealm.Circumstance) {
        let end = realm.places.last { $0.file == "log-0-0" }!.range.upperBound
        let disk = realm.machine(circumstance)
        disk.damage("log-0-0", in: directory) { file in
            for offset in end..<file.count { file[offset] = 0xA5 }
        }
        expectEqual(realm.open(disk), .identical(discarded: 0))
    }

    @Test(arguments: ClosedRealm.Circumstance.allCases)
    func acknowledgedRecordsThatBecameZerosAreRefused(circumstance: ClosedRealm.Circumstance) {
        for place in realm.places.dropLast() {
            let disk = realm.machine(circumstance)
            disk.damage(place.file, in: directory) { file in
                for offset in place.range { file[offset] = 0 }
            }
            let error = refusal(disk, "version \(place.versionBefore + 1) zeroed")
            expectEqual(error?.position, place.position)
        }
    }

    @Test(arguments: [ClosedRealm.Circumstance.sameBoot, .otherBoot, .unknownBoot])
    func anOlderLogUnderTheNewestControlPageIsRefused(circumstance: ClosedRealm.Circumstance) {
        for files in realm.history.dropLast() {
            let disk = realm.machine(circumstance, files: files)
            expectEqual(refusal(disk, "an older log")?.code, .invalidDatabase)
        }
    }

    @Test(arguments: ClosedRealm.Circumstance.allCases)
    func aShortenedFileIsRefused(circumstance: ClosedRealm.Circumstance) {
        for place in realm.places.dropLast() {
            for length in [place.range.lowerBound, place.range.upperBound - 1, 4096, 4095, 0] {
                let disk = realm.machine(circumstance)
                disk.damage(place.file, in: directory) { $0.removeLast($0.count - length) }
                // Truncation at the end of the last segment can't be detected without the control
                // page.
                let isBlind = circumstance == .noLock && place.file == "log-0-1"
                if isBlind, length >= 4096 { continue }
                expectEqual(refusal(disk, "\(place.file) of \(length)")?.code, .invalidDatabase)
            }
        }
    }
}
