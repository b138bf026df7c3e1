import Foundation
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Each value one below its limit, at it and one above, through each way into a realm: it is found
/// after the realm was opened again, in another process and in a backup; or the error names class,
/// property and limit, and nothing was changed.
@Suite(.timeLimit(.minutes(20)), .disabled(if: Effort.isReduced)) struct LimitMatrixTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    /// - Parameter checkpoints: whether closing the realm writes a checkpoint.
    private func open(
        _ name: String = "test.realm", asOther: Bool = false, checkpoints: Bool = false
    ) async throws -> Realm {
        var configuration = folder.configuration(name, [LimitBox.self, LimitKey.self])
        configuration.adjust = { options in
            // The registry distinguishes by file system, so this stands for another process.
            if asOther { options.fileSystem = PosixFileSystem() }
            if checkpoints { options.checkpoint.closingByteCountMin = 0 }
        }
        return try await Realm.open(configuration)
    }

    /// Assigns the value of a row to the object with that id.
    private func give(
        _ row: LimitRow, _ size: Int, id: Int, by way: LimitWay, to realm: Realm
    ) async throws {
        if way == .imported {
            let value = row.json(size)
            let line =
                #"{"class":"LimitBox","values":{"id":\#(id),"\#(row.property)":\#(value)}}"#
            let chunks = AsyncStream<[UInt8]> { continuation in
                continuation.yield(Array(line.utf8))
                continuation.finish()
            }
            try await realm.importJSON(from: chunks)
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
            case .imported: break
            }
        }
    }

    private func isPossible(_ way: LimitWay, _ row: LimitRow) -> Bool {
        row.ways.contains(way) && (row.assign != nil || (way != .typed && way != .added))
    }

    /// Checks that the value is refused correctly.
    private func expectRefusal(
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
        #expect((error?.message.utf8.count ?? 0) < 1_000, "\(row.name), \(way)")
        let after = realm.core.coordinator.published
        expectEqual(after.version, before.version, "\(place)")
    }

    /// Returns once the other process shows the content of the realm.
    private func follow(_ realm: Realm, _ other: Realm) async throws {
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
        var realm = try await open()
        let other = try await open(asOther: true)
        var given: [Given] = []
        for (id, value) in values.enumerated() {
            try await give(value.row, value.size, id: id, by: value.way, to: realm)
            given.append((value.row, value.size, id, value.way))
        }
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
            if way == .imported, !Effort.isSoak { continue }
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

    // Covers .invalidValue
    @Test func valuesThatNoPropertyCanHold() async throws {
        let noDate = Date(timeIntervalSinceReferenceDate: .nan)
        let rows: [LimitRow] = [
            .refused(
                "date", "date", "is NaN", { noDate }, json: "\"2026-02-30T00:00:00Z\"",
                assign: { $0.date = noDate }),
            .refused(
                "date of any type", "any", "is NaN", { AnyRealmValue.date(noDate) },
                json: "{\"date\":\"now\"}", assign: { $0.any = .date(noDate) }),
            .refused(
                "date in a list", "dates", "is NaN", { [noDate] }, json: "[\"now\"]",
                assign: { $0.dates.append(noDate) }),
            .refused("case", "number", "5", { 5 }, json: "5"),
            .refused("float", "ratio", "Float", { 1e300 }, json: "1e300"),
            .refused("integer", "small", "9223372036854775807", { Int.max }, json: "\(Int.max)"),
        ]
        let realm = try await open()
        for row in rows {
            for way in LimitWay.allCases where isPossible(way, row) && way != .imported {
                try await expectRefusal(row, 1, by: way, realm)
            }
            let error = await realmError {
                try await give(row, 1, id: -1, by: .imported, to: realm)
            }
            expectTrue(
                error?.code == .invalidValue && error?.property == row.property, "\(row.name)")
        }
        await realm.close()
    }

    @Test func outermostDatesAndNumbersSurvive() async throws {
        let dates = [-Double.infinity, .infinity, .greatestFiniteMagnitude, -0.0].map {
            Date(timeIntervalSinceReferenceDate: $0)
        }
        let text = "9.999999999999999999999999999999999E+6144"
        let greatest = try #require(Decimal128(text))
        let realm = try await open()
        try await realm.write { tx in
            for (id, date) in dates.enumerated() {
                let amount = id % 2 == 0 ? greatest : Decimal128.nan
                try tx.create(
                    LimitBox.self,
                    value: [
                        "id": id == 3 ? Int.min : Int.max - id, "date": date, "amount": amount,
                        "any": AnyRealmValue.date(date), "ratio": Float.greatestFiniteMagnitude,
                    ])
            }
        }
        await realm.close()
        let again = try await open()
        try await again.read { tx in
            for (id, date) in dates.enumerated() {
                let key = id == 3 ? Int.min : Int.max - id
                let box = try #require(tx.object(LimitBox.self, forPrimaryKey: key))
                expectTrue(box.date == date && box.any == .date(date))
                expectEqual(box.ratio, .greatestFiniteMagnitude)
                #expect(id % 2 == 0 ? box.amount == greatest : box.amount.isNaN)
            }
        }
        await again.close()
    }

    // Covers 1.81, .invalidValue
    @Test func longPrimaryKeys() async throws {
        let longest = LimitRow.text(16_777_199)
        let realm = try await open()
        try await realm.write { tx in try tx.create(LimitKey.self, value: ["key": longest]) }
        let error = await realmError {
            try await realm.write { tx in
                try tx.create(LimitKey.self, value: ["key": longest + "x"])
            }
        }
        expectTrue(error?.code == .invalidValue && error?.className == "LimitKey")
        expectTrue(error?.property == "key" && error?.message.contains("16777199") == true)
        await realm.close()
        let again = try await open()
        try await again.read { tx in
            let object = tx.object(LimitKey.self, forPrimaryKey: longest)
            expectEqual(object?.key.utf8.count, longest.utf8.count)
            // A key that no object can have is never found.
            let none = tx.object(LimitKey.self, forPrimaryKey: longest + "x")
            expectNil(none)
            expectTrue(tx.objects(LimitKey.self).where { $0.key == longest + "x" }.isEmpty)
            expectEqual(tx.objects(LimitKey.self).where { $0.key == longest }.count, 1)
        }
        await again.close()
    }

    /// No stored value equals such an operand, but conditions and orders have an answer.
    @Test func operandsBeyondTheLimits() async throws {
        let realm = try await open()
        try await realm.write { tx in
            for (id, text) in ["a", "x", "y"].enumerated() {
                let data = Data(text.utf8)
                try tx.create(
                    LimitBox.self,
                    value: [
                        "id": id, "text": text, "name": text, "data": data, "any": text,
                        "texts": [text], "blobs": [data], "entries": [text: text],
                    ])
            }
        }
        let (text, data) = (LimitRow.text(16_777_300), LimitRow.bytes(16_777_300))
        let boxes = realm.snapshot().objects(LimitBox.self)
        func ids(_ condition: (Query<LimitBox>) -> Query<Bool>) -> [Int] {
            boxes.where(condition).map(\.id)
        }
        expectEqual(ids { $0.text == text || $0.name == text || $0.data == data }, [])
        expectEqual(ids { $0.text != text && $0.name != text && $0.data != data }, [0, 1, 2])
        expectTrue(ids { $0.text < text } == [0, 1] && ids { $0.text > text } == [2])
        expectTrue(ids { $0.name < text } == [0, 1] && ids { $0.name >= text } == [2])
        expectTrue(
            ids { $0.text.in([text, "y"]) } == [2] && ids { $0.name.in([text, "a"]) } == [0])
        expectEqual(ids { $0.data.in([data, Data("a".utf8)]) }, [0])
        expectEqual(ids { $0.text.starts(with: text) || $0.name.starts(with: text) }, [])
        expectEqual(ids { $0.text.contains(text) || $0.text.ends(with: text) }, [])
        expectTrue(ids { $0.text.like(text + "*") } == [] && ids { $0.data.contains(data) } == [])
        expectEqual(ids { $0.any == .string(text) || $0.any == .data(data) }, [])
        expectEqual(ids { $0.any < .string(text) }, [0, 1])
        expectEqual(ids { $0.texts.contains(text) || $0.blobs.contains(data) }, [])
        expectEqual(ids { $0.entries.keys == text || $0.entries[text] == "x" }, [])
        expectEqual(ids { $0.entries.values > text }, [2])
        try await realm.read { tx in
            let box = try #require(tx.object(LimitBox.self, forPrimaryKey: 1))
            expectTrue(!box.blobs.contains(data) && box.texts.index(of: text) == nil)
            expectNil(box.entries[text])
            try expectEqual(tx.dynamicObjects("LimitBox").first?["text"] as? String, "a")
        }
        await realm.close()
    }

    // Covers 4.11, .invalidInput
    @Test func originsHaveALimit() async throws {
        let realm = try await open()
        let other = try await open(asOther: true)
        for count in [4_095, 4_096] {
            for isBulk in [false, true] {
                let number = count + (isBulk ? 10_000 : 0)
                try await realm.write(origin: LimitRow.text(count)) { tx in
                    let data = LimitRow.bytes(isBulk ? 5 << 20 : 5)
                    try tx.create(LimitBox.self, value: ["id": number, "data": data])
                }
            }
        }
        let version = realm.core.coordinator.published.version
        for origin in [LimitRow.text(4_097), String(repeating: "é", count: 2_049)] {
            let error = await realmError {
                try await realm.write(origin: origin) { _ in
                    Issue.record("The body of a write with an origin that is too long ran.")
                }
            }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.message.contains("\(origin.utf8.count)"), true)
            expectEqual(error?.message.contains("4096"), true)
            let imported = await realmError {
                let none = AsyncStream<[UInt8]> { $0.finish() }
                try await realm.importJSON(from: none, origin: origin)
            }
            expectEqual(imported?.code, .invalidInput)
        }
        expectEqual(realm.core.coordinator.published.version, version)
        try await follow(realm, other)
        expectEqual(other.snapshot().objects(LimitBox.self).count, 4)
        await other.close()
        await realm.close()
        let again = try await open()
        expectEqual(again.snapshot().objects(LimitBox.self).count, 4)
        await again.close()
    }
}
