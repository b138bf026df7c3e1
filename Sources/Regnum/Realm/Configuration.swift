public import FoundationEssentials
public import Logging

extension Realm {
    /// Where a realm lives and how it behaves.
    ///
    ///     var configuration = Realm.Configuration(location: .file(URL(filePath: "chat.realm")))
    ///     configuration.objectTypes = [Room.self, Message.self]
    ///     let realm = try await Realm.open(configuration)
    public struct Configuration: Sendable {
        /// Where a realm lives.
        public enum Location: Sendable, Hashable {
            /// In a directory, made when it is missing and shared with other processes.
            case file(URL)
            /// In the memory of this process, for all who open the same identifier; gone when the
            /// last of them lets go.
            case inMemory(identifier: String)
        }

        /// Where the realm lives.
        public var location: Location
        /// The classes of the realm. They are checked against the stored ones at open, and no
        /// other class may be used. Nil: each class joins at its first use.
        public var objectTypes: [ObjectBase.Type]?
        /// The version of the schema, for migrations. Adding classes and properties needs no
        /// new version. Only 0 works in this release.
        public var schemaVersion: UInt64 = 0
        /// Whether nothing may be written. Not available in this release: `open` throws.
        public var readOnly = false
        /// What a commit survives, unless `write` says otherwise.
        public var durability: Durability = .full
        /// How long a `write` waits for writers of other processes before it throws `.busy`.
        /// Nil: as long as it takes.
        public var writeTimeout: Duration?
        /// Where the realm tells what it does: nothing above `debug` for normal work.
        public var logger: Logger?
        /// A name for logs and metrics.
        public var name: String

        /// A configuration with the defaults for everything but the place.
        public init(location: Location, objectTypes: [ObjectBase.Type]? = nil) {
            self.location = location
            self.objectTypes = objectTypes
            switch location {
            case .file(let url): name = url.lastPathComponent
            case .inMemory(let identifier): name = identifier
            }
        }

        /// The realm `default.realm` in the current directory of the process.
        public static var `default`: Configuration {
            Configuration(location: .file(URL(filePath: "default.realm")))
        }
    }

    /// What a commit survives once `write` has returned.
    public enum Durability: Sendable, Hashable {
        /// The death of the process and the loss of power.
        case full
        /// The death of the process; the loss of power once the duration has passed.
        case relaxed(within: Duration)
    }
}

extension Realm.Configuration {
    /// Whether two openings of the same realm can share it.
    func agrees(with other: Realm.Configuration) -> Bool {
        let mine = objectTypes.map { Set($0.map { ObjectIdentifier($0) }) }
        let theirs = other.objectTypes.map { Set($0.map { ObjectIdentifier($0) }) }
        return location == other.location && mine == theirs
            && schemaVersion == other.schemaVersion && readOnly == other.readOnly
            && durability == other.durability && writeTimeout == other.writeTimeout
    }
}
