public import FoundationEssentials
public import Logging
package import RegnumEngine
internal import RegnumStore

extension Realm {
    /// The location and behavior of a realm.
    ///
    ///     var configuration = Realm.Configuration(location: .file(URL(filePath: "chat.realm")))
    ///     configuration.objectTypes = [Room.self, Message.self]
    ///     let realm = try await Realm.open(configuration)
    public struct Configuration: Sendable {
        /// The location of a realm.
        public enum Location: Sendable, Hashable {
            /// A directory, created if it doesn't exist and shared with other processes.
            case file(URL)
            /// The memory of this process, shared by all code that opens the same identifier, which
            /// can't be empty. Discarded when its last owner releases it.
            case inMemory(identifier: String)
        }

        /// The location of the realm.
        public var location: Location
        /// The classes of the realm. They are checked against the stored schema when the realm is
        /// opened, and no other classes can be used. `nil` means that each class joins the realm
        /// when it is first used.
        public var objectTypes: [ObjectBase.Type]?
        /// The version of the schema, which is stored in the realm. A program whose version is
        /// lower than the stored one can no longer open or write the realm. Adding classes and
        /// properties doesn't require a new version. `UInt64.max` is reserved.
        ///
        /// If the version is higher than the stored one, `open` runs ``migration`` and stores the
        /// new version before it returns. If the versions are equal, a class that differs from its
        /// stored form is reported as a `.schemaMismatch`.
        public var schemaVersion: UInt64 = 0
        /// The block that migrates the objects of a realm with a lower ``schemaVersion`` to the
        /// current classes; see ``Migration``. It isn't run for a new realm. Requires
        /// ``objectTypes``.
        ///
        /// With `nil`, changes that lose no data are made automatically (properties become
        /// optional, embedded classes become top-level, the primary key changes to a property whose
        /// values are unique). Any other change is reported as a `.schemaMismatch`.
        public var migration: MigrationBlock?
        /// The location for a copy of the realm, which is made before a migration in the same way
        /// as with ``Realm/backup(to:)``; `nil` means no copy. If copying fails, for example
        /// because something else exists at the location, the realm isn't migrated. The copy is
        /// kept if the migration fails, and is reused by the next attempt.
        public var migrationBackup: URL?
        /// A closure that is called while ``migration`` enumerates the objects of a class, on the
        /// thread that runs the migration.
        public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
        /// The settings for saving a migration in parts while it runs. The parts are written to the
        /// realm's files, but aren't visible to readers until the migration commits. Only one part
        /// of the block's changes is in memory at a time, and a migration that was killed or
        /// cancelled, or that failed to read or write a file, resumes at the next `open`. With
        /// `nil`, the whole migration is held in memory and always starts from the beginning.
        ///
        /// The work after the block isn't divided into parts. It needs one byte of memory for each
        /// dropped object and property, memory for objects that become embedded and for new keys
        /// and indexes and, at commit, 24 bytes for each changed object. A migration that is killed
        /// in this phase resumes from its last part.
        ///
        /// The block must be a deterministic function of the objects. When it resumes, it runs
        /// again from its beginning; calls to ``Migration`` that were completed are skipped, and
        /// `enumerateObjects` visits the remaining objects. So it must make the same calls in the
        /// same order and keep nothing in variables from one object to the next (use
        /// ``Migration/position`` to count). While completed calls are skipped, objects that it
        /// reads outside of `enumerateObjects` already contain all changes that were saved, and
        /// values that it sets there are ignored, because they were set before. The migration
        /// restarts from the beginning if the realm was written in between, if its content was
        /// moved to a new file, as by ``Realm/compact()``, if the schema version, the classes or
        /// ``ResumableMigration/name`` differ, if the calls differ, or if the parts written so far
        /// are damaged. As always, an error thrown by the block rolls everything back. Ignored for
        /// in-memory realms and by ``Realm/previewMigration(for:)``.
        public var resumableMigration: ResumableMigration?
        /// Whether declared indexes that aren't stored yet are built automatically: those of the
        /// classes in ``objectTypes`` by `open`, before it returns, and without ``objectTypes`` by
        /// the first write that stores an object of the class. With `false`, only
        /// ``Realm/buildIndexes(progress:file:line:)`` and migrations build them. New classes and
        /// properties always get their indexes when they are first stored. Until an index is built,
        /// queries read all objects of the class, with the same results.
        ///
        /// Each index is a commit of its own. A realm that has all indexes isn't written, and a
        /// read-only one never is. Opening the realm with a higher ``schemaVersion`` also drops
        /// indexes that are no longer declared; see ``Realm/dropUndeclaredIndexes(file:line:)``.
        public var buildsIndexes = true
        /// A closure that is called before each index that `open` builds.
        public var indexProgress: (@Sendable (IndexProgress) -> Void)?
        /// Whether `open` deletes the realm instead of migrating it, if the stored schema version
        /// is lower than ``schemaVersion`` or a listed class differs from its stored form. Intended
        /// for data that can be recreated. New classes, properties and indexes don't cause a
        /// deletion, and a realm with a higher version can't be opened. A new realm with an old
        /// ``seedFile`` is migrated. Has no effect on classes that aren't listed: they join when
        /// they are first used, after `open`, and throw `.schemaMismatch` if they differ.
        public var deleteRealmIfMigrationNeeded = false
        /// Whether the realm is opened read-only: it must exist, and nothing in its directory is
        /// written. Works without write permission, on read-only media and with a copy in a file
        /// (``Realm/writeCopy(toFile:)``), and follows the commits of other processes. `open`
        /// throws `.schemaMismatch` if a listed class has properties that aren't stored; a class
        /// that isn't stored at all is empty. Can't be combined with an in-memory location,
        /// ``seedFile`` or ``deleteRealmIfMigrationNeeded``.
        public var readOnly = false
        /// A closure that decides whether `open` compacts the realm, as ``Realm/compact()`` does.
        /// It is called when the realm isn't open in this process yet, after a migration, with the
        /// size of the realm's files and the number of these bytes that are in use. It isn't called
        /// for read-only and in-memory realms.
        ///
        ///     configuration.shouldCompactOnLaunch = { totalByteCount, usedByteCount in
        ///         totalByteCount > 100 << 20 && usedByteCount < totalByteCount / 2
        ///     }
        ///
        /// The realm is also compacted while other processes have it open. If that fails, for
        /// example because the disk is full, the reason is logged as a warning, and the realm is
        /// opened as it is.
        public var shouldCompactOnLaunch:
            (@Sendable (_ totalByteCount: Int, _ usedByteCount: Int) -> Bool)?
        /// Whether the realm may be on a network file system, a FUSE file system or a file system
        /// shared by several machines; otherwise `open` throws `.fileAccess`. Locks and memory
        /// mappings may not be coherent there, so set this only if a single machine uses the realm.
        public var allowsNetworkFileSystem = false
        /// The location of a realm, or of a copy of one in a file (``Realm/writeCopy(toFile:)``),
        /// that provides the initial content of a new realm. The seed may be in use at the same
        /// time, and isn't changed. Ignored if the realm already exists.
        public var seedFile: URL?
        /// The key of an encrypted realm: 32 or 64 bytes, of which each must be random (such as
        /// those of a file written by `openssl rand 32`; a password isn't a key). A new realm is
        /// encrypted with it, and an existing one opened. `nil` means that the realm isn't
        /// encrypted. Needs the package trait `Encryption`; without it, `open` throws
        /// `.invalidInput`. In-memory realms can't have a key.
        ///
        /// Everything that was stored is encrypted and authenticated with AES-256-GCM; sizes,
        /// times and numbers of commits can be seen (`Docs/THREATS.md`). Exports aren't encrypted.
        /// Decrypted content stays in memory until its file is no longer used; unlike mapped files,
        /// the system can't evict it. Checks, backups and compactions hold a few mebibytes of it at
        /// a time.
        ///
        /// If the key is lost, so is the realm. ``formerEncryptionKeys`` lets a realm get another
        /// key, and ``Realm/backup(to:encryptionKey:)`` makes an encrypted copy of a plain realm.
        public var encryptionKey: Data?
        /// The keys that the realm had before ``encryptionKey``, of 32 or 64 bytes each. Files that
        /// are encrypted with one of them can be read; new files are encrypted with
        /// ``encryptionKey``, which must be set.
        ///
        ///     configuration.encryptionKey = newKey
        ///     configuration.formerEncryptionKeys = [oldKey]
        ///     let report = try await Realm.open(configuration).compact()
        ///     // report.formerKeyFileCount == 0: nothing needs the old key any more
        ///
        /// All processes that use the realm must have both keys before one of them uses the new one
        /// as its ``encryptionKey``, because it may begin a file at any time: those that only have
        /// the old key then get `.wrongKey` from their writes and streams. To restart the processes
        /// one by one, first give all of them the new key as a former one. Remove the former keys
        /// from the configuration after the compaction: until then, whoever has one of them and may
        /// write to the files can forge content. To encrypt a plain realm, or to remove the key,
        /// make a copy instead (``Realm/backup(to:encryptionKey:)``).
        public var formerEncryptionKeys: [Data] = []
        /// The maximum number of versions that snapshots, frozen values and streams of this process
        /// may hold when a `write` begins, at least 1; `write` throws `.busy` if there are more.
        /// `nil` means unlimited. ``Realm/stats()`` lists the snapshots that hold them. The writes
        /// of consumers, and those with which job queues end or renew claims, aren't limited,
        /// because versions can be released after them.
        public var maximumNumberOfActiveVersions: UInt?
        /// The amount of history that the realm keeps from now on, for streams that resume from a
        /// cursor and for other readers of history. Stored in the realm, for all processes, until
        /// another `open` sets a different value. `nil` keeps the stored setting, or
        /// ``Realm/HistoryRetention/standard`` if none was set.
        ///
        /// On a full disk, the realm is opened before the setting is stored, which is logged as a
        /// warning. This process removes what it doesn't keep, and stores it once there is space.
        ///
        /// History that was trimmed can't be restored. A backup keeps all its history until
        /// something is committed to it. ``Realm/historyRetention()`` returns the current setting.
        public var historyRetention: HistoryRetention?
        /// The durability of commits, unless `write` specifies another one.
        public var durability: Durability = .full
        /// The maximum time that a `write` waits for other writers, in this and other processes,
        /// before it throws `.busy` with a message that names the current writer. `nil` means that
        /// it waits indefinitely.
        ///
        /// With or without a timeout, a write that has waited for five seconds logs a warning that
        /// names it and the process or write that it is waiting for, and repeats the warning every
        /// 50 seconds. The warning goes to ``logger``, or to a logger with the label "regnum" if
        /// ``logger`` is `nil`.
        public var writeTimeout: Duration?
        /// The number of bytes of the realm's files that a background scrub reads per second, on
        /// average, at least 1; `nil` means no scrub. It verifies the checksums of the retained log
        /// and of the directories and leaves of the nodes files, as `regnum verify` does, but
        /// doesn't compare indexes with objects. So damage is noticed while a backup still has what
        /// was lost, even if nothing reads the damaged bytes. Bytes in the page cache aren't read
        /// from the disk again. Ignored for in-memory realms.
        ///
        /// The first pass begins when the realm is opened in this process, and each later one an
        /// hour after the previous one began, or as soon as that one ends if it takes longer.
        /// Closing the realm ends the scrub. Each pass logs all damage that it finds to ``logger``,
        /// as errors with the class, property, key, file and offset, if known. ``Realm/stats()``
        /// has the results.
        ///
        /// The scrub has a thread of its own, and needs memory for the directory of a checkpoint.
        /// It holds no version of the realm, and after a file was removed it reads at most another
        /// mebibyte of it. Each process whose configuration has a rate scrubs the whole realm; one
        /// per realm is enough.
        public var scrubBytesPerSecond: Int?
        /// The logger of the realm, or `nil` to disable logging. Routine events are logged at
        /// `debug`, and an error in a frozen value that can't be thrown (``Snapshot/read(_:)``) at
        /// `critical`.
        public var logger: Logger? = Logger(label: "regnum")
        /// The name of the realm in errors, logs, metrics and spans: by default the last component
        /// of its path, or its identifier.
        public var name: String
        /// Adjusts the engine's options, for tests: another file system, small files.
        package var adjust: (@Sendable (inout CoordinatorOptions) -> Void)?

        /// Creates a configuration with the given location and classes, and with default values for
        /// everything else.
        public init(location: Location, objectTypes: [ObjectBase.Type]? = nil) {
            self.location = location
            self.objectTypes = objectTypes
            switch location {
            case .file(let url): name = url.lastPathComponent
            case .inMemory(let identifier): name = identifier
            }
        }

        /// The configuration that `Realm.open()` uses: the realm `default.realm` in the current
        /// directory of the process, unless you set another one. It applies to the whole process,
        /// so set it once, at launch. Realms that are already open aren't affected.
        public static var `default`: Configuration {
            get {
                settableDefault.withLock { $0 }
                    ?? Configuration(location: .file(URL(filePath: "default.realm")))
            }
            set { settableDefault.withLock { $0 = newValue } }
        }

        private static let settableDefault = Guarded<Configuration?>(nil)
    }

    /// The failures that a commit survives after `write` has returned.
    public enum Durability: Sendable, Hashable {
        /// A crash of the process, and power loss.
        case full
        /// A crash of the process and, once the commit is synced, power loss. The sync begins
        /// within the given duration. A commit that is too large for one log record is always
        /// synced before `write` returns, and so is the first one with this durability.
        case relaxed(within: Duration)
    }
}

extension Realm.Configuration: Equatable {
    /// Returns whether all settings are equal, except that the logger isn't compared, and
    /// ``migration``, ``migrationProgress``, ``indexProgress`` and ``shouldCompactOnLaunch`` only
    /// by whether they are set. The order of the classes is ignored.
    public static func == (a: Realm.Configuration, b: Realm.Configuration) -> Bool {
        a.location == b.location && a.seedFile == b.seedFile && a.name == b.name
            && a.allowsNetworkFileSystem == b.allowsNetworkFileSystem
            && (a.migration == nil) == (b.migration == nil)
            && (a.migrationProgress == nil) == (b.migrationProgress == nil)
            && (a.indexProgress == nil) == (b.indexProgress == nil)
            && (a.shouldCompactOnLaunch == nil) == (b.shouldCompactOnLaunch == nil)
            && a.migrationBackup == b.migrationBackup
            && a.historyRetention == b.historyRetention
            && a.resumableMigration == b.resumableMigration && a.differences(from: b).isEmpty
    }
}

extension Realm.Configuration: CustomStringConvertible {
    /// The settings that differ from the defaults, on one line.
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
        if migrationProgress != nil { parts.append("migration progress reported") }
        if let migrationBackup { parts.append("migration backup \(migrationBackup.path)") }
        if let parting = resumableMigration {
            parts.append("resumable migration\(parting.name.isEmpty ? "" : " \"\(parting.name)\"")")
        }
        if !buildsIndexes { parts.append("indexes not built") }
        if indexProgress != nil { parts.append("index progress reported") }
        if deleteRealmIfMigrationNeeded { parts.append("deleted if it needs a migration") }
        if shouldCompactOnLaunch != nil { parts.append("compacted at launch if needed") }
        if readOnly { parts.append("read-only") }
        if encryptionKey != nil { parts.append("encrypted") }
        if !formerEncryptionKeys.isEmpty {
            let count = formerEncryptionKeys.count
            parts.append("\(count) former key\(count == 1 ? "" : "s")")
        }
        if allowsNetworkFileSystem { parts.append("network file systems allowed") }
        if durability != .full { parts.append("durability \(durability)") }
        if let historyRetention { parts.append("history \(historyRetention)") }
        if let writeTimeout { parts.append("write timeout \(writeTimeout)") }
        if let rate = scrubBytesPerSecond { parts.append("scrubbed at \(rate) bytes/s") }
        if let seedFile { parts.append("seed \(seedFile.path)") }
        if let maximum = maximumNumberOfActiveVersions {
            parts.append("at most \(maximum) active versions")
        }
        return "\(name) (\(parts.joined(separator: "; ")))"
    }
}
