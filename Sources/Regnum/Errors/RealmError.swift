public import FoundationEssentials

extension Realm {
    /// An error thrown by the library, with its code, message and location.
    ///
    /// Every error that the library throws is of this type, except `CancellationError`, the errors
    /// of encoders and decoders, and whatever your own code throws, for example in transaction
    /// bodies.
    ///
    ///     do {
    ///         try await realm.write { tx in try tx.add(room) }
    ///     } catch Realm.Error.Code.duplicatePrimaryKey {
    ///         // the room already exists
    ///     } catch let error as Realm.Error where error.code == .diskFull {
    ///         …
    ///     }
    public struct Error: Swift.Error, Sendable {
        /// The kind of failure.
        public var code: Code
        /// A message that describes the problem and, where possible, how to fix it.
        public var message: String
        /// The model class involved.
        public var className: String?
        /// The property involved, by its Swift name.
        public var property: String?
        /// The path of the invalid value within the values from which objects were created, such as
        /// `friends[3].dog.name`. `nil` if the value belongs to the outermost object itself.
        public var valuePath: String?
        /// The primary key involved, as text.
        public var key: String?
        /// The file or directory involved.
        public var path: String?
        /// The `errno` of a failed system call.
        public var errno: Int32?
        /// The log position, or the offset in a nodes file, at which damaged bytes begin.
        public var position: UInt64?
        /// The line number in the imported text, starting at 1.
        public var line: Int?
        /// The call site (file and line) of the `write` or `read` whose transaction failed because
        /// of a setter or another call that can't throw.
        public var transaction: String?
        /// Whether a stream can't continue from its cursor, for whatever reason: its history is no
        /// longer kept, or a migration has since changed what the stream reads (`.historyTrimmed`);
        /// or the cursor belongs to another realm, to commits that this one lacks because an
        /// earlier state was restored, or to the other timeline of a copy (`.invalidInput`). Start
        /// again without a cursor.
        ///
        ///     } catch let error as Realm.Error where error.isHistoryUnavailable {
        ///         cursor = nil
        ///     }
        public var isHistoryUnavailable: Bool { code == .historyTrimmed || refusesCursor }
        /// Whether this realm doesn't have the version and timeline of the cursor.
        var refusesCursor = false
        /// The error that caused this one.
        public var underlying: (any Swift.Error)?

        /// Creates an error. Only the library needs to create errors, except in tests.
        public init(
            _ code: Code, _ message: String, className: String? = nil, property: String? = nil,
            key: String? = nil, path: String? = nil, errno: Int32? = nil,
            position: UInt64? = nil, underlying: (any Swift.Error)? = nil
        ) {
            self.code = code
            self.message = message
            self.className = className
            self.property = property
            self.key = key
            self.path = path
            self.errno = errno
            self.position = position
            self.underlying = underlying
        }
    }
}

extension Realm.Error {
    /// The error for a value that a property can't hold. In the message, `what` follows the names:
    /// "Person.dog was given a deleted Dog."
    static func invalidValue(
        _ className: String, _ property: String, _ what: String
    ) -> Realm.Error {
        Realm.Error(
            .invalidValue, "\(className).\(property) \(what)", className: className,
            property: property)
    }
}

extension Realm.Error: LocalizedError {
    /// The error's message.
    public var errorDescription: String? { message }
}

extension Realm.Error: CustomStringConvertible {
    /// The code, message and location of the error, for logs.
    public var description: String {
        var text = "\(code): \(message)"
        let places: [(String, String?)] = [
            ("class", className), ("property", property), ("value", valuePath), ("key", key),
            ("path", path),
            ("errno", errno.map { String($0) }), ("position", position.map { String($0) }),
            ("line", line.map { String($0) }), ("transaction", transaction),
            ("cause", underlying.map { "\($0)" }),
        ]
        let known = places.compactMap { name, value in value.map { "\(name): \($0)" } }
        if !known.isEmpty { text += " (" + known.joined(separator: ", ") + ")" }
        return text
    }
}

extension Realm.Error {
    /// The error that a resumed migration block sees if its calls differ from those it made before.
    static var otherMigrationCalls: Realm.Error {
        Realm.Error(
            .migrationFailed,
            "The migration block made different calls than before the interruption. It will start "
                + "over.")
    }
}
