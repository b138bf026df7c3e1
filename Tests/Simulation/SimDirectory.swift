package import RegnumStore

/// A directory of a `SimFileSystem`. The file system guards all state.
package final class SimDirectory: RealmDirectory {
    package let path: String
    package let isReadOnly: Bool
    package let identity: FileIdentity
    private let fileSystem: SimFileSystem

    init(fileSystem: SimFileSystem, path: String, isReadOnly: Bool = false) {
        self.fileSystem = fileSystem
        self.path = path
        self.isReadOnly = isReadOnly
        // a directory that another thread has removed since is no longer current
        identity =
            fileSystem.identity(path) ?? FileIdentity(device: fileSystem.device, inode: .max)
    }

    package func isCurrent() throws(StoreError) -> Bool {
        try fileSystem.leads(path, to: identity)
    }

    package func freeByteCount() -> UInt64? {
        fileSystem.state.withLock { state -> UInt64? in
            guard let capacity = state.capacityByteCount else { return .max }
            return capacity - min(capacity, state.usedByteCount())
        }
    }

    private func checkWritable() {
        precondition(!isReadOnly, "change in a directory that was opened for reading")
    }

    package func names() throws(StoreError) -> [String] {
        try fileSystem.check(.names, path)
        return fileSystem.state.withLock { state in
            let inside = state.directories.keys.filter { $0.hasPrefix(path + "/") }
            let directories = inside.map { String($0.dropFirst(path.count + 1)) }
            let files = state.directories[path]?.entries.keys.map { $0 } ?? []
            return (files + directories.filter { !$0.contains("/") }).sorted()
        }
    }

    package func open(_ name: String) throws(StoreError) -> any StoreFile {
        let file = "\(path)/\(name)"
        try fileSystem.check(.open, file)
        return try handle(file) { state throws(StoreError) in
            if !self.isReadOnly { try state.checkWritable("open", file) }
            return try state.inode(name, in: self.path)
        }
    }

    package func create(_ name: String) throws(StoreError) -> any StoreFile {
        checkWritable()
        let file = "\(path)/\(name)"
        try fileSystem.check(.create, file)
        return try handle(file) { state throws(StoreError) in
            try state.create(name, in: self.path)
        }
    }

    /// Opens the file as an archive, for reading.
    static func openArchive(
        _ inode: Int, _ path: String, in fileSystem: SimFileSystem
    ) throws(StoreError) -> ArchiveDirectory {
        try fileSystem.check(.open, path)
        fileSystem.state.withLock { $0.inodes[inode]!.handleCount += 1 }
        let file = SimFile(fileSystem: fileSystem, path: path, inode: inode, isReadOnly: true)
        let identity = FileIdentity(device: fileSystem.device, inode: UInt64(inode))
        return try ArchiveDirectory(file, path: path, identity: identity) {
            () throws(StoreError) in
            try fileSystem.leads(path, to: identity)
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
        return SimFile(
            fileSystem: fileSystem, path: file, inode: inode, isReadOnly: isReadOnly)
    }

    package func rename(_ name: String, to target: String) throws(StoreError) {
        checkWritable()
        try fileSystem.check(.rename, "\(path)/\(name)")
        try fileSystem.state.withLock { state throws(StoreError) in
            try state.rename(name, to: target, in: path)
        }
    }

    package func renameNew(_ name: String, to target: String) throws(StoreError) {
        checkWritable()
        try fileSystem.check(.rename, "\(path)/\(name)")
        try fileSystem.state.withLock { state throws(StoreError) in
            guard state.directories[path]?.entries[target] == nil else {
                throw StoreError(.fileExists, "\"\(path)/\(target)\" exists.", path: path)
            }
            try state.rename(name, to: target, in: path)
        }
    }

    package func moveToParent(_ name: String, as target: String) throws(StoreError) {
        checkWritable()
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        try fileSystem.check(.rename, "\(parent)/\(target)")
        try fileSystem.state.withLock { state throws(StoreError) in
            try state.move(name, from: path, to: target, in: parent)
        }
        do throws(StoreError) {
            try fileSystem.check(.syncDirectory, parent)
        } catch {
            try fileSystem.state.withLock { state throws(StoreError) in
                try state.unlink(target, in: parent)
            }
            throw error
        }
        fileSystem.state.withLock { $0.syncDirectory(parent) }
    }

    package func unlink(_ name: String) throws(StoreError) {
        checkWritable()
        try fileSystem.check(.unlink, "\(path)/\(name)")
        try fileSystem.state.withLock { state throws(StoreError) in
            try state.unlink(name, in: path)
        }
    }

    package func sync() throws(StoreError) {
        checkWritable()
        try fileSystem.check(.syncDirectory, path)
        fileSystem.state.withLock { $0.syncDirectory(path) }
    }

    package func openLock() throws(StoreError) -> any LockFile {
        let file = "\(path)/LOCK"
        try fileSystem.check(.open, file)
        let exists = fileSystem.state.withLock { $0.directories[path]?.entries["LOCK"] != nil }
        if !exists, !isReadOnly { try fileSystem.check(.create, file) }
        let (inode, owner) = try fileSystem.state.withLock { state throws(StoreError) in
            try state.openLock(in: path, isReadOnly: isReadOnly)
        }
        return SimLockFile(
            fileSystem: fileSystem, directory: path, inode: inode, owner: owner,
            isReadOnly: isReadOnly)
    }
}

extension SimState {
    mutating func openLock(
        in path: String, isReadOnly: Bool
    ) throws(StoreError) -> (inode: Int, owner: Int) {
        if !isReadOnly { try checkWritable("open", "\(path)/LOCK") }
        let inode: Int
        if let existing = directories[path]?.entries["LOCK"] {
            inode = existing
        } else {
            guard !isReadOnly else {
                throw StoreError(
                    .fileNotFound, "\"\(path)/LOCK\" does not exist.", path: "\(path)/LOCK")
            }
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
            // Nobody syncs it, but it contains zeros after a crash all the same: the store can't
            // observe its size as uncertain, because opening extends it.
            inodes[inode]!.content = Array(repeating: 0, count: Self.lockByteCount)
            inodes[inode]!.durable = inodes[inode]!.content
        }
        return (inode, newNumber())
    }
}
