import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private final class LostInverse: Object {
    @Persisted var number: Int
    @Persisted(originProperty: "nothing") var origins: LinkingObjects<Origin>
}

private final class ValueInverse: Object {
    @Persisted var number: Int
    @Persisted(originProperty: "number") var origins: LinkingObjects<Origin>
}

private final class StrangersInverse: Object {
    @Persisted var number: Int
    @Persisted(originProperty: "others") var origins: LinkingObjects<Origin>
}

private final class Origin: Object {
    @Persisted var number: Int
    @Persisted var others: List<Origin>
}

private final class KeyedPiece: EmbeddedObject {
    @Persisted(primaryKey: true) var number: Int
}

private final class HasKeyedPiece: Object {
    @Persisted var pieces: List<KeyedPiece>
}

private final class SelfPiece: EmbeddedObject {
    @Persisted var inner: SelfPiece?
}

private final class HasSelfPiece: Object {
    @Persisted var piece: SelfPiece?
}

private final class Hen: EmbeddedObject {
    @Persisted var eggs: List<Egg>
}

private final class Egg: EmbeddedObject {
    @Persisted var hen: Hen?
}

private final class HasHen: Object {
    @Persisted var hen: Hen?
}

private final class ThreeKeys: Object {
    @Persisted(primaryKey: true) var first: Int
    @Persisted(primaryKey: true) var second: String
    @Persisted(primaryKey: true) var third: Int?
}

private final class HasThreeKeys: Object {
    @Persisted var list: List<ThreeKeys>
}

private final class LongListName: Object {
    @Persisted var listWithANameOfMoreThanSixtyThreeBytesInItsUtf8FormWhichIsTheLimit: List<Int>
}

private final class LongLinkName: Object {
    @Persisted var linkWithANameOfMoreThanSixtyThreeBytesInItsUtf8FormWhichIsTheLimit: Origin?
}

private final class ÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄ: Object {
    @Persisted var number: Int
}

private final class TakenName: Object {
    @Persisted var content: AnyRealmValue
    @Persisted var other: Int
    override class func propertiesMapping() -> [String: String] { ["other": "content[]"] }
}

/// A class with a mistake in its declaration, or in that of a class that it links to.
private struct Mistake: Sendable, CustomTestStringConvertible {
    /// The classes that a program has to list.
    let classes: [ObjectBase.Type]
    let sentence: String
    /// Stores an object of the class.
    let store: @Sendable (Transaction) throws -> Void

    init<T: Object>(_ type: T.Type, and others: [ObjectBase.Type] = [], _ sentence: String) {
        classes = [type] + others
        self.sentence = sentence
        store = { try $0.add(T()) }
    }

    var testDescription: String { sentence }

    static let all: [Mistake] = [
        Mistake(
            LostInverse.self, and: [Origin.self],
            "LostInverse.origins is the inverse of Origin.nothing, but Origin has no such property."
        ),
        Mistake(
            ValueInverse.self, and: [Origin.self],
            "ValueInverse.origins is the inverse of Origin.number, which is of type Int and does "
                + "not link to ValueInverse."),
        Mistake(
            StrangersInverse.self, and: [Origin.self],
            "StrangersInverse.origins is the inverse of Origin.others, which is of type "
                + "List<Origin> and does not link to StrangersInverse."),
        Mistake(
            HasKeyedPiece.self, and: [KeyedPiece.self],
            "KeyedPiece.number is a primary key: an embedded object cannot have one."),
        Mistake(
            HasSelfPiece.self, and: [SelfPiece.self],
            "SelfPiece contains itself through its embedded properties: embedded objects cannot "
                + "form cycles."),
        Mistake(
            HasHen.self, and: [Hen.self, Egg.self],
            "Hen contains itself through its embedded properties: embedded objects cannot "
                + "form cycles."),
        Mistake(
            ThreeKeys.self,
            "ThreeKeys has 3 primary keys: first, second, third. Only one is allowed."),
        Mistake(
            HasThreeKeys.self, and: [ThreeKeys.self],
            "ThreeKeys has 3 primary keys: first, second, third. Only one is allowed."),
        Mistake(
            LongListName.self,
            "LongListName.listWithANameOfMoreThanSixtyThreeBytesInItsUtf8FormWhichIsTheLimit has a "
                + "name of 66 bytes; the limit is 63."),
        Mistake(
            LongLinkName.self, and: [Origin.self],
            "LongLinkName.linkWithANameOfMoreThanSixtyThreeBytesInItsUtf8FormWhichIsTheLimit has a "
                + "name of 66 bytes; the limit is 63."),
        Mistake(
            ÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄ.self,
            "The class name ÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄäÄ has 58 bytes; the limit is 57."),
        Mistake(
            TakenName.self,
            "TakenName.other has the stored name \"content[]\", under which the lists and "
                + "dictionaries of TakenName.content are stored."),
    ]
}

/// Mistakes in declarations are reported whether or not the classes are listed.
@Suite struct DeclarationMistakeTests {
    @Test(arguments: Mistake.all)
    fileprivate func isToldByOpenWithTheClassListed(mistake: Mistake) async throws {
        let folder = try RealmFolder()
        let configuration = folder.configuration("test.realm", mistake.classes + [GraphLid.self])
        let error = await realmError { try await Realm.open(configuration) }
        expectEqual(error?.code, .invalidInput)
        let lines = error?.message.split(separator: "\n").map(String.init) ?? []
        expectTrue(lines.contains(mistake.sentence), "\(error?.message ?? "no error")")
        expectTrue(!lines.contains { $0.contains("Graph") })
        // Nothing was created.
        try expectTrue(folder.names().isEmpty)
    }

    @Test(arguments: Mistake.all)
    fileprivate func isToldByTheFirstAddWithoutAList(mistake: Mistake) async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration())
        for _ in 0..<2 {
            let error = await realmError { try await realm.write { try mistake.store($0) } }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.message, mistake.sentence)
        }
        // The error can be caught, and nothing of the refused object is stored.
        try await realm.write { tx in
            #expect(throws: Realm.Error.self) { try mistake.store(tx) }
            let note = GraphNote()
            note.text = "stays"
            try tx.add(note)
        }
        expectEqual(realm.snapshot().objects(GraphNote.self).map { $0.text }, ["stays"])
        await realm.close()
        let again = try await Realm.open(folder.configuration("test.realm", graphClasses))
        expectEqual(again.snapshot().objects(GraphNote.self).count, 1)
        await again.close()
    }

    // Covers 12.29
    @Test func everyTargetThatIsNotListedIsTold() async throws {
        let folder = try RealmFolder()
        let configuration = folder.configuration("test.realm", [GraphNote.self, GraphBox.self])
        let error = await realmError { try await Realm.open(configuration) }
        expectEqual(error?.code, .invalidInput)
        let lines = Set(error?.message.split(separator: "\n").map(String.init) ?? [])
        let unlisted = ", but GraphNode is not in objectTypes."
        let expected: Set = [
            "GraphNote.about is of type GraphNode?\(unlisted)",
            "GraphNote.nodes is of type LinkingObjects<GraphNode>\(unlisted)",
            "GraphNote.lists is of type LinkingObjects<GraphNode>\(unlisted)",
            "GraphBox.lid is of type GraphLid?, but GraphLid is not in objectTypes.",
            "GraphBox.node is of type GraphNode?\(unlisted)",
            "GraphBox.owners is of type LinkingObjects<GraphNode>\(unlisted)",
        ]
        expectEqual(lines, expected, "\(error?.message ?? "no error")")
        try expectTrue(folder.names().isEmpty)
    }

    @Test func inheritedInverseIsOneOfTheBaseClass() async throws {
        let error = await realmError {
            try await Realm.temporary(graphClasses + [DerivedNode.self])
        }
        expectEqual(
            error?.message.contains(
                "DerivedNode.previous is the inverse of GraphNode.next, which is of type "
                    + "GraphNode? and does not link to DerivedNode."), true,
            "\(error?.message ?? "")")
    }
}
