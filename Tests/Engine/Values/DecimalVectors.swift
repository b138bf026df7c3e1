import Foundation
import RegnumSimulation
import RegnumTestSupport

@testable import EngineOracle
@testable import RegnumEngine

/// A line of one of the files in `Vectors`.
struct DecimalVector: CustomStringConvertible {
    /// The name of the file in the collection.
    var file = ""
    /// The rounding mode in effect.
    var rounding = "half_even"
    var fields: [String] = []

    var description: String { file + " " + fields.joined(separator: " ") }

    static func all(_ name: String) throws -> [DecimalVector] {
        let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let file = folder.appending(path: "Vectors/\(name)")
        let text = try String(contentsOf: file, encoding: .utf8)
        var vectors: [DecimalVector] = []
        var current = DecimalVector()
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map(String.init)
            switch fields[0] {
            case "file": current = DecimalVector(file: fields[1])
            case "rounding": current.rounding = fields[1]
            default:
                current.fields = fields
                vectors.append(current)
            }
        }
        return vectors
    }
}

/// The numbers of vectors that were compared, and of those that were skipped, by reason.
struct VectorCounts: Equatable {
    var compared = 0
    var skipped: [String: Int] = [:]

    mutating func skip(_ reason: String) { skipped[reason, default: 0] += 1 }
}

extension DecimalBits {
    /// Creates the number that a vector denotes. Besides what `init(text:)` accepts, these are
    /// signaling NaN and payloads, as in `-sNaN12`, and the other encoding, as in `#` and 32
    /// hexadecimal digits.
    init?(vector text: String) {
        if text.hasPrefix("#") {
            guard let unpacked = DensePacking.text(String(text.dropFirst())) else { return nil }
            self.init(vector: unpacked)
            return
        }
        var rest = text.lowercased()[...]
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest.removeFirst() }
        let isSignaling = rest.hasPrefix("snan")
        if isSignaling { rest.removeFirst() }
        guard rest.hasPrefix("nan"), let payload = UInt128("0\(rest.dropFirst(3))") else {
            self.init(text: text)
            return
        }
        let kind: UInt64 = isSignaling ? 0x7E : 0x7C
        self.init(
            high: (isNegative ? 1 << 63 : 0) | kind << 56 | UInt64(payload >> 64),
            low: UInt64(truncatingIfNeeded: payload))
    }

    /// The text as the vectors write it, with the sign, kind and payload of a NaN.
    var vectorText: String {
        guard isNaN else { return text }
        let payload = UInt128(high & 0x3FFF_FFFF_FFFF) << 64 | UInt128(low)
        return (isNegative ? "-" : "") + (isSignalingNaN ? "sNaN" : "NaN")
            + (payload == 0 ? "" : "\(payload)")
    }

    /// The name of its class in the standard.
    var className: String {
        if isNaN { return isSignalingNaN ? "sNaN" : "NaN" }
        let sign = isNegative ? "-" : "+"
        if isInfinite { return sign + "Infinity" }
        if isZero { return sign + "Zero" }
        let leastNormal = DecimalBits(text: "1E-6143") ?? .nan
        return sign + (DecimalBits.compare(magnitude, leastNormal) < 0 ? "Subnormal" : "Normal")
    }
}
