#if canImport(Glibc)
    import Glibc
#endif

/// A generator of random numbers that can be run again: SplitMix64.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// The seed in the environment variable `REGNUM_SEED`, or a fresh one, which is printed.
    static func seed(_ test: String = #function) -> UInt64 {
        let given = getenv("REGNUM_SEED").flatMap { UInt64(String(cString: $0)) }
        let seed = given ?? UInt64.random(in: 0..<(1 << 32))
        print("\(test): REGNUM_SEED=\(seed)")
        return seed
    }
}
