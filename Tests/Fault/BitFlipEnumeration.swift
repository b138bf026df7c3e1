import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// Damages every bit, byte and sector of a small realm in turn. Opening finds identical content or
/// refuses; if acknowledged bytes are affected, it always refuses.
@Suite struct BitFlipEnumeration {
    private let realm: ClosedRealm
    private let directory = ClosedRealm.directory

    init() throws {
        realm = try ClosedRealm()
    }

    /// Whether an offset of a realm with two segments contains meaningful bytes.
    private func isUsed(_ name: String, _ offset: Int) -> Bool {
        offset < realm.places.last { $0.file == name }!.range.upperBound
    }

    private func check(
        _ name: String, _ file: [UInt8], _ circumstance: ClosedRealm.Circumstance,
        isUsed: Bool?, _ place: () -> String
    ) {
        var files = realm.files
        files[name] = file
        let outcome = realm.open(realm.machine(circumstance, files: files))
        switch outcome {
        case .identical:
            if isUsed == true { Issue.record("\(circumstance), \(place()): not detected") }
        case .other(let count):
            Issue.record("\(circumstance), \(place()): \(count) commits or different content")
        case .refused(let error):
            if error.code != .invalidDatabase, error.code != .unsupportedFormat {
                Issue.record("\(circumstance), \(place()): \(describe(error))")
            }
            if isUsed == false, circumstance != .sameBoot {
                Issue.record("\(circumstance), \(place()): refused although the bytes are unused")
            }
        }
    }

    @Test(arguments: [ClosedRealm.Circumstance.sameBoot, .otherBoot])
    func noFlippedBitOfTheLogPassesUnseen(circumstance: ClosedRealm.Circumstance) {
        var count = 0
        for name in ClosedRealm.names {
            let file = realm.files[name]!
            for offset in file.indices {
                let isUsed = isUsed(name, offset)
                for bit in 0..<8 {
                    var changed = file
                    changed[offset] ^= 1 << UInt8(bit)
                    check(name, changed, circumstance, isUsed: isUsed) {
                        "\(name) byte \(offset) bit \(bit)"
                    }
                    count += 1
                }
            }
        }
        print("bit flips (\(circumstance)): \(count) openings")
        expectEqual(count, 8 * realm.files.values.reduce(0) { $0 + $1.count })
    }

    @Test(arguments: [ClosedRealm.Circumstance.sameBoot, .otherBoot])
    func noOverwrittenByteOfTheLogPassesUnseen(circumstance: ClosedRealm.Circumstance) {
        for name in ClosedRealm.names {
            let file = realm.files[name]!
            for offset in file.indices {
                for value in [UInt8(0), 0xFF] where file[offset] != value {
                    var changed = file
                    changed[offset] = value
                    check(name, changed, circumstance, isUsed: isUsed(name, offset)) {
                        "\(name) byte \(offset) is \(value)"
                    }
                }
            }
        }
    }

    @Test(arguments: [ClosedRealm.Circumstance.sameBoot, .otherBoot])
    func noDamagedSectorPassesUnseen(circumstance: ClosedRealm.Circumstance) {
        let sector = 512
        for name in ClosedRealm.names {
            let file = realm.files[name]!
            for from in stride(from: 0, to: file.count, by: sector) {
                let range = from..<from + sector
                var others: [(String, ArraySlice<UInt8>)] = [
                    ("zeroed", [UInt8](repeating: 0, count: sector)[...])
                ]
                for other in ClosedRealm.names {
                    for start in stride(from: 0, to: realm.files[other]!.count, by: sector) {
                        others.append(
                            ("as \(other) \(start)", realm.files[other]![start..<start + sector]))
                    }
                }
                for (age, old) in realm.history.enumerated() {
                    if let stale = old[name] { others.append(("as of \(age)", stale[range])) }
                }
                for (what, bytes) in others where !bytes.elementsEqual(file[range]) {
                    var changed = file
                    changed.replaceSubrange(range, with: bytes)
                    let isUsed = isUsed(name, from)
                    check(name, changed, circumstance, isUsed: isUsed ? true : nil) {
                        "\(name) sector at \(from) \(what)"
                    }
                }
            }
        }
    }

    /// Swaps two sectors of a file, also without a control page.
    @Test(arguments: ClosedRealm.Circumstance.allCases)
    func swappedSectorsAreNoticed(circumstance: ClosedRealm.Circumstance) {
        let sector = 512
        for name in ClosedRealm.names {
            let file = realm.files[name]!
            // Without the page, damage that includes the IDLE record can't be distinguished from a
            // crash.
            let idle = realm.places.last!
            for first in stride(from: 0, to: file.count, by: sector) {
                for second in stride(from: 0, to: first, by: sector) {
                    let ranges = [first..<first + sector, second..<second + sector]
                    guard file[ranges[0]] != file[ranges[1]] else { continue }
                    if circumstance == .noLock, name == idle.file,
                        ranges.contains(where: { $0.overlaps(idle.range) })
                    {
                        continue
                    }
                    var changed = file
                    changed.replaceSubrange(ranges[0], with: file[ranges[1]])
                    changed.replaceSubrange(ranges[1], with: file[ranges[0]])
                    check(name, changed, circumstance, isUsed: true) {
                        "\(name) sectors \(first) and \(second)"
                    }
                }
            }
        }
    }

    @Test(arguments: [ClosedRealm.Circumstance.sameBoot, .otherBoot])
    func noFlippedBitOfTheControlPageMatters(circumstance: ClosedRealm.Circumstance) {
        for slot in 0..<2 {
            for word in 0..<16 {
                for bit in 0..<64 {
                    var slots = [realm.slot(0), realm.slot(1)]
                    slots[slot][word] ^= 1 << UInt64(bit)
                    let disk = realm.machine(circumstance)
                    disk.setControlSlots(slots[0], slots[1], in: directory)
                    let outcome = realm.open(disk)
                    expectEqual(
                        outcome, .identical(discarded: 0), "slot \(slot) word \(word) bit \(bit)")
                }
            }
        }
    }

    /// Damages every byte of `LOCK` on the real file system: all bits of the control page's slots
    /// and words, one bit of every other byte.
    @Test func noFlippedBitOfLockMatters() throws {
        let base = try RealDirectory()
        let path = base.path + "/a.realm"
        var options = ClosedRealm.options
        options.idleDelayNanoseconds = 0
        var bodies: [[UInt8]] = []
        do {
            let log = try TinyStore.open(PosixFileSystem.shared, path: path, options: options).log
            try expectTrue(log.takeWriter())
            for version in 1...4 {
                bodies.append(TestBody.make(version: version, payloadByteCount: version * 90))
                try log.commit([bodies[version - 1]])
            }
            try log.writeIdle()
        }
        let lock = URL(fileURLWithPath: path + "/LOCK")
        let original = [UInt8](try Data(contentsOf: lock))
        expectEqual(original.count, 8192)
        let handle = try FileHandle(forUpdating: lock)
        for offset in original.indices {
            let bits = offset < 256 ? Array(0..<8) : [offset % 8]
            for bit in bits {
                var changed = original
                changed[offset] ^= 1 << UInt8(bit)
                try handle.seek(toOffset: 0)
                try handle.write(contentsOf: changed)
                do {
                    let opened = try TinyStore.open(
                        PosixFileSystem.shared, path: path, options: options)
                    expectEqual(opened.bodies, bodies, "LOCK byte \(offset) bit \(bit)")
                } catch {
                    Issue.record("LOCK byte \(offset) bit \(bit): \(describe(error))")
                }
            }
        }
    }
}
