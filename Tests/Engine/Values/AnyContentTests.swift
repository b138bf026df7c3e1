import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Values of any type: bytes, order, canonical forms, ranks.
@Suite struct AnyContentTests {
    private let numbers: [AnyContent] = {
        var numbers: [AnyContent] = []
        let integers: [Int64] = [
            0, 1, -1, 2, 5, .max, .min, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1, 1_000_000_007,
        ]
        for integer in integers {
            numbers.append(.int(integer))
            numbers.append(.double(Double(integer)))
            numbers.append(.float(Float(integer)))
            numbers.append(.decimal(DecimalBits(integer)))
        }
        for double in [
            0.1, -0.1, 1e300, -1e300, .leastNonzeroMagnitude, .infinity, -.infinity, .nan, -0.0,
            0.5,
        ] {
            numbers.append(.double(double))
            numbers.append(.float(Float(double)))
            numbers.append(.decimal(DecimalBits(double)))
        }
        for text in ["0.1", "0.5", "0.50", "1E+400", "-1E+400", "1E-400", "-1E-400", "1.0", "NaN"] {
            if let decimal = DecimalBits(text: text) { numbers.append(.decimal(decimal)) }
        }
        return numbers
    }()

    private var all: [AnyContent] {
        numbers + [
            .bool(false), .bool(true), .string(""), .string("a"), .string("ab"), .data([]),
            .data([97]), .date(-0.0), .date(0), .date(1.5),
            .link(TableKey(rawValue: 1), ObjectKey(rawValue: 2)),
            .link(TableKey(rawValue: 2), ObjectKey(rawValue: 1)), .list(1), .list(2),
            .dictionary(3),
            .uuid(Identity128(high: 1, low: 2)), .objectId(ObjectIdBytes(high: 3, low: 4)),
        ]
    }

    @Test func bytesGiveTheContentBack() throws {
        for content in all {
            let bytes = content.bytes
            let read = try requireValue(bytes.withUnsafeBytes { AnyContent($0) })
            expectEqual(read.bytes, bytes)
            if ![.string, .data].contains(content.kind) {
                let short = bytes.dropLast()
                expectNil(short.withUnsafeBytes { AnyContent($0) })
            }
        }
        expectNil([UInt8]().withUnsafeBytes { AnyContent($0) })
        expectNil([UInt8](arrayLiteral: 99, 1).withUnsafeBytes { AnyContent($0) })
    }

    @Test func plainContentIsAScalarOfItsType() throws {
        for content in all {
            guard let scalar = content.scalar else {
                expectTrue([.link, .list, .dictionary].contains(content.kind))
                continue
            }
            expectEqual(scalar.value.type, scalar.type.valueType)
            let back = try requireValue(AnyContent(scalar.value, of: scalar.type))
            expectEqual(back.kind, content.kind)
            expectEqual(back.canonical.bytes, content.canonical.bytes)
        }
        expectNil(AnyContent(.null, of: .int))
        expectNil(AnyContent(AnyContent.int(1).value, of: .any))
    }

    /// The order is total if each value keeps its position among sorted ones, compared with all
    /// others.
    @Test func orderIsTotalAndOneWithCanonicalFormsAndRanks() {
        let sorted = all.sorted { AnyContent.compare($0, $1) < 0 }
        let canonical = sorted.map { $0.canonical.bytes }
        var places: [Int] = []
        for index in sorted.indices {
            let isNew = index == 0 || canonical[index] != canonical[index - 1]
            places.append((places.last ?? 0) + (isNew ? 1 : 0))
        }
        var wrong: [String] = []
        for a in sorted.indices {
            for b in sorted.indices {
                let order = AnyContent.compare(sorted[a], sorted[b]).signum()
                if order != (places[a] - places[b]).signum() {
                    wrong.append("\(sorted[a]) and \(sorted[b]) compare as \(order)")
                }
                let (x, y) = (sorted[a].sortRank, sorted[b].sortRank)
                if x != y, (x < y) != (order < 0) {
                    wrong.append("\(sorted[a]) and \(sorted[b]) have ranks in the opposite order")
                }
            }
        }
        expectEqual(wrong, [])
    }

    @Test func numbersCompareWithoutRounding() {
        func order(_ a: AnyContent, _ b: AnyContent) -> Int { AnyContent.compare(a, b).signum() }
        expectEqual(order(.int(1 << 53 + 1), .double(0x1p53)), 1)
        expectEqual(order(.double(0.1), .decimal(DecimalBits(text: "0.1")!)), 1)
        expectEqual(order(.float(0.1), .double(0.1)), 1)
        expectEqual(order(.decimal(DecimalBits(text: "1E-400")!), .double(0)), 1)
        expectEqual(order(.decimal(DecimalBits(text: "1E+400")!), .double(.infinity)), -1)
        expectEqual(order(.double(.nan), .double(-.infinity)), -1)
        expectEqual(order(.int(.max), .double(0x1p63)), -1)
    }
}
