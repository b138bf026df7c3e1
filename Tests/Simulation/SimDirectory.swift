package import RegnumStore

/// A directory of a `SimFileSystem`, which guards all state.
package final class SimDirectory: RealmDirectory {
    package let path: String
    private let fileSystem: SimFileSystem

    init(fileSystem: SimFileSystem, path: String) {
        self.fileSystem = fileSystem
        self.path = path
    }

    package func names() throws(StoreError) -> [String] {
        try fileSystem.check(.names, path)
        return fileSystem.state.withLock { state in
            state.directories[path]?.entries.keys.sorted() ?? []
        }
    }

    package func open(_ name: String) throws(StoreError) -> any StoreFile {
        let file = "\(path)/\(name)"
        try fileSystem.check(.open, file)
        return try handle(file) { state throws(StoreError) in
            try state.checkWritable("open", file)
            return try state.inode(name, in: self.path)
        }
    }

    package func create(_ name: String) throws(StoreError) -> any StoreFile {
        let file = "\(path)/\(name)"
        try fileSystem.check(.create, file)
        return try handle(file) { state throws(StoreError) in
            try state.create(name, in: self.path)
        }
    }

    private func handle(
        _ file: String, _ find: (inout SimState) throws(StoreError) -> Int
    ) throws(StoreError) -> SimFile {
        let inode = try fileSystem.state.withLock { state throws(StoreError) in
            let inode = try find(&state)
            state.inodes[inode]!.handleCount += 1
            return inode
        }
        return SimFile(fileSystem: fileSystem, path: file, inode: inode)
    }

    package func rename(_ name: String, to target: String) throws(StoreError) {
        try fileSystem.check(.rename, "\(path)/\(name)")
        try fileSystem.state.withLock { state throws(StoreError) in
            try state.rename(name, to: target, in: path)
        }
    }

    package func unlink(_ name: String) throws(StoreError) {
        try fileSystem.check(.unlink, "\(path)/\(name)")
        try fileSystem.state.withLock { state throws(StoreError) in
            try state.unlink(name, in: path)
        }
    }

    package func sync() throws(StoreError) {
        try fileSystem.check(.syncDirectory, path)
        fileSystem.state.withLock { $0.syncDirectory(path) }
    }

    package func openLock() throws(StoreError) -> any LockFile {
        let file = "\(path)/LOCK"
        try fileSystem.check(.open, file)
        let exists = fileSystem.state.withLock { $0.directories[path]?.entries["LOCK"] != nil }
        if !exists { try fileSystem.check(.create, file) }
        let (inode, owner) = try fileSystem.state.withLock { state throws(StoreError) in
            try state.openLock(in: path)
        }
        return SimLockFile(fileSystem: fileSystem, directory: path, inode: inode, owner: owner)
    }
}

extension SimState {
    mutating func openLock(in path: String) throws(StoreError) -> (inode: Int, owner: Int) {
        try checkWritable("open", "\(path)/LOCK")
        let inode: Int
        if let existing = directories[path]?.entries["LOCK"] {
            inode = existing
        } else {
            if let capacityByteCount,
                usedByteCount() + UInt64(Self.lockByteCount) > capacityByteCount
            {
                throw StoreError(
                    .diskFull, "Cannot create \"\(path)/LOCK\": no space is left on the disk.",
                    path: path)
            }
            inode = try create("LOCK", in: path)
        }
        inodes[inode]!.isLock = true
        inodes[inode]!.handleCount += 1
        if inodes[inode]!.content.count < Self.lockByteCount {
            // Not synced by anybody, but zeros after a crash all the same: its size is not an
            // uncertainty that the store can see, because opening extends it.
            inodes[inode]!.content = Array(repeating: 0, count: Self.lockByteCount)
            inodes[inode]!.durable = inodes[inode]!.content
        }
        return (inode, newNumber())
    }
}
