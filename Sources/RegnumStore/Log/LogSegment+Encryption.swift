extension LogSegment {
    /// Returns the body of a record as it is stored at a position: encrypted if the realm is. An
    /// empty body stays empty.
    func stored(
        _ body: [UInt8], _ header: RecordHeader, at position: LogPosition,
        _ fileSystem: any FileSystem
    ) -> [UInt8] {
        guard let cipher, !body.isEmpty else { return body }
        let place = Self.place(header, position)
        return body.withUnsafeBytes { cipher.block($0, at: place, fileSystem) }
    }

    /// Returns the body of a record that was stored at a position; `nil` if it isn't authentic
    /// there, which is damage like a wrong checksum.
    func body(
        _ stored: UnsafeRawBufferPointer, _ header: RecordHeader, at position: LogPosition
    ) -> [UInt8]? {
        guard let cipher, !stored.isEmpty else { return Array(stored) }
        return cipher.content(of: stored, at: Self.place(header, position))
    }

    /// Returns the associated data with which a body is encrypted. It doesn't change when a record
    /// is framed again in another segment after a failed sync.
    private static func place(_ header: RecordHeader, _ position: LogPosition) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 20)
        Bytes.store(position, in: &bytes, at: 0)
        Bytes.store(header.sequence, in: &bytes, at: 8)
        bytes[16] = header.type
        bytes[17] = header.flags
        Bytes.store(header.bodyVersion, in: &bytes, at: 18)
        return bytes
    }
}
