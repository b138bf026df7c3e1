internal import CRegnum
internal import Glibc
internal import Synchronization

/// A file of a realm directory.
///
/// Has no mutable state except for its mappings, which have a lock, an atomic number, and the
/// descriptor. Mappings and descriptor are released with the last reference. All calls use explicit
/// offsets, so that threads don't interfere.
package final class PosixFile: StoreFile {
    private let path: String
    private let descriptor: Int32
    private let mappings = Guarded<[Mapping]>([])
    /// The last block of 128 KiB that was populated.
    private let lastBlock = Atomic<UInt64>(.max - 1)

    /// Guard of the `@unchecked Sendable`: the bytes are only read, and live as long as the file
    /// object; the value itself never changes.
    private struct Mapping: @unchecked Sendable {
        let address: UnsafeMutableRawPointer
        let byteCount: Int
    }

    /// Takes ownership of `descriptor`.
    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        for mapping in mappings.withLock({ $0 }) { munmap(mapping.address, mapping.byteCount) }
        close(descriptor)
    }

    package var isRemoved: Bool {
        var status = stat()
        return repeated { fstat(descriptor, &status) } == 0 && status.st_nlink == 0
    }

    package func size() throws(StoreError) -> UInt64 {
        var status = stat()
        try check(repeated { fstat(descriptor, &status) }, "examine", path)
        return UInt64(status.st_size)
    }

    /// Reads with `pread`. Allocates no more than the rest of the file, so that a length from a
    /// damaged file can't allocate more memory than the file has bytes.
    package func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        precondition(count >= 0, "the number of bytes to read is negative")
        guard let start = off_t(exactly: offset) else { return [] }
        var room = count
        if count > 1 << 16 {
            let end = try size()
            room = end > offset ? Int(min(UInt64(count), end - offset)) : 0
        }
        var failure: (number: Int32, offset: UInt64)?
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
            while filled < room {
                let position = start.addingReportingOverflow(off_t(filled))
                if position.overflow { break }
                let result = repeated {
                    pread(
                        descriptor, buffer.baseAddress! + filled, room - filled,
                        position.partialValue)
                }
                if result < 0 { failure = (Int32(-result), offset + UInt64(filled)) }
                if result <= 0 { break }
                filled += result
            }
        }
        if let failure {
            throw .system(failure.number, "read byte \(failure.offset) of", path)
        }
        return bytes
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return }
        try ProcessFork.check()
        guard let start = off_t(exactly: offset),
            !start.addingReportingOverflow(off_t(bytes.count)).overflow
        else { throw .system(EOVERFLOW, "write", path) }
        guard cregnum_may_have_size(offset + UInt64(bytes.count)) else {
            throw .system(EFBIG, "write", path)
        }
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

    package func release(from offset: UInt64) { cregnum_release(descriptor, offset) }

    package func sync() throws(StoreError) {
        try check(repeated { fdatasync(descriptor) }, "sync", path)
    }

    package func map(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer? {
        precondition(count > 0 && offset % 4096 == 0, "a mapping must begin at a page boundary")
        guard let start = off_t(exactly: offset), start <= off_t.max - off_t(count) else {
            throw .system(EINVAL, "map", path)
        }
        guard let address = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, start),
            address != MAP_FAILED
        else { throw .system(errno, "map", path) }
        let mapping = Mapping(address: address, byteCount: count)
        mappings.withLock { $0.append(mapping) }
        return UnsafeRawBufferPointer(start: address, count: count)
    }

    package func populate(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(StoreError) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        if !bytes.isEmpty { readAhead(offset, bytes.count) }
        let result = cregnum_populate(start, bytes.count, false)
        if result == 0 { return true }
        // A read finds the reason. On kernels without `MADV_POPULATE_READ` it also loads the pages.
        var position = offset
        let end = offset + UInt64(bytes.count)
        while position < end {
            let count = Int(min(end - position, 1 << 20))
            let part: [UInt8]
            do throws(StoreError) {
                part = try read(at: position, count: count)
            } catch {
                throw StoreError(
                    error.code,
                    "\(error.message) Affected: \(bytes.count) bytes at offset \(offset).",
                    path: path, errno: error.errno)
            }
            guard part.count == count else {
                throw StoreError(
                    .invalidDatabase,
                    "\(path) is damaged: it is too short to contain the \(bytes.count) bytes at "
                        + "offset \(offset).", path: path)
            }
            position += UInt64(count)
        }
        return result == -EINVAL
    }

    /// Begins to read the blocks of 128 KiB that contain a range, unless it continues the last one.
    ///
    /// On a page fault, Linux reads as much around the page as the device is set to read ahead.
    /// Reading a node here and there of a file that isn't cached would take 10 ms each on machines
    /// that are set to several megabytes. 128 KiB is the default. Ranges one after the other are
    /// left to the page faults, which read ahead. This is advice, so errors are ignored.
    private func readAhead(_ offset: UInt64, _ count: Int) {
        let (first, last) = (offset >> 17, (offset + UInt64(count) - 1) >> 17)
        let previous = lastBlock.exchange(last, ordering: .relaxed)
        if first == previous || first == previous &+ 1 { return }
        _ = posix_fadvise(
            descriptor, off_t(first << 17), off_t((last - first + 1) << 17), POSIX_FADV_WILLNEED)
    }
}
