import Configuration
import Foundation
import Regnum
import RegnumService
import Synchronization
import Testing
import TraitModels

/// `Realm.Configuration` from the settings of a program.
@Suite struct RealmSettingsTests {
    private let directory = TemporaryDirectory()

    @Test func everySettingIsRead() async throws {
        let key = Data((0..<32).map { UInt8($0) })
        let former = [Data(repeating: 1, count: 64), Data(repeating: 2, count: 32)]
        let configuration = try await configuration([
            "REALM_PATH": "/data/shop.realm", "REALM_NAME": "shop",
            "REALM_ENCRYPTION_KEY": key.base64EncodedString(),
            "REALM_ENCRYPTION_FORMER_KEYS": former.map { $0.base64EncodedString() }
                .joined(separator: ","),
            "REALM_SCRUB_BYTES_PER_SECOND": "1000000",
            "REALM_HISTORY_RETENTION_AGE": "86400",
            "REALM_HISTORY_RETENTION_BYTE_COUNT": "1048576",
            "REALM_HISTORY_RETENTION_CONTENT_BYTE_COUNT": "2097152",
            "REALM_MAXIMUM_NUMBER_OF_ACTIVE_VERSIONS": "100", "REALM_WRITE_TIMEOUT": "2.5",
            "REALM_DURABILITY_RELAXED_WITHIN": "0.5", "REALM_READ_ONLY": "true",
            "REALM_BUILDS_INDEXES": "false", "REALM_ALLOWS_NETWORK_FILE_SYSTEM": "true",
            "REALM_SEED_FILE": "/data/seed.realm", "REALM_MIGRATION_BACKUP": "/data/old.realm",
            "REALM_COMPACT_ON_LAUNCH_MINIMUM_BYTE_COUNT": "1000",
            "REALM_COMPACT_ON_LAUNCH_USED_FRACTION": "0.25",
        ])
        var expected = Realm.Configuration(
            location: .file(URL(filePath: "/data/shop.realm")), objectTypes: [Note.self])
        expected.name = "shop"
        expected.encryptionKey = key
        expected.formerEncryptionKeys = former
        expected.scrubBytesPerSecond = 1_000_000
        expected.historyRetention = Realm.HistoryRetention(
            age: .seconds(86_400), byteCount: 1 << 20, contentByteCount: 2 << 20)
        expected.maximumNumberOfActiveVersions = 100
        expected.writeTimeout = .milliseconds(2_500)
        expected.durability = .relaxed(within: .milliseconds(500))
        expected.readOnly = true
        expected.buildsIndexes = false
        expected.allowsNetworkFileSystem = true
        expected.seedFile = URL(filePath: "/data/seed.realm")
        expected.migrationBackup = URL(filePath: "/data/old.realm")
        expected.shouldCompactOnLaunch = { _, _ in true }
        #expect(configuration == expected)
        let compacts = try #require(configuration.shouldCompactOnLaunch)
        let decisions = [
            compacts(999, 100), compacts(1_000, 249), compacts(1_000, 250), compacts(2_000, 499),
        ]
        #expect(decisions == [false, true, false, true])
    }

    @Test func missingSettingsHaveTheDefaults() async throws {
        let read = try await configuration(["REALM_PATH": "/data/shop.realm"])
        let url = URL(filePath: "/data/shop.realm")
        #expect(read == Realm.Configuration(location: .file(url), objectTypes: [Note.self]))
        let retained = try await configuration([
            "REALM_IN_MEMORY_IDENTIFIER": "a", "REALM_HISTORY_RETENTION_AGE": "60",
        ])
        #expect(retained.location == .inMemory(identifier: "a"))
        let standard = Realm.HistoryRetention.standard
        #expect(retained.historyRetention?.age == .seconds(60))
        #expect(retained.historyRetention?.byteCount == standard.byteCount)
        #expect(retained.historyRetention?.contentByteCount == standard.contentByteCount)
    }

    @Test(arguments: [
        ("writeTimeout", "soon"), ("writeTimeout", "-1"), ("writeTimeout", "1e300"),
        ("writeTimeout", "nan"), ("historyRetention.age", "7d"),
        ("historyRetention.byteCount", "-5"), ("historyRetention.byteCount", "1 MiB"),
        ("maximumNumberOfActiveVersions", "0"), ("scrubBytesPerSecond", "0"),
        ("encryption.formerKeyFiles", "/a,"), ("readOnly", "maybe"),
        ("compactOnLaunch.usedFraction", "50"), ("seedFile", ""), ("path", ""),
    ])
    func errorsNameTheKeyAndTheValue(_ key: String, _ value: String) async throws {
        let error = await error([key: value])
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("\"\(key)\"") == true, "\(error as Any)")
        // as it was written, or as the number that was read
        let forms = [value, Double(value).map { "\($0)" } ?? value]
        let isShown = forms.contains { error?.message.contains("\"\($0)\"") == true }
        #expect(isShown, "\(error as Any)")
    }

    @Test func aValueOfAnotherTypeIsNamed() async throws {
        let values: [AbsoluteConfigKey: ConfigValue] = [
            AbsoluteConfigKey(["path"]): "/data/shop.realm",
            AbsoluteConfigKey(["writeTimeout"]): 5, AbsoluteConfigKey(["readOnly"]): 17,
        ]
        let config = ConfigReader(provider: InMemoryProvider(values: values))
        var message = ""
        do {
            _ = try await Realm.Configuration(config: config)
        } catch {
            message = "\(error)"
        }
        #expect(message.contains("\"readOnly\" of the realm is \"17\", which isn't true or false"))
    }

    @Test func theLocationIsRequiredAndOne() async throws {
        let missing = await error(["path": nil])
        #expect(missing?.message.contains("\"path\"") == true)
        let both = await error(["inMemoryIdentifier": "a"])
        #expect(both?.message.contains("inMemoryIdentifier") == true)
    }

    @Test func theKeyCanBeInAFile() async throws {
        let file = directory.url
        let key = Data((0..<64).map { UInt8($0) })
        try key.write(to: file)
        let read = try await configuration([
            "REALM_PATH": "/data/shop.realm", "REALM_ENCRYPTION_KEY_FILE": file.path,
        ])
        #expect(read.encryptionKey == key)
        try (key + [10]).write(to: file)
        let long = await error(["encryption.keyFile": file.path])
        #expect(long?.code == .invalidInput)
        #expect(long?.message.contains(file.path) == true)
        let none = await error(["encryption.keyFile": "/nowhere/key"])
        #expect(none?.code == .fileAccess)
        #expect(none?.path == "/nowhere/key")
        let both = await error(["encryption.keyFile": file.path, "encryption.key": "AAAA"])
        #expect(both?.code == .invalidInput)
    }

    @Test func formerKeysCanBeInFiles() async throws {
        let file = directory.url
        let key = Data(repeating: 3, count: 32)
        try key.write(to: file)
        let read = try await configuration([
            "REALM_PATH": "/data/shop.realm", "REALM_ENCRYPTION_KEY": key.base64EncodedString(),
            "REALM_ENCRYPTION_FORMER_KEYS": Data(repeating: 4, count: 32).base64EncodedString(),
            "REALM_ENCRYPTION_FORMER_KEY_FILES": "\(file.path), \(file.path)",
        ])
        #expect(read.formerEncryptionKeys == [Data(repeating: 4, count: 32), key, key])
        try Data("short".utf8).write(to: file)
        let short = await error(["encryption.formerKeyFiles": file.path])
        #expect(short?.code == .invalidInput)
        #expect(short?.message.contains(file.path) == true)
        let none = await error(["encryption.formerKeyFiles": "/nowhere/key"])
        #expect(none?.code == .fileAccess)
        #expect(none?.message.contains("\"encryption.formerKeyFiles\"") == true)
    }

    @Test func theKeyIsASecret() async throws {
        final class Reporter: AccessReporter {
            private let secrets = Mutex<Set<String>>([])

            var all: Set<String> { secrets.withLock { $0 } }

            func report(_ event: AccessEvent) {
                guard case .success(let value?) = event.result, value.isSecret else { return }
                secrets.withLock { secrets in
                    _ = secrets.insert(event.metadata.key.components.joined(separator: "."))
                }
            }
        }
        let reporter = Reporter()
        let secret = Data(repeating: 7, count: 32).base64EncodedString()
        let values = [
            "PATH": "/data/shop.realm", "ENCRYPTION_KEY": secret, "ENCRYPTION_FORMER_KEYS": secret,
        ]
        let config = ConfigReader(
            provider: EnvironmentVariablesProvider(environmentVariables: values),
            accessReporter: reporter)
        let read = try await Realm.Configuration(config: config)
        #expect(read.encryptionKey == Data(repeating: 7, count: 32))
        #expect(reporter.all == ["encryption.key", "encryption.formerKeys"])
        let keys = ["encryption.key", "encryption.formerKeys"]
        for wrong in ["", "c2VjcmV0", "not base 64"] {
            for key in keys {
                let error = await error([key: wrong])
                #expect(error?.code == .invalidInput)
                #expect(error?.message.contains("\"\(key)\"") == true)
                if wrong != "" { #expect(error?.description.contains(wrong) == false) }
            }
        }
    }

    // MARK: Tools

    /// Returns the configuration from environment variables.
    private func configuration(_ variables: [String: String]) async throws -> Realm.Configuration {
        let provider = EnvironmentVariablesProvider(environmentVariables: variables)
        let config = ConfigReader(provider: provider).scoped(to: "realm")
        return try await Realm.Configuration(config: config, objectTypes: [Note.self])
    }

    /// Returns the error of settings, which include a path.
    private func error(_ settings: [String: String?]) async -> Realm.Error? {
        var variables = ["REALM_PATH": "/data/shop.realm"]
        for (key, value) in settings {
            // `encryption.keyFile` is `REALM_ENCRYPTION_KEY_FILE`
            let name = key.reduce(into: "REALM_") { name, character in
                if character.isUppercase { name += "_" }
                name += character == "." ? "_" : character.uppercased()
            }
            variables[name] = value
        }
        do {
            _ = try await configuration(variables)
            return nil
        } catch {
            return error as? Realm.Error
        }
    }
}
