import Foundation
import Regnum
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Damage of each kind is reported with its file and offset, and with the class, property and key
/// where these are known.
@Suite(.timeLimit(.minutes(20)))
struct VerificationTests {
    private static let count = 1_100

    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    private static func name(_ number: Int) -> String { "the name of the crate \(number), in full" }

    /// Makes a closed realm with two checkpoints in the same nodes file.
    private func makeRealm() async throws {
        var configuration = folder.configuration("test.realm", [Crate.self])
        configuration.logger = nil
        configuration.adjust = { $0.checkpoint.minimumClosingByteCount = 1 }
        for ids in [0..<Self.count, Self.count..<Self.count + 1] {
            let realm = try await Realm.open(configuration)
            try await realm.write { tx in
                for number in ids {
                    let crate = Crate()
                    crate.id = number
                    crate.name = Self.name(number)
                    try tx.add(crate)
                }
            }
            await realm.close()
        }
    }

    private func open() async throws -> Realm {
        var configuration = folder.configuration("test.realm", [Crate.self])
        configuration.logger = nil
        return try await Realm.open(configuration)
    }

    /// Flips a bit of a file at the offset that `place` returns for its bytes.
    private func flip(_ name: String, _ place: (Data) -> Int?) throws -> UInt64 {
        let file = folder["test.realm"].appending(path: name)
        var bytes = try Data(contentsOf: file)
        let offset = try requireValue(place(bytes))
        bytes[offset] ^= 1
        try bytes.write(to: file, options: .atomic)
        return UInt64(offset)
    }

    private func verify() async throws -> IntegrityReport {
        try await Realm.verify(at: folder["test.realm"])
    }

    /// A kind of damage.
    private enum Kind: CaseIterable {
        case firstText, lastText, index, newestDirectory, olderDirectory, record
    }

    /// Does damage. Returns the offset of the flipped bit's byte.
    private func damage(_ kind: Kind) throws -> UInt64 {
        let directory = Data("RGDI".utf8)
        switch kind {
        case .firstText: return try flip("nodes-1") { Self.text(99, $0) }
        case .lastText: return try flip("nodes-1") { Self.text(1_090, $0) }
        case .index:
            return try flip("nodes-1") { bytes in
                let keys = [500, 501].flatMap { number in
                    let key = UInt64(bitPattern: Int64(number)) ^ 1 << 63
                    return withUnsafeBytes(of: key.littleEndian) { Array($0) }
                }
                return bytes.range(of: Data(keys))?.lowerBound
            }
        case .newestDirectory:
            return try flip("nodes-1") { $0.range(of: directory, options: .backwards)?.lowerBound }
        case .olderDirectory: return try flip("nodes-1") { $0.range(of: directory)?.lowerBound }
        case .record: return try flip("log-0-0") { _ in 4096 + 60 }
        }
    }

    private static func text(_ number: Int, _ bytes: Data) -> Int? {
        bytes.range(of: Data(name(number).utf8), options: .backwards)?.lowerBound
    }

    private func expectNamed(_ kind: Kind, at flipped: UInt64, in report: IntegrityReport) {
        let isNamed = report.damages.contains { damage in
            guard let offset = damage.offset, let path = damage.path else { return false }
            let isInNodes = path.hasSuffix("/test.realm/nodes-1") && offset <= flipped
            let isInCrate = isInNodes && damage.className == "Crate"
            return switch kind {
            case .firstText: isInCrate && damage.property == "name" && damage.key == "0"
            case .lastText: isInCrate && damage.property == "name" && damage.key == "1024"
            case .index: isInCrate && damage.property == "id"
            case .newestDirectory, .olderDirectory:
                isInNodes && offset == flipped && damage.className == nil
            case .record: path.hasSuffix("/test.realm/log-0-0") && offset == 4096
            }
        }
        expectTrue(isNamed, "\(kind) at \(flipped) isn't in:\n\(report)")
    }

    @Test func soundRealmIsCounted() async throws {
        try await makeRealm()
        let before = try folder.state()
        let report = try await verify()
        expectTrue(report.isSound && report.isComplete, "\(report)")
        expectTrue(report.version == 2 && report.objectCount == Self.count + 1)
        expectTrue(report.directoryCount == 2 && report.segmentCount > 0)
        expectTrue(report.recordCount >= 4 && report.leafCount > 10)
        try expectEqual(folder.state(), before)
    }

    // Covers .invalidDatabase
    @Test func eachKindOfDamageIsNamedAlone() async throws {
        try await makeRealm()
        for kind in Kind.allCases {
            let offset = try damage(kind)
            let report = try await verify()
            expectNamed(kind, at: offset, in: report)
            expectTrue(report.damages.count == 1 && report.version == 2, "\(kind): \(report)")
            // revert it
            _ = try flip(kind == .record ? "log-0-0" : "nodes-1") { _ in Int(offset) }
        }
        try await expectTrue(verify().isSound)
    }

    // Covers .invalidDatabase
    @Test func severalDamagesAreAllNamed() async throws {
        try await makeRealm()
        let kinds = [Kind.firstText, .lastText, .index, .olderDirectory, .record]
        let offsets = try kinds.map { try damage($0) }
        let report = try await verify()
        for (kind, offset) in zip(kinds, offsets) { expectNamed(kind, at: offset, in: report) }
        expectEqual(report.damages.count, kinds.count, "\(report)")
    }

    // Covers .invalidDatabase
    @Test func realmThatCannotBeOpenedIsReported() async throws {
        try await makeRealm()
        // the header of the nodes file, and the first commit
        let offsets = try [flip("nodes-1") { _ in 30 }, damage(.record)]
        let report = try await verify()
        expectNil(report.version)
        expectTrue(
            report.damages.contains { $0.path?.hasSuffix("nodes-1") == true && $0.offset == 0 },
            "\(report)")
        expectNamed(.record, at: offsets[1], in: report)
        expectTrue(report.description.contains("cannot be opened"), "\(report)")
        await expectEqual(realmError { try await open() }?.code, .invalidDatabase)
    }

    // Covers .invalidDatabase
    @Test func missingFilesAreNamed() async throws {
        try await makeRealm()
        try FileManager.default.removeItem(at: folder["test.realm"].appending(path: "nodes-1"))
        let report = try await verify()
        expectTrue(
            report.damages.contains { $0.path?.hasSuffix("/nodes-1") == true }, "\(report)")
        let error = await realmError { try await Realm.verify(at: folder["none.realm"]) }
        expectEqual(error?.code, .fileNotFound)
    }

    // Covers .invalidDatabase
    @Test func missingSegmentIsNamed() async throws {
        let source = try await DamagedSource(folder, 0, seed: 7)
        let numbers = source.files.keys.compactMap { name in
            name.hasPrefix("log-0-") ? Int(name.dropFirst(6)) : nil
        }
        try #require(numbers.count > 2)
        let name = "log-0-\(numbers.sorted()[1])"
        let url = folder["source-0.realm"]
        try FileManager.default.removeItem(at: url.appending(path: name))
        let report = try await Realm.verify(at: url)
        let isNamed = report.damages.contains { $0.path?.hasSuffix("/\(name)") == true }
        expectTrue(isNamed && report.isComplete, "\(report)")
    }

    /// Without the log, nothing proves what is in the other files.
    // Covers .invalidDatabase
    @Test func missingLogIsNamed() async throws {
        try await makeRealm()
        let url = folder["test.realm"]
        for name in try folder.names(in: "test.realm") where name.hasPrefix("log-") {
            try FileManager.default.removeItem(at: url.appending(path: name))
        }
        let report = try await verify()
        let isNamed = report.damages.contains { $0.message.contains("there is no log file") }
        expectTrue(isNamed && report.isComplete, "\(report)")
        var reading = folder.configuration("test.realm", [Crate.self])
        reading.readOnly = true
        let names = try folder.names(in: "test.realm")
        let errors = [
            await realmError { try await open() },
            await realmError { [reading] in try await Realm.open(reading) },
            await realmError { try await Realm.salvage(url, to: folder["new.realm"]) },
            await realmError { [reading] in try await Realm.fileExists(for: reading) },
            await realmError { [reading] in try await Realm.deleteFiles(for: reading) },
        ]
        try expectEqual(folder.names(in: "test.realm"), names)
        for error in errors {
            expectEqual(error?.code, .invalidDatabase)
            let isNamed = error?.message.contains("there is no log file") == true
            expectTrue(isNamed, "\(String(describing: error))")
        }
    }

    // Covers .invalidDatabase
    @Test func snapshotReportsTheDamageOfItsVersion() async throws {
        try await makeRealm()
        let offsets = try [damage(.firstText), damage(.lastText)]
        _ = try damage(.record)
        let realm = try await open()
        let snapshot = realm.snapshot()
        let report = try await snapshot.integrityReport()
        expectNamed(.firstText, at: offsets[0], in: report)
        expectNamed(.lastText, at: offsets[1], in: report)
        expectTrue(report.damages.count == 2 && report.isComplete, "\(report)")
        expectTrue(report.version == 2 && report.segmentCount == 0)
        let limited = try await snapshot.integrityReport(limit: 1)
        expectEqual(limited.damages, Array(report.damages.prefix(1)))
        expectTrue(!limited.isComplete)
        let error = await realmError { try await snapshot.checkIntegrity() }
        expectEqual(error?.position, report.damages.first?.offset)
        expectEqual(error?.message, report.damages.first?.message)
        await realm.close()
    }

    /// Also a realm that is being written, whose files are added and removed meanwhile.
    @Test func realmInUseIsSound() async throws {
        let url = folder["busy.realm"]
        var configuration = DamagedSource.configuration(url)
        configuration.historyRetention = .nothing
        let realm = try await Realm.open(configuration)
        var random = SeededRandom()
        for _ in 0..<20 {
            let edits = (0..<10).map { _ in CrateEdit(&random, 6) }
            async let report = Realm.verify(at: url)
            for edit in edits { try await realm.write { tx in try edit.apply(to: tx) } }
            let found = try await report
            expectTrue(found.isSound, "\(found)")
        }
        await realm.close()
    }
}
