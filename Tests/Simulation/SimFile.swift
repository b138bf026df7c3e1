package import RegnumStore
import RegnumTestSupport

/// An open file of a `SimFileSystem`, which guards all state. It stays readable and writable after
/// its name is removed, as on a real file system.
package final class SimFile: StoreFile {
    private let fileSystem: SimFileSystem
    private let path: String
    private let inode: Int
    private let isReadOnly: Bool

    init(fileSystem: SimFileSystem, path: String, inode: Int, isReadOnly: Bool) {
        self.isReadOnly = isReadOnly
        self.fileSystem = fileSystem
        self.path = path
        self.inode = inode
    }

    deinit {
        fileSystem.state.withLock { state in
            state.inodes[inode]?.handleCount -= 1
            state.collect(inode)
        }
    }

    package var isRemoved: Bool {
        fileSystem.state.withLock { state in
            !state.directories.values.contains { $0.entries.values.contains(inode) }
        }
    }

    package func size() throws(StoreError) -> UInt64 {
        try fileSystem.check(.size, path)
        return fileSystem.state.withLock { UInt64($0.inodes[inode]!.content.count) }
    }

    package func read(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        precondition(count >= 0, "the number of bytes to read is negative")
        try fileSystem.check(.read, path)
        return fileSystem.state.withLock { state in
            let content = state.inodes[inode]!.content
            guard let start = Int(exactly: offset), start < content.count else { return [] }
            return Array(content[start..<start + min(count, content.count - start)])
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        checkWritable()
        let failure = fileSystem.begin(.write)
        let count = failure.map { min($0.writtenByteCount, bytes.count) } ?? bytes.count
        try fileSystem.state.withLock { state throws(StoreError) in
            let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            try state.write(part, at: offset, to: inode, path)
        }
        if let failure { throw failure.error(.write, path) }
    }

    package func release(from offset: UInt64) {
        checkWritable()
        fileSystem.state.withLock { $0.release(from: offset, in: inode) }
    }

    /// Maps nothing, since the simulated disk isn't mappable memory: callers fall back to reading
    /// copies. Still counts as a call that can fail.
    package func map(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer? {
        try fileSystem.check(.map, path)
        return nil
    }

    package func populate(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) -> Bool { true }

    package func sync() throws(StoreError) {
        checkWritable()
        if let failure = fileSystem.begin(.sync) {
            if failure.losesDirtyData { fileSystem.state.withLock { $0.loseDirtyData(inode) } }
            throw failure.error(.sync, path)
        }
        fileSystem.state.withLock { $0.sync(inode) }
    }

    private func checkWritable() {
        precondition(!isReadOnly, "write to a file that was opened for reading")
    }
}
