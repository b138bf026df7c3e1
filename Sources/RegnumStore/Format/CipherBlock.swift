extension Cipher {
    /// Returns a block with the bytes. It can only be decrypted at the same place.
    func block(
        _ bytes: UnsafeRawBufferPointer, at place: [UInt8], _ fileSystem: any FileSystem
    ) -> [UInt8] {
        let nonce = fileSystem.randomBytes(EncryptionKey.nonceByteCount)
        return nonce + seal(bytes, nonce: nonce, authenticating: place)
    }

    /// Returns the content of a block; `nil` if it isn't authentic, or is from another place.
    func content(of block: UnsafeRawBufferPointer, at place: [UInt8]) -> [UInt8]? {
        guard block.count >= EncryptionKey.blockOverheadByteCount else { return nil }
        let start = EncryptionKey.nonceByteCount
        return open(
            UnsafeRawBufferPointer(rebasing: block[start...]), nonce: Array(block[..<start]),
            authenticating: place)
    }
}

extension FileSystem {
    /// Returns random bytes from the system.
    func randomBytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: random().littleEndian) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

extension StoreOptions {
    /// The bytes that a block has in addition to its content; 0 if the realm isn't encrypted.
    package var blockOverheadByteCount: Int {
        key == nil ? 0 : EncryptionKey.blockOverheadByteCount
    }

    /// The maximum size of the body of a record as it is in the log.
    var maximumStoredBodyByteCount: Int { maximumRecordBodyByteCount + blockOverheadByteCount }

    /// Returns the length of a record in the log for a body of `bodyByteCount` bytes.
    package func recordByteCount(ofBody bodyByteCount: Int) -> Int {
        RecordFraming.byteCount(
            bodyByteCount: bodyByteCount + (bodyByteCount > 0 ? blockOverheadByteCount : 0))
    }

    /// Returns a key for a new file; `nil` if the realm isn't encrypted.
    func makeFileKey(_ fileSystem: any FileSystem) -> [UInt8]? {
        key == nil ? nil : fileSystem.randomBytes(EncryptionKey.fileKeyByteCount)
    }

    /// Returns the cipher of a file with that key.
    func cipher(_ fileKey: [UInt8]?) -> (any Cipher)? {
        guard let key, let fileKey else { return nil }
        return key.suite.fileCipher(fileKey)
    }
}
