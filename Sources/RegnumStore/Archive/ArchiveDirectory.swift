internal import Glibc

/// The directory of a realm in one file: a tar archive of its log and its nodes files, which are
/// read where they are in the archive. It has no `LOCK`, because nobody writes to it.
///
/// Has no mutable state.
package final class ArchiveDirectory: RealmDirectory {
    package let path: String
    package let identity: FileIdentity
    private let file: any StoreFile
    private let members: [String: Range<UInt64>]
    private let isNamed: @Sendable () throws(StoreError) -> Bool

    /// A copy has two files. More than that many aren't written by this library.
    private static let maximumMemberCount = 1_000
    /// An archive ends with zeros: programs fill up to a multiple of 10 KiB, or of what they were
    /// told.
    private static let maximumEndByteCount = 1 << 20

    /// Reads the headers of an archive.
    ///
    /// Throws `fileAccess` if the file isn't an archive, `invalidDatabase` if it is a damaged one.
    ///
    /// - Parameters:
    ///   - file: the archive, opened for reading.
    ///   - identity: the identity of the file.
    ///   - isNamed: returns whether the path still leads to the file.
    package init(
        _ file: any StoreFile, path: String, identity: FileIdentity,
        isNamed: @escaping @Sendable () throws(StoreError) -> Bool
    ) throws(StoreError) {
        self.file = file
        self.path = path
        self.identity = identity
        self.isNamed = isNamed
        members = try Self.members(of: file, path)
    }

    private static func members(
        of file: any StoreFile, _ path: String
    ) throws(StoreError) -> [String: Range<UInt64>] {
        let end = try file.size()
        var members: [String: Range<UInt64>] = [:]
        var offset: UInt64 = 0
        func damage(_ problem: String) -> StoreError {
            StoreError(
                .invalidDatabase, "\(path) is damaged at offset \(offset): \(problem).",
                path: path, position: offset)
        }
        while members.count <= maximumMemberCount {
            let bytes = try file.read(at: offset, count: TarHeader.byteCount)
            guard let header = TarHeader(bytes) else {
                if offset == 0 { throw notArchive(path) }
                // Lost bytes read as zeros too. What follows them shows that they aren't the end.
                let rest = try file.read(at: offset, count: maximumEndByteCount + 1)
                let isEnd =
                    rest.count >= TarHeader.byteCount && rest.count <= maximumEndByteCount
                    && rest.withUnsafeBytes { Bytes.countUpToLastNonZero($0) } == 0
                guard isEnd else { throw damage("there is no header of a file, and no end mark") }
                return members
            }
            let start = offset + UInt64(TarHeader.byteCount)
            // The file may have grown since its size was determined.
            guard start <= end, header.fileByteCount <= end - start else {
                throw damage(
                    "it is too short to contain the \(header.fileByteCount) bytes of "
                        + header.name)
            }
            let range = start..<start + header.fileByteCount
            guard members.updateValue(range, forKey: header.name) == nil else {
                throw damage("there are two files named \(header.name)")
            }
            offset = range.upperBound + header.paddingByteCount
        }
        throw damage("it has more than \(maximumMemberCount) files")
    }

    private static func notArchive(_ path: String) -> StoreError {
        StoreError(
            .fileAccess,
            "\"\(path)\" is neither the directory of a realm nor a copy of one in a file.",
            path: path, errno: ENOTDIR)
    }

    package var isReadOnly: Bool { true }

    package func isCurrent() throws(StoreError) -> Bool { try isNamed() }

    package func freeByteCount() -> UInt64? { nil }

    package func names() -> [String] { Array(members.keys) }

    package func open(_ name: String) throws(StoreError) -> any StoreFile {
        guard let range = members[name] else { throw missing(name) }
        return ArchiveMember(file, range)
    }

    package func openLock() throws(StoreError) -> any LockFile { throw missing("LOCK") }

    private func missing(_ name: String) -> StoreError {
        StoreError(
            .fileNotFound, "There is no file \(name) in \"\(path)\".", path: "\(path)/\(name)")
    }

    // Modifying methods, which are never called.
    package func create(_ name: String) -> any StoreFile { refuse() }
    package func rename(_ name: String, to target: String) { refuse() }
    package func renameNew(_ name: String, to target: String) { refuse() }
    package func moveToParent(_ name: String, as target: String) { refuse() }
    package func unlink(_ name: String) { refuse() }
    package func sync() { refuse() }

    private func refuse() -> Never {
        preconditionFailure("change in a directory that was opened for reading")
    }
}
