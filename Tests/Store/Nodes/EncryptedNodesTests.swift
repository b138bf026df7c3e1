import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// Nodes files of encrypted realms.
@Suite struct EncryptedNodesTests {
    private let realmID = Identity128(high: 3, low: 4)

    private func nodes(
        _ disk: TestDisk, key: EncryptionKey? = .fake()
    ) throws -> NodesDirectory {
        var options = StoreOptions()
        options.nodesWindowByteCount = 16384
        options.nodesWriteByteCount = 4096
        options.key = key
        return NodesDirectory(
            disk.fileSystem, try disk.makeRealm(), realmID: realmID, options: options)
    }

    private func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var numbers = SeededRandom(seed)
        return numbers.bytes(count)
    }

    private func append(
        _ bytes: [UInt8], _ appender: NodesAppender
    ) throws(StoreError) -> UInt64 {
        try bytes.withUnsafeBufferPointer { (buffer) throws(StoreError) in
            let all = UnsafeRawBufferPointer(buffer)
            let middle = all.count / 2
            return try appender.append(parts: [
                UnsafeRawBufferPointer(rebasing: all[..<middle]),
                UnsafeRawBufferPointer(rebasing: all[middle...]),
            ])
        }
    }

    @Test(arguments: DiskKind.allCases)
    func imagesComeBackAligned(kind: DiskKind) throws {
        let disk = try TestDisk(kind)
        let nodes = try nodes(disk)
        var places: [(offset: UInt64, bytes: [UInt8])] = []
        var newest: CheckpointReference?
        for round in 0..<3 {
            let appender = try nodes.appender(after: newest, liveByteCount: 1 << 30)
            for (number, count) in [1, 64, 5000, 16384, 40_000, 700, 16_000].enumerated() {
                let content = bytes(count, UInt64(round * 100 + number))
                places.append((try append(content, appender), content))
            }
            try appender.sync()
            newest = CheckpointReference(
                version: 0, position: 0, sequence: 1, chain: 0, file: appender.fileNumber,
                offset: 0, byteCount: 0, crc: 0)
        }
        let again = try self.nodes(disk)
        for nodes in [nodes, again] {
            let file = try nodes.file(1)
            for place in places {
                let image = try file.image(at: place.offset, count: place.bytes.count)
                expectEqual(Array(image), place.bytes)
                expectEqual(UInt(bitPattern: image.baseAddress) % 64, 0)
                let twice = try file.image(at: place.offset, count: place.bytes.count)
                expectEqual(twice.baseAddress, image.baseAddress)
                let whole = try file.whole(at: place.offset, count: place.bytes.count)
                let middle = place.bytes.count / 2
                let part = try whole.bytes(
                    at: place.offset + UInt64(middle), count: place.bytes.count - middle)
                expectEqual(Array(part), Array(place.bytes[middle...]))
                expectEqual(
                    codeThrown {
                        _ = try whole.bytes(at: place.offset, count: place.bytes.count + 1)
                    }, .invalidDatabase)
                let stored = try file.bytes(
                    at: place.offset, count: place.bytes.count + 28)
                if place.bytes.count > 8 {
                    expectTrue(Array(stored[12..<20]) != Array(place.bytes[..<8]))
                }
            }
        }
    }

    @Test func imagesOfOtherPlacesAndLengthsAreDamage() throws {
        let disk = try TestDisk(.simulation)
        let nodes = try nodes(disk)
        let appender = try nodes.appender(after: nil, liveByteCount: 1 << 30)
        let first = try append(bytes(500, 1), appender)
        let second = try append(bytes(500, 2), appender)
        try appender.sync()
        let sim = try requireValue(disk.fileSystem as? SimFileSystem)
        let path = try disk.makeRealm().path
        let original = try requireValue(sim.contents(of: "nodes-1", in: path))
        let ranges = [first, second].map { Int($0)..<Int($0) + 528 }
        func code(at offset: UInt64, count: Int = 500) throws -> StoreError.Code? {
            let file = try self.nodes(disk).file(1)
            return codeThrown { _ = try file.image(at: offset, count: count) }
        }
        try expectNil(code(at: first))
        for count in [499, 501] { try expectEqual(code(at: first, count: count), .invalidDatabase) }
        try expectEqual(code(at: first + 64), .invalidDatabase)
        sim.damage("nodes-1", in: path) {
            $0.replaceSubrange(ranges[0], with: original[ranges[1]])
            $0.replaceSubrange(ranges[1], with: original[ranges[0]])
        }
        try expectEqual(code(at: first), .invalidDatabase)
        try expectEqual(code(at: second), .invalidDatabase)
        for offset in ranges[0] {
            sim.damage("nodes-1", in: path) {
                $0 = original
                $0[offset] ^= 1
            }
            try expectEqual(code(at: first), .invalidDatabase, "byte \(offset)")
            try expectNil(code(at: second))
        }
    }

    /// What a failed appender leaves may have been read before the next one overwrites it.
    @Test(arguments: [EncryptionKey.fake(), nil])
    func overwrittenImagesAreReadAgain(key: EncryptionKey?) throws {
        let disk = try TestDisk(.simulation)
        let nodes = try nodes(disk, key: key)
        let first = try nodes.appender(after: nil, liveByteCount: 1 << 30)
        let offset = try append(bytes(500, 1), first)
        try first.sync()
        let newest = CheckpointReference(
            version: 1, position: 0, sequence: 1, chain: 0, file: first.fileNumber,
            offset: offset, byteCount: 500, crc: 0)
        let failing = try nodes.appender(after: newest, liveByteCount: 1 << 30) { $0 < 6000 }
        let place = try append(bytes(3000, 2), failing)
        try failing.sync()
        try expectEqual(Array(failing.file.image(at: place, count: 3000)), bytes(3000, 2))
        expectEqual(
            codeThrown {
                _ = try append(bytes(9000, 3), failing)
                try failing.sync()
            }, .closed)
        let next = try nodes.appender(after: newest, liveByteCount: 1 << 30)
        try expectEqual(append(bytes(3000, 4), next), place)
        try next.sync()
        try expectEqual(Array(next.file.image(at: place, count: 3000)), bytes(3000, 4))
    }

    @Test func filesOfAnotherKeyAndPlainFilesAreRefused() throws {
        let disk = try TestDisk(.simulation)
        let keys: [EncryptionKey?] = [.fake(), .fake(2), nil]
        for key in keys {
            let appender = try nodes(disk, key: key).appender(after: nil, liveByteCount: 0)
            _ = try append([1], appender)
            try appender.sync()
        }
        for (index, key) in keys.enumerated() {
            let nodes = try nodes(disk, key: key)
            for number in 1...3 {
                let code = codeThrown { _ = try nodes.file(UInt64(number)) }
                let isPlain = key == nil || number == 3
                expectEqual(
                    code, number == index + 1 ? nil : isPlain ? .invalidDatabase : .wrongKey)
            }
        }
    }

    @Test func everyChangedByteOfANodesHeaderIsNoticed() throws {
        let disk = SimFileSystem(seed: 3)
        var options = StoreOptions()
        options.key = .fake()
        let fileKey = options.makeFileKey(disk)
        let bytes = NodesHeader(realmID: realmID, number: 3).encoded(
            options, disk, fileKey: fileKey)
        expectEqual(Bytes.load(UInt32.self, from: bytes, at: 20), 1)
        func check(_ bytes: [UInt8], _ key: EncryptionKey?) throws(StoreError) -> [UInt8]? {
            try NodesHeader.check(bytes, realmID: realmID, number: 3, path: "nodes-3", key: key)
        }
        try expectEqual(check(bytes, .fake()), fileKey)
        for offset in 24..<4092 {
            var changed = bytes
            changed[offset] ^= 1
            Bytes.seal(&changed, at: 4092)
            expectEqual(
                codeThrown { _ = try check(changed, .fake()) },
                offset < 48 ? .invalidDatabase : .wrongKey, "byte \(offset)")
        }
        let plain = NodesHeader(realmID: realmID, number: 3).encoded(
            StoreOptions(), disk, fileKey: nil)
        try expectNil(check(plain, nil))
        for (bytes, key, code): ([UInt8], EncryptionKey?, StoreError.Code) in [
            (plain, .fake(), .invalidDatabase), (bytes, nil, .invalidDatabase),
            (bytes, .fake(2), .wrongKey),
        ] {
            expectEqual(codeThrown { _ = try check(bytes, key) }, code)
        }
        try expectEqual(check(bytes, .fake(2, former: [3, 1])), fileKey)
    }
}
