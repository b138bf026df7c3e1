import Foundation
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// The records of encrypted realms: what is in the files, and what happens to those who have
/// another key or change them.
@Suite struct EncryptedLogTests {
    private var fixture = LogFixture()
    private static let marker = Array("a text that nobody may find".utf8)

    init() { fixture.options.key = .fake() }

    private func body(_ version: UInt64, _ payload: [UInt8]) -> [UInt8] {
        LogFixture.body(version, 0) + payload
    }

    private func append(_ payloads: [[UInt8]], _ process: LogFixture.Process) throws {
        for payload in payloads {
            let version = process.log.version + 1
            try process.log.append([body(version, payload)], version: version)
            try process.log.sync()
            process.log.publish()
        }
    }

    private func bodies(_ fixture: LogFixture) throws -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        _ = try RealmLog.open(fixture.disk, path: fixture.path, options: fixture.options) {
            (body) throws(StoreError) in bodies.append(body)
        }
        return bodies
    }

    private func files() -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in fixture.disk.fileNames(in: fixture.path) {
            files[name] = fixture.disk.contents(of: name, in: fixture.path)
        }
        return files
    }

    @Test func contentIsReadBackAndNotInTheFiles() throws {
        let process = try fixture.openWriter()
        try append([Self.marker, [], Self.marker + Self.marker], process)
        process.log.releaseLocks()
        try expectEqual(
            bodies(fixture),
            [
                body(1, Self.marker), body(2, []), body(3, Self.marker + Self.marker),
            ])
        for (name, bytes) in files() {
            let isFound = Data(bytes).range(of: Data(Self.marker[..<8])) != nil
            expectTrue(!isFound, "\(name)")
        }
    }

    // Covers 5.4, 12.16, .wrongKey, .keyRequired
    @Test func otherKeysAreRefusedAndChangeNothing() throws {
        let process = try fixture.openWriter()
        try append([Self.marker], process)
        process.log.releaseLocks()
        let before = files()
        for (key, code): (EncryptionKey?, StoreError.Code) in [
            (.fake(2), .wrongKey), (nil, .keyRequired),
        ] {
            var other = fixture
            other.options.key = key
            expectEqual(codeThrown { _ = try other.open() }, code)
            expectEqual(codeThrown { _ = try other.openForReading() }, code)
        }
        for (name, bytes) in files() where name != "LOCK" {
            expectEqual(bytes, before[name], "\(name)")
        }
        try expectEqual(bodies(fixture).count, 1)
    }

    // Covers 5.4, 12.16, .notEncrypted
    @Test func aKeyForAPlainRealmIsRefused() throws {
        var plain = fixture
        plain.options.key = nil
        let process = try plain.openWriter()
        try process.commit()
        process.log.releaseLocks()
        expectEqual(codeThrown { _ = try fixture.open() }, .notEncrypted)
        try expectEqual(bodies(plain).count, 1)
    }

    // Covers 13.3
    @Test func severalProcessesShareAnEncryptedRealm() throws {
        let first = try fixture.openWriter()
        try first.commit()
        let second = try fixture.open()
        try first.commit(3000)
        try first.commit(3000)  // in the next segment
        try second.catchUp()
        expectEqual(second.versions, [1, 2, 3])
        first.log.releaseWriterLock()
        try expectTrue(second.becomeWriter())
        try second.commit(20_000)
        try first.catchUp()
        expectEqual(first.versions, [1, 2, 3, 4])
        expectTrue(fixture.segmentSizes().count > 1)
    }

    /// A segment that was put in the place of another one.
    @Test func anotherSegmentOfAnotherKeyIsRefused() throws {
        let process = try fixture.openWriter()
        for _ in 0..<3 { try process.commit(5000) }
        process.log.releaseLocks()
        expectTrue(fixture.segmentSizes().count > 1)
        let keys: [EncryptionKey?] = [.fake(2), nil]
        for key in keys {
            var other = LogFixture()
            other.options.key = key
            let foreign = try other.openWriter()
            try foreign.commit()
            foreign.log.releaseLocks()
            let bytes = try requireValue(other.disk.contents(of: "log-0-0", in: other.path))
            fixture.disk.setContents(bytes, of: "log-0-0", in: fixture.path)
            expectEqual(
                codeThrown { _ = try fixture.open() }, key == nil ? .invalidDatabase : .wrongKey)
            let check = try LogCheck.run(
                fixture.disk, path: fixture.path, options: fixture.options, limit: 10
            ) { false }
            expectEqual(Set(check.damages.map(\.path)), [fixture.path + "/log-0-0"])
            expectTrue(check.recordCount > 0)
        }
        fixture.disk.removeFile("log-0-0", in: fixture.path)
        var plain = fixture
        plain.options.key = nil
        expectEqual(
            codeThrown {
                _ = try LogCheck.run(
                    plain.disk, path: plain.path, options: plain.options, limit: 10
                ) { false }
            }, .keyRequired)
    }

    /// The stored bodies of the records of a segment, with their offsets in the file.
    private func records() throws -> (header: SegmentHeader, places: [(Int, DecodedRecord)]) {
        let bytes = try requireValue(fixture.disk.contents(of: "log-0-0", in: fixture.path))
        let header = try SegmentHeader(
            decoding: Array(bytes[..<4096]), path: "log-0-0", key: fixture.options.key)
        var places: [(Int, DecodedRecord)] = []
        var offset = 4096
        while true {
            let record = bytes[offset...].withUnsafeBytes {
                RecordFraming.decode(
                    $0, salt: header.salt, fileOffset: UInt64(offset),
                    maximumBodyByteCount: 1 << 20)
            }
            guard let record else { return (header, places) }
            places.append((offset, record))
            offset += record.byteCount
        }
    }

    /// Writes the records again with other bodies and right checksums, as an attacker would who has
    /// no key.
    private func replaceBodies(_ change: ([[UInt8]]) -> [[UInt8]]) throws {
        let (header, places) = try records()
        let bytes = try requireValue(fixture.disk.contents(of: "log-0-0", in: fixture.path))
        let bodies = places.map { offset, record in
            Array(bytes[offset + 40..<offset + 40 + record.bodyByteCount])
        }
        var frames: [UInt8] = []
        var chain: UInt32 = 0
        for ((_, record), body) in zip(places, change(bodies)) {
            var recordHeader = record.header
            recordHeader.previousChain = chain
            chain = RecordFraming.append(
                recordHeader, body: body, salt: header.salt,
                fileOffset: UInt64(4096 + frames.count), to: &frames)
        }
        fixture.disk.damage("log-0-0", in: fixture.path) {
            $0.replaceSubrange(4096..<4096 + frames.count, with: frames)
        }
    }

    private func makeThree() throws {
        let process = try fixture.openWriter()
        try append([Self.marker, Array(Self.marker.reversed()), Self.marker], process)
        try process.log.writeIdle()
        process.log.releaseLocks()
    }

    @Test func recordsWrittenAgainUnchangedAreRead() throws {
        try makeThree()
        try replaceBodies { $0 }
        try expectEqual(bodies(fixture).count, 3)
    }

    @Test func exchangedAndRepeatedBodiesAreDamage() throws {
        try makeThree()
        let machine = fixture.disk
        let changes: [([[UInt8]]) -> [[UInt8]]] = [
            { [$0[1], $0[0], $0[2], $0[3]] },
            { [$0[0], $0[0], $0[2], $0[3]] },
            { [$0[0], $0[1], $0[0], $0[3]] },
            { [$0[0], $0[1].map { $0 ^ 1 }, $0[2], $0[3]] },
        ]
        let original = try requireValue(machine.contents(of: "log-0-0", in: fixture.path))
        for (number, change) in changes.enumerated() {
            try replaceBodies(change)
            expectEqual(codeThrown { _ = try bodies(fixture) }, .invalidDatabase, "\(number)")
            let load: RealmLog.Load = { (_, _) throws(StoreError) in }
            expectEqual(
                codeThrown {
                    _ = try RealmLog.openForReading(
                        machine, path: fixture.path, options: fixture.options, load: load
                    ) { (_) throws(StoreError) in }
                }, .invalidDatabase, "\(number)")
            machine.damage("log-0-0", in: fixture.path) { $0 = original }
        }
        try expectEqual(bodies(fixture).count, 3)
    }

    /// A copied directory, and a realm that was reset to an earlier state, never use a nonce twice.
    @Test func noncesDiffer() throws {
        let log = NonceLog()
        let base = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: base) }
        var options = fixture.options
        options.key = .fake(1, log)
        func write(_ name: String, _ count: Int) throws {
            let (realm, _) = try RealmLog.open(
                PosixFileSystem.shared, path: base.appending(path: name).path, options: options
            ) { (_) throws(StoreError) in }
            let isWriter = try realm.tryBecomeWriter { (_) throws(StoreError) in }
            expectTrue(isWriter)
            for _ in 0..<count {
                let version = realm.version + 1
                try realm.append([LogFixture.body(version, 30)], version: version)
                try realm.sync()
                realm.publish()
            }
            realm.releaseLocks()
        }
        try write("a", 5)
        for name in ["b", "c"] {
            try FileManager.default.copyItem(
                at: base.appending(path: "a"), to: base.appending(path: name))
        }
        for name in ["a", "b", "c", "a"] { try write(name, 40) }
        expectTrue(log.count > 165)
        expectEqual(log.repetitionCount, 0)
    }
}
