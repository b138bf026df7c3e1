extension Predicate: Hashable {
    // Not synthesized, because text patterns are equal if their UTF-8 is, like stored strings.
    package static func == (a: Predicate, b: Predicate) -> Bool {
        switch (a, b) {
        case (.constant(let a), .constant(let b)):
            a == b
        case (.compare(let a, let x, let v), .compare(let b, let y, let w)):
            a == b && x == y && v == w
        case (.compareColumns(let a, let x, let c), .compareColumns(let b, let y, let d)):
            a == b && x == y && c == d
        case (.matchText(let a, let x, let s, let i), .matchText(let b, let y, let t, let j)):
            a == b && x == y && equalUTF8(s, t) && i == j
        case (
            .matchTextColumns(let a, let x, let c, let i),
            .matchTextColumns(let b, let y, let d, let j)
        ):
            a == b && x == y && c == d && i == j
        case (.matchData(let a, let x, let s), .matchData(let b, let y, let t)):
            a == b && x == y && s == t
        case (.isRow(let a), .isRow(let b)):
            a == b
        case (.isIn(let a, let v), .isIn(let b, let w)):
            a == b && v == w
        case (.related(let h, let x, let p), .related(let k, let y, let q)):
            h == k && x == y && p == q
        case (.count(let h, let p, let x, let m), .count(let k, let q, let y, let n)):
            h == k && p == q && x == y && m == n
        case (
            .aggregate(let h, let f, let a, let x, let v),
            .aggregate(let k, let g, let b, let y, let w)
        ):
            h == k && f == g && a == b && x == y && v == w
        case (.and(let a), .and(let b)), (.or(let a), .or(let b)):
            a == b
        case (.not(let a), .not(let b)):
            a == b
        default:
            false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .constant(let answer):
            hasher.combine(0)
            hasher.combine(answer)
        case .compare(let column, let comparison, let value):
            hasher.combine(1)
            hasher.combine(column)
            hasher.combine(comparison)
            hasher.combine(value)
        case .compareColumns(let a, let comparison, let b):
            hasher.combine(2)
            hasher.combine(a)
            hasher.combine(comparison)
            hasher.combine(b)
        case .matchText(let column, let match, let text, let caseInsensitive):
            hasher.combine(3)
            hasher.combine(column)
            hasher.combine(match)
            hashUTF8(text, into: &hasher)
            hasher.combine(caseInsensitive)
        case .matchTextColumns(let a, let match, let b, let caseInsensitive):
            hasher.combine(4)
            hasher.combine(a)
            hasher.combine(match)
            hasher.combine(b)
            hasher.combine(caseInsensitive)
        case .isIn(let column, let values):
            hasher.combine(5)
            hasher.combine(column)
            hasher.combine(values)
        case .related(let hops, let quantifier, let predicate):
            hasher.combine(6)
            hasher.combine(hops)
            hasher.combine(quantifier)
            hasher.combine(predicate)
        case .count(let hops, let predicate, let comparison, let number):
            hasher.combine(7)
            hasher.combine(hops)
            hasher.combine(predicate)
            hasher.combine(comparison)
            hasher.combine(number)
        case .aggregate(let hops, let kind, let column, let comparison, let value):
            hasher.combine(8)
            hasher.combine(hops)
            hasher.combine(kind)
            hasher.combine(column)
            hasher.combine(comparison)
            hasher.combine(value)
        case .and(let terms):
            hasher.combine(9)
            hasher.combine(terms)
        case .or(let terms):
            hasher.combine(10)
            hasher.combine(terms)
        case .not(let term):
            hasher.combine(11)
            hasher.combine(term)
        case .matchData(let column, let match, let bytes):
            hasher.combine(12)
            hasher.combine(column)
            hasher.combine(match)
            hasher.combine(bytes)
        case .isRow(let keys):
            hasher.combine(13)
            hasher.combine(keys)
        }
    }
}
