extension Realm.Error {
    /// The kind of a failure. Later versions may add codes: always leave a general `catch`.
    ///
    /// A code is also a pattern: `catch Realm.Error.Code.invalidDatabase` catches a
    /// ``Realm/Error`` with that code. `Docs/ERRORS.md` says of each when it is thrown.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, as it stands in logs.
        public let name: String

        init(name: String) {
            self.name = name
        }

        public var description: String { name }

        /// Opening or using a file failed.
        public static let fileAccess = Code(name: "fileAccess")
        /// The user may not open or create the file.
        public static let filePermissionDenied = Code(name: "filePermissionDenied")
        /// The target of a copy exists already.
        public static let fileExists = Code(name: "fileExists")
        /// A file that must exist does not.
        public static let fileNotFound = Code(name: "fileNotFound")
        /// The realm was moved or removed, or another one put in its place, while it was open.
        public static let fileMoved = Code(name: "fileMoved")
        /// The realm is open with another configuration.
        public static let alreadyOpen = Code(name: "alreadyOpen")
        /// The realm was closed.
        public static let closed = Code(name: "closed")
        /// Another writer held the realm for longer than `Configuration.writeTimeout`; or another
        /// process recovered it, or wrote a checkpoint, for longer than a minute; or more versions are
        /// held than the configuration allows.
        public static let busy = Code(name: "busy")
        /// No space is left. Nothing was committed; later writes can succeed.
        public static let diskFull = Code(name: "diskFull")
        /// A read, write or sync failed. Nothing was committed.
        public static let ioFailed = Code(name: "ioFailed")
        /// A sync failed in a way that leaves open whether the commit survives.
        public static let outcomeUnknown = Code(name: "outcomeUnknown")
        /// The file is damaged or no realm.
        public static let invalidDatabase = Code(name: "invalidDatabase")
        /// A newer or unknown file format.
        public static let unsupportedFormat = Code(name: "unsupportedFormat")
        /// Another process uses the realm with an incompatible version of the library.
        public static let incompatiblePeer = Code(name: "incompatiblePeer")
        /// A class differs from what is stored in a way that needs a migration.
        public static let schemaMismatch = Code(name: "schemaMismatch")
        /// A migration failed.
        public static let migrationFailed = Code(name: "migrationFailed")
        /// An argument, or a class declaration, that cannot be used.
        public static let invalidInput = Code(name: "invalidInput")
        /// A property value beyond its limits.
        public static let invalidValue = Code(name: "invalidValue")
        /// An object with this primary key exists already.
        public static let duplicatePrimaryKey = Code(name: "duplicatePrimaryKey")
        /// A link with the delete rule `deny` still leads to an object that was to be deleted.
        public static let deletionDenied = Code(name: "deletionDenied")
        /// A query that cannot be evaluated.
        public static let invalidQuery = Code(name: "invalidQuery")
        /// The changes asked for are no longer kept.
        public static let historyTrimmed = Code(name: "historyTrimmed")
        /// A change to a realm that was opened read-only.
        public static let readOnly = Code(name: "readOnly")

        /// Whether `error` is a ``Realm/Error`` with this code: makes codes usable in `catch`.
        public static func ~= (code: Code, error: any Swift.Error) -> Bool {
            (error as? Realm.Error)?.code == code
        }
    }
}
