import Foundation
import Regnum
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Values that no property can hold, the outermost ones that properties can hold, long primary
/// keys, and operands of queries.
extension LimitMatrixTests {
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
            for way in LimitWay.allCases where isPossible(way, row) {
                guard way.isImport else {
                    try await expectRefusal(row, 1, by: way, realm)
                    continue
                }
                let error = await realmError { try await give(row, 1, id: -1, by: way, to: realm) }
                expectTrue(
                    error?.code == .invalidValue && error?.property == row.property, "\(row.name)")
            }
        }
        await realm.close()
    }

    @Test func outermostDatesAndNumbersSurvive() async throws {
        // JSON has dates as text from the year 1 to 9999, and others as numbers.
        let (first, end) = (-63_113_904_000.0, 252_423_993_600.0)
        let dates = [
            -.infinity, .infinity, .greatestFiniteMagnitude, -0.0, first - 1, first, first.nextUp,
            first + 1, end - 1, end.nextDown, end, end + 1,
        ].map { Date(timeIntervalSinceReferenceDate: $0) }
        let text = "9.999999999999999999999999999999999E+6144"
        let greatest = try requireValue(Decimal128(text))
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
        try await realm.snapshot().exportJSON(to: folder["text"])
        await realm.close()
        let imported = try await open("imported.realm")
        try await imported.importJSON(from: folder["text"])
        for other in [try await open(), imported] {
            try await other.read { tx in
                for (id, date) in dates.enumerated() {
                    let key = id == 3 ? Int.min : Int.max - id
                    let box = try requireValue(tx.object(LimitBox.self, forPrimaryKey: key))
                    expectTrue(box.date == date && box.any == .date(date), "\(date)")
                    expectEqual(box.ratio, .greatestFiniteMagnitude)
                    expectTrue(id % 2 == 0 ? box.amount == greatest : box.amount.isNaN)
                }
            }
            await other.close()
        }
    }

    /// One kind of value for each way, one after the other because of their size; the soak tries
    /// all of them.
    // Covers 1.41, 1.42, 1.81
    @Test(.disabled(if: Effort.isSoak)) func largestValuesByEachWay() async throws {
        for (number, way) in LimitWay.allCases.enumerated() {
            let rows = LimitRow.large.filter { isPossible(way, $0) }
            let row = rows[number % rows.count]
            for size in [row.limit - 1, row.limit] {
                let realm = try await Realm.temporary([LimitBox.self, LimitKey.self])
                try await give(row, size, id: 1, by: way, to: realm)
                try await realm.read { tx in
                    let box = tx.object(LimitBox.self, forPrimaryKey: 1)
                    let isFound = box.map { row.check($0, size) }
                    expectEqual(isFound, true, "\(row.name) of \(size), \(way)")
                }
                await realm.close()
            }
        }
    }

    // Covers 1.81, .invalidValue
    @Test func longPrimaryKeys() async throws {
        let longest = LimitRow.text(16_777_199)
        let realm = try await open()
        try await realm.write { tx in try tx.create(LimitKey.self, value: ["key": longest]) }
        let long = longest + "x"
        let ways: [@Sendable (Transaction) throws -> Void] = [
            { tx in try tx.create(LimitKey.self, value: ["key": long]) },
            { tx in try tx.create(LimitKey.self, value: ["key": long], update: .modified) },
            { tx in
                let object = LimitKey()
                object.key = long
                try tx.add(object)
            },
            { tx in try tx.dynamicCreate("LimitKey", value: ["key": long]) },
        ]
        var errors: [Realm.Error?] = []
        for way in ways {
            errors.append(await realmError { try await realm.write { try way($0) } })
        }
        let line = #"{"class":"LimitKey","values":{"key":"\#(long)","count":1}}"#
        errors.append(await realmError { try await realm.importJSON(text: line) })
        for (number, error) in errors.enumerated() {
            let place = "\(number): \(error?.message.prefix(300) ?? "no error")"
            expectTrue(error?.code == .invalidValue && error?.className == "LimitKey", "\(place)")
            expectTrue(error?.property == "key", "\(place)")
            expectEqual(error?.message.contains("16777199"), true, "\(place)")
        }
        await realm.close()
        let again = try await open()
        try await again.read { tx in
            let object = tx.object(LimitKey.self, forPrimaryKey: longest)
            expectEqual(object?.key.utf8.count, longest.utf8.count)
            // A key that no object can have is never found.
            let none = tx.object(LimitKey.self, forPrimaryKey: long)
            expectNil(none)
            let keys = tx.objects(LimitKey.self)
            expectTrue(keys.where { $0.key == long }.isEmpty)
            expectEqual(keys.where { $0.key == longest }.count, 1)
            try expectEqual(keys.filter("key == '\(longest)'").count, 1)
            try expectEqual(keys.filter("key == %@", long).count, 0)
            let dynamic = try tx.dynamicObject(ofType: "LimitKey", forPrimaryKey: longest)
            expectEqual(dynamic?["count"] as? Int, 0)
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
        try expectEqual(boxes.filter("text > %@ OR name == %@", text, text).map(\.id), [2])
        try expectEqual(boxes.filter("data IN %@", [data, Data("a".utf8)]).map(\.id), [0])
        try await realm.read { tx in
            let box = try requireValue(tx.object(LimitBox.self, forPrimaryKey: 1))
            expectTrue(!box.blobs.contains(data) && box.texts.index(of: text) == nil)
            expectNil(box.entries[text])
            try expectEqual(tx.dynamicObjects("LimitBox").first?["text"] as? String, "a")
        }
        await realm.close()
    }
}
