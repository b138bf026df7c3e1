internal import Glibc

/// One file of a realm directory.
///
/// Has no mutable state beside the descriptor, which is closed with the last reference; the calls
/// name their offset, so that threads do not disturb each other.
package final class PosixFile: StoreFile {
    private let path: String
    private let descriptor: Int32

    /// Takes over `descriptor`.
    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    package func size() throws(StoreError) -> UInt64 {
        var status = stat()
        let result = repeated { fstat(descriptor, &status) }
        guard result == 0 else { throw .system(-result, "examine", path) }
        return UInt64(status.st_size)
    }

    /// Reads with pread. Allocates no more than the rest of the file, so that a length from a
    /// damaged file cannot ask for more memory than its bytes.
    package func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        precondition(count >= 0, "the number of bytes to read is negative")
        guard let start = off_t(exactly: offset) else { return [] }
        var room = count
        if count > 1 << 16 {
            let end = try size()
            room = end > offset ? Int(min(UInt64(count), end - offset)) : 0
        }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
            while filled < room {
                let position = start.addingReportingOverflow(off_t(filled))
                if position.overflow { break }
                let result = repeated {
                    pread(
                        descriptor, buffer.baseAddress! + filled, room - filled,
                        position.partialValue)
                }
                if result < 0 { failure = Int32(-result) }
                if result <= 0 { break }
                filled += result
            }
        }
        guard failure == 0 else { throw .system(failure, "read", path) }
        return bytes
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return }
        guard let start = off_t(exactly: offset),
            !start.addingReportingOverflow(off_t(bytes.count)).overflow
        else { throw .system(EFBIG, "write", path) }
        var written = 0
        while written < bytes.count {
            let result = repeated {
                pwrite(descriptor, base + written, bytes.count - written, start + off_t(written))
            }
            if result < 0 { throw .system(Int32(-result), "write", path) }
            if result == 0 { throw .system(EIO, "write", path) }
            written += result
        }
    }

    package func sync() throws(StoreError) {
        let result = repeated { fdatasync(descriptor) }
        guard result == 0 else { throw .system(-result, "sync", path) }
    }
}
