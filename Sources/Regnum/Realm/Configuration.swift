public import FoundationEssentials
public import Logging
package import RegnumEngine
internal import RegnumStore

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
        /// The version of the schema, which the realm stores: a program with a lower one than is
        /// stored can no longer open or write the realm. Adding classes and properties needs no new
        /// version.
        ///
        /// `open` stores a higher one at once, and runs ``migration`` before it returns. At the stored
        /// version a class that differs from what is stored is a `.schemaMismatch`.
        public var schemaVersion: UInt64 = 0
        /// What takes the objects of a realm of a lower ``schemaVersion`` to the present classes: see
        /// ``Migration``. It is not run for a new realm. It needs ``objectTypes``.
        ///
        /// Nil: changes that lose nothing are made (properties become optional, embedded classes
        /// classes on their own, keys change whose values are all different), others are a
        /// `.schemaMismatch`.
        public var migration: MigrationBlock?
        /// Where a copy of the realm is made before it is migrated, as ``Realm/backup(to:)`` does; nil:
        /// none. The realm is not migrated if that fails, as it does where something else is. It stays
        /// if the migration fails, and is used again then.
        public var migrationBackup: URL?
        /// Called while ``migration`` goes through the objects of a class, from the thread that runs
        /// it.
        public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
        /// Whether a migration is written as it goes, into the realm's files and unseen by others: then
        /// of what its block changes a part is in memory only, and it goes on at the next `open` where it
        /// was killed, cancelled or found no space. Nil: it is held in memory and begins anew.
        ///
        /// What comes after the block is not divided: a byte for each object and property that is dropped,
        /// objects that become embedded, keys and indexes that are new, and at the commit 24 bytes for
        /// each object that was changed. Killed in it, it goes on from the last part.
        ///
        /// Its block must be a function of the objects. When it goes on it runs once more from its
        /// beginning; the calls of ``Migration`` that were done are passed over, and those of
        /// `enumerateObjects` visit the objects that are left. So it must make the same calls in the same
        /// order, keep nothing in variables from one object to the next (``Migration/position`` counts),
        /// and what it sets outside of `enumerateObjects` is set again. It begins anew if the realm was
        /// written meanwhile, the schema version, the classes or ``ResumableMigration/name`` are others, the
        /// calls differ, or what was written is damaged. An error of the block undoes all, as always. It is
        /// ignored in memory and by ``Realm/previewMigration(for:)``.
        public var resumableMigration: ResumableMigration?
        /// Whether a realm of a lower ``schemaVersion``, or one that listed classes differ from, is
        /// deleted at `open` instead of being migrated: for what can be made again. Classes,
        /// properties and indexes that are only new delete nothing; a realm of a higher version is
        /// refused. It has no effect on classes that are not listed: they join at their first use,
        /// when the realm is open, and throw `.schemaMismatch` if they differ.
        public var deleteRealmIfMigrationNeeded = false
        /// Whether the realm is only read: it must be there, and not a byte in its directory is
        /// written. Works without write permission and on media that cannot be written; commits of
        /// other processes are followed. A listed class whose properties are not all stored is a
        /// `.schemaMismatch`; one that is not stored at all is empty.
        public var readOnly = false
        /// Whether the realm may lie on a network file system, on FUSE or on one that machines
        /// share: `.fileAccess` otherwise. Locks and mappings may not hold there for all who use
        /// it, so set it only where one machine alone does.
        public var allowsNetworkFileSystem = false
        /// The realm whose content a new realm begins with; it may be in use meanwhile, and nothing
        /// of it is changed. Ignored where the realm is there already.
        public var seedFile: URL?
        /// The most versions that snapshots, frozen values and streams of this process may hold when a
        /// `write` begins; it throws `.busy` if there are more. Nil: any number.
        /// ``Realm/stats()`` tells who holds them.
        public var maximumNumberOfActiveVersions: UInt?
        /// How much of its past the realm keeps from now on, for streams that go on from a cursor,
        /// and for others that ask for it. Stored with the realm, for all processes, until another
        /// opening sets another one. Nil: what was set before, else
        /// ``Realm/HistoryRetention/standard``.
        ///
        /// What is gone stays gone. ``Realm/historyRetention()`` tells what is set.
        public var historyRetention: HistoryRetention?
        /// What a commit survives, unless `write` says otherwise.
        public var durability: Durability = .full
        /// How long a `write` waits for other writers, of this process and of others, before it
        /// throws `.busy`, which says who has the realm. Nil: as long as it takes.
        ///
        /// With or without it, a wait of five seconds is a warning in the log, which names the
        /// waiting write and the process or the write that it waits for; it comes again every 50
        /// seconds. It goes to ``logger``, or to a logger with the label "regnum" if there is none.
        public var writeTimeout: Duration?
        /// Where the realm logs what it does, nil for nowhere: nothing above `debug` for normal
        /// work, and `critical` where a frozen value has no true answer (``Snapshot/read(_:)``).
        public var logger: Logger? = Logger(label: "regnum")
        /// A name for logs and metrics.
        public var name: String
        /// Changes what the engine is opened with, for tests: another file system, small files.
        package var adjust: (@Sendable (inout CoordinatorOptions) -> Void)?

        /// A configuration with the defaults for everything but the place.
        public init(location: Location, objectTypes: [ObjectBase.Type]? = nil) {
            self.location = location
            self.objectTypes = objectTypes
            switch location {
            case .file(let url): name = url.lastPathComponent
            case .inMemory(let identifier): name = identifier
            }
        }

        /// What `Realm.open()` opens: the realm `default.realm` in the current directory of the
        /// process, unless it is set to something else. For the whole process: set it once, at the
        /// start; realms that are open do not change.
        public static var `default`: Configuration {
            get {
                settableDefault.withLock { $0 }
                    ?? Configuration(location: .file(URL(filePath: "default.realm")))
            }
            set { settableDefault.withLock { $0 = newValue } }
        }

        private static let settableDefault = Guarded<Configuration?>(nil)
    }

    /// What a commit survives once `write` has returned.
    public enum Durability: Sendable, Hashable {
        /// The death of the process and the loss of power.
        case full
        /// The death of the process; the loss of power once the duration has passed.
        case relaxed(within: Duration)
    }
}

extension Realm.Configuration: Equatable {
    /// Whether all is the same that can be compared: not the logger, and of ``migration`` and
    /// ``migrationProgress`` only whether they are set. The order of the classes does not count.
    public static func == (a: Realm.Configuration, b: Realm.Configuration) -> Bool {
        a.location == b.location && a.seedFile == b.seedFile && a.name == b.name
            && a.allowsNetworkFileSystem == b.allowsNetworkFileSystem
            && (a.migration == nil) == (b.migration == nil)
            && (a.migrationProgress == nil) == (b.migrationProgress == nil)
            && a.migrationBackup == b.migrationBackup
            && a.historyRetention == b.historyRetention
            && a.resumableMigration == b.resumableMigration && a.differences(from: b).isEmpty
    }
}

extension Realm.Configuration: CustomStringConvertible {
    /// What is set, in one line.
    public var description: String {
        var parts: [String] = []
        switch location {
        case .file(let url): parts.append("file \(url.path)")
        case .inMemory(let identifier): parts.append("in memory \"\(identifier)\"")
        }
        if let objectTypes {
            parts.append("classes \(objectTypes.map { "\($0)" }.joined(separator: ", "))")
        }
        if schemaVersion > 0 { parts.append("schema version \(schemaVersion)") }
        if migration != nil { parts.append("a migration") }
        if migrationProgress != nil { parts.append("its progress is told") }
        if let migrationBackup { parts.append("a backup before it at \(migrationBackup.path)") }
        if let parting = resumableMigration {
            parts.append("in parts\(parting.name.isEmpty ? "" : " as \"\(parting.name)\"")")
        }
        if deleteRealmIfMigrationNeeded { parts.append("deleted if it needs a migration") }
        if readOnly { parts.append("read-only") }
        if allowsNetworkFileSystem { parts.append("network file systems allowed") }
        if durability != .full { parts.append("durability \(durability)") }
        if let historyRetention { parts.append("history \(historyRetention)") }
        if let writeTimeout { parts.append("write time-out \(writeTimeout)") }
        if let seedFile { parts.append("seed \(seedFile.path)") }
        if let maximum = maximumNumberOfActiveVersions {
            parts.append("at most \(maximum) active versions")
        }
        return "\(name) (\(parts.joined(separator: "; ")))"
    }
}
