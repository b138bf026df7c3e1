public import FoundationEssentials

extension Realm {
    /// What went wrong, and where.
    ///
    /// Every error that the library throws is of this type, except `CancellationError` and the
    /// errors of your own transaction bodies, which pass through `write` and `read` unchanged.
    ///
    ///     do {
    ///         try await realm.write { tx in try tx.add(room) }
    ///     } catch Realm.Error.Code.duplicatePrimaryKey {
    ///         // somebody else made the room
    ///     } catch let error as Realm.Error where error.code == .diskFull {
    ///         …
    ///     }
    public struct Error: Swift.Error, Sendable {
        /// The kind of failure.
        public var code: Code
        /// One sentence that says what is wrong and, where there is one, the way out.
        public var message: String
        /// The model class concerned.
        public var className: String?
        /// The property concerned, by its Swift name.
        public var property: String?
        /// Where the value is that is wrong, among those that objects were made of:
        /// `friends[3].dog.name`. nil for a value of the outermost object itself.
        public var valuePath: String?
        /// The primary key concerned, as text.
        public var key: String?
        /// The file or directory concerned.
        public var path: String?
        /// The system's error number, where a system call failed.
        public var errno: Int32?
        /// The position in the log at which damaged bytes begin.
        public var position: UInt64?
        /// The line concerned, from 1, of a text that is imported.
        public var line: Int?
        /// The call of `write` or `read`, as file and line, whose transaction failed by a setter or
        /// another call that cannot throw.
        public var transaction: String?
        /// The error that led to this one.
        public var underlying: (any Swift.Error)?

        /// An error with its places. The library makes these; make your own in tests.
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

extension Realm.Error: LocalizedError {
    /// The sentence.
    public var errorDescription: String? { message }
}

extension Realm.Error: CustomStringConvertible {
    /// The code, the sentence and the places, for logs.
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
