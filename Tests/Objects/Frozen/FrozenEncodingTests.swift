import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct FrozenEncodingTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func tidyKennel() async throws -> Realm {
        let realm = try await Realm.kennel()
        try await realm.write { tx in tx.objects(Walker.self)[0].ratios.removeAll() }
        return realm
    }

    private static let rest =
        #""badge":{"code":"gold","issuer":null,"weight":1.5},"badges":[{"code":"a","#
        + #""issuer":null,"weight":0},{"code":"b","issuer":null,"weight":0}],"#

    // Covers 2.37, 11.10, 11.14
    @Test func linksAreKeysAndTheRestIsInline() async throws {
        let realm = try await tidyKennel()
        try expectEqual(
            json(realm.ann),
            "{" + Self.rest
                + #""favourite":"Fido","furs":["long","short"],"name":"Ann","#
                + #""pups":["Rex","Fido","Rex"],"ratios":[],"#
                + #""scores":[4,null,2,4],"tags":["big","loud","big"]}"#)
        let rex = try requireValue(realm.snapshot().object(Whelp.self, forPrimaryKey: "Rex"))
        try expectEqual(
            json(rex),
            #"{"age":3,"friend":"Fido","fur":"long","level":-3,"name":"Rex","#
                + #""oldFur":null,"weight":0.1}"#)
        try expectEqual(json(realm.ann.tags), #"["big","loud","big"]"#)
        try expectEqual(json(realm.ann.scores.sorted()), "[null,2,4,4]")
    }

    @Test func linkWithoutAPrimaryKeyIsARowIdentity() async throws {
        let realm = try await Realm.kennel()
        try await realm.write { tx in
            tx.objects(Walker.self)[0].badge?.issuer = tx.objects(Walker.self)[1]
        }
        let bob = realm.snapshot().objects(Walker.self)[1].rowIdentity
        let badge = try requireValue(realm.ann.badge)
        try expectEqual(json(badge), #"{"code":"gold","issuer":"\#(bob)","weight":1.5}"#)
        let identity = try json([bob])
        expectTrue("\(bob)".hasPrefix("Walker#") && identity == "[\"\(bob)\"]")
    }

    // Covers 2.37, 11.7
    @Test func linksAreInlineToTheStatedDepth() async throws {
        let realm = try await Realm.kennel()
        let rex = try requireValue(realm.snapshot().object(Whelp.self, forPrimaryKey: "Rex"))
        let fido =
            #"{"age":5,"friend":"Rex","fur":"short","level":0,"name":"Fido","oldFur":null,"#
            + #""weight":0}"#
        let text =
            #"{"age":3,"friend":\#(fido),"fur":"long","level":-3,"name":"Rex","oldFur":null,"#
            + #""weight":0.1}"#
        try expectEqual(json(rex.encoded(linkDepth: 1)), text)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.userInfo[.linkDepth] = 1
        expectEqual(String(decoding: try encoder.encode(rex), as: UTF8.self), text)
        expectEqual(String(decoding: try encoder.encode([rex]), as: UTF8.self), "[" + text + "]")
        let pups = realm.snapshot().objects(Whelp.self).where { $0.name == "Rex" }
        try expectEqual(json(pups.encoded(linkDepth: 1)), "[" + text + "]")
        let one = try json(rex)
        try expectEqual(json(pups), "[" + one + "]")
        // An object may occur twice, as long as it isn't nested in itself.
        try expectTrue(json(realm.ann.pups.encoded(linkDepth: 1)).contains("\"Fido\""))
    }

    // Covers 11.9
    @Test func circleThatIsInlineIsRefused() async throws {
        let realm = try await Realm.kennel()
        let rex = try requireValue(realm.snapshot().object(Whelp.self, forPrimaryKey: "Rex"))
        let error = #expect(throws: EncodingError.self) {
            try json(rex.encoded(linkDepth: 2))
        }
        guard case .invalidValue(_, let context)? = error else {
            Issue.record("unexpected error")
            return
        }
        expectEqual(context.codingPath.map(\.stringValue), ["friend", "friend"])
        expectTrue(context.debugDescription.contains("cycle"))
        // Through embedded objects, too.
        try await realm.write { tx in
            let ann = tx.objects(Walker.self)[0]
            ann.badges[0].issuer = ann
            ann.ratios.removeAll()
        }
        #expect(throws: EncodingError.self) { try json(realm.ann.encoded(linkDepth: 1)) }
        try expectTrue(json(realm.ann).contains("\"issuer\":\"Walker#"))
    }

    // Covers 11.9
    @Test(arguments: [32, 33, 20_000])
    func longChainThatIsInlineIsRefused(_ count: Int) async throws {
        let realm = try await Realm.temporary([Walker.self, Whelp.self, Medal.self])
        try await realm.write { tx in
            var friend: Whelp?
            for number in (0..<count).reversed() {
                friend = try tx.create(
                    Whelp.self, value: ["name": "\(number)", "friend": friend])
            }
        }
        let first = try requireValue(realm.snapshot().object(Whelp.self, forPrimaryKey: "0"))
        try expectTrue(json(first.encoded(linkDepth: 31)).contains("\"31\""))
        guard count > 32 else {
            return try expectTrue(json(first.encoded(linkDepth: .max)).contains("\"31\""))
        }
        let error = #expect(throws: EncodingError.self) {
            try json(first.encoded(linkDepth: .max))
        }
        guard case .invalidValue(_, let context)? = error else {
            Issue.record("unexpected error")
            return
        }
        expectEqual(context.codingPath.count, 32)
        expectTrue(context.debugDescription.contains("more than 32 levels"))
    }

    // Covers 11.13, 11.17
    @Test func encodersStrategiesAreHonoured() async throws {
        let realm = try await Realm.temporary([Everything.self])
        try await realm.write { tx in
            let thing = Everything()
            thing.data = Data([1, 2])
            thing.date = Date(timeIntervalSince1970: 86_400)
            thing.ratio = .infinity
            try tx.add(thing)
        }
        let thing = try requireValue(realm.snapshot().objects(Everything.self).first)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(data.count)
        }
        #expect(throws: EncodingError.self) { try encoder.encode(thing) }
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let text = String(decoding: try encoder.encode(thing), as: UTF8.self)
        expectTrue(text.contains("\"date\":86400") && text.contains("\"data\":2"))
        expectTrue(text.contains("\"ratio\":\"inf\"") && text.contains("\"maybe_object_id\":null"))
    }

    @Test func propertiesOfAClassWithoutKeysAreReadBackByTheirNames() async throws {
        struct PupCopy: Decodable, Equatable {
            var name: String
            var age: Int
            var weight: Float
            var fur: String
            var oldFur: String?
            var friend: String?
        }
        let realm = try await Realm.kennel()
        let data = try JSONEncoder().encode(realm.snapshot().objects(Whelp.self))
        let copies = try JSONDecoder().decode([PupCopy].self, from: data)
        let rex = try requireValue(copies.first { $0.name == "Rex" })
        expectEqual(rex, PupCopy(name: "Rex", age: 3, weight: 0.1, fur: "long", friend: "Fido"))
    }
}
