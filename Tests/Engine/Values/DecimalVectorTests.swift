import Foundation
import RegnumSimulation
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Decimals against third-party test vectors (`Vectors/README.md`).
@Suite struct DecimalVectorTests {
    @Test func generalDecimalArithmeticVectorsHold() throws {
        var counts = VectorCounts()
        for vector in try DecimalVector.all("general-decimal-arithmetic.txt") {
            if let reason = reasonToSkip(vector) {
                counts.skip(reason)
                continue
            }
            let operands = Array(vector.fields[2..<vector.fields.count - 1])
            let result = DecimalOperation.result(
                vector.fields[1], operands, isPacked: vector.fields.last?.first == "#")
            expectEqual(result?.lowercased(), vector.fields.last?.lowercased(), "\(vector)")
            counts.compared += 1
        }
        expectEqual(
            counts,
            VectorCounts(
                compared: 4_739,
                skipped: [
                    "other rounding": 107, "engineering notation": 146,
                    "comparison with NaN, here in a total order": 59,
                    "NaN with sign, signal or payload in text": 48,
                    "NaN reduced, here to one NaN": 8, "no operand": 6,
                ]))
    }

    @Test func bsonVectorsHold() throws {
        var counts: [String: Int] = [:]
        for vector in try DecimalVector.all("bson-decimal128.txt") {
            let fields = vector.fields
            counts[fields[0], default: 0] += 1
            guard fields[0] != "error" else {
                expectNil(DecimalBits(exactText: fields[1]), "\(vector)")
                // Those in the fourth file that end in a digit are numbers out of range: BSON
                // rejects them, here they are rounded.
                let isNumber = vector.file == "decimal128-4" && fields[1].last?.isNumber == true
                expectTrue((DecimalBits(text: fields[1]) != nil) == isNumber, "\(vector)")
                if isNumber { counts["rounded", default: 0] += 1 }
                continue
            }
            let bits = DecimalBits(
                high: try requireValue(UInt64(fields[1], radix: 16)),
                low: try requireValue(UInt64(fields[2], radix: 16)))
            expectEqual(bits.text, fields[3], "\(vector)")
            for text in fields[3...] where fields[0] == "valid" {
                expectEqual(DecimalBits(text: text), bits, "\(vector)")
                expectEqual(DecimalBits(exactText: text), bits, "\(vector)")
            }
        }
        expectEqual(counts, ["valid": 597, "lossy": 8, "error": 131, "rounded": 12])
    }

    @Test func pythonVectorsHold() throws {
        var counts: [String: Int] = [:]
        for vector in try DecimalVector.all("python-decimal.txt") {
            let operands = Array(vector.fields[1..<vector.fields.count - 1])
            let result = DecimalOperation.result(vector.fields[0], operands)
            expectEqual(result?.lowercased(), vector.fields.last?.lowercased(), "\(vector)")
            counts[vector.fields[0], default: 0] += 1
        }
        expectEqual(
            counts,
            [
                "add": 356, "subtract": 383, "multiply": 532, "divide": 515, "compare": 698,
                "read": 150, "fromdouble": 300, "todouble": 1_063, "comparedouble": 766,
            ])
    }

    /// Returns the reason why a vector doesn't apply here; `nil` if it does.
    private func reasonToSkip(_ vector: DecimalVector) -> String? {
        let operation = vector.fields[1]
        let values = vector.fields[2...].map { $0.lowercased() }
        let hasNaN = values.contains { $0.contains("nan") }
        // The numbers of dqEncode are exact.
        if vector.rounding != "half_even", vector.file != "dqEncode" { return "other rounding" }
        if values.contains("#") { return "no operand" }
        switch operation {
        case "toeng": return "engineering notation"
        case "compare": return hasNaN ? "comparison with NaN, here in a total order" : nil
        case "reduce": return hasNaN ? "NaN reduced, here to one NaN" : nil
        case "tosci":
            let isPlainNaN = ["nan", "+nan"].contains(values[0])
            return hasNaN && !isPlainNaN ? "NaN with sign, signal or payload in text" : nil
        default: return nil
        }
    }
}

/// The operations of the vectors expressed by those of the library, from text to text.
enum DecimalOperation {
    /// - Parameter isPacked: Whether the result is written in the other encoding.
    /// - Returns: The result; `nil` for an unknown operation or operand.
    static func result(
        _ operation: String, _ operands: [String], isPacked: Bool = false
    ) -> String? {
        if let result = conversion(operation, operands[0]) { return result }
        guard let a = DecimalBits(vector: operands[0]) else { return nil }
        let number: DecimalBits?
        if operands.count == 1 {
            number = unary(operation, a)
        } else if operation == "comparedouble" {
            guard let b = double(operands[1]) else { return nil }
            let order = DecimalBits.compare(a, b)
            return DecimalBits.compare(a.negated, -b) == -order ? "\(order)" : "not symmetric"
        } else {
            guard let b = DecimalBits(vector: operands[1]) else { return nil }
            if operation == "compare" {
                let order = DecimalBits.compare(a, b)
                return DecimalBits.compare(b, a) == -order ? "\(order)" : "not symmetric"
            }
            number = binary(operation, a, b)
        }
        return number.map { isPacked ? "#" + DensePacking.hexadecimal($0) : $0.vectorText }
    }

    private static func binary(
        _ operation: String, _ a: DecimalBits, _ b: DecimalBits
    ) -> DecimalBits? {
        switch operation {
        case "add": return DecimalBits.sum(a, b)
        case "subtract": return DecimalBits.difference(a, b)
        case "multiply": return DecimalBits.product(a, b)
        case "divide": return DecimalBits.quotient(a, b)
        default: return nil
        }
    }

    private static func conversion(_ operation: String, _ operand: String) -> String? {
        switch operation {
        case "tosci", "read":
            return DecimalBits(text: operand)?.text ?? "syntax"
        case "class":
            return DecimalBits(vector: operand)?.className
        case "todouble":
            return DecimalBits(text: operand).map { hexadecimal($0.doubleValue.bitPattern) }
        case "fromdouble":
            // The expected text has no trailing zeros.
            guard let double = double(operand) else { return nil }
            let number = DecimalBits(double)
            guard number.doubleValue.bitPattern == double.bitPattern else { return "other double" }
            return double == 0 ? number.text : number.canonical.text
        default:
            return nil
        }
    }

    private static func unary(_ operation: String, _ a: DecimalBits) -> DecimalBits? {
        // General Decimal Arithmetic defines some operations as sums with a zero of the same
        // exponent.
        let zero = DecimalBits(
            DecimalParts(
                isNegative: false, coefficient: 0, exponent: a.finiteParts?.exponent ?? 0))
        switch operation {
        case "copy", "apply": return a
        case "copyabs": return a.magnitude
        case "copynegate": return a.negated
        case "plus": return DecimalBits.sum(zero, a)
        case "minus": return DecimalBits.difference(zero, a)
        case "abs": return a.isNegative ? DecimalBits.difference(zero, a) : DecimalBits.sum(zero, a)
        case "reduce": return a.isZero && a.isNegative ? a.canonical.negated : a.canonical
        default: return nil
        }
    }

    private static func double(_ bits: String) -> Double? {
        UInt64(bits, radix: 16).map(Double.init(bitPattern:))
    }

    private static func hexadecimal(_ bits: UInt64) -> String {
        let text = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
