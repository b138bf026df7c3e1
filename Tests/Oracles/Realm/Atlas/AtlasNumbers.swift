/// Numbers of all types in the order of values of any type, which compares their exact values.
enum AtlasNumbers {
    /// The numbers of the test, ascending by rank; those of one rank are the same number.
    static let ranked: [(value: AtlasValue, rank: Int)] = {
        let groups: [[AtlasValue]] = [
            [.double(Double.nan.bitPattern), .float(Float.nan.bitPattern), .decimal("NaN")],
            [.double((-Double.infinity).bitPattern)],
            [.int(.min), .double((-0x1p63).bitPattern)],
            [.decimal("-12.5"), .double((-12.5).bitPattern), .float(Float(-12.5).bitPattern)],
            [.int(-1), .double((-1.0).bitPattern)],
            [
                .int(0), .double(0), .double((-0.0).bitPattern), .float(0), .decimal("0"),
                .decimal("0.00"),
            ],
            // One tenth is not a binary fraction: both are slightly more than the decimal number.
            [.decimal("0.1")],
            [.double((0.1).bitPattern)],
            [.float(Float(0.1).bitPattern)],
            [.int(1), .float(Float(1).bitPattern)],
            [.decimal("1.5"), .decimal("1.50"), .double((1.5).bitPattern)],
            [.int(2), .decimal("2")],
            [.int(1 << 53), .double(0x1p53.bitPattern)],
            [.int(1 << 53 + 1)],
            [.int(.max)],
            [.double(0x1p63.bitPattern)],
            [.decimal("12345678901234567890.123456789012")],
            [.decimal("12345678901234567890.123456789013")],
        ]
        return groups.enumerated().flatMap { rank, values in values.map { ($0, rank) } }
    }()

    private static let ranks = Dictionary(uniqueKeysWithValues: ranked.map { ($0.value, $0.rank) })

    static func rank(_ number: AtlasValue) -> Int {
        guard let rank = ranks[number] else { fatalError("\(number) is not a number of the test.") }
        return rank
    }
}
