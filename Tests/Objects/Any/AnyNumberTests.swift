import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

final class NumberBox: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var amount: Decimal128
    @Persisted var ratio: Float
}

/// Numbers of different kinds in values of any type are equal if they are mathematically equal,
/// wherever they are compared.
@Suite struct AnyNumberTests {
    /// Groups of equal values.
    private static var groups: [[AnyRealmValue]] {
        [
            [.int(1), .float(1), .double(1), .decimal128("1"), .decimal128("1.00")],
            [
                .int(0), .float(0), .float(-0.0), .double(0), .double(-0.0), .decimal128("0"),
                .decimal128("-0"), .decimal128("0E+5"),
            ],
            [.float(.nan), .double(.nan), .double(-.nan), .decimal128("NaN")],
            [.double(.infinity), .float(.infinity), .decimal128("Infinity")],
            [.int(1 << 53), .double(0x1p53), .float(0x1p53), .decimal128("9007199254740992")],
            [.int(1 << 53 + 1), .decimal128("9007199254740993")],
            [.int(.max), .decimal128("9223372036854775807")],
            [.double(0x1p63), .decimal128("9223372036854775808")],
            [.int(.min), .double(-0x1p63), .decimal128("-9223372036854775808")],
            [.double(1.5), .float(1.5), .decimal128("1.5"), .decimal128("1.50")],
            [.double(0.1)], [.decimal128("0.1"), .decimal128("0.10")],
            [.float(0.1), .double(Double(Float(0.1)))],
            [.bool(true)], [.bool(false)], [.string("1")], [.none],
        ]
    }

    private static var values: [(group: Int, value: AnyRealmValue)] {
        groups.enumerated().flatMap { group, values in
            values.map { (group: group, value: $0) }
        }
    }

    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(anyClasses)
        try await realm.write { tx in
            for (id, entry) in Self.values.enumerated() {
                let note = AnyNote(id, entry.value)
                note.label = entry.value
                try tx.add(note)
            }
        }
        return realm
    }

    private func ids(inGroup group: Int) -> [Int] {
        Self.values.indices.filter { Self.values[$0].group == group }
    }

    // Covers 1.93, 3.61
    @Test func conditionsAgree() async throws {
        let realm = try await realm()
        let notes = realm.snapshot().objects(AnyNote.self)
        // Long lists are looked up instead of compared one by one.
        let others = (0..<20).map { AnyRealmValue.string("other \($0)") }
        for (group, value) in Self.values {
            let expected = ids(inGroup: group)
            let rest = Self.values.indices.filter { !expected.contains($0) }
            expectEqual(notes.where { $0.content == value }.map(\.id), expected, "\(value)")
            expectEqual(notes.where { $0.label == value }.map(\.id), expected, "\(value)")
            expectEqual(notes.where { $0.content != value }.map(\.id), rest, "\(value)")
            expectEqual(notes.where { $0.content.in([value]) }.map(\.id), expected, "\(value)")
            expectEqual(notes.where { $0.label.in([value]) }.map(\.id), expected, "\(value)")
            expectEqual(
                notes.where { $0.content.in(others + [value]) }.map(\.id), expected, "\(value)")
            expectEqual(
                notes.where { $0.label.in(others + [value]) }.map(\.id), expected, "\(value)")
        }
    }

    // Covers 1.93, 2.70
    @Test func setsAndDistinctValuesAgree() async throws {
        let realm = try await realm()
        let distinct = realm.snapshot().objects(AnyNote.self).distinct(by: \.content)
        expectEqual(distinct.map(\.id), Self.groups.indices.map { ids(inGroup: $0)[0] })
        try await realm.write { tx in
            let note = try requireValue(tx.object(AnyNote.self, forPrimaryKey: 0))
            for (group, value) in Self.values {
                let unmanaged = MutableSet([value])
                note.set.removeAll()
                note.set.insert(value)
                for (otherGroup, other) in Self.values {
                    let isSame = group == otherGroup
                    expectEqual(note.set.contains(other), isSame, "\(value), \(other)")
                    expectEqual(unmanaged.contains(other), isSame, "\(value), \(other)")
                }
            }
            note.set.removeAll()
            note.set.insert(objectsIn: Self.values.map(\.value))
            expectEqual(note.set.count, Self.groups.count)
            expectEqual(MutableSet(Self.values.map(\.value)).count, Self.groups.count)
            note.list.append(objectsIn: Self.values.map(\.value))
            expectEqual(note.list.distinct().count, Self.groups.count)
            for value in Self.values.map(\.value) {
                expectEqual(
                    tx.objects(AnyNote.self).where { $0.set.contains(value) }.count, 1, "\(value)")
            }
            // Each group once, whichever of its values is removed.
            for group in Self.groups { note.set.remove(group[group.count - 1]) }
            expectTrue(note.set.isEmpty)
        }
    }

    /// Properties of one numeric type, compared with lists of values.
    // Covers 3.8
    @Test func listsOfOperandsAgreeWithEquality() async throws {
        let realm = try await Realm.temporary([NumberBox.self])
        let amounts: [Decimal128] = ["0", "-0", "1.0", "1", "NaN", "9007199254740993", "0.1"]
        let ratios: [Float] = [0, -0.0, 1, 1, .nan, 0x1p53, 0.1]
        try await realm.write { tx in
            for id in amounts.indices {
                try tx.create(
                    NumberBox.self, value: ["id": id, "amount": amounts[id], "ratio": ratios[id]])
            }
        }
        let boxes = realm.snapshot().objects(NumberBox.self)
        for many in [false, true] {
            let amountsBefore: [Decimal128] = many ? (100..<120).map { Decimal128($0) } : []
            let ratiosBefore: [Float] = many ? (100..<120).map { Float($0) } : []
            for (amount, ratio) in zip(amounts, ratios) {
                let equalAmounts = boxes.where { $0.amount == amount }.map(\.id)
                let listedAmounts = boxes.where { $0.amount.in(amountsBefore + [amount]) }
                expectEqual(listedAmounts.map(\.id), equalAmounts, "\(amount)")
                let equalRatios = boxes.where { $0.ratio == ratio }.map(\.id)
                let listedRatios = boxes.where { $0.ratio.in(ratiosBefore + [ratio]) }
                expectEqual(listedRatios.map(\.id), equalRatios, "\(ratio)")
            }
        }
    }
}
