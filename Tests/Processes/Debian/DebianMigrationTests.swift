import Foundation
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import Regnum
@testable import RegnumDebian

/// A separate process migrates the package graph to a later program's classes and is killed at
/// random moments. The realm must then hold either the old or the migrated graph, compared by a
/// hash of everything stored, and an old graph must still migrate to the same state as without a
/// kill.
///
/// The gate uses the first 400 packages of the index, the soak all of them, in parts of 2 MiB
/// instead of 64 KiB. Without the index, both use a random graph of 400 packages.
@Suite(.serialized) struct DebianMigrationTests {
    @Test(arguments: [false, true])
    func aKilledMigrationLeavesOneOfTwoStates(inParts: Bool) async throws {
        let killCount = Effort.count(gate: 4, soak: 50)
        let packageCount = Effort.isSoak && DebianIndex.file != nil ? 70_000 : 400
        let partByteCount = packageCount < 10_000 ? 64 << 10 : 2 << 20
        let option = inParts ? "--migrate-in-parts=\(partByteCount)" : "--migrate"
        var generator = SeededRandom()
        let folder = FileManager.default.temporaryDirectory.appending(path: "debian-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let index =
            DebianIndex.file == nil
            ? DebianIndex.random(packageCount: 400, using: &generator)
            : try DebianIndex.part(packageCount: .max)
        let lines = index.text.split(separator: "\n", omittingEmptySubsequences: true)
        let text = lines.prefix(packageCount + 1).joined(separator: "\n") + "\n"
        let original = folder.appending(path: "original").path
        let realm = try await Realm.open(Self.earlier(original))
        try await realm.load(PackageIndex(Data(text.utf8)))
        await realm.close()
        let old = try await Self.content(Self.earlier(original))
        let beginning = ContinuousClock.now

        func copy() throws -> String {
            let path = folder.appending(path: "copy-\(UUID())").path
            try FileManager.default.copyItem(atPath: original, toPath: path)
            return path
        }
        let plain = try copy()
        let plainKiB = try Self.migrate(plain, "--migrate").kibibytes
        let new = try await Self.content(Self.later(plain))
        expectTrue(new.hash != old.hash)
        try await Self.expectConversion(Self.later(plain), of: text)
        let whole = try copy()
        let run = try Self.migrate(whole, option)
        try await expectEqual(Self.content(Self.later(whole)), new)
        for path in [plain, whole] { try FileManager.default.removeItem(atPath: path) }

        var (oldCount, newCount, partCount) = (0, 0, 0)
        for _ in 0..<killCount {
            let path = try copy()
            let part = Double.random(in: 0...1, using: &generator)
            let isInBlock = Int.random(in: 0..<4, using: &generator) > 0
            try Self.migrate(
                path, option,
                killedAfter: isInBlock ? .block(run.block * part) : .start(run.whole * part))
            let hasParts = FileManager.default.fileExists(atPath: path + "/migration")
            // Written but unpublished data count once the realm is opened for writing.
            if let left = try await Self.oldContent(path) {
                oldCount += 1
                partCount += hasParts ? 1 : 0
                expectEqual(left, old)
                try Self.migrate(path, option)
            } else {
                newCount += 1
            }
            try await expectEqual(Self.content(Self.later(path)), new)
            try FileManager.default.removeItem(atPath: path)
        }
        print(
            "\(option): \(old.objectCount) objects, migrated in \(run.whole) with \(run.kibibytes) "
                + "KiB (\(plainKiB) not in parts); \(killCount) kills in "
                + "\(beginning.duration(to: .now)): \(oldCount) old, \(partCount) of them with a "
                + "part, \(newCount) new")
        expectEqual(oldCount + newCount, killCount)
        // This many kills hit at least one migration that has written a part.
        expectTrue(!inParts || killCount < 50 || partCount > 0)
    }

    private static func earlier(_ path: String) -> Realm.Configuration {
        Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: [Package.self, Dependency.self])
    }

    private static func later(_ path: String) -> Realm.Configuration {
        var configuration = LaterIndex.configuration(path)
        configuration.migration = { _, _ in throw IndexFailure("The migration ran again.") }
        return configuration
    }

    /// When the program is killed: this long after its start, or after its block has begun.
    private enum Moment {
        case start(Duration)
        case block(Duration)
    }

    /// How long the program ran, in total and from the beginning of its block, and its private
    /// memory.
    private struct Run {
        var whole = Duration.zero
        var block = Duration.zero
        var kibibytes = 0
    }

    /// Runs the migrating program; without a moment, to its end, which must be successful.
    @discardableResult
    private static func migrate(
        _ path: String, _ option: String, killedAfter moment: Moment? = nil
    ) throws -> Run {
        let program = Process()
        program.executableURL = try BuiltProduct.file("RegnumDebian")
        program.arguments = [option, path]
        let pipe = Pipe()
        program.standardOutput = pipe
        let start = ContinuousClock.now
        try program.run()
        if case .start(let time)? = moment {
            usleep(UInt32(time / .microseconds(1)))
            kill(program.processIdentifier, SIGKILL)
        }
        var output = pipe.fileHandleForReading.availableData  // "begun", or the end
        let blockStart = ContinuousClock.now
        if case .block(let time)? = moment {
            usleep(UInt32(time / .microseconds(1)))
            kill(program.processIdentifier, SIGKILL)
        }
        output += pipe.fileHandleForReading.readDataToEndOfFile()
        program.waitUntilExit()
        let end = ContinuousClock.now
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        guard moment == nil else { return Run() }
        expectTrue(program.terminationStatus == 0 && lines.count == 2 && lines[0] == "begun")
        return Run(
            whole: start.duration(to: end), block: blockStart.duration(to: end),
            kibibytes: lines.last.flatMap { Int($0) } ?? 0)
    }

    /// Returns what the earlier program finds; `nil` if the migration is done.
    private static func oldContent(_ path: String) async throws -> Content? {
        do {
            return try await content(earlier(path))
        } catch Realm.Error.Code.schemaMismatch {
            return nil
        }
    }

    /// A hash of everything that a realm stores: equal for equal content, whatever its history.
    private struct Content: Equatable {
        var hash: UInt64
        var objectCount: Int
    }

    private static func content(_ configuration: Realm.Configuration) async throws -> Content {
        let realm = try await Realm.open(configuration)
        let root = realm.core.coordinator.published
        let content = Content(
            hash: root.stateHash(),
            objectCount: root.schema.tables.reduce(0) { count, table in
                table.kind == .elements ? count : count + root.count(table.key)
            })
        expectNil(root.damage)
        await realm.close()
        return content
    }

    /// Checks the migrated graph against the index itself.
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
        expectEqual(differing, [])
        await realm.close()
    }
}
