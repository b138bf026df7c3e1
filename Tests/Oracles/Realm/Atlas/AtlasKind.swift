import RegnumSimulation
import RegnumTestSupport

/// A value type as the oracle models it: the values that are drawn for it.
enum AtlasKind: String, CaseIterable, Sendable {
    case bool, int, int8, int16, int32, int64, float, double, decimal, text, data, date, uuid
    case objectId
    /// Enums with four raw types.
    case level, tiny, word, share
    /// Projected types: stored as a double, as an integer, as an embedded object, and as
    /// one with another in it.
    case celsius, serial, spot, sign
    case link, box
    case any

    /// The values of the kind. Links and boxes have none, since theirs depend on the existing
    /// objects.
    var pool: [AtlasValue] {
        switch self {
        case .bool: [.bool(false), .bool(true)]
        case .int, .int64: [.min, -1, 0, 1, 7, .max].map { .int($0) }
        case .int8: [-128, -1, 0, 1, 127].map { .int($0) }
        case .int16: [-32768, -1, 0, 5, 32767].map { .int($0) }
        case .int32: [-2_147_483_648, 0, 3, 2_147_483_647].map { .int($0) }
        case .float: Self.floats.map { .float($0.bitPattern) }
        case .double, .celsius: Self.doubles.map { .double($0.bitPattern) }
        case .decimal: Self.decimals.map { .decimal($0.text) }
        case .text: Self.texts.map { .text(AtlasBytes($0)) }
        case .data:
            [[], [0], [0, 1], [255], Array(repeating: 7, count: 70)].map { .bytes(AtlasBytes($0)) }
        case .date:
            [0, -1, 0.25, 1e9, -1e10].map { (seconds: Double) in .date(seconds.bitPattern) }
        case .uuid: Self.identities(16).map { .uuid($0) }
        case .objectId: Self.identities(12).map { .objectId($0) }
        case .level: [-1, 0, 7].map { .int($0) }
        case .tiny: [-128, 0, 5].map { .int($0) }
        case .word: ["a", "B", "\u{e9}"].map { .text(AtlasBytes($0)) }
        case .share: [0.5, -2, 0].map { (share: Double) in .double(share.bitPattern) }
        case .serial: [0, 7, -14, 70].map { .int($0) }
        case .spot: [.spot(0, 0), .spot(1, 2), .spot(-3, 1)]
        case .sign:
            [.null, .spot(0, 0), .spot(4, -1)].flatMap { spot in
                ["", "exit"].map { .sign(AtlasBytes($0), spot) }
            }
        case .link, .box: []
        case .any: Self.anyPool
        }
    }

    /// Whether the values can link to objects.
    var canLink: Bool { self == .link || self == .box || self == .any }

    /// Values of all kinds, except for links, lists and dictionaries.
    private static let anyPool: [AtlasValue] = {
        let kinds: [AtlasKind] = [.bool, .data, .date, .uuid, .objectId]
        return kinds.flatMap { $0.pool.prefix(3) } + texts.map { .text(AtlasBytes($0)) }
            + AtlasNumbers.ranked.map(\.value)
    }()

    private static let floats: [Float] = [
        0, -0.0, 0.1, 1.5, -2.25, .nan, .infinity, .greatestFiniteMagnitude,
    ]
    private static let doubles: [Double] = [
        0, -0.0, 0.1, 1.5, -2.25, .nan, -.infinity, .greatestFiniteMagnitude,
    ]
    private static let texts = [
        "", "a", "b", "ab", "\u{e9}", "e\u{301}", "\u{65e5}\u{672c}", "\u{1f600}",
        "a text that is too long to lie in its cell, and a bit longer",
    ]

    /// Decimals in text form, with their rank in numeric order.
    static let decimals: [(text: String, rank: Int)] = [
        ("NaN", 0), ("-12.5", 1), ("0", 2), ("0.00", 2), ("0.1", 3), ("1.5", 4), ("1.50", 4),
        ("2", 5), ("12345678901234567890.123456789012", 6),
        ("12345678901234567890.123456789013", 7),
    ]

    static func decimalRank(_ text: String) -> Int {
        guard let decimal = decimals.first(where: { $0.text == text }) else {
            fatalError("\(text) is not a decimal of the test.")
        }
        return decimal.rank
    }

    private static func identities(_ count: Int) -> [AtlasBytes] {
        [0, 1, 0x7f, 0x80, 0xff].map { AtlasBytes(Array(repeating: $0, count: count)) }
            + [AtlasBytes((0..<count).map { UInt8($0) })]
    }
}
