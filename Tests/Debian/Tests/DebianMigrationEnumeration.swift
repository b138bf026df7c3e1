import Foundation
import Regnum
import Testing

@testable import RegnumDebian

/// The graph is taken to a later program's classes by a process of its own, which is killed at random
/// moments: what is left is the graph as it was or as the later program has it.
///
/// `REGNUM_MIGRATION_KILLS` (10) says how many kills, `REGNUM_MIGRATION_PACKAGES` (4,000) of how many
/// packages the graph is made; `REGNUM_SEED` when. Where the index is absent it is
/// a random graph of 400 packages.
@Suite struct DebianMigrationEnumeration {
    private static func number(_ name: String, _ standard: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
    }

    @Test func aKilledMigrationLeavesOneOfTwoStates() async throws {
        let killCount = Self.number("REGNUM_MIGRATION_KILLS", 10)
        let packageCount = Self.number("REGNUM_MIGRATION_PACKAGES", 4_000)
        var generator = SeededRandom(SeededRandom.seed())
        let folder = FileManager.default.temporaryDirectory.appending(path: "debian-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let index =
            DebianIndex.file == nil
            ? DebianIndex.random(packageCount: 400, using: &generator) : try DebianIndex.whole()
        let lines = index.text.split(separator: "\n", omittingEmptySubsequences: true)
        let text = lines.prefix(packageCount + 1).joined(separator: "\n") + "\n"
        let original = folder.appending(path: "original").path
        let realm = try await Realm.open(Self.earlier(original))
        try await realm.load(PackageIndex(Data(text.utf8)))
        await realm.close()
        let old = try await Self.content(Self.earlier(original))

        func copy() throws -> String {
            let path = folder.appending(path: "copy-\(UUID())").path
            try FileManager.default.copyItem(atPath: original, toPath: path)
            return path
        }
        let whole = try copy()
        let start = ContinuousClock.now
        try Self.migrate(whole, killedAfter: nil)
        let duration = start.duration(to: .now)
        let new = try await Self.content(Self.later(whole))
        try await Self.expectConversion(Self.later(whole), of: text)

        var (oldCount, newCount) = (0, 0)
        for _ in 0..<killCount {
            let path = try copy()
            let part = Double.random(in: 0...1, using: &generator)
            try Self.migrate(path, killedAfter: duration * part)
            if try await Realm.schemaVersion(at: URL(filePath: path)) == 0 {
                oldCount += 1
                #expect(try await Self.content(Self.earlier(path)) == old)
                try Self.migrate(path, killedAfter: nil)
            } else {
                newCount += 1
            }
            #expect(try await Self.content(Self.later(path)) == new)
            try FileManager.default.removeItem(atPath: path)
        }
        print(
            "\(old.count) objects, migrated in \(duration); kills: \(oldCount) old, \(newCount) new"
        )
        #expect(oldCount + newCount == killCount)
    }

    private static func earlier(_ path: String) -> Realm.Configuration {
        Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: [Package.self, Dependency.self])
    }

    private static func later(_ path: String) -> Realm.Configuration {
        var configuration = LaterIndex.configuration(path)
        configuration.migration = { _, _ in throw IndexFailure("A migration ran once more.") }
        return configuration
    }

    /// Runs the program that migrates; nil: to its end, which must be a good one.
    private static func migrate(_ path: String, killedAfter time: Duration?) throws {
        let program = Process()
        program.executableURL = try DebianEnumeration.program()
        program.arguments = ["--migrate", path]
        try program.run()
        if let time {
            usleep(UInt32(time / .microseconds(1)))
            kill(program.processIdentifier, SIGKILL)
        }
        program.waitUntilExit()
        if time == nil { #expect(program.terminationStatus == 0) }
    }

    /// A number for each stored object, equal for equal objects of one process.
    private static func content(_ configuration: Realm.Configuration) async throws -> [Int] {
        let realm = try await Realm.open(configuration)
        let numbers = try await realm.read { tx in
            var numbers: [Int] = []
            let classes = configuration.schemaVersion == 0 ? [] : ["PackageVersion"]
            for name in ["Package", "Dependency"] + classes {
                for object in try tx.dynamicObjects(name) {
                    var hasher = Hasher()
                    for name in object.propertyNames {
                        hasher.combine(name)
                        hasher.combine(text(object[name]))
                    }
                    numbers.append(hasher.finalize())
                }
            }
            return numbers
        }
        await realm.close()
        return numbers
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case let object as DynamicObject where object.className == "Package":
            object["name"] as? String ?? ""
        case let object as DynamicObject where object.className == "PackageVersion":
            ["epoch", "upstream", "revision"].map { text(object[$0]) }.joined(separator: " ")
        case let object as DynamicObject: text(object["text"])
        case let list as DynamicList: list.map { text($0) }.joined(separator: ",")
        case let set as DynamicMutableSet: set.map { text($0) }.joined(separator: ",")
        case let map as DynamicMap: map.map { "\($0.key):\(text($0.value))" }.joined(separator: ",")
        case let value?: "\(value)"
        case nil: "nil"
        }
    }

    /// Checks the later graph against the index itself.
    private static func expectConversion(
        _ configuration: Realm.Configuration, of text: String
    ) async throws {
        let realm = try await Realm.open(configuration)
        let packages = realm.snapshot().objects(LaterIndex.Package.self)
        var (differing, number) = ([String](), 0)
        for line in try PackageIndex(Data(text.utf8)) {
            number += 1
            let package = packages[number - 1]
            let version = package.version
            let parts = LaterIndex.PackageVersion.parts(line.version)
            let section = package.area == "main" ? "" : "\(package.area)/"
            let agrees =
                package.number == number && package.name == line.name
                && version?.epoch == parts["epoch"] as? Int
                && version?.upstream == parts["upstream"] as? String
                && version?.revision == parts["revision"] as? String
                && section + package.section == line.section
                && package.sizeKiB == line.installedKiB && package.summary == line.summary
                && package.dependencies.map(\.text) == line.requirements.map(\.text)
                && package.dependencies.map { $0.alternatives.map(\.name) }
                    == line.requirements.map(\.alternatives)
            if !agrees { differing.append(line.name) }
        }
        #expect(differing == [])
        await realm.close()
    }
}
