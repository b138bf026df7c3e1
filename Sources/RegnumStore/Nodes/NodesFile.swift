/// A nodes file, open for reading: immutable extents of checkpoints, at multiples of 64 bytes.
///
/// Can be read from any thread, also while the holder of the checkpoint lock appends. Returned
/// bytes stay valid for the lifetime of the object, even after the file was unlinked.
package final class NodesFile: NodeBytes {
    package let number: UInt64
    package let path: String
    let file: any StoreFile
    private let isMapped: Bool
    private let windowByteCount: UInt64
    /// The cipher of the extents; `nil` if the realm isn't encrypted.
    let cipher: (any Cipher)?
    private let copies: CopiedByteCounter?
    private let state: Guarded<State>
    /// The numbers of the realm's files of which a write or sync failed.
    private let abandoned: Guarded<Set<UInt64>>

    /// Guard of the `@unchecked Sendable`: the owner's lock around the state; the bytes at the
    /// addresses are only read.
    private struct State: @unchecked Sendable {
        /// The size when it was last checked; the file only grows.
        var byteCount: UInt64
        var windows: [UInt64: UnsafeRawBufferPointer] = [:]
        /// Ranges that cross a window boundary, mapped but perhaps not loaded.
        var mappings: [ClosedRange<UInt64>: UnsafeRawBufferPointer] = [:]
        /// Those that were loaded, and private copies; in an encrypted file, decrypted extents.
        var ranges: [ClosedRange<UInt64>: UnsafeRawBufferPointer] = [:]
        /// The private copies in `ranges`, to be deallocated.
        var copies: [UnsafeMutableRawPointer] = []
        var copiedByteCount: UInt64 = 0
    }

    /// The limit of private copies, as a multiple of the file's size. Images don't overlap, but
    /// parts of a directory image are also read on their own.
    private static let copyFactor: UInt64 = 4

    init(
        number: UInt64, path: String, file: any StoreFile, fileKey: [UInt8]?,
        abandoned: Guarded<Set<UInt64>>, options: StoreOptions
    ) throws(StoreError) {
        cipher = options.cipher(fileKey)
        copies = options.copies
        self.number = number
        self.path = path
        self.file = file
        self.abandoned = abandoned
        isMapped = options.mapsNodes
        windowByteCount = options.nodesWindowByteCount
        state = Guarded(State(byteCount: try file.size()))
    }

    deinit {
        let state = state.withLock { $0 }
        for copy in state.copies { copy.deallocate() }
        if cipher != nil { copies?.remove(Int(state.copiedByteCount)) }
    }

    /// Opens nodes file `number`. Throws `historyTrimmed` if it doesn't exist, `invalidDatabase` if
    /// it is damaged.
    static func open(
        _ directory: any RealmDirectory, number: UInt64, realmID: Identity128,
        abandoned: Guarded<Set<UInt64>>, options: StoreOptions
    ) throws(StoreError) -> NodesFile {
        let name = NodesHeader.fileName(number)
        let path = directory.path + "/" + name
        guard let file = try ifFound(directory.open(name)) else {
            throw StoreError(
                .historyTrimmed, "\(path), which contains a checkpoint, is missing.", path: path)
        }
        let bytes = try file.read(at: 0, count: Int(NodesHeader.byteCount))
        let fileKey = try NodesHeader.check(
            bytes, realmID: realmID, number: number, path: path, isReadOnly: directory.isReadOnly,
            key: options.key)
        return try NodesFile(
            number: number, path: path, file: file, fileKey: fileKey, abandoned: abandoned,
            options: options)
    }

    /// Creates nodes file `number`, which must not exist. It is completed under a temporary name
    /// and then renamed; the caller syncs the directory.
    static func create(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory, number: UInt64,
        realmID: Identity128, abandoned: Guarded<Set<UInt64>>, options: StoreOptions
    ) throws(StoreError) -> NodesFile {
        let name = NodesHeader.fileName(number)
        let temporary = TemporaryName.random(fileSystem)
        let file = try directory.create(temporary)
        return try directory.complete(temporary, as: name) { () throws(StoreError) in
            let header = NodesHeader(realmID: realmID, number: number)
            let fileKey = options.makeFileKey(fileSystem)
            try file.write(header.encoded(options, fileSystem, fileKey: fileKey), at: 0)
            try file.sync()
            return try NodesFile(
                number: number, path: directory.path + "/" + name, file: file, fileKey: fileKey,
                abandoned: abandoned, options: options)
        }
    }

    /// Whether a write or sync of the file failed. No more extents are appended then, since the
    /// state of the pages after the last synced one is unknown. Extents synced before remain valid.
    var isAbandoned: Bool { abandoned.withLock { $0.contains(number) } }
    func abandon() { abandoned.withLock { _ = $0.insert(number) } }

    /// Reads what is at `start` and after it from the file again, although it was read before: it
    /// may be overwritten, since nothing refers to it. Returned bytes stay valid.
    func forget(from start: UInt64) {
        state.withLock { state in
            state.ranges = state.ranges.filter { $0.key.upperBound < start }
        }
    }

    /// Whether the file was removed. Its bytes stay readable.
    var isRemoved: Bool { file.isRemoved }

    /// Returns the current size of the file in bytes.
    package func size() throws(StoreError) -> UInt64 {
        let size = try file.size()
        state.withLock { $0.byteCount = max($0.byteCount, size) }
        return size
    }

    /// Like `size`. Throws `invalidDatabase` if the file is shorter than `byteCount` or than it was
    /// before.
    func size(notBelow byteCount: UInt64) throws(StoreError) -> UInt64 {
        let known = max(byteCount, state.withLock { $0.byteCount })
        let size = try size()
        guard size >= known else {
            throw StoreError(
                .invalidDatabase,
                "\(path) is damaged: it had \(known) bytes and was truncated to \(size).",
                path: path, position: size)
        }
        return size
    }

    /// Returns bytes that are loaded into memory. If another program truncates the file later, or
    /// the disk fails when the system reads the page again, accessing them terminates the process.
    ///
    /// Cost: one system call; the first access to a window also maps it. If no mapping can be
    /// created, the bytes are read into private memory. Throws `invalidDatabase` if that needs
    /// several times the size of the file, as for overlapping extents of a forged file.
    package func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        guard count >= 0 else { throw outside(offset, count) }
        if count == 0 { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let (end, overflows) = offset.addingReportingOverflow(UInt64(count))
        if overflows { throw outside(offset, count) }
        let window = offset / windowByteCount
        let known: (isInside: Bool, bytes: UnsafeRawBufferPointer?) = state.withLock { state in
            (end <= state.byteCount, state.windows[window])
        }
        if !known.isInside, try end > size() { throw outside(offset, count) }
        guard isMapped, (end - 1) / windowByteCount == window,
            let bytes = known.bytes ?? map(window)
        else { return try range(at: offset, count: count) }
        let start = Int(offset - window * windowByteCount)
        let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
        return try populate(part, at: offset) ? part : copy(at: offset, count: count)
    }

    /// Maps a window; `nil` if files aren't mapped, or if the system currently can't create a
    /// mapping.
    private func map(_ window: UInt64) -> UnsafeRawBufferPointer? {
        // Two threads may map the same window; the second mapping is kept in the table.
        guard
            let bytes = try? file.map(at: window * windowByteCount, count: Int(windowByteCount))
        else { return nil }
        state.withLock { $0.windows[window] = bytes }
        return bytes
    }

    /// Returns exactly these bytes, from a separate mapping or a private copy.
    private func range(at offset: UInt64, count: Int) throws(StoreError)
        -> UnsafeRawBufferPointer
    {
        let key = offset...offset + UInt64(count - 1)
        let known = state.withLock { (loaded: $0.ranges[key], mapping: $0.mappings[key]) }
        if let bytes = known.loaded { return bytes }
        if isMapped, let bytes = known.mapping ?? map(key), try populate(bytes, at: offset) {
            state.withLock { $0.ranges[key] = bytes }
            return bytes
        }
        return try copy(at: offset, count: count)
    }

    /// Maps a range like a window. A mapping lives as long as the file, so it must be kept for the
    /// next attempt even if its pages can't be loaded.
    private func map(_ range: ClosedRange<UInt64>) -> UnsafeRawBufferPointer? {
        let lead = Int(range.lowerBound % 4096)
        guard
            let bytes = try? file.map(
                at: range.lowerBound - UInt64(lead), count: range.count + lead)
        else { return nil }
        let part = UnsafeRawBufferPointer(rebasing: bytes[lead...])
        state.withLock { $0.mappings[range] = part }
        return part
    }

    /// Loads the pages of mapped bytes. The error for a truncated file names this file by its
    /// current path, which is that of a temporary file when it is created.
    private func populate(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try file.populate(bytes, at: offset)
        } catch {
            throw error.code == .invalidDatabase ? outside(offset, bytes.count) : error
        }
    }

    private func copy(at offset: UInt64, count: Int) throws(StoreError)
        -> UnsafeRawBufferPointer
    {
        let key = offset...offset + UInt64(count - 1)
        if let known = state.withLock({ $0.ranges[key] }) { return known }
        return try keep(read(at: offset, count: count), key)
    }

    private func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        let bytes = try file.read(at: offset, count: count)
        guard bytes.count == count else { throw outside(offset, count) }
        return bytes
    }

    /// Keeps the content of a range as a private copy, unless another thread has done so.
    private func keep(
        _ content: [UInt8], _ key: ClosedRange<UInt64>
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        let count = content.count
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
        copy.copyBytes(from: content)
        let kept: UnsafeRawBufferPointer? = state.withLock { state in
            if let known = state.ranges[key] { return known }
            let sum = state.copiedByteCount + UInt64(count)
            guard let address = copy.baseAddress,
                sum / NodesFile.copyFactor <= state.byteCount
            else { return nil }
            state.copiedByteCount = sum
            state.copies.append(address)
            state.ranges[key] = UnsafeRawBufferPointer(copy)
            return UnsafeRawBufferPointer(copy)
        }
        if kept?.baseAddress != UnsafeRawPointer(copy.baseAddress) {
            copy.deallocate()
        } else if cipher != nil {
            copies?.add(count)
        }
        guard let kept else {
            throw StoreError(
                .invalidDatabase,
                "\(path) is damaged: more than \(NodesFile.copyFactor) times its size is read "
                    + "from it, so its extents overlap.", path: path)
        }
        return kept
    }

    // MARK: Encrypted files

    package var keepsCopies: Bool { cipher != nil || !isMapped }

    package func image(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        guard cipher != nil else { return try bytes(at: offset, count: count) }
        guard count > 0, offset <= UInt64.max - UInt64(count) else { throw outside(offset, count) }
        let key = offset...offset + UInt64(count - 1)
        if let known = state.withLock({ $0.ranges[key] }) { return known }
        return try keep(decrypt(at: offset, count: count), key)
    }

    package func whole(at offset: UInt64, count: Int) throws(StoreError) -> any NodeBytes {
        cipher == nil ? self : try copied(at: offset, count: count)
    }

    package func copied(at offset: UInt64, count: Int) throws(StoreError) -> any NodeBytes {
        let content =
            cipher == nil
            ? try stored(at: offset, count: count) : try decrypt(at: offset, count: count)
        return CopiedExtent(content, offset: offset, path: path, copies)
    }

    /// Returns bytes of the file. Nothing is allocated before it is known that the file has them.
    private func stored(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        guard count >= 0, offset <= UInt64.max - UInt64(count),
            try offset + UInt64(count) <= size()
        else { throw outside(offset, count) }
        return try read(at: offset, count: count)
    }

    /// Returns the content of an extent.
    private func decrypt(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        let overhead = EncryptionKey.blockOverheadByteCount
        let (stored, isOver) = count.addingReportingOverflow(overhead)
        guard count >= 0, !isOver else { throw outside(offset, count) }
        let block = try self.stored(at: offset, count: stored)
        let content = block.withUnsafeBytes {
            cipher?.content(of: $0, at: NodesFile.place(offset))
        }
        guard let content else {
            throw StoreError(
                .invalidDatabase,
                "\(path) is damaged: the \(stored) bytes at offset \(offset) are not what was "
                    + "written there with the key of the realm.", path: path, position: offset)
        }
        return content
    }

    /// Returns the associated data with which an extent is encrypted.
    static func place(_ offset: UInt64) -> [UInt8] {
        withUnsafeBytes(of: offset.littleEndian) { Array($0) }
    }

    private func outside(_ offset: UInt64, _ count: Int) -> StoreError {
        StoreError(
            .invalidDatabase,
            "\(path) is damaged: it is too short to contain the \(count) bytes at offset "
                + "\(offset).", path: path)
    }
}
