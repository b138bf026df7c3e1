extension Realm.Error {
    /// The kind of failure. Later versions may add codes, so always include a general `catch`.
    ///
    /// A code is also a pattern: `catch Realm.Error.Code.invalidDatabase` catches a ``Realm/Error``
    /// with that code. `Docs/ERRORS.md` lists when each code is thrown.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, as it appears in logs.
        public let name: String

        public var description: String { name }

        /// A realm or file can't be opened or created at its location.
        public static let fileAccess = Code(name: "fileAccess")
        /// The process isn't permitted to open or create the file.
        public static let filePermissionDenied = Code(name: "filePermissionDenied")
        /// The destination of a copy already exists.
        public static let fileExists = Code(name: "fileExists")
        /// A file that must exist doesn't exist.
        public static let fileNotFound = Code(name: "fileNotFound")
        /// The realm was moved, removed or replaced while it was open.
        public static let fileMoved = Code(name: "fileMoved")
        /// The realm is already open with a different configuration, or must be closed before it
        /// can be migrated or deleted.
        public static let alreadyOpen = Code(name: "alreadyOpen")
        /// The realm was closed, or this is a forked process that hasn't called exec.
        public static let closed = Code(name: "closed")
        /// Another writer held the realm for longer than `Configuration.writeTimeout`, another
        /// process was recovering it or writing a checkpoint for longer than a minute, or more
        /// versions are held than the configuration allows.
        public static let busy = Code(name: "busy")
        /// The disk is full. Nothing was committed; later writes can succeed.
        public static let diskFull = Code(name: "diskFull")
        /// A read, write or sync failed. Nothing was committed.
        public static let ioFailed = Code(name: "ioFailed")
        /// Writing or syncing the log failed, so it is unknown whether the commit will survive.
        public static let outcomeUnknown = Code(name: "outcomeUnknown")
        /// The files are damaged, or don't belong to a realm.
        public static let invalidDatabase = Code(name: "invalidDatabase")
        /// The file or text was written by a newer version of the library.
        public static let unsupportedFormat = Code(name: "unsupportedFormat")
        /// Another process uses the realm with an incompatible version of the library.
        public static let incompatiblePeer = Code(name: "incompatiblePeer")
        /// A class differs from the stored one in a way that requires a migration.
        public static let schemaMismatch = Code(name: "schemaMismatch")
        /// A migration led to a state that can't be stored, or a resumed migration made different
        /// calls than before.
        public static let migrationFailed = Code(name: "migrationFailed")
        /// An argument, a declaration, a name or a cursor is invalid, or a deleted object was used.
        public static let invalidInput = Code(name: "invalidInput")
        /// A value has the wrong type or exceeds its limits, or a stored value isn't valid.
        public static let invalidValue = Code(name: "invalidValue")
        /// An object with this primary key already exists.
        public static let duplicatePrimaryKey = Code(name: "duplicatePrimaryKey")
        /// A link with the delete rule `deny` still refers to an object that was to be deleted.
        public static let deletionDenied = Code(name: "deletionDenied")
        /// A query can't be evaluated.
        public static let invalidQuery = Code(name: "invalidQuery")
        /// The history that a cursor or stream needs is no longer kept, or a migration has since
        /// changed what the stream reads.
        public static let historyTrimmed = Code(name: "historyTrimmed")
        /// The realm was opened read-only and can't be changed.
        public static let readOnly = Code(name: "readOnly")
        /// The realm is encrypted, and no key was given.
        public static let keyRequired = Code(name: "keyRequired")
        /// The realm is encrypted with another key.
        public static let wrongKey = Code(name: "wrongKey")
        /// A key was given for a realm that isn't encrypted.
        public static let notEncrypted = Code(name: "notEncrypted")

        /// Returns whether `error` is a ``Realm/Error`` with this code, which makes codes usable in
        /// `catch`.
        public static func ~= (code: Code, error: any Swift.Error) -> Bool {
            (error as? Realm.Error)?.code == code
        }
    }
}
