/// A decimal number of the oracle: its bits as in BSON, and its rank among the others. Numbers of
/// the same rank are equal.
struct OracleDecimal: Sendable {
    let high: UInt64
    let low: UInt64
    let rank: Int

    /// NaN first; numbers in several representations; neighbors with the same `Double`.
    static let all = [
        OracleDecimal(high: 0x3040_0000_0000_0000, low: 0, rank: 4),  // 0
        OracleDecimal(high: 0x7C00_0000_0000_0000, low: 0, rank: 0),  // NaN
        OracleDecimal(high: 0xF800_0000_0000_0000, low: 0, rank: 1),  // -Infinity
        OracleDecimal(high: 0xB046_0000_0000_0000, low: 1, rank: 2),  // -1E+3
        OracleDecimal(high: 0xB03C_0000_0000_0000, low: 150, rank: 3),  // -1.50
        OracleDecimal(high: 0xB03E_0000_0000_0000, low: 15, rank: 3),  // -1.5
        OracleDecimal(high: 0xB040_0000_0000_0000, low: 0, rank: 4),  // -0
        OracleDecimal(high: 0x303C_0000_0000_0000, low: 0, rank: 4),  // 0.00
        OracleDecimal(high: 0x0, low: 1, rank: 5),  // 1E-6176
        OracleDecimal(high: 0x303E_0000_0000_0000, low: 1, rank: 6),  // 0.1
        OracleDecimal(high: 0x303C_0000_0000_0000, low: 10, rank: 6),  // 0.10
        OracleDecimal(high: 0x3040_0000_0000_0000, low: 1, rank: 7),  // 1
        OracleDecimal(high: 0x303E_0000_0000_0000, low: 10, rank: 7),  // 1.0
        // 9007199254740993
        OracleDecimal(high: 0x3040_0000_0000_0000, low: 9_007_199_254_740_993, rank: 8),
        // 9007199254740993.0
        OracleDecimal(high: 0x303E_0000_0000_0000, low: 90_071_992_547_409_930, rank: 8),
        // 9007199254740994
        OracleDecimal(high: 0x3040_0000_0000_0000, low: 9_007_199_254_740_994, rank: 9),
        OracleDecimal(high: 0x3090_0000_0000_0000, low: 1, rank: 10),  // 1E+40
        OracleDecimal(high: 0x7800_0000_0000_0000, low: 0, rank: 11),  // Infinity
    ]

    static func rank(_ high: UInt64, _ low: UInt64) -> Int {
        all.first { $0.high == high && $0.low == low }?.rank ?? -1
    }
}
