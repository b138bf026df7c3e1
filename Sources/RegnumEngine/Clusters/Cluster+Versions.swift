// The version that last wrote each row: one number for all rows of a cluster, or a chunk of u64,
// with a small patch on top for the rows written since. A single update of a cluster that wasn't
// changed recently thus copies a patch instead of 8 KiB of versions.

/// Content versions of individual rows, which override those of the cluster.
///
///     0     header          kind chunk, count = entries
///     16    u64 x entries   version << 10 | row; each row once, in no order
///
/// Kept in memory only: checkpoints write a chunk.
struct VersionPatch {
    let node: Node

    /// The maximum number of entries. Beyond it the cluster gets a version chunk.
    static let maximumEntryCount = 30
    private static let firstByteCount = 64

    @inline(__always)
    private var entries: UnsafeMutablePointer<UInt64> {
        (node.address + Node.headerByteCount).assumingMemoryBound(to: UInt64.self)
    }

    private var capacity: Int { (node.byteCount - Node.headerByteCount) >> 3 }

    @inline(__always)
    private func place(_ row: Int) -> Int? {
        for place in 0..<node.count where Int(entries[place] & 1023) == row { return place }
        return nil
    }

    /// Returns the content version of a row, or `nil` if it isn't in the patch.
    @inline(__always)
    func version(_ row: Int) -> UInt64? { place(row).map { entries[$0] >> 10 } }

    /// Overwrites the patched rows in an array with the versions of all rows.
    func apply(to rows: UnsafeMutableRawPointer) {
        for place in 0..<node.count {
            let entry = entries[place]
            rows.storeBytes(
                of: entry >> 10, toByteOffset: Int(entry & 1023) << 3, as: UInt64.self)
        }
    }

    /// Returns a patch with the version of a row set, either `patch` itself or a replacement.
    /// Returns `nil` if the patch is full or the version is too large for an entry, which only
    /// happens with forged files. `patch` is `nil` if there is none yet.
    static func setting(
        _ version: UInt64, row: Int, in patch: VersionPatch?, edit: NodeEdit
    ) -> VersionPatch? {
        if version >> 54 != 0 { return nil }
        let entry = version << 10 | UInt64(row)
        guard let patch else {
            let new = VersionPatch(node: edit.make(.chunk, byteCount: firstByteCount))
            new.node.count = 1
            new.entries[0] = entry
            return new
        }
        if let place = patch.place(row) {
            let own = VersionPatch(node: edit.own(patch.node))
            own.entries[place] = entry
            return own
        }
        let count = patch.node.count
        guard count < maximumEntryCount else { return nil }
        let own = VersionPatch(
            node: count < patch.capacity
                ? edit.own(patch.node) : edit.copy(patch.node, byteCount: 2 * patch.node.byteCount))
        own.entries[count] = entry
        own.node.count = count + 1
        return own
    }
}

extension Cluster {
    @inline(__always)
    private var versionPatchWord: UInt { node.load(ClusterOffsets.versionPatch) }

    @inline(__always)
    private var versionPatch: VersionPatch? {
        Node(word: versionPatchWord).map { VersionPatch(node: $0) }
    }

    /// The word of the version chunk, or 0 if there is none or it isn't loaded.
    @inline(__always)
    var versionWord: UInt { loadWord(node.address + ClusterOffsets.versionWord) }

    /// Whether all rows have `uniformVersion`.
    @inline(__always)
    var hasUniformVersion: Bool {
        versionWord == 0 && versionExtent == 0 && versionPatchWord == 0
    }

    /// Whether the image at `versionExtent` is current.
    var isVersionImageCurrent: Bool { versionExtent != 0 && versionPatchWord == 0 }

    /// Returns the content version of a row below `rowCount`.
    @inline(__always)
    func contentVersion(_ row: Int) -> UInt64 {
        if let version = versionPatch?.version(row) { return version }
        let word = versionWord
        if word == 0, versionExtent == 0 { return uniformVersion }
        return Cluster.rows(word != 0 ? word : resolveVersions())
            .load(fromByteOffset: 8 &* row, as: UInt64.self)
    }

    /// Returns the content versions of all rows below `rowCount`.
    func contentVersions() -> [UInt64] {
        let count = rowCount
        return [UInt64](unsafeUninitializedCapacity: count) { versions, initialized in
            let word = versionWord
            if word == 0, versionExtent == 0 {
                versions.initialize(repeating: uniformVersion)
            } else {
                UnsafeMutableRawBufferPointer(versions).copyMemory(
                    from: UnsafeRawBufferPointer(
                        start: Cluster.rows(word != 0 ? word : resolveVersions()),
                        count: 8 * count))
            }
            initialized = count
            if let start = versions.baseAddress { versionPatch?.apply(to: start) }
        }
    }

    // MARK: Editing

    /// Sets the content version of a row, which may be the next one to be appended.
    @inline(__always)
    func setVersion(_ version: UInt64, row: Int, edit: NodeEdit) {
        if uniformVersion == version, hasUniformVersion { return }
        setMixedVersion(version, row: row, edit: edit)
    }

    @inline(never)
    private func setMixedVersion(_ version: UInt64, row: Int, edit: NodeEdit) {
        if row < rowCount {
            if versionPatchWord != 0 || !canWriteVersions(row, edit) {
                if patchVersion(version, row: row, edit: edit) { return }
                ownVersions(edit)
            }
        } else if versionWord == 0, versionExtent == 0 {
            if rowCount == 0 { uniformVersion = version }
            if uniformVersion == version { return }
        }
        let rows = writableVersions(row, edit)
        rows.storeBytes(of: version, toByteOffset: row << 3, as: UInt64.self)
    }

    /// Returns whether a row's version may be written to the chunk in place.
    private func canWriteVersions(_ row: Int, _ edit: NodeEdit) -> Bool {
        guard let chunk = Node(word: versionWord), !chunk.isMapped else { return false }
        return edit.owns(chunk) || row >= frozenRows
    }

    private func patchVersion(_ version: UInt64, row: Int, edit: NodeEdit) -> Bool {
        guard
            let patch = VersionPatch.setting(version, row: row, in: versionPatch, edit: edit)
        else { return false }
        node.store(patch.node.word, ClusterOffsets.versionPatch)
        return true
    }

    /// Makes the edit own the version chunk and applies and removes the patch. The cluster must
    /// have rows.
    func ownVersions(_ edit: NodeEdit) {
        let chunk = Node(word: versionWord)
        if chunk.map({ edit.owns($0) }) != true { copyVersions(rowCount, edit) }
        if let versionPatch {
            versionPatch.apply(to: Cluster.rows(versionWord))
            edit.retire(versionPatch.node)
            node.store(0 as UInt, ClusterOffsets.versionPatch)
        }
        versionExtent = 0
        versionCRC = 0
    }

    /// Returns a chunk in which the version of `row` may be written, creating or copying it if
    /// necessary.
    private func writableVersions(_ row: Int, _ edit: NodeEdit) -> UnsafeMutableRawPointer {
        let chunk = Node(word: versionWord)
        let capacity = chunk.map { ($0.byteCount - Node.headerByteCount) >> 3 } ?? 0
        if row >= capacity || !canWriteVersions(row, edit) {
            copyVersions(max(rowCount, row + 1), edit)
        }
        versionExtent = 0
        versionCRC = 0
        return Cluster.rows(versionWord)
    }

    /// Replaces the version chunk with a copy owned by the edit, or with a new one filled with
    /// `uniformVersion`.
    private func copyVersions(_ rowCount: Int, _ edit: NodeEdit) {
        var word = versionWord
        if word == 0, versionExtent == 0 {
            let capacity = Cluster.capacity(for: rowCount)
            let chunk = edit.make(.chunk, byteCount: Node.headerByteCount + capacity << 3)
            chunk.count = 8
            Cluster.rows(chunk.word).initializeMemory(
                as: UInt64.self, repeating: uniformVersion, count: self.rowCount)
            word = chunk.word
        } else {
            if word == 0 { word = resolveVersions() }
            word = Cluster.copyChunk(word, log2: 3, rowCount: rowCount, edit: edit).word
        }
        node.store(word, ClusterOffsets.versionWord)
    }

    // MARK: Loading

    /// Loads the chunk of content versions from its image.
    @inline(never)
    func resolveVersions() -> UInt {
        let place = node.address + ClusterOffsets.versionWord
        if let word = TransientLeaves.word(at: place) { return word }
        guard versionExtent != 0, let source = NodeSource.named(sourceWord) else {
            return ZeroRows.word
        }
        let byteCount = Node.headerByteCount + rowCount << 3
        let image = source.image(
            .chunk, at: versionExtent, byteCount: byteCount, crc: versionCRC, count: 8)
        let word = UInt(bitPattern: image.address)
        if image.isSound { Cluster.keep(word, at: place, of: source) }
        return word
    }
}
