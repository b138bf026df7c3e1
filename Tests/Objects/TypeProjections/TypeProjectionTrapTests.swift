import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private final class Sign: Object {
    @Persisted var word: Word
    @Persisted var label: Label
    @Persisted var words: List<Word>
}

private final class LabelOfSign: Projection<Sign> {
    @Projected(\Sign.label) var label
}

private final class WordsOfSign: Projection<Sign> {
    @Projected(\Sign.words) var words
}

private enum Old {
    final class Sign: Object {
        @Persisted var word: String
        @Persisted var label: Caption?
        @Persisted var words: List<String>
    }
}

private final class Listed: Object {
    @Persisted var path: List<Point?>
}

/// Makes a realm in which a program without projected types stored values that can't be converted.
private func spoiled() async throws -> (Realm, RealmFolder) {
    let folder = try RealmFolder()
    let types: [ObjectBase.Type] = [Old.Sign.self, Caption.self, Spot.self]
    let old = try await Realm.open(folder.configuration("test.realm", types))
    try await old.write { tx in
        try tx.create(
            Old.Sign.self,
            value: ["word": "Not A Word", "label": ["text": "forbidden"], "words": ["a", "B"]])
    }
    await old.close()
    let newTypes: [ObjectBase.Type] = [Sign.self, Caption.self, Spot.self]
    return (try await Realm.open(folder.configuration("test.realm", newTypes)), folder)
}

private func sentence(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// Stored values that can't be converted, read through non-optional properties.
@Suite struct TypeProjectionTrapTests {
    // Covers 8.2, .invalidValue
    @Test func requiredPropertyNamesClassPropertyAndValue() async throws {
        let (realm, _) = try await spoiled()
        let read = await #expect(throws: Realm.Error.self) {
            try await realm.read { tx in _ = tx.objects(Sign.self).first?.word }
        }
        let frozen = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { _ = $0.objects(Sign.self).first?.word }
        }
        for error in [read, frozen] {
            expectTrue(error?.code == .invalidValue && error?.property == "word")
            expectEqual(error?.message.contains("Sign.word is stored as \"Not A Word\""), true)
        }
    }

    @Test func frozenPropertyOutsideOfAReadTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try await spoiled()
            _ = realm.snapshot().objects(Sign.self).first?.word
        }
        expectTrue(sentence(result).contains("Sign.word is stored as \"Not A Word\""))
        expectTrue(sentence(result).contains("Snapshot.read"))
    }

    @Test func embeddedPropertyNamesClassPropertyAndValue() async throws {
        let (realm, _) = try await spoiled()
        let read = await #expect(throws: Realm.Error.self) {
            try await realm.read { tx in _ = tx.objects(Sign.self).first?.label }
        }
        let frozen = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { _ = $0.objects(Sign.self).first?.label }
        }
        for error in [read, frozen] {
            expectEqual(error?.message.contains("Sign.label is stored as Caption {"), true)
            expectEqual(error?.message.contains("text = forbidden"), true)
        }
    }

    // Covers 8.2
    @Test func elementNamesListAndValue() async throws {
        let (realm, _) = try await spoiled()
        let frozen = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { _ = $0.objects(Sign.self).first?.words.array }
        }
        let read = await #expect(throws: Realm.Error.self) {
            try await realm.read { tx in
                let words = tx.objects(Sign.self)[0].words
                guard words[0] == .of("a") else { return }
                _ = words[1]
            }
        }
        for error in [frozen, read] {
            expectEqual(error?.code, .invalidValue)
            expectEqual(error?.message.contains("Sign.words is stored as \"B\""), true)
        }
    }

    // Covers 8.9
    @Test func dynamicReadsQueriesAndDescriptionsOfThoseWork() async throws {
        let (realm, _) = try await spoiled()
        try await realm.read { tx in
            let sign = try requireValue(tx.objects(Sign.self).first)
            expectEqual(sign["word"] as? String, "Not A Word")
            expectEqual((sign["label"] as? Caption)?.text, "forbidden")
            expectEqual((sign["words"] as? List<String>).map { Array($0) }, ["a", "B"])
            expectTrue(sign.description.contains("word = Not A Word"))
            expectEqual(tx.objects(Sign.self).where { $0.word == "Not A Word" }.count, 1)
            expectEqual(
                tx.objects(Sign.self).where { $0.label.persistableValue.text == "forbidden" }.count,
                1)
        }
    }

    // Covers 8.16, .invalidValue
    @Test func encodingThoseThrows() async throws {
        let (realm, _) = try await spoiled()
        let snapshot = realm.snapshot()
        let whole = #expect(throws: Realm.Error.self) {
            try JSONEncoder().encode(snapshot.objects(Sign.self))
        }
        expectTrue(whole?.code == .invalidValue && whole?.property == "word")
        let label = #expect(throws: Realm.Error.self) {
            try JSONEncoder().encode(snapshot.objects(LabelOfSign.self)[0])
        }
        expectTrue(label?.code == .invalidValue && label?.className == "Sign")
        expectEqual(label?.message.contains("Sign.label is stored as Caption {"), true)
        let words = #expect(throws: Realm.Error.self) {
            try JSONEncoder().encode(snapshot.objects(WordsOfSign.self)[0])
        }
        expectTrue(words?.code == .invalidValue && words?.property == "words")
    }

    // Covers 8.5
    @Test func aDefaultThatCannotBeMadeTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Sign().word
        }
        expectTrue(
            sentence(result).contains(
                "Word cannot be created from \"\" (String), the default of a property without an"))
    }

    @Test func aListOfOptionalsThatAreObjectsTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try await Realm.temporary([Listed.self, Spot.self])
        }
        expectTrue(sentence(result).contains("a list cannot hold nil objects"))
    }

    @Test func aSumThatIsNoValueIsAnError() async throws {
        let realm = try await Realm.temporary([Boxes.self])
        try await realm.write { tx in
            for _ in 0..<2 {
                let boxes = Boxes()
                boxes.int8 = Box(100)
                try tx.add(boxes)
            }
        }
        let frozen = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { _ = $0.objects(Boxes.self).sum(of: \.int8) }
        }
        let read = await #expect(throws: Realm.Error.self) {
            try await realm.read { tx in _ = tx.objects(Boxes.self).sum(of: \.int8) }
        }
        for error in [frozen, read] {
            expectEqual(error?.code, .invalidValue)
            expectEqual(
                error?.message.contains("is stored as 200, which can't be converted to Box<Int8>"),
                true)
        }
    }
}
