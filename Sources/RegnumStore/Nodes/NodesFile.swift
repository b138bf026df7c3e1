/// A nodes file, open for reading: extents of checkpoints, at multiples of 64, that never change.
///
/// Any thread may read at any time, also while the holder of the checkpoint lock appends. What was
/// read stays where it is for the life of the object, also when the file's name is gone.
package final class NodesFile: NodeBytes {
    package let number: UInt64
    package let path: String
    let file: any StoreFile
    private let isMapped: Bool
    private let windowByteCount: UInt64
    private let state: Guarded<State>

    /// Guard of the `@unchecked Sendable`: the owner's lock around the state; the bytes behind the
    /// addresses are only read.
    private struct State: @unchecked Sendable {
        /// The size when it was last looked at; the file only grows.
        var byteCount: UInt64
        var windows: [UInt64: UnsafeRawBufferPointer] = [:]
        /// Ranges that cross a window, and private copies.
        var ranges: [ClosedRange<UInt64>: UnsafeRawBufferPointer] = [:]
        /// Of `ranges` those that are private copies.
        var copies: [UnsafeMutableRawPointer] = []
        var isAbandoned = false
    }

    init(number: UInt64, path: String, file: any StoreFile, options: StoreOptions)
        throws(StoreError)
    {
        self.number = number
        self.path = path
        self.file = file
        isMapped = options.mapsNodes
        windowByteCount = options.nodesWindowByteCount
        state = Guarded(State(byteCount: try file.size()))
    }

    deinit {
        for copy in state.withLock({ $0 }).copies { copy.deallocate() }
    }

    /// Opens nodes file `number`. Throws `historyTrimmed` where it is missing, `invalidDatabase` where
    /// it is damaged.
    static func open(
        _ directory: any RealmDirectory, number: UInt64, realmID: Identity128,
        options: StoreOptions
    ) throws(StoreError) -> NodesFile {
        let name = NodesHeader.fileName(number)
        let path = directory.path + "/" + name
        let file: any StoreFile
        do {
            file = try directory.open(name)
        } catch {
            guard error.code == .fileNotFound else { throw error }
            throw StoreError(
                .historyTrimmed, "\(path) is gone, and a checkpoint is in it.", path: path)
        }
        let bytes = try file.read(at: 0, count: Int(NodesHeader.byteCount))
        try NodesHeader.check(
            bytes, realmID: realmID, number: number, path: path, isReadOnly: directory.isReadOnly)
        return try NodesFile(number: number, path: path, file: file, options: options)
    }

    /// Makes nodes file `number`, which must not exist: whole under a temporary name, then named.
    static func create(
        _ fileSystem: any FileSystem, _ directory: any RealmDirectory, number: UInt64,
        realmID: Identity128, options: StoreOptions
    ) throws(StoreError) -> NodesFile {
        let name = NodesHeader.fileName(number)
        let temporary = RealmLog.temporaryName(fileSystem)
        let file = try directory.create(temporary)
        do {
            try file.write(NodesHeader(realmID: realmID, number: number).encoded(), at: 0)
            try file.sync()
            try directory.rename(temporary, to: name)
        } catch {
            try? directory.unlink(temporary)
            throw error
        }
        try directory.sync()
        return try NodesFile(
            number: number, path: directory.path + "/" + name, file: file, options: options)
    }

    /// A write or sync of the file failed: it takes no more extents, since nothing is known about
    /// the pages behind its last good one. What was synced before stays good.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }
    func abandon() { state.withLock { $0.isAbandoned = true } }

    /// The bytes of the file now.
    package func size() throws(StoreError) -> UInt64 {
        let size = try file.size()
        state.withLock { $0.byteCount = max($0.byteCount, size) }
        return size
    }

    /// Like `size`. Throws `invalidDatabase` if the file has fewer bytes than `byteCount`, or than it
    /// had before.
    func size(notBelow byteCount: UInt64) throws(StoreError) -> UInt64 {
        let known = max(byteCount, state.withLock { $0.byteCount })
        let size = try size()
        guard size >= known else {
            throw StoreError(
                .invalidDatabase,
                "\(path) is damaged: it had \(known) bytes and was cut short to \(size).",
                path: path, position: size)
        }
        return size
    }

    /// The bytes are in memory when it returns. A file that somebody else cuts short later, or a
    /// disk that fails when the system reads them once more, ends the process.
    ///
    /// Cost: a system call; the first touch of a window maps it too. Where a mapping cannot be had,
    /// the bytes are read into private memory.
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

    /// Maps a window; nil where files are not mapped, or the system has no room for a mapping now.
    private func map(_ window: UInt64) -> UnsafeRawBufferPointer? {
        // two threads may map the same window: the second mapping is the one that stays known
        guard
            let bytes = try? file.map(at: window * windowByteCount, count: Int(windowByteCount))
        else { return nil }
        state.withLock { $0.windows[window] = bytes }
        return bytes
    }

    /// A mapping of its own, or a private copy, of exactly these bytes.
    private func range(at offset: UInt64, count: Int) throws(StoreError)
        -> UnsafeRawBufferPointer
    {
        let key = offset...offset + UInt64(count - 1)
        if let known = state.withLock({ $0.ranges[key] }) { return known }
        let lead = Int(offset % 4096)
        if isMapped, let bytes = try? file.map(at: offset - UInt64(lead), count: count + lead) {
            let part = UnsafeRawBufferPointer(rebasing: bytes[lead...])
            if try populate(part, at: offset) {
                state.withLock { $0.ranges[key] = part }
                return part
            }
        }
        return try copy(at: offset, count: count)
    }

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
        let read = try file.read(at: offset, count: count)
        guard read.count == count else { throw outside(offset, count) }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
        copy.copyBytes(from: read)
        return state.withLock { state in
            if let known = state.ranges[key] {
                copy.deallocate()
                return known
            }
            if let address = copy.baseAddress { state.copies.append(address) }
            state.ranges[key] = UnsafeRawBufferPointer(copy)
            return UnsafeRawBufferPointer(copy)
        }
    }

    private func outside(_ offset: UInt64, _ count: Int) -> StoreError {
        StoreError(
            .invalidDatabase,
            "\(path) is damaged: it ends before the \(count) bytes from \(offset) on.", path: path)
    }
}
