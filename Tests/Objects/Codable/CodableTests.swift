import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

@Suite struct CodableTests {
    private func json(_ value: some Encodable, _ adjust: (JSONEncoder) -> Void = { _ in }) throws
        -> String
    {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        adjust(encoder)
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func decode<T: Decodable>(
        _ type: T.Type, _ text: String, _ adjust: (JSONDecoder) -> Void = { _ in }
    ) throws -> T {
        let decoder = JSONDecoder()
        adjust(decoder)
        return try decoder.decode(type, from: Data(text.utf8))
    }

    private static let allText =
        #"{"bool":true,"boolOpt":null,"data":"AQI=","dataOpt":"","date":12.5,"dateOpt":null,"#
        + #""dates":[1,2.25],"decimal":"1.5","decimalOpt":null,"dogs":{"a":null,"b":{"age":1,"#
        + #""friend":null,"name":"Rex"}},"double":-0.5,"float":0.25,"floatOpt":null,"#
        + #""int":-9223372036854775808,"int64":64,"int8":-8,"intOpt":3,"ints":[3,1,3],"#
        + #""mood":"wild","moodOpt":null,"moods":["calm"],"numbers":{"one":1,"zero":null},"#
        + #""objectId":"00112233445566778899aabb","objectIdOpt":null,"point":{"text":"q"},"#
        + #""pointOpt":null,"string":"ä\n","stringOpt":"s","texts":["x",null],"#
        + #""uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","uuidOpt":null}"#

    // Covers 8.16, 11.1, 11.4, 11.6, 11.8, 11.14
    @Test func allKindsOfPropertiesAreDecodedAndEncoded() throws {
        let object = try decode(CodableAll.self, Self.allText)
        expectTrue(!object.isManaged)
        expectTrue(object.int == .min && object.int8 == -8 && object.mood == .wild)
        expectEqual(object.date, Date(timeIntervalSinceReferenceDate: 12.5))
        expectTrue(object.dataOpt == Data() && object.intOpt == 3 && object.boolOpt == nil)
        expectTrue(Array(object.ints) == [3, 1, 3] && Array(object.texts) == ["x", nil])
        expectTrue(object.numbers["one"] == .some(1) && object.numbers.count == 2)
        expectTrue((object.dogs["b"] ?? nil)?.name == "Rex" && object.point == CodablePoint("q"))
        let text = try json(object)
        expectEqual(text, Self.allText)
    }

    // Covers 8.16, 11.2, 11.9
    @Test func decodedObjectsAreAddedLikeOthers() async throws {
        let realm = try await Realm.open(
            .init(location: .inMemory(identifier: "codable-\(UUID())")))
        try await realm.write { tx in
            try tx.add(try decode(CodableAll.self, Self.allText))
            let person = try decode(
                CodablePerson.self,
                #"{"id":1,"dogs":[{"name":"Bob","age":1,"friend":{"name":"Max","age":2}},"#
                    + #"{"name":"Ace","age":3}],"tag":{"label":"t","inner":{"label":"i"}},"#
                    + #""tags":[]}"#)
            try tx.add(person)
            expectEqual(person.dogs[0].owners.map(\.id), [1])
            // The declaration's key and index apply, which a decoded wrapper doesn't know.
            expectEqual(tx.object(CodableDog.self, forPrimaryKey: "Max")?.age, 2)
        }
        let all = try requireValue(realm.snapshot().objects(CodableAll.self).first)
        let inline = #"{"age":1,"friend":null,"name":"Rex"}"#
        let text = try json(all)
        expectEqual(text, Self.allText.replacing(inline, with: #""Rex""#))
        expectEqual(realm.snapshot().objects(CodablePerson.self).first?.tag?.inner?.label, "i")
    }

    // Covers 11.2, 11.6, 11.7
    @Test func missingKeysAreNilWhereTheyCanBe() throws {
        let dog = try decode(CodableDog.self, #"{"name":"Rex","age":2}"#)
        expectTrue(dog.friend == nil && dog.owners.isEmpty)
        try expectNil(decode(CodableDog.self, #"{"name":"R","age":2,"friend":null}"#).friend)
        // Required, although it has an initial value.
        #expect { try decode(CodableDog.self, #"{"name":"Rex"}"#) } throws: { error in
            if case DecodingError.keyNotFound(let key, _) = error {
                key.stringValue == "age"
            } else {
                false
            }
        }
        #expect { try decode(CodableDog.self, #"{"name":"Rex","age":null}"#) } throws: { error in
            if case DecodingError.valueNotFound(_, let context) = error {
                context.codingPath.map(\.stringValue) == ["age"]
            } else {
                false
            }
        }
        #expect { try decode(CodablePerson.self, #"{"id":1,"tags":[]}"#) } throws: { error in
            if case DecodingError.keyNotFound(let key, _) = error {
                key.stringValue == "dogs"
            } else {
                false
            }
        }
        #expect(throws: DecodingError.self) {
            try decode(CodableDog.self, #"{"name":"Rex","age":"old"}"#)
        }
    }

    // Covers 11.4, 11.9, 11.10
    @Test func unmanagedObjectsAreEncodedWithWhatTheyLinkTo() throws {
        let person = CodablePerson(value: ["id": 4, "dogs": [["name": "Rex"]]])
        person.tag = CodableTag(value: ["label": "t"])
        let text = try json(person)
        expectEqual(
            text,
            #"{"dogs":[{"age":7,"friend":null,"name":"Rex"}],"id":4,"#
                + #""tag":{"inner":null,"label":"t"},"tags":[]}"#)
    }

    // Covers 11.9
    @Test(arguments: [false, true])
    func circlesOfUnmanagedObjectsAreRefused(inList: Bool) throws {
        let circle = CodableCircle()
        if inList { circle.all.append(circle) } else { circle.next = circle }
        defer {
            circle.next = nil
            circle.all.removeAll()
        }
        #expect {
            try json(circle)
        } throws: { error in
            if case EncodingError.invalidValue(_, let context) = error {
                context.debugDescription.contains("link to each other in a cycle")
            } else {
                false
            }
        }
        var chain = CodableCircle()
        for _ in 0..<200 {
            let next = CodableCircle()
            if inList { next.all.append(chain) } else { next.next = chain }
            chain = next
        }
        let text = try json(chain)
        expectEqual(text.components(separatedBy: #""next":"#).count, 202)
    }

    /// Foundation has the same limit for arrays and objects, of which the innermost object has one
    /// more.
    // Covers 11.9
    @Test(arguments: 510...514) func chainsOfUnmanagedObjectsHaveALimit(_ count: Int) throws {
        var chain = CodableCircle()
        for _ in 1..<count {
            let next = CodableCircle()
            next.next = chain
            chain = next
        }
        defer {
            // The chain is released link by link, because deinitialization would recurse.
            while let next = chain.next {
                chain.next = nil
                chain = next
            }
        }
        do {
            let text = try json(chain)
            expectEqual(text.components(separatedBy: #""next":"#).count, count + 1)
            expectTrue(count <= 512)
        } catch EncodingError.invalidValue(_, let context) {
            expectTrue(count > 510)
            if count > 512 {
                expectTrue(context.debugDescription.contains("more than 512 levels"))
            }
        }
    }

    /// Each level uses the stack of a thread of the cooperative pool. The decoder has the same
    /// limit as the encoder.
    // Covers 11.2
    @Test func chainsAreDecodedUpToTheLimitOfTheDecoder() async {
        await #expect(processExitsWith: .success) {
            let tests = CodableTests()
            let (links, lists) = try await Task.detached {
                (try tests.decodedLinkCount(510), try tests.decodedListCount(255))
            }.value
            expectTrue(links == 510 && lists == 255)
            do {
                _ = try await Task.detached { try tests.decodedLinkCount(600) }.value
                Issue.record("600 levels were decoded.")
            } catch DecodingError.dataCorrupted(_) {}
        }
    }

    /// Decodes a chain of links and counts its objects.
    private func decodedLinkCount(_ count: Int) throws -> Int {
        let text =
            String(repeating: #"{"all":[],"next":"#, count: count) + "null"
            + String(repeating: "}", count: count)
        var chain: CodableCircle? = try decode(CodableCircle.self, text)
        var found = 0
        while let object = chain {
            chain = object.next
            object.next = nil
            found += 1
        }
        return found
    }

    /// Decodes a chain of objects in lists and counts them.
    private func decodedListCount(_ count: Int) throws -> Int {
        let text =
            #"{"next":null,"all":["#
            + String(repeating: #"{"next":null,"all":["#, count: count - 1)
            + String(repeating: "]}", count: count)
        var chain: CodableCircle? = try decode(CodableCircle.self, text)
        var found = 0
        while let object = chain {
            chain = object.all.first
            object.all.removeAll()
            found += 1
        }
        return found
    }

    final class CodableCircle: Object, Codable {
        @Persisted var next: CodableCircle?
        @Persisted var all: List<CodableCircle>
    }

    // Covers 11.5
    @Test func managedObjectsAreFrozenToBeEncoded() async throws {
        let realm = try await Realm.open(
            .init(location: .inMemory(identifier: "codable-\(UUID())")))
        let texts = try await realm.write { tx in
            let dog = CodableDog(value: ["name": "Rex"])
            try tx.add(dog)
            #expect {
                try json(dog)
            } throws: { error in
                if case EncodingError.invalidValue(_, let context) = error {
                    context.debugDescription.contains("freeze()")
                } else {
                    false
                }
            }
            let hand = try tx.create(CodableByHand.self, value: ["title": "t", "scores": [1, 2]])
            return try json(hand)
        }
        expectEqual(texts, #"{"scores":[1,2],"title":"t"}"#)
        let frozen = try requireValue(
            realm.snapshot().object(CodableDog.self, forPrimaryKey: "Rex"))
        try expectEqual(json(frozen), #"{"age":7,"friend":null,"name":"Rex"}"#)
    }

    // Covers 11.1
    @Test func keysCanBeChosen() async throws {
        let object = try decode(CodableRenamed.self, #"{"first":"A","friends":[]}"#)
        expectTrue(object.firstName == "A" && object.secret == "kept" && object.friendOf.isEmpty)
        object.secret = "other"
        try expectEqual(json(object), #"{"first":"A","friends":[]}"#)
        let dog = CodableDog(value: ["name": "Rex"])
        try expectTrue(json(dog) { $0.keyEncodingStrategy = .convertToSnakeCase }.contains("name"))
    }

    // Covers 11.13, 11.17
    @Test func strategiesOfTheCoderAreHonoured() throws {
        let object = try decode(CodableAll.self, Self.allText)
        object.dateOpt = Date(timeIntervalSince1970: 0)
        let text = try json(object) {
            $0.dateEncodingStrategy = .iso8601
            $0.dataEncodingStrategy = .custom { data, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(data.count)
            }
            $0.keyEncodingStrategy = .convertToSnakeCase
        }
        expectTrue(text.contains(#""date":"2001-01-01T00:00:12Z""#))
        expectTrue(text.contains(#""date_opt":"1970-01-01T00:00:00Z""#))
        expectTrue(text.contains(#""dates":["2001-01-01T00:00:01Z""#))
        expectTrue(text.contains(#""data":2"#) && text.contains(#""data_opt":0"#))
        let back = try decode(CodableAll.self, text) {
            $0.dateDecodingStrategy = .iso8601
            $0.dataDecodingStrategy = .custom { decoder in
                Data(count: try decoder.singleValueContainer().decode(Int.self))
            }
            $0.keyDecodingStrategy = .convertFromSnakeCase
        }
        expectTrue(back.dateOpt == Date(timeIntervalSince1970: 0) && back.data == Data(count: 2))
    }

    // Covers 2.37, 11.7
    @Test func collectionsOfATransactionAreEncodedAsArrays() async throws {
        let realm = try await Realm.open(
            .init(location: .inMemory(identifier: "codable-\(UUID())")))
        try await realm.write { tx in
            let first = try tx.create(CodableByHand.self, value: ["title": "a", "scores": [1, 2]])
            try tx.create(CodableByHand.self, value: ["title": "b"])
            let all = tx.objects(CodableByHand.self)
            let texts = [#"{"scores":[1,2],"title":"a"}"#, #"{"scores":[],"title":"b"}"#]
            try expectEqual(json(all), "[\(texts[0]),\(texts[1])]")
            try expectEqual(json(all.where { $0.title == "b" }), "[\(texts[1])]")
            try expectEqual(
                json(AnyRealmCollection(all.sorted(by: \.title, ascending: false))),
                "[\(texts[1]),\(texts[0])]")
            try expectEqual(json(AnyRealmCollection(first.scores)), "[1,2]")
            try expectEqual(json(AnyRealmCollection(List<Int?>([3, nil]))), "[3,null]")
            try expectEqual(json(AnyRealmCollection(MutableSet(["x"]))), #"["x"]"#)
            // The synthesized conformance refuses managed objects.
            let dog = try tx.create(CodableDog.self, value: ["name": "Rex"])
            try tx.create(CodablePerson.self, value: ["id": 1, "dogs": [dog]])
            #expect(throws: EncodingError.self) { try json(tx.objects(CodableDog.self)) }
            #expect(throws: EncodingError.self) { try json(AnyRealmCollection(dog.owners)) }
            try expectEqual(json(tx.objects(CodableDog.self).where { $0.age > 50 }), "[]")
        }
    }

    // Covers 11.7
    @Test func inversesAreEncodedByThemselvesOnly() async throws {
        let realm = try await Realm.open(
            .init(location: .inMemory(identifier: "codable-\(UUID())")))
        try await realm.write { tx in
            let dog = try tx.create(CodableDog.self, value: ["name": "Rex"])
            try tx.create(CodablePerson.self, value: ["id": 1, "dogs": [dog]])
            expectEqual(dog.owners.count, 1)
            #expect(throws: EncodingError.self) { try json(dog.owners) }  // managed objects
        }
        try expectEqual(json(CodableDog(value: ["name": "R"]).owners), "[]")
    }
}
