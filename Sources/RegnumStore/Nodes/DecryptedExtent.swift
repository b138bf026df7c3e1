/// The decrypted content of one extent of a nodes file, at the offsets that it has there.
///
/// Guard of the `@unchecked Sendable`: the bytes are only read once they are initialized.
final class DecryptedExtent: NodeBytes, @unchecked Sendable {
    private let content: UnsafeRawBufferPointer
    private let offset: UInt64
    private let path: String

    init(_ bytes: [UInt8], offset: UInt64, path: String) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 64)
        copy.copyBytes(from: bytes)
        content = UnsafeRawBufferPointer(copy)
        self.offset = offset
        self.path = path
    }

    deinit { content.deallocate() }

    func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        let end = self.offset + UInt64(content.count)
        guard offset >= self.offset, offset <= end, count >= 0, UInt64(count) <= end - offset else {
            throw StoreError(
                .invalidDatabase,
                "\(path) is damaged: \(count) bytes at offset \(offset) aren't in the extent that "
                    + "they belong to.", path: path, position: offset)
        }
        let start = Int(offset - self.offset)
        return UnsafeRawBufferPointer(rebasing: content[start..<start + count])
    }
}
