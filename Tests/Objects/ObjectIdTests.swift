import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct ObjectIdTests {
    @Test func generatedIdsRise() {
        var last = ObjectId.generate()
        for _ in 0..<100_000 {
            let next = ObjectId.generate()
            expectTrue(next > last)
            last = next
        }
    }

    @Test func generatedIdsOfManyTasksAreDistinct() async {
        let ids = await withTaskGroup(of: [ObjectId].self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<5_000).map { _ in ObjectId.generate() } }
            }
            return await group.reduce(into: Set<ObjectId>()) { $0.formUnion($1) }
        }
        expectEqual(ids.count, 40_000)
    }

    @Test func generatedIdBeginsWithTheTime() {
        let before = UInt32(Date().timeIntervalSince1970)
        let id = ObjectId.generate()
        expectTrue(id.timestampSeconds >= before)
        expectTrue(id.timestampSeconds <= UInt32(Date().timeIntervalSince1970) + 1)
    }

    @Test func timesAreClampedToThoseOfAnId() {
        let last = Double(UInt32.max)
        let cases: [(Double, UInt32)] = [
            (-.infinity, 0), (-1, 0), (0, 0), (0.9, 0), (1, 1), (last - 1, .max - 1),
            (last, .max), (last + 1, .max), (.infinity, .max), (.nan, 0),
        ]
        for (seconds, expected) in cases {
            let id = ObjectId(
                timestamp: Date(timeIntervalSince1970: seconds), machineId: .min, processId: .max)
            expectEqual(id.timestampSeconds, expected, "\(seconds)")
        }
    }

    @Test func textIsTwentyFourHexadecimalDigits() throws {
        let text = "00ff1234567890abcdef0042"
        let id = try ObjectId(string: text)
        expectEqual(id.description, text)
        expectEqual(ObjectId(text.uppercased()), id)
        expectEqual(ObjectId().description, String(repeating: "0", count: 24))
        for _ in 0..<1_000 {
            let id = ObjectId.generate()
            expectEqual(ObjectId(id.description), id)
        }
    }

    // Covers 1.59
    @Test func literalIsAnIdOrEndsTheProcess() async throws {
        let id = ObjectId("00FF1234567890abcdef0042")
        expectEqual(id.description, "00ff1234567890abcdef0042")
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ObjectId("no id")
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(text.contains("\"no id\" is not an ObjectId"))
    }

    // Covers 12.14
    @Test(arguments: [
        "", "00ff1234567890abcdef004", "00ff1234567890abcdef00420", "00ff1234567890abcdef004g",
        " 0ff1234567890abcdef0042", "+0ff1234567890abcdef0042", "０0ff1234567890abcdef00",
    ])
    func anythingElseIsInvalidInput(text: String) {
        let error = #expect(throws: Realm.Error.self) { try ObjectId(string: text) }
        expectEqual(error?.code, .invalidInput)
        expectNil(ObjectId(text))
    }

    // Covers 1.60
    @Test func orderIsTheOrderOfTheBytes() throws {
        let texts = [
            "000000000000000000000001", "0000000000000000000000ff", "000000000000000100000000",
            "7fffffffffffffffffffffff", "800000000000000000000000", "ffffffffffffffffffffffff",
        ]
        let ids = try texts.map { try ObjectId(string: $0) }
        expectEqual(ids.shuffled().sorted(), ids)
    }

    // Covers 11.12
    @Test func codesAsAString() throws {
        let id = ObjectId.generate()
        let json = try JSONEncoder().encode([id])
        expectEqual(String(decoding: json, as: UTF8.self), "[\"\(id)\"]")
        try expectEqual(JSONDecoder().decode([ObjectId].self, from: json), [id])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ObjectId].self, from: Data("[\"zz\"]".utf8))
        }
    }
}
