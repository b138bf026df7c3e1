import Foundation
import RegnumSimulation

/// The seed of a random test: from the environment, or new; printed, so that a failure can be had
/// again.
func faultSeed(_ test: String = #function) -> UInt64 {
    let text = ProcessInfo.processInfo.environment["REGNUM_SEED"]
    let seed = text.flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    print("\(test): REGNUM_SEED=\(seed)")
    return seed
}

/// A number from the environment, or `standard`.
func environmentNumber(_ name: String, or standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
}

extension SplitMix64 {
    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func oneOf<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
    }

    /// True with that probability.
    mutating func chance(_ probability: Double) -> Bool {
        Double(next() >> 11) / Double(1 << 53) < probability
    }
}
