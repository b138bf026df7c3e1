import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Damaged predicate strings: each is either an error or a query that can be evaluated.
@Suite struct PredicateFuzzTests {
    private static let texts = [
        "number > 0 and flag == true or text == 'bob' && NOT (like <> 3 || first =< $n)",
        "maybeNumber == nil AND maybeText !=[c] \"it\\'s \\u0041\" OR words IN[c] {'A', null}",
        "ratio BETWEEN {-1.5e3, 0x1F} AND price > 0.10 AND single < 2.5f OR ratio != -inf",
        "bytes == B64\"AQI=\" OR uuid == uuid(01234567-89ab-cdef-0123-456789000003)",
        "oid == oid(5f1b2c3d4e5f60718293a4b2) OR bytes CONTAINS binary('x')",
        "date >= 2023-11-14@22:13:20:500 AND date < T1700000000:0 OR maybeDate == nil",
        "friend.friend.number == -3 OR SELF.part.label BEGINSWITH[c] 'P' OR stored\\ name = 8",
        "numbers[0] == 1 OR ALL numbers > 0 OR NONE $list == numbers OR numbers[FIRST] IN $list",
        "scores['a'] == 2 OR scores.@keys == 'b' OR scores[*] > 1 OR notes.b == ''",
        "any.k[1].in == 'deep' OR any[#any] == 3 OR ANY any[*] == $text OR items[*][0] == 2",
        "named.a.number == 7 OR named.@values == nil OR named['a'].friend == $none",
        "friends.@max.number == 7 OR numbers.@sum > 3 OR friends.number.@avg < 2 OR items.@min = 1",
        "@links.Gadget.friends.@count == 2 OR friend.@links.Gadget.named.number == 1",
        "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g.number == 7).@count > 0).@count > 0",
        "SUBQUERY(numbers, $x, $x > 1 && $x < $n).@count == 1 OR friends[SIZE] = 2",
        "friend == obj('Gadget', 0) OR friends[0] != obj('Gadget', $n) OR friend == friend.friend",
        "number > 0 SORT(friend.number DESC, text) DISTINCT(flag) SORT(id) LIMIT(3) SORT(text)",
        "number + 2 * (like - first) / 3 >= ratio * 1.5 - price OR text.@size + 1 == bytes.@count",
        "numbers[LAST] = 2 OR any['k'][LAST].in == 'deep' OR friends[LAST].number + $n IN $list",
        "any.@type == 'numeric' OR items.@type IN {'list', 'null'} OR friend.@links.@count > id",
        "%K == 1", "number == %@", "text LIKE '?nn*' OR text ==[c] maybeText OR kind == 'toy'",
    ]

    private static let words =
        texts.flatMap { tokens($0) }
        + [
            "(", ")", "{", "}", "[", "]", ",", ".", "!", "NOT", "AND", "OR", "ANY", "ALL", "NONE",
            "==", "!=", "<", ">=", "IN", "BETWEEN", "CONTAINS", "LIKE", "[c]", "nil", "true", "0",
            "-1", "9223372036854775808", "1e400", "nan", "inf", "''", "'a'", "%@", "%K", "$0",
            "$-1",
            "$K0", "$K-1", "$n", "$f", "$list", "@count", "@min", "@keys", "@values", "@links",
            "[*]", "[0]", "[-1]", "['k']", "[$0]", "SELF", "any", "id", "friend", "friends",
            "scores",
            "numbers", "items", "named", "part", "SUBQUERY", "SORT", "DISTINCT", "LIMIT", "\\", "'",
            "GEOWITHIN", "geoBox([1, 2], [3, 4])", "geoCircle([", "geoPolygon({",
            "\"", "B64'", "uuid(", "T1:", "2023-11-14@22:13:20", "ä", "\u{1F600}", "\0", "\n",
        ]

    @Test func damagedStringsAreErrorsOrQueries() async throws {
        let realm = try await Gadgets.realm()
        var random = SeededRandom()
        let values: [String: Any?] = [
            "n": 2, "text": "Anna", "none": nil, "list": [1, 2], "x": 1.5, "f": "friend",
        ]
        let count = Effort.count(gate: 20_000, soak: 1_000_000)
        var validCount = 0
        try realm.snapshot().read { snapshot in
            let all = snapshot.objects(Gadget.self)
            for _ in 0..<count {
                let text = Self.damaged(&random)
                let results: FrozenResults<Gadget>
                do {
                    results = try all.filter(text, named: values)
                } catch let error as Realm.Error where error.code == .invalidQuery {
                    continue
                }
                validCount += 1
                _ = results.count
            }
        }
        expectTrue(validCount > count / 100, "\(validCount) of \(count)")
    }

    @Test func undamagedStringsAreQueries() async throws {
        let realm = try await Gadgets.realm()
        let values: [String: Any?] = ["n": 2, "text": "Anna", "none": nil, "list": [1, 2]]
        let all = realm.snapshot().objects(Gadget.self)
        for text in Self.texts where !text.contains("%") {
            _ = try all.filter(text, named: values).count
        }
    }

    private static func damaged(_ random: inout SeededRandom) -> String {
        let text = random.oneOf(texts)
        if random.oneIn(3) {
            var bytes = Array(text.utf8)
            for _ in 0...random.below(3) where !bytes.isEmpty {
                let place = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 2: bytes.insert(UInt8(32 + random.below(96)), at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + random.below(20)))
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        var tokens = tokens(text)
        for _ in 0...random.below(4) where !tokens.isEmpty {
            let place = random.below(tokens.count)
            switch random.below(6) {
            case 0: tokens.remove(at: place)
            case 1: tokens[place] = random.oneOf(words)
            case 2: tokens.insert(random.oneOf(words), at: place)
            case 3: tokens.swapAt(place, random.below(tokens.count))
            case 4: tokens.insert(tokens[place], at: place)
            default:
                let other = Self.tokens(random.oneOf(texts))
                let start = random.below(other.count)
                tokens.replaceSubrange(place..., with: other[start...])
            }
        }
        return tokens.joined()
    }

    /// Splits a string into words, operators, and single other characters.
    private static func tokens(_ text: String) -> [String] {
        var tokens: [String] = []
        var last = 0
        for character in text {
            let isWord = character.isLetter || character.isNumber || "_-$@%\\".contains(character)
            let kind = isWord ? 1 : "=<>!&|".contains(character) ? 2 : 3
            if kind == last, kind < 3 {
                tokens[tokens.count - 1].append(character)
            } else {
                tokens.append(String(character))
            }
            last = kind
        }
        return tokens
    }
}
