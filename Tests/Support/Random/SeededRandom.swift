import Foundation

/// A random number generator whose whole state is its seed: SplitMix64 (Steele, Lea and Flood 2014,
/// "Fast splittable pseudorandom number generators").
package struct SeededRandom: RandomNumberGenerator, Sendable {
    /// The seed that the generator started from.
    package let seed: UInt64
    private var state: UInt64

    package init(_ seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Creates a generator with the seed of this run, and prints the seed.
    ///
    /// - Parameter test: The name printed with the seed.
    package init(_ test: String = #function) {
        self.init(Self.seed(test))
    }

    /// Returns the seed in `REGNUM_SEED`, or a fresh one if that isn't set, and prints it, so that
    /// a failure can be reproduced.
    package static func seed(_ test: String = #function) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["REGNUM_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<(1 << 32))
        print("\(test): REGNUM_SEED=\(seed)")
        return seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// Hashes a number: neighboring numbers give unrelated results.
    package static func mix(_ number: UInt64) -> UInt64 {
        var word = number
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// Returns the seed of one of many runs that share a seed.
    package static func seed(_ seed: UInt64, ofRun number: Int) -> UInt64 {
        mix(seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// Returns a number from 0 up to, but not including, `bound`; 0 if `bound` is 0.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// Returns `true` once in `count` times.
    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// Returns `true` with the given probability.
    package mutating func chance(_ probability: Double) -> Bool {
        Double(next() >> 11) / Double(1 << 53) < probability
    }

    package mutating func oneOf<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
            var word: UInt64 = 0
            for index in 0..<count {
                word = index % 8 == 0 ? next() : word >> 8
                bytes[index] = UInt8(truncatingIfNeeded: word)
            }
            initializedCount = count
        }
    }
}
