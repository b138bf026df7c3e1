import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

enum GadgetKind: String, PersistableEnum { case tool, toy }

enum GadgetRank: Int, PersistableEnum {
    case low = 1
    case high = 9
}

final class GadgetPart: EmbeddedObject {
    @Persisted var size: Int
    @Persisted var label: String?
}

/// A class with properties of all types, some with names that are also keywords.
final class Gadget: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var number: Int
    @Persisted var maybeNumber: Int?
    @Persisted var small: Int8
    @Persisted var flag: Bool
    @Persisted var maybeFlag: Bool?
    @Persisted var ratio: Double
    @Persisted var single: Float
    @Persisted var price: Decimal128
    @Persisted(indexed: true) var text: String
    @Persisted var maybeText: String?
    @Persisted var bytes: Data
    @Persisted var date: Date
    @Persisted var maybeDate: Date?
    @Persisted var uuid: UUID
    @Persisted var oid: ObjectId
    @Persisted var kind: GadgetKind
    @Persisted var rank: GadgetRank?
    @Persisted var any: AnyRealmValue
    @Persisted var numbers: List<Int>
    @Persisted var words: List<String?>
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var notes: Map<String, String?>
    @Persisted var values: Map<String, AnyRealmValue>
    @Persisted var named: Map<String, Gadget?>
    @Persisted var items: List<AnyRealmValue>
    @Persisted var part: GadgetPart?
    @Persisted var parts: List<GadgetPart>
    @Persisted var friend: Gadget?
    @Persisted var friends: List<Gadget>
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<Gadget>
    @Persisted var like: Int
    @Persisted var not: Int
    @Persisted var first: Int
    @Persisted var limit: Int
    @Persisted var yes: Int
    // swift-format-ignore: IdentifiersMustBeASCII
    @Persisted var größe: Int
    @Persisted var renamed: Int

    override class func propertiesMapping() -> [String: String] {
        ["renamed": "stored name", "yes": "true"]
    }
}

/// Six gadgets with the ids 0 to 5.
enum Gadgets {
    static let first = Date(timeIntervalSince1970: 1_700_000_000)

    static func realm() async throws -> Realm {
        let realm = try await Realm.temporary([Gadget.self, GadgetPart.self])
        try await realm.write { tx in
            let gadgets = (0..<6).map { id in
                let gadget = Gadget()
                gadget.id = id
                fill(gadget, id)
                return gadget
            }
            try tx.add(gadgets)
            link(gadgets)
        }
        return realm
    }

    private static func fill(_ gadget: Gadget, _ id: Int) {
        gadget.number = [-3, 0, 1, 2, 7, 2][id]
        gadget.maybeNumber = [nil, 0, 1, nil, 12, 2][id]
        gadget.small = Int8(id * 20)
        gadget.flag = id % 2 == 0
        gadget.maybeFlag = [nil, true, false, nil, true, false][id]
        gadget.ratio = [-1.5, 0, 0.1, 2.5, 1e10, .nan][id]
        gadget.single = [0.1, 0.5, -1, 2, 3, 0.1][id]
        gadget.price = ["0.1", "0.10", "0.1000000000000000000001", "2.50", "-3", "NaN"][id]
        gadget.text = ["Anna", "anna", "bob", "Straße", "it's", "a\"\\n\u{1F600}\n"][id]
        gadget.maybeText = [nil, "Anna", "BOB", nil, "", "x"][id]
        gadget.bytes = Data([[], [1], [1, 2], [2, 3], [98, 111, 98], [255]][id] as [UInt8])
        gadget.date = first.addingTimeInterval(Double(id) * 0.5)
        gadget.maybeDate = id < 3 ? nil : first
        gadget.uuid = UUID(uuidString: "01234567-89AB-CDEF-0123-45678900000\(id)")!
        gadget.oid = try! ObjectId(string: "5f1b2c3d4e5f60718293a4b\(id)")
        gadget.kind = id < 2 ? .tool : .toy
        gadget.rank = [nil, .low, .high, .low, nil, .high][id]
        gadget.any =
            [
                .none, .int(1), .bool(true), .string("bob"), .fromArray([.int(3), .string("x")]),
                .fromDictionary([
                    "k": .fromArray([.int(1), .fromDictionary(["in": .string("deep")])])
                ]),
            ][id]
        gadget.numbers.append(objectsIn: [[], [1], [1, 2], [-1, 5], [2, 2, 2], [7, 0]][id])
        gadget.words.append(
            objectsIn: [[], ["a"], ["A", nil], [nil], ["b", "c"], ["a", "b"]][id])
        for tag in [[], ["new"], ["old", "new"], ["old"], ["x"], []][id] {
            gadget.tags.insert(tag)
        }
        let scores: [[String: Int]] = [
            [:], ["a": 1], ["a": 2, "b": 5], ["b": 1], ["c d": 9], ["a": -4],
        ]
        for (key, score) in scores[id] { gadget.scores[key] = score }
        if id > 1 { gadget.notes["a"] = id % 2 == 0 ? .some(nil) : "Note" }
        if id > 3 { gadget.notes["b"] = "" }
        let values: [AnyRealmValue] = [
            .none, .int(1), .string("s"), .double(1), .none, .bool(true),
        ]
        gadget.values["k"] = values[id]
        let items: [[AnyRealmValue]] = [[], [.int(1)], [.fromArray([.int(2)]), .none]]
        gadget.items.append(objectsIn: items[id % 3])
        if id > 0 { gadget.part = part(id, id == 1 ? nil : "P\(id)") }
        gadget.parts.append(objectsIn: (0..<id % 4).map { part($0 * id, $0 == 0 ? nil : "q") })
        gadget.like = id
        gadget.not = 5 - id
        gadget.first = id % 3
        gadget.limit = id % 2
        gadget.yes = id / 2
        gadget.größe = id * id
        gadget.renamed = 10 - id
    }

    private static func part(_ size: Int, _ label: String?) -> GadgetPart {
        let part = GadgetPart()
        (part.size, part.label) = (size, label)
        return part
    }

    private static func link(_ gadgets: [Gadget]) {
        for (id, friend) in [1: 0, 2: 1, 3: 3, 5: 2] { gadgets[id].friend = gadgets[friend] }
        for (id, friends) in [0: [1, 2], 1: [3], 3: [4, 4, 5], 5: [0]] {
            gadgets[id].friends.append(objectsIn: friends.map { gadgets[$0] })
        }
        gadgets[1].named["a"] = gadgets[4]
        gadgets[2].named["a"] = gadgets[2]
        gadgets[2].named["b"] = .some(nil)
        gadgets[3].named["b"] = gadgets[0]
    }
}

extension Queryable {
    /// Calls `filter` with the values of an array of up to six.
    func filter(_ text: String, list v: [Any?]) throws -> Self {
        switch v.count {
        case 0: try filter(text)
        case 1: try filter(text, v[0])
        case 2: try filter(text, v[0], v[1])
        case 3: try filter(text, v[0], v[1], v[2])
        case 4: try filter(text, v[0], v[1], v[2], v[3])
        case 5: try filter(text, v[0], v[1], v[2], v[3], v[4])
        default: try filter(text, v[0], v[1], v[2], v[3], v[4], v[5])
        }
    }
}

/// Checks that a predicate string finds the same gadgets as a typed condition, in all views.
struct GadgetCheck {
    let realm: Realm

    init() async throws { realm = try await Gadgets.realm() }

    func callAsFunction(
        _ text: String, _ values: [(any Sendable)?] = [],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @Sendable (Query<Gadget>) -> Query<Bool>
    ) async throws {
        let expected = realm.snapshot().objects(Gadget.self).where(condition).map(\.id)
        try await finds(text, expected, values: values, sourceLocation: sourceLocation)
    }

    /// Checks the ids of the gadgets that a predicate string finds.
    func finds(
        _ text: String, _ expected: [Int], values: [(any Sendable)?] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        func check(_ ids: [Int], _ view: String) {
            expectEqual(ids, expected, "\(view): \(text)", sourceLocation: sourceLocation)
        }
        do {
            let frozen = try realm.snapshot().read {
                try $0.objects(Gadget.self).filter(text, list: values).map(\.id)
            }
            check(frozen, "frozen")
            let live = try realm.objects(Gadget.self).filter(text, list: values)
            check(live.current.map(\.id), "live")
            let confined = try await realm.write { tx in
                try tx.objects(Gadget.self).filter(text, list: values).map(\.id)
            }
            check(confined, "confined")
        } catch {
            Issue.record("\(text) throws \(error)", sourceLocation: sourceLocation)
        }
    }
}
