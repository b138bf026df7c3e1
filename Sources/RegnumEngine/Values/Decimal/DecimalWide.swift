/// An unsigned integer of 256 bits: the product of two coefficients, or a dividend.
struct DecimalWide {
    var high: UInt128
    var low: UInt128

    /// Returns the full product.
    @inline(__always)
    static func product(_ a: UInt128, _ b: UInt128) -> DecimalWide {
        let (a1, a0) = (UInt64(truncatingIfNeeded: a >> 64), UInt64(truncatingIfNeeded: a))
        let (b1, b0) = (UInt64(truncatingIfNeeded: b >> 64), UInt64(truncatingIfNeeded: b))
        let bottom = product64(a0, b0)
        let cross = product64(a1, b0)
        // Cannot overflow: (2^64 - 1)^2 + 2 · (2^64 - 1) is below 2^128.
        let middle = product64(a0, b1) &+ (bottom >> 64) &+ (cross & 0xFFFF_FFFF_FFFF_FFFF)
        return DecimalWide(
            high: product64(a1, b1) &+ (middle >> 64) &+ (cross >> 64),
            low: middle << 64 | bottom & 0xFFFF_FFFF_FFFF_FFFF)
    }

    /// The number of decimal digits, or one more.
    var digitCountEstimate: Int {
        guard high != 0 else { return decimalDigitCount(low) }
        // Below 2^256, log10(2) ≈ 1233 / 4096 is too low by less than 0.002, which is precise
        // enough for products of coefficients (all below 10^68).
        return (((256 - high.leadingZeroBitCount) * 1233) >> 12) + 1
    }

    /// Divides by 10^n for `n` in 0...38. The quotient must be below 2^128.
    ///
    /// - Returns: The truncated quotient, and whether the remainder is nonzero.
    func dividedByPowerOfTen(_ n: Int) -> (quotient: UInt128, isSticky: Bool) {
        let result = divided(by: powerOfTen(n))
        return (result.quotient, result.remainder != 0)
    }

    /// Divides by a number greater than the high half, so that the quotient is below 2^128.
    ///
    /// Source: Knuth, "The Art of Computer Programming" 2, 4.3.1, algorithm D, with 64-bit words;
    /// quotient and divisor have two words each.
    @inline(__always)
    func divided(by divisor: UInt128) -> (quotient: UInt128, remainder: UInt128) {
        assert(high < divisor, "the quotient does not fit")
        if high == 0 {
            let quotient = low / divisor
            return (quotient, low &- quotient &* divisor)
        }
        let shift = UInt128(truncatingIfNeeded: divisor.leadingZeroBitCount)
        let normal = divisor &<< shift
        let top = shift == 0 ? high : high &<< shift | low &>> (128 &- shift)
        let rest = low &<< shift
        let first = Self.quotientWord(top, UInt64(truncatingIfNeeded: rest >> 64), normal)
        let second = Self.quotientWord(first.remainder, UInt64(truncatingIfNeeded: rest), normal)
        return (
            UInt128(first.quotient) << 64 | UInt128(second.quotient), second.remainder &>> shift
        )
    }

    /// Divides the three words of `top` and `next` by `divisor`, which is greater than `top` and
    /// has its highest bit set.
    @inline(__always)
    private static func quotientWord(
        _ top: UInt128, _ next: UInt64, _ divisor: UInt128
    ) -> (quotient: UInt64, remainder: UInt128) {
        let leading = divisor >> 64
        let trailing = divisor & 0xFFFF_FFFF_FFFF_FFFF
        var quotient: UInt128
        var remainder: UInt128
        if top >> 64 == leading {
            quotient = 0xFFFF_FFFF_FFFF_FFFF
            remainder = (top & 0xFFFF_FFFF_FFFF_FFFF) &+ leading
        } else {
            quotient = top / leading
            remainder = top &- quotient &* leading
        }
        // Runs at most twice.
        while remainder >> 64 == 0,
            quotient &* trailing > remainder << 64 | UInt128(next)
        {
            quotient &-= 1
            remainder &+= leading
        }
        return (
            UInt64(truncatingIfNeeded: quotient),
            (top << 64 | UInt128(next)) &- quotient &* divisor
        )
    }
}
