/// An unsigned integer of 1,152 bits, enough to compare a decimal with a double near it.
struct DecimalLimbs {
    /// Least significant first.
    private var limbs: InlineArray<18, UInt64>
    /// Limbs from this index on are zero.
    private var count: Int

    private init(_ number: UInt128) {
        limbs = InlineArray(repeating: 0)
        limbs[0] = UInt64(truncatingIfNeeded: number)
        limbs[1] = UInt64(truncatingIfNeeded: number >> 64)
        count = 2
    }

    /// Compares coefficient · 10^exponent with a double.
    ///
    /// - Parameters:
    ///   - coefficient: nonzero.
    ///   - double: finite and positive. The decimal must round to it; then both sides, scaled to
    ///     integers without common powers of two, are below 2^900.
    static func compare(coefficient: UInt128, exponent: Int, double: Double) -> Int {
        var decimal = DecimalLimbs(coefficient)
        var binary = DecimalLimbs(UInt128(double.significandBitPattern))
        var binaryExponent = -1_074
        if double.isNormal {
            binary.limbs[0] |= 1 << 52
            binaryExponent = Int(double.exponentBitPattern) - 1_075
        }
        if exponent > 0 {
            decimal.multiply(byPowerOfFive: exponent)
        } else {
            binary.multiply(byPowerOfFive: -exponent)
        }
        let shift = exponent - binaryExponent
        if shift > 0 {
            decimal.shiftLeft(shift)
        } else {
            binary.shiftLeft(-shift)
        }
        for index in (0..<max(decimal.count, binary.count)).reversed() {
            let (a, b) = (decimal.limbs[index], binary.limbs[index])
            if a != b { return a < b ? -1 : 1 }
        }
        return 0
    }

    private mutating func multiply(byPowerOfFive power: Int) {
        var power = power
        while power > 0 {
            let step = min(power, 27)
            // 5^27 is less than 2^63.
            var factor: UInt64 = 1
            for _ in 0..<step { factor &*= 5 }
            var carry: UInt64 = 0
            for index in 0..<count {
                let product = product64(limbs[index], factor) &+ UInt128(carry)
                limbs[index] = UInt64(truncatingIfNeeded: product)
                carry = UInt64(truncatingIfNeeded: product >> 64)
            }
            append(carry)
            power -= step
        }
    }

    private mutating func shiftLeft(_ shift: Int) {
        let (words, bits) = (shift >> 6, UInt64(shift & 63))
        append(0)
        for index in (0..<count).reversed() {
            let lower = index > 0 && bits > 0 ? limbs[index - 1] >> (64 - bits) : 0
            limbs[index] = limbs[index] << bits | lower
        }
        guard words > 0 else { return }
        let end = min(count + words, limbs.count)
        for index in (words..<end).reversed() { limbs[index] = limbs[index - words] }
        for index in 0..<min(words, limbs.count) { limbs[index] = 0 }
        count = end
    }

    private mutating func append(_ limb: UInt64) {
        assert(count < limbs.count || limb == 0, "the number does not fit")
        guard count < limbs.count else { return }
        limbs[count] = limb
        if limb != 0 { count += 1 } else { count = min(count + 1, limbs.count) }
    }
}
