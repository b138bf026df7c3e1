import Foundation
import RegnumEngine
import RegnumJSON
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Each value one below its limit, at it and one above, through each way into a realm: it is found
/// after the realm was opened again, in another process and in a backup; or the error names class,
/// property and limit, and nothing was changed.
@Suite(.timeLimit(.minutes(20)), .disabled(if: Effort.isReduced)) struct LimitMatrixTests {
    let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    /// - Parameter checkpoints: whether closing the realm writes a checkpoint.
    func open(
        _ name: String = "test.realm", asOther: Bool = false, checkpoints: Bool = false
    ) async throws -> Realm {
        var configuration = folder.configuration(name, [LimitBox.self, LimitKey.self])
        configuration.adjust = { options in
            // The registry distinguishes by file system, so this stands for another process.
            if asOther { options.fileSystem = PosixFileSystem() }
            if checkpoints { options.checkpoint.minimumClosingByteCount = 0 }
        }
        return try await Realm.open(configuration)
    }

    /// Assigns the value of a row to the object with that id.
    func give(
        _ row: LimitRow, _ size: Int, id: Int, by way: LimitWay, to realm: Realm
    ) async throws {
        if way.isImport {
            let value = row.json(size)
            let line =
                #"{"class":"LimitBox","values":{"id":\#(id),"\#(row.property)":\#(value)}}"#
            if way == .imported {
                try await realm.importJSON(text: line)
            } else {
                let file = folder["line"]
                try Data(line.utf8).write(to: file)
                try await realm.importJSON(from: file)
            }
            return
        }
        try await realm.write { tx in
            switch way {
            case .typed:
                let box = try tx.create(LimitBox.self, value: ["id": id])
                row.assign?(box, size)
            case .added:
                let box = LimitBox(value: ["id": id])
                row.assign?(box, size)
                try tx.add(box)
            case .created:
                try tx.create(LimitBox.self, value: ["id": id, row.property: row.value(size)])
            case .updated:
                try tx.create(LimitBox.self, value: ["id": id])
                try tx.create(
                    LimitBox.self, value: ["id": id, row.property: row.value(size)],
                    update: .modified)
            case .named:
                let box = try tx.create(LimitBox.self, value: ["id": id])
                box[row.property] = row.value(size)
            case .dynamicCreated:
                try tx.dynamicCreate(
                    "LimitBox", value: ["id": id, row.property: row.value(size)])
            case .dynamic:
                let box = try tx.dynamicCreate("LimitBox", value: ["id": id])
                box[row.property] = row.value(size)
            case .imported, .importedFile: break
            }
        }
    }

    func isPossible(_ way: LimitWay, _ row: LimitRow) -> Bool {
        row.ways.contains(way) && (row.assign != nil || (way != .typed && way != .added))
    }

    /// Checks that the value is refused correctly.
    func expectRefusal(
        _ row: LimitRow, _ size: Int, by way: LimitWay, _ realm: Realm
    ) async throws {
        let before = realm.core.coordinator.published
        let error = await realmError { try await give(row, size, id: -1, by: way, to: realm) }
        let place = "\(row.name), \(way): \(error?.message.prefix(300) ?? "no error")"
        expectEqual(error?.code, .invalidValue, "\(place)")
        expectTrue(error?.className == "LimitBox" && error?.property == row.property, "\(place)")
        let told = row.told ?? "\(row.limit)"
        expectEqual(error?.message.contains("LimitBox.\(row.property)"), true, "\(place)")
        expectEqual(error?.message.contains(told), true, "\(place)")
        expectTrue((error?.message.utf8.count ?? 0) < 1_000, "\(row.name), \(way)")
        let after = realm.core.coordinator.published
        expectEqual(after.version, before.version, "\(place)")
    }

    /// Returns once the other process shows the content of the realm.
    func follow(_ realm: Realm, _ other: Realm) async throws {
        other.core.coordinator.hint()
        try await other.core.coordinator.waitUntil(
            version: realm.core.coordinator.published.version)
    }

    private typealias Given = (row: LimitRow, size: Int, id: Int, way: LimitWay)

    private func expect(_ given: [Given], in realm: Realm, _ place: String) async throws {
        try await realm.read { tx in
            for (row, size, id, way) in given {
                let box = tx.object(LimitBox.self, forPrimaryKey: id)
                expectEqual(
                    box.map { row.check($0, size) }, true,
                    "\(row.name) of \(size), \(way), \(place)")
            }
        }
    }

    /// Assigns the values, and checks that they are found wherever the realm is read.
    private func check(_ values: [(row: LimitRow, size: Int, way: LimitWay)]) async throws {
        let realm = try await open()
        let other = try await open(asOther: true)
        var given: [Given] = []
        for (id, value) in values.enumerated() {
            try await give(value.row, value.size, id: id, by: value.way, to: realm)
            given.append((value.row, value.size, id, value.way))
        }
        try await expectEverywhere(given, realm, other)
    }

    private func expectEverywhere(
        _ given: [Given], _ realm: Realm, _ other: Realm
    ) async throws {
        var realm = realm
        try await expect(given, in: realm, "in the realm itself")
        try await follow(realm, other)
        try await expect(given, in: other, "in another process")
        await other.close()
        await realm.close()
        realm = try await open(checkpoints: true)
        try await expect(given, in: realm, "opened again")
        try await realm.write { tx in try tx.add(LimitBox(value: ["id": 1_000_000])) }
        try await realm.backup(to: folder["copy.realm"])
        await realm.close()
        let copy = try await open("copy.realm")
        try await expect(given, in: copy, "in a backup")
        await copy.close()
        let files = try folder.names(in: "test.realm")
        expectTrue(files.contains { $0.hasPrefix("nodes") }, "\(files)")
        let again = try await open()
        try await expect(given, in: again, "in a checkpoint")
        await again.close()
    }

    // Covers 1.41, 1.42, 1.81
    @Test(arguments: LimitRow.large.indices) func largeValuesAtTheirLimits(_ index: Int)
        async throws
    {
        let row = LimitRow.large[index]
        var values: [(row: LimitRow, size: Int, way: LimitWay)] = []
        for way in LimitWay.allCases where isPossible(way, row) {
            if way == .typed || Effort.isSoak { values.append((row, row.limit, way)) }
            if Effort.isSoak { values.append((row, row.limit - 1, way)) }
        }
        try await check(values)
    }

    // Covers 1.81, .invalidValue
    @Test(arguments: LimitRow.large.indices)
    func largeValuesBeyondTheirLimits(_ index: Int) async throws {
        let row = LimitRow.large[index]
        let realm = try await open()
        for way in LimitWay.allCases where isPossible(way, row) {
            if way.isImport, !Effort.isSoak { continue }
            try await expectRefusal(row, row.limit + 1, by: way, realm)
        }
        await realm.close()
    }

    // Covers .invalidValue
    @Test func smallLimits() async throws {
        var values: [(row: LimitRow, size: Int, way: LimitWay)] = []
        let realm = try await open("refusing.realm")
        for row in LimitRow.small {
            for way in LimitWay.allCases where isPossible(way, row) {
                values.append((row, row.limit - 1, way))
                values.append((row, row.limit, way))
                try await expectRefusal(row, row.limit + 1, by: way, realm)
            }
        }
        await realm.close()
        try await check(values)
    }

    @Test func smallLimitsInABulkCommit() async throws {
        let realm = try await open()
        let other = try await open(asOther: true)
        let sizes = LimitRow.small.flatMap { row in
            [row.limit - 1, row.limit].map { (row: row, size: $0) }
        }
        let given: [Given] = sizes.enumerated().map { id, value in
            (value.row, value.size, id, .created)
        }
        try await realm.write { tx in
            for (row, size, id, _) in given {
                try tx.create(LimitBox.self, value: ["id": id, row.property: row.value(size)])
            }
            // more than fits into a record
            try tx.create(LimitBox.self, value: ["id": -1, "data": LimitRow.bytes(5 << 20)])
        }
        try await expectEverywhere(given, realm, other)
    }

    /// Returns the sizes of the origins of the commits after the cursor.
    private func origins(
        _ realm: Realm, since cursor: ChangeCursor, count: Int
    ) async throws -> [Int?] {
        var commits = realm.commits(since: cursor).makeAsyncIterator()
        var sizes: [Int?] = []
        while sizes.count < count, let commit = try await commits.next() {
            sizes.append(commit.origin?.utf8.count)
        }
        return sizes
    }

    private func importBox(_ id: Int, origin: String, into realm: Realm) async throws {
        try await realm.importJSON(
            text: #"{"class":"LimitBox","values":{"id":\#(id)}}"#, origin: origin)
    }

    // Covers 4.11, .invalidInput
    @Test func originsHaveALimit() async throws {
        let realm = try await open()
        let other = try await open(asOther: true)
        try await realm.write { tx in try tx.add(LimitBox(value: ["id": 0])) }
        let begin = realm.snapshot().cursor
        for count in [4_095, 4_096] {
            for isBulk in [false, true] {
                let number = count + (isBulk ? 10_000 : 0)
                try await realm.write(origin: LimitRow.text(count)) { tx in
                    let data = LimitRow.bytes(isBulk ? 5 << 20 : 5)
                    try tx.create(LimitBox.self, value: ["id": number, "data": data])
                }
            }
            try await importBox(count + 20_000, origin: LimitRow.text(count), into: realm)
        }
        let version = realm.core.coordinator.published.version
        let tooLong = [
            LimitRow.text(4_097), String(repeating: "é", count: 2_049),
            LimitRow.text(4_085) + "\u{0}trace:text",  // recorded with seven more bytes
        ]
        for origin in tooLong {
            let error = await realmError {
                try await realm.write(origin: origin) { _ in
                    Issue.record("The body of a write with an origin that is too long ran.")
                }
            }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.message.contains("\(origin.utf8.count)"), true)
            expectEqual(error?.message.contains("4096"), true)
            let imported = await realmError { try await importBox(-1, origin: origin, into: realm) }
            expectEqual(imported?.code, .invalidInput)
        }
        expectEqual(realm.core.coordinator.published.version, version)
        let sizes: [Int?] = [4_095, 4_095, 4_095, 4_096, 4_096, 4_096]
        try await expectEqual(origins(realm, since: begin, count: 6), sizes)
        try await follow(realm, other)
        try await expectEqual(origins(other, since: begin, count: 6), sizes)
        await other.close()
        await realm.close()
        let again = try await open()
        try await expectEqual(origins(again, since: begin, count: 6), sizes)
        expectEqual(again.snapshot().objects(LimitBox.self).count, 7)
        await again.close()
    }
}
