import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import RegnumStore

/// The headers of encrypted files: their key, and who can read it.
@Suite struct EncryptedHeaderTests {
    private let disk = SimFileSystem(seed: 3)
    private let options: StoreOptions = {
        var options = StoreOptions()
        options.key = .fake()
        return options
    }()

    private func header() -> SegmentHeader {
        var header = SegmentHeader(
            realmID: Identity128(high: 1, low: 2), generation: 0, number: 3, firstSequence: 9,
            salt: 5, base: 64_000, previousChain: 7)
        header.checkpoints.newest = CheckpointReference(
            version: 4, position: 640, sequence: 5, chain: 6, file: 7, offset: 8192,
            byteCount: 9000, crc: 10)
        header.fileKey = (0..<32).map { UInt8($0) + 100 }
        return header
    }

    private func decoded(
        _ bytes: [UInt8], _ key: EncryptionKey? = .fake()
    ) throws(StoreError) -> SegmentHeader {
        try SegmentHeader(decoding: bytes, path: "log-0-3", key: key)
    }

    @Test func theHeaderOfASegmentComesBack() throws {
        let header = header()
        let bytes = header.encoded(options, disk)
        try expectEqual(decoded(bytes), header)
        expectTrue(bytes != header.encoded(options, disk), "the nonce differs each time")
    }

    @Test func theSecretsAreNotInTheBytes() throws {
        let header = header()
        let bytes = header.encoded(options, disk)
        let key = try requireValue(header.fileKey)
        let plain = header.checkpoints.encoded()
        for start in 88..<344 {
            expectTrue(Array(bytes[start..<start + 8]) != Array(key[..<8]))
            expectTrue(Array(bytes[start..<start + 8]) != Array(plain[..<8]))
        }
        let found = SegmentHeader.identify(bytes)
        expectEqual(found?.realmID, header.realmID)
        expectEqual(found?.number, 3)
    }

    // Covers 12.16, .wrongKey, .keyRequired, .notEncrypted
    @Test func wrongMissingAndNeedlessKeysAreDifferentErrors() {
        let bytes = header().encoded(options, disk)
        expectEqual(codeThrown { _ = try decoded(bytes, .fake(2)) }, .wrongKey)
        expectEqual(codeThrown { _ = try decoded(bytes, nil) }, .keyRequired)
        var plain = header()
        plain.fileKey = nil
        expectEqual(codeThrown { _ = try decoded(plain.encoded()) }, .notEncrypted)
    }

    /// An accident is damage. Who repairs the checksum needs the key for the rest.
    @Test func everyChangedByteIsNoticed() {
        let bytes = header().encoded(options, disk)
        for offset in bytes.indices {
            var changed = bytes
            changed[offset] ^= 1
            expectEqual(
                codeThrown { _ = try decoded(changed) }, .invalidDatabase, "byte \(offset)")
            guard (24..<4092).contains(offset) else { continue }
            Bytes.seal(&changed, at: 4092)
            expectEqual(codeThrown { _ = try decoded(changed) }, .wrongKey, "byte \(offset)")
        }
    }

    @Test func theFeatureBitIsSet() {
        let bytes = header().encoded(options, disk)
        expectEqual(Bytes.load(UInt32.self, from: bytes, at: 20), 1)
    }
}
