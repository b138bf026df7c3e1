internal import Glibc

/// A copy of the content of one extent of a nodes file, decrypted if the file is encrypted, at the
/// offsets that it has there.
///
/// Guard of the `@unchecked Sendable`: the bytes are only read once they are initialized.
final class CopiedExtent: NodeBytes, @unchecked Sendable {
    private let content: UnsafeRawBufferPointer
    private let offset: UInt64
    private let path: String
    private let counter: CopiedByteCounter?

    init(_ bytes: [UInt8], offset: UInt64, path: String, _ counter: CopiedByteCounter?) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 64)
        copy.copyBytes(from: bytes)
        content = UnsafeRawBufferPointer(copy)
        self.offset = offset
        self.path = path
        self.counter = counter
        counter?.add(bytes.count)
    }

    deinit {
        if let start = content.baseAddress {
            // A use after this finds something else than its parent describes.
            explicit_bzero(UnsafeMutableRawPointer(mutating: start), content.count)
        }
        content.deallocate()
        counter?.remove(content.count)
    }

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
