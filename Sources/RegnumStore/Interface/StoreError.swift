/// An error of the layers below the public library, with its context.
///
/// `Realm.Error` of the public library has the same codes. Store, engine and watcher share this
/// type, so that an error crosses the layers unchanged and is converted once, at the public API.
package struct StoreError: Error, Sendable, Equatable {
    /// The kind of failure. The names are those of the public `Realm.Error.Code`.
    package enum Code: String, Sendable, CaseIterable {
        case fileAccess, filePermissionDenied, fileExists, fileNotFound, fileMoved
        case alreadyOpen, closed, busy
        case diskFull, ioFailed, outcomeUnknown, invalidDatabase
        case unsupportedFormat, incompatiblePeer, schemaMismatch, migrationFailed, invalidInput
        case invalidValue, duplicatePrimaryKey, invalidQuery, historyTrimmed
        case readOnly
        case keyRequired, wrongKey, notEncrypted
    }

    /// The kind of failure.
    package var code: Code
    /// A message for the user: what is wrong and, if possible, how to fix it.
    package var message: String
    /// The affected file or directory.
    package var path: String?
    /// The system's error number, if a system call failed.
    package var errno: Int32?
    /// The log position at which damaged or unexpected bytes begin.
    package var position: UInt64?
    /// The newest commit version that was read before `position`.
    package var lastGoodVersion: UInt64?
    /// The affected class.
    package var className: String?
    /// The affected property.
    package var property: String?
    /// The affected primary key, as text.
    package var key: String?

    package init(
        _ code: Code, _ message: String, path: String? = nil, errno: Int32? = nil,
        position: UInt64? = nil, lastGoodVersion: UInt64? = nil, className: String? = nil,
        property: String? = nil, key: String? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.errno = errno
        self.position = position
        self.lastGoodVersion = lastGoodVersion
        self.className = className
        self.property = property
        self.key = key
    }

    /// Whether the key of the realm is missing, is another one, or isn't needed.
    var isAboutKey: Bool {
        code == .keyRequired || code == .wrongKey || code == .notEncrypted
    }

    /// The end of messages about damage that can't be repaired.
    package static let advice =
        "Restore the realm from a backup; regnum salvage or Realm.salvage may save more."
}
