#if Configuration
    public import Configuration
    public import Regnum
    internal import Foundation

    extension Realm.Configuration {
        /// Creates a configuration from settings, such as environment variables or a file.
        ///
        ///     let config = ConfigReader(provider: EnvironmentVariablesProvider())
        ///     var configuration = try await Realm.Configuration(
        ///         config: config.scoped(to: "realm"), objectTypes: [Order.self])
        ///
        /// Settings that are missing have the default values, except for the location, which is
        /// required. `Docs/Guides/Servers.md` lists the keys. What belongs to the program, such as
        /// the schema version and the migration, can be set afterwards.
        ///
        /// Requires the package trait `Configuration`.
        ///
        /// - Parameters:
        ///   - config: The settings. The keys are relative to its scope.
        ///   - objectTypes: The classes of the realm.
        /// - Throws: `.invalidInput` with the key and, unless it is a secret, the value of a
        ///   setting that is invalid, and for settings that exclude each other; `.fileAccess` if
        ///   a key file can't be read; `CancellationError`.
        public init(
            config: ConfigReader, objectTypes: [ObjectBase.Type]? = nil
        ) async throws {
            let settings = RealmSettings(config: config)
            self.init(location: try await settings.location(), objectTypes: objectTypes)
            if let name = try await settings.text("name") { self.name = name }
            encryptionKey = try await settings.encryptionKey()
            formerEncryptionKeys = try await settings.formerEncryptionKeys()
            historyRetention = try await settings.historyRetention()
            maximumNumberOfActiveVersions =
                try await settings.integer("maximumNumberOfActiveVersions", from: 1)
                .map { UInt($0) }
            writeTimeout = try await settings.duration("writeTimeout")
            scrubBytesPerSecond = try await settings.integer("scrubBytesPerSecond", from: 1)
            if let delay = try await settings.duration("durability.relaxedWithin") {
                durability = .relaxed(within: delay)
            }
            if let value = try await settings.flag("readOnly") { readOnly = value }
            if let value = try await settings.flag("buildsIndexes") { buildsIndexes = value }
            if let value = try await settings.flag("allowsNetworkFileSystem") {
                allowsNetworkFileSystem = value
            }
            seedFile = try await settings.file("seedFile")
            migrationBackup = try await settings.file("migrationBackup")
            shouldCompactOnLaunch = try await settings.compaction()
        }
    }

    /// Reads the settings of a realm.
    private struct RealmSettings {
        let config: ConfigReader

        func location() async throws -> Realm.Configuration.Location {
            let file = try await file("path")
            let identifier = try await text("inMemoryIdentifier")
            if let file, identifier == nil { return .file(file) }
            if let identifier, file == nil { return .inMemory(identifier: identifier) }
            throw Realm.Error(
                .invalidInput,
                file == nil
                    ? "The setting \"path\" or \"inMemoryIdentifier\" of the realm is missing."
                    : "The settings \"path\" and \"inMemoryIdentifier\" exclude each other.")
        }

        func encryptionKey() async throws -> Data? {
            let key = try await value("encryption.key", "a key in Base64", isSecret: true) {
                try await config.fetchBytes(forKey: $0, isSecret: true)
            }
            let file = try await file("encryption.keyFile")
            if let key, file == nil {
                try check(key.count, "The setting \"encryption.key\"")
                return Data(key)
            }
            guard let file else { return nil }
            guard key == nil else {
                throw Realm.Error(
                    .invalidInput,
                    "The settings \"encryption.key\" and \"encryption.keyFile\" exclude each "
                        + "other.")
            }
            return try await keyFile(file, "encryption.keyFile")
        }

        /// The keys in the settings, followed by those in files.
        func formerEncryptionKeys() async throws -> [Data] {
            let name = "encryption.formerKeys"
            let keys = try await value(name, "a list of keys in Base64", isSecret: true) {
                try await config.fetchByteChunkArray(forKey: $0, isSecret: true)
            }
            var result: [Data] = []
            for key in keys ?? [] {
                try check(key.count, "An element of the setting \"\(name)\"")
                result.append(Data(key))
            }
            for file in try await files("encryption.formerKeyFiles") {
                result.append(try await keyFile(file, "encryption.formerKeyFiles"))
            }
            return result
        }

        /// Returns the content of a key file, which the setting `key` names.
        private func keyFile(_ file: URL, _ key: String) async throws -> Data {
            let read = try await blocking {
                Result {
                    // a wrong path may lead to a file of any size
                    let handle = try FileHandle(forReadingFrom: file)
                    defer { try? handle.close() }
                    return try handle.read(upToCount: 65) ?? Data()
                }
            }
            let subject = "\"\(file.path)\", named by the setting \"\(key)\","
            let content: Data
            do {
                content = try read.get()
            } catch {
                throw Realm.Error(
                    .fileAccess, "\(subject) can't be read.", path: file.path, underlying: error)
            }
            try check(content.count, subject)
            return content
        }

        private func check(_ count: Int, _ subject: String) throws {
            if count == 32 || count == 64 { return }
            throw Realm.Error(
                .invalidInput, "\(subject) isn't a key: it must have 32 or 64 bytes.")
        }

        /// The retention, of which settings that are missing have the standard values.
        func historyRetention() async throws -> Realm.HistoryRetention? {
            let age = try await duration("historyRetention.age")
            let byteCount = try await integer("historyRetention.byteCount")
            let contentByteCount = try await integer("historyRetention.contentByteCount")
            if age == nil, byteCount == nil, contentByteCount == nil { return nil }
            let standard = Realm.HistoryRetention.standard
            return Realm.HistoryRetention(
                age: age ?? standard.age, byteCount: byteCount ?? standard.byteCount,
                contentByteCount: contentByteCount ?? standard.contentByteCount)
        }

        /// The condition for a compaction, if one of its two settings is there.
        func compaction() async throws -> (@Sendable (Int, Int) -> Bool)? {
            let minimum = try await integer("compactOnLaunch.minimumByteCount")
            let fraction = try await number("compactOnLaunch.usedFraction", from: 0, through: 1)
            if minimum == nil, fraction == nil { return nil }
            return { total, used in
                total >= minimum ?? 100 << 20 && Double(used) < Double(total) * (fraction ?? 0.5)
            }
        }

        // MARK: Types

        func text(_ key: String) async throws -> String? {
            let text = try await value(key, "a text") { try await config.fetchString(forKey: $0) }
            if text == "" { throw invalid(key, "", "a text of at least one character") }
            return text
        }

        func file(_ key: String) async throws -> URL? {
            try await text(key).map { URL(filePath: $0) }
        }

        func files(_ key: String) async throws -> [URL] {
            let what = "a list of paths"
            let paths = try await value(key, what) { try await config.fetchStringArray(forKey: $0) }
            guard let paths else { return [] }
            if paths.contains("") { throw invalid(key, paths.joined(separator: ","), what) }
            return paths.map { URL(filePath: $0) }
        }

        func flag(_ key: String) async throws -> Bool? {
            try await value(key, "true or false") { try await config.fetchBool(forKey: $0) }
        }

        func integer(_ key: String, from minimum: Int = 0) async throws -> Int? {
            let what = "an integer that is at least \(minimum)"
            let number = try await value(key, what) { try await config.fetchInt(forKey: $0) }
            if let number, number < minimum { throw invalid(key, "\(number)", what) }
            return number
        }

        /// A number of seconds; at most 136 years, because longer times can overflow.
        func duration(_ key: String) async throws -> Duration? {
            try await number(key, from: 0, through: 4_294_967_296).map { .seconds($0) }
        }

        func number(
            _ key: String, from minimum: Double, through maximum: Double
        ) async throws -> Double? {
            let what = "a number from \(Int(minimum)) to \(Int(maximum))"
            let number = try await value(key, what) { key in
                do {
                    return try await config.fetchDouble(forKey: key)
                } catch {
                    // some providers tell integers from other numbers
                    guard let integer = try? await config.fetchInt(forKey: key) else { throw error }
                    return Double(integer)
                }
            }
            guard let number, !(minimum...maximum).contains(number) else { return number }
            throw invalid(key, "\(number)", what)
        }

        private func value<Value>(
            _ key: String, _ what: String, isSecret: Bool = false,
            _ fetch: (ConfigKey) async throws -> Value?
        ) async throws -> Value? {
            do {
                return try await fetch(ConfigKey(key))
            } catch let error as CancellationError {
                throw error
            } catch {
                if isSecret {
                    throw Realm.Error(
                        .invalidInput,
                        "The setting \"\(key)\" of the realm can't be read as \(what).")
                }
                if let text = await anyText(key) { throw invalid(key, text, what) }
                throw Realm.Error(
                    .invalidInput, "The setting \"\(key)\" of the realm can't be read: \(error)",
                    underlying: error)
            }
        }

        /// Returns a value of another type than the setting should have.
        private func anyText(_ key: String) async -> String? {
            let key = ConfigKey(key)
            if let text = try? await config.fetchString(forKey: key) { return text }
            if let number = try? await config.fetchDouble(forKey: key) { return "\(number)" }
            if let number = try? await config.fetchInt(forKey: key) { return "\(number)" }
            if let flag = try? await config.fetchBool(forKey: key) { return "\(flag)" }
            return nil
        }

        private func invalid(_ key: String, _ value: String, _ what: String) -> Realm.Error {
            Realm.Error(
                .invalidInput,
                "The setting \"\(key)\" of the realm is \"\(value)\", which isn't \(what).")
        }
    }
#endif
