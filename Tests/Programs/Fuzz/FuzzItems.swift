import Foundation
import Regnum

enum FuzzKind: String, PersistableEnum { case tool, toy }

final class FuzzPlace: EmbeddedObject {
    @Persisted var type: String
    @Persisted var coordinates: List<Double>
    @Persisted var label: String?
}

/// The class that predicate strings are parsed for, with a property of each kind.
final class FuzzItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var number: Int?
    @Persisted var flag: Bool
    @Persisted var ratio: Double
    @Persisted var single: Float
    @Persisted var price: Decimal128
    @Persisted(indexed: true) var text: String
    @Persisted(fullTextIndexed: true) var words: String?
    @Persisted var bytes: Data
    @Persisted var date: Date?
    @Persisted var uuid: UUID
    @Persisted var oid: ObjectId
    @Persisted var kind: FuzzKind
    @Persisted var any: AnyRealmValue
    @Persisted var numbers: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var place: FuzzPlace?
    @Persisted var friend: FuzzItem?
    @Persisted var friends: List<FuzzItem>
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<FuzzItem>
}

/// A few objects that predicate strings are evaluated on.
struct FuzzItems: Sendable {
    private let realm: Realm
    private let snapshot: Snapshot

    init() async throws {
        realm = try await Realm.temporary([FuzzItem.self, FuzzPlace.self])
        try await realm.write { tx in
            let items = (0..<4).map { id in
                let item = FuzzItem()
                item.id = id
                item.number = [nil, -3, 0, 7][id]
                item.flag = id % 2 == 0
                item.ratio = [-1.5, 0.1, 1e10, .nan][id]
                item.single = [0.1, 0.5, -1, 2][id]
                item.price = ["0.1", "2.50", "-3", "NaN"][id]
                item.text = ["Anna", "anna", "Straße", "a\"\\n\u{1F600}\n"][id]
                item.words = [nil, "green tea", "Tea, coffee", ""][id]
                item.bytes = Data([[], [1, 2], [98, 111, 98], [255]][id] as [UInt8])
                item.date = id == 0 ? nil : Date(timeIntervalSince1970: 1_700_000_000)
                item.kind = id < 2 ? .tool : .toy
                item.any =
                    [
                        .none, .int(1), .string("bob"),
                        .fromDictionary(["k": .fromArray([.int(1), .string("deep")])]),
                    ][id]
                item.numbers.append(objectsIn: [[], [1], [-1, 5], [2, 2, 2]][id])
                item.tags.insert(objectsIn: [[], ["new"], ["old", "new"], ["x"]][id])
                item.scores["a"] = id
                if id > 1 {
                    item.place = FuzzPlace(value: [
                        "type": "Point", "coordinates": [12.5, 55.5 + Double(id)],
                    ])
                }
                return item
            }
            try tx.add(items)
            items[1].friend = items[2]
            items[2].friend = items[2]
            items[3].friends.append(objectsIn: [items[0], items[1], items[0]])
        }
        snapshot = realm.snapshot()
    }

    /// Parses a predicate string and evaluates the query. The string printed for it must give the
    /// same objects.
    ///
    /// Throws the errors of an invalid string.
    func evaluate(_ text: String) throws {
        let values: [String: Any?] = [
            "n": 2, "text": "Anna", "none": nil, "list": [1, 2], "x": 1.5, "f": "friend",
        ]
        try snapshot.read { snapshot in
            let all = snapshot.objects(FuzzItem.self)
            let found = try all.filter(text, named: values)
            _ = found.count
            _ = try found.explain()
            let printed: String
            do {
                printed = try found.predicate
            } catch let error as Realm.Error where error.code == .invalidQuery {
                return  // not every query has a string
            }
            guard try all.filter(printed) == found else {
                fatalError("\(printed) finds other objects than \(text)")
            }
        }
    }

    /// Predicate strings to start from: with every operator and kind of literal and path, and some
    /// that are invalid.
    static let texts = [
        "number > 0 and flag == true or text == 'bob' && NOT (number <> 3 || id =< $n)",
        "number == nil AND words !=[c] \"it\\'s \\u0041\" OR text IN[cd] {'A', null}",
        "ratio BETWEEN {-1.5e3, 0x1F} AND price > 0.10 AND single < 2.5f OR ratio != -inf",
        "bytes == B64\"AQI=\" OR uuid == uuid(01234567-89ab-cdef-0123-456789000003)",
        "oid == oid(5f1b2c3d4e5f60718293a4b2) OR bytes CONTAINS binary('x')",
        "date >= 2023-11-14@22:13:20:500 AND date < T1700000000:0 OR date == date(-1.5e10)",
        "friend.friend.number == -3 OR SELF.place.label BEGINSWITH[c] 'P' OR \\number = 8",
        "numbers[0] == 1 OR ALL numbers > 0 OR NONE $list == numbers OR numbers[LAST] IN $list",
        "scores['a'] == 2 OR scores.@keys == 'b' OR scores[*] > 1 OR ANY tags LIKE 'n?w*'",
        "any.k[1] == 'deep' OR ANY any[*] == $text OR any.@type IN {'numeric', 'null'}",
        "friends.@max.number == 7 OR numbers.@sum > 3 OR friends.number.@avg < 2",
        "tags.@count = 1 OR numbers.@min == nil",
        "@links.FuzzItem.friends.@count == 2 OR admirers.@links.@count == 1",
        "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g.number == 7).@count > 0).@count > 0",
        "SUBQUERY(numbers, $x, $x > 1 && $x < $n).@count == 1 OR friends[SIZE] = 2",
        "friend == obj('FuzzItem', 0) OR friends[0] != obj('FuzzItem', $n) OR friend == $none",
        "number > 0 SORT(friend.number DESC, text) DISTINCT(flag) SORT(id) LIMIT(3) SORT(text)",
        "number + 2 * (id - single) / 3 >= ratio * 1.5 - price OR text.@size + 1 == bytes.@count",
        "words TEXT 'tea -milk te*' OR words TEXT '\"green tea\" -\"tea green\"' OR kind == 'toy'",
        "place GEOWITHIN geoBox([8, 54.5], [12.9, 57.8])",
        "place GEOWITHIN geoCircle([12, 57], 0.1)",
        "place GEOWITHIN geoPolygon({[0,0],[80,0],[80,80],[0,0]}, {[70,5],[75,5],[75,9],[70,5]})",
        "TRUEPREDICATE SORT(numbers[0] ASC, scores['a'] DESC, any['k'][0] ASC) LIMIT(2)",
        "((((((((((NOT !(NOT flag == YES))))))))))) AND NOT (FALSEPREDICATE)",
        "price == 1e6144 OR ratio >= 1e308 OR id / 0 == nil OR $n * 2 > id - 1.5",
        "id == 9223372036854775808", "text == 'a", "id == 1 SORT(", "words TEXT 'tea -tea'",
        "SUBQUERY(friends, $f, ", "{1} == {",
    ]
}
