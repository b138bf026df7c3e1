package import FoundationEssentials
internal import Logging
internal import RegnumEngine
internal import RegnumStore

extension Realm.Configuration {
    /// Returns the names of the settings that conflict between two openings of one realm. The
    /// location isn't compared, because the same place can be spelled in several ways.
    func differences(from other: Realm.Configuration) -> [String] {
        let mine = objectTypes.map { Set($0.map { ObjectIdentifier($0) }) }
        let theirs = other.objectTypes.map { Set($0.map { ObjectIdentifier($0) }) }
        let all = [
            ("objectTypes", mine == theirs),
            ("schemaVersion", schemaVersion == other.schemaVersion),
            ("readOnly", readOnly == other.readOnly),
            ("encryptionKey", encryptionKey == other.encryptionKey),
            ("formerEncryptionKeys", formerEncryptionKeys == other.formerEncryptionKeys),
            ("durability", durability == other.durability),
            (
                "historyRetention",
                historyRetention == other.historyRetention || historyRetention == nil
                    || other.historyRetention == nil
            ),
            (
                "deleteRealmIfMigrationNeeded",
                deleteRealmIfMigrationNeeded == other.deleteRealmIfMigrationNeeded
            ),
            ("buildsIndexes", buildsIndexes == other.buildsIndexes),
            ("writeTimeout", writeTimeout == other.writeTimeout),
            ("scrubBytesPerSecond", scrubBytesPerSecond == other.scrubBytesPerSecond),
            (
                "maximumNumberOfActiveVersions",
                maximumNumberOfActiveVersions == other.maximumNumberOfActiveVersions
            ),
        ]
        return all.filter { !$0.1 }.map(\.0)
    }

    /// Throws `.invalidInput` for settings that are invalid or contradict each other.
    func checkSettings() throws(Realm.Error) {
        switch location {
        case .inMemory(let identifier):
            if identifier.isEmpty {
                throw .invalid("The identifier of an in-memory realm is empty.")
            }
            if readOnly {
                throw .invalid("An in-memory realm starts empty, so it can't be opened read-only.")
            }
            if encryptionKey != nil || !formerEncryptionKeys.isEmpty {
                throw .invalid("An in-memory realm can't be encrypted.")
            }
        case .file(let url):
            try Self.checkFile(url)
        }
        if let seedFile {
            try Self.checkFile(seedFile)
            if readOnly {
                throw .invalid("Configuration.seedFile can't be combined with readOnly.")
            }
        }
        if let migrationBackup { try Self.checkFile(migrationBackup) }
        if deleteRealmIfMigrationNeeded, readOnly {
            throw .invalid(
                "Configuration.deleteRealmIfMigrationNeeded can't be combined with readOnly."
            )
        }
        if let history = historyRetention,
            history.age < .zero || min(history.byteCount, history.contentByteCount ?? 0) < 0
        {
            throw .invalid("Configuration.historyRetention is negative.")
        }
        if schemaVersion == .max {
            throw .invalid("Configuration.schemaVersion is UInt64.max, which is reserved.")
        }
        if maximumNumberOfActiveVersions == 0 {
            throw .invalid("Configuration.maximumNumberOfActiveVersions is 0; the minimum is 1.")
        }
        if let rate = scrubBytesPerSecond, rate < 1 {
            throw .invalid("Configuration.scrubBytesPerSecond is \(rate); the minimum is 1.")
        }
    }

    package static func checkFile(_ url: URL) throws(Realm.Error) {
        guard !url.isFileURL else { return }
        throw Realm.Error(
            .invalidInput, "\(url.absoluteString) is not a file URL.", path: url.absoluteString)
    }

    /// Throws one error with every problem of the listed classes.
    func checkDeclarations() throws(Realm.Error) {
        let schemas = (objectTypes ?? []).map { ClassSchema.of($0) }
        var problems = schemas.flatMap(\.problems)
        let byName = Dictionary(grouping: schemas) { StoredText($0.name) }
        for (name, same) in byName.sorted(by: { $0.key < $1.key }) {
            let types = Set(same.map { ObjectIdentifier($0.type) })
            guard types.count > 1 else { continue }
            problems.append(
                "objectTypes has \(types.count) classes named \(name.wrappedValue): rename all "
                    + "but one.")
        }
        problems += ClassSchema.linkProblems(of: schemas)
        problems += (objectTypes ?? []).flatMap { ProjectionSchema.of($0)?.problems ?? [] }
        guard !problems.isEmpty else { return }
        throw Realm.Error(.invalidInput, problems.joined(separator: "\n"))
    }

    /// The options that are passed to the engine.
    ///
    /// Throws `.invalidInput` for a key that can't be used.
    func coordinatorOptions() throws(Realm.Error) -> CoordinatorOptions {
        let place: RealmPlace =
            switch location {
            case .file(let url): .directory(path: url.path)
            case .inMemory(let identifier): .memory(identifier: identifier)
            }
        var options = CoordinatorOptions(place: place)
        options.isReadOnly = readOnly
        options.seedPath = seedFile?.path
        options.store.key = try EncryptionKey.make(encryptionKey, former: formerEncryptionKeys)
        options.store.allowsNetworkFileSystem = allowsNetworkFileSystem
        options.store.retention = Realm.HistoryRetention.standard.storeRetention
        options.scrub = scrubBytesPerSecond.map { ScrubOptions(bytesPerSecond: $0) }
        options.report = { [logger, name] event in
            // a wait is always reported, even if no logger was set
            if case .waiting = event {
                (logger ?? Logger(label: "regnum")).log(event, realm: name)
            } else {
                logger?.log(event, realm: name)
            }
        }
        adjust?(&options)
        return options
    }
}

extension Realm.Error {
    fileprivate static func invalid(_ message: String) -> Realm.Error {
        Realm.Error(.invalidInput, message)
    }
}
