/// What went wrong in the layers below the public library, with the place where it did.
///
/// `Realm.Error` of the public library carries the same codes; `Docs/Decisions` and the page
/// VERSIONS of the design list them. One struct serves store, engine and watcher, so that an error
/// crosses the layers unchanged and is dressed once, at the edge.
package struct StoreError: Error, Sendable, Equatable {
    /// The kind of failure. The names are those of the public `Realm.Error.Code`.
    package enum Code: String, Sendable, CaseIterable {
        case fileAccess, filePermissionDenied, fileExists, fileNotFound, fileMoved
        case alreadyOpen, closed, busy
        case diskFull, ioFailed, outcomeUnknown, invalidDatabase
        case unsupportedFormat, incompatiblePeer, schemaMismatch, migrationFailed, invalidInput
        case invalidValue, duplicatePrimaryKey, invalidQuery, historyTrimmed
        case readOnly
    }

    /// The kind of failure.
    package var code: Code
    /// One sentence that tells a user what is wrong and, where there is one, the way out.
    package var sentence: String
    /// The file or directory concerned.
    package var path: String?
    /// The system's error number, where a system call failed.
    package var errno: Int32?
    /// The log position at which damaged or unexpected bytes begin.
    package var position: UInt64?
    /// The newest commit version that could be read before `position`.
    package var lastGoodVersion: UInt64?
    /// The class concerned.
    package var className: String?
    /// The property concerned.
    package var property: String?
    /// The primary key concerned, as text.
    package var key: String?

    package init(
        _ code: Code, _ sentence: String, path: String? = nil, errno: Int32? = nil,
        position: UInt64? = nil, lastGoodVersion: UInt64? = nil, className: String? = nil,
        property: String? = nil, key: String? = nil
    ) {
        self.code = code
        self.sentence = sentence
        self.path = path
        self.errno = errno
        self.position = position
        self.lastGoodVersion = lastGoodVersion
        self.className = className
        self.property = property
        self.key = key
    }
}
