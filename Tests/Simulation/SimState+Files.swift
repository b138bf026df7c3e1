internal import RegnumStore
import RegnumTestSupport

extension SimState {
    func checkWritable(_ action: String, _ path: String) throws(StoreError) {
        guard isReadOnly else { return }
        throw StoreError(
            .filePermissionDenied, "Cannot \(action) \"\(path)\": the file system is read-only.",
            path: path)
    }

    func inode(_ name: String, in path: String) throws(StoreError) -> Int {
        if let inode = directories[path]?.entries[name] { return inode }
        throw StoreError(
            .fileNotFound, "\"\(path)/\(name)\" does not exist.", path: "\(path)/\(name)")
    }

    mutating func create(_ name: String, in path: String) throws(StoreError) -> Int {
        try checkWritable("create", "\(path)/\(name)")
        guard var directory = directories[path] else {
            throw StoreError(.fileNotFound, "\"\(path)\" does not exist.", path: path)
        }
        guard directory.entries[name] == nil else {
            throw StoreError(
                .fileExists, "\"\(path)/\(name)\" already exists.", path: "\(path)/\(name)")
        }
        let inode = newNumber()
        inodes[inode] = SimInode()
        let operation = SimDirectoryOperation(
            order: newNumber(), kind: .create(name), inode: inode)
        operation.apply(to: &directory.entries)
        directory.operations.append(operation)
        directories[path] = directory
        return inode
    }

    mutating func rename(
        _ name: String, to target: String, in path: String
    ) throws(StoreError) {
        try checkWritable("rename", "\(path)/\(name)")
        let inode = try inode(name, in: path)
        guard name != target else { return }
        let replaced = directories[path]?.entries[target]
        apply(.rename(name, target), inode, path)
        if let replaced { collect(replaced) }
    }

    mutating func unlink(_ name: String, in path: String) throws(StoreError) {
        try checkWritable("remove", "\(path)/\(name)")
        let inode = try inode(name, in: path)
        apply(.unlink(name), inode, path)
        collect(inode)
    }

    /// Moves a file to another directory. A crash can leave it in both of them, or in none.
    mutating func move(
        _ name: String, from path: String, to target: String, in other: String
    ) throws(StoreError) {
        try checkWritable("make", "\(other)/\(target)")
        let inode = try inode(name, in: path)
        guard directories[other] != nil else {
            throw StoreError(.fileAccess, "\"\(other)\" does not exist.", path: other)
        }
        guard !hasEntry("\(other)/\(target)") else {
            throw StoreError(
                .fileExists, "\"\(other)/\(target)\" exists.", path: "\(other)/\(target)")
        }
        apply(.create(target), inode, other)
        apply(.unlink(name), inode, path)
    }

    /// Returns the inode of the file at a path, if its directory was made here.
    func file(_ path: String) -> Int? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let (parent, name) = (String(path[..<slash]), String(path[path.index(after: slash)...]))
        return directories[parent]?.entries[name]
    }

    func hasEntry(_ path: String) -> Bool {
        directories[path] != nil || plainFiles.contains(path) || file(path) != nil
    }

    private mutating func apply(
        _ kind: SimDirectoryOperation.Kind, _ inode: Int, _ path: String
    ) {
        guard var directory = directories[path] else { return }
        let operation = SimDirectoryOperation(order: newNumber(), kind: kind, inode: inode)
        operation.apply(to: &directory.entries)
        directory.operations.append(operation)
        directories[path] = directory
    }

    mutating func syncDirectory(_ path: String) {
        guard var directory = directories[path] else { return }
        var touched = Set(directory.durable.values)
        touched.formUnion(directory.operations.map(\.inode))
        directory.durable = directory.entries
        directory.operations = []
        directories[path] = directory
        for inode in touched { collect(inode) }
    }

    /// Writes as much as the capacity allows.
    mutating func write(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64, to inode: Int, _ path: String
    ) throws(StoreError) {
        try checkWritable("write", path)
        guard bytes.count > 0 else { return }
        guard let start = Int(exactly: offset), start < 1 << 40 else {
            throw StoreError(.ioFailed, "Cannot write \"\(path)\" at that offset.", path: path)
        }
        var count = bytes.count
        if let capacityByteCount {
            let used = usedByteCount()
            let free = capacityByteCount > used ? Int(capacityByteCount - used) : 0
            let needed = inodes[inode]!.neededByteCount(start..<start + count)
            // What needs space is at the end: new, or released up to the end of the file.
            if needed > free { count = max(0, count - (needed - free)) }
        }
        if count > 0 {
            store(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: start, in: inode)
        }
        guard count == bytes.count else {
            throw StoreError(
                .diskFull, "Cannot write \"\(path)\": no space is left on the disk.", path: path)
        }
    }

    private mutating func store(_ bytes: UnsafeRawBufferPointer, at start: Int, in inode: Int) {
        let end = start + bytes.count
        let firstOrder = lastNumber + 1
        let sectors = start / sectorByteCount...(end - 1) / sectorByteCount
        lastNumber += sectors.count
        // Removed from the dictionary so that the arrays are mutated in place.
        var file = inodes.removeValue(forKey: inode)!
        if file.content.count < end {
            file.content.append(
                contentsOf: [UInt8](repeating: 0, count: end - file.content.count))
        }
        file.take(start..<end)
        file.content.withUnsafeMutableBytes { content in
            UnsafeMutableRawBufferPointer(rebasing: content[start..<end]).copyMemory(from: bytes)
        }
        for sector in sectors {
            let from = sector * sectorByteCount
            let to = min(from + sectorByteCount, file.content.count)
            file.dirty.append(
                SimSector(
                    order: firstOrder + sector - sectors.lowerBound, sector: sector,
                    bytes: Array(file.content[from..<to])))
        }
        inodes[inode] = file
    }

    /// Frees the space of the bytes from `offset` on, which read as zeros from then on. Not counted
    /// as an effect: a crash can undo it.
    mutating func release(from offset: UInt64, in inode: Int) {
        guard let start = Int(exactly: offset), var file = inodes.removeValue(forKey: inode) else {
            return
        }
        if start < file.content.count {
            let count = file.content.count - start
            file.content.replaceSubrange(start..., with: [UInt8](repeating: 0, count: count))
            file.release(start..<file.content.count)
        }
        inodes[inode] = file
    }

    /// Makes the size and the newest version of every dirty sector durable, except for the sectors
    /// that a failed sync marked clean.
    mutating func sync(_ inode: Int) {
        guard var file = inodes.removeValue(forKey: inode) else { return }
        var newest: [Int: Int] = [:]
        for (index, item) in file.dirty.enumerated() { newest[item.sector] = index }
        if file.durable.count < file.content.count {
            let growth = file.content.count - file.durable.count
            file.durable.append(contentsOf: [UInt8](repeating: 0, count: growth))
        }
        for index in newest.values where !file.dirty[index].isLost {
            let item = file.dirty[index]
            let from = item.sector * sectorByteCount
            file.durable.replaceSubrange(from..<from + item.bytes.count, with: item.bytes)
        }
        let lost = Set(newest.filter { file.dirty[$0.value].isLost }.keys)
        file.dirty.removeAll { !lost.contains($0.sector) }
        inodes[inode] = file
    }

    /// The effect of a failed sync that marks the pages clean.
    mutating func loseDirtyData(_ inode: Int) {
        guard var file = inodes.removeValue(forKey: inode) else { return }
        for index in file.dirty.indices { file.dirty[index].isLost = true }
        inodes[inode] = file
    }

    /// Makes reads return what is on disk where pages were marked clean without being written.
    mutating func dropCaches() {
        for (inode, var file) in inodes {
            var newest: [Int: SimSector] = [:]
            for item in file.dirty { newest[item.sector] = item }
            for item in newest.values where item.isLost {
                let from = item.sector * sectorByteCount
                for position in from..<from + item.bytes.count {
                    let isThere = position < file.durable.count
                    file.content[position] = isThere ? file.durable[position] : 0
                }
            }
            file.dirty.removeAll { newest[$0.sector]!.isLost }
            inodes[inode] = file
        }
    }
}
