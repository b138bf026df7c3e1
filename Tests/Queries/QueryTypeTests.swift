import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

final class NarrowNumbers: Object {
    @Persisted var tiny: Int8
    @Persisted var short: Int16
    @Persisted var medium: Int32?
    @Persisted(indexed: true) var long: Int64
    @Persisted var ratio: Float
    @Persisted var maybeRatio: Float?
    @Persisted var date: Date
    @Persisted var tinies: List<Int8>
}

/// Operators by type: ranges, enums, narrow integers, `Float`, text and data.
@Suite struct QueryTypeTests {
    // Covers 3.9, 3.10, 3.39, 3.53
    @Test func rangesIncludeTheirEndOnlyIfTheyAreClosed() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.pups(realm) { $0.age.contains(3..<8) }, ["Bo", "Cy"])
        try await expectEqual(Breeders.pups(realm) { $0.age.contains(3...8) }, ["Bo", "Cy", "Di"])
        try await expectEqual(Breeders.pups(realm) { $0.age.contains(3..<3) }, [])
        try await expectEqual(Breeders.pups(realm) { !$0.age.contains(3...8) }, ["Ada"])
        try await expectEqual(Breeders.pups(realm) { $0.weight.contains(7...10) }, ["Ada", "Cy"])
        try await expectEqual(Breeders.pups(realm) { !$0.weight.contains(7...10) }, ["Bo", "Di"])
        try await expectEqual(
            Breeders.names(realm) { $0.favourite.age.contains(2...5) }, ["Ann", "Bob"])
        // A single pup between both bounds: Dan's are below and above.
        try await expectEqual(Breeders.names(realm) { $0.pups.age.contains(6...7) }, [])
        try await expectEqual(
            Breeders.names(realm) { $0.pups.age.contains(2...6) },
            [
                "Ann", "Bob", "Dan",
            ])
    }

    // Covers 3.2, 3.4, 3.5, 3.8, 3.30, 3.31
    @Test func enumsCompareByTheirRawValues() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.pups(realm) { $0.coat == .curly }, ["Ada", "Di"])
        try await expectEqual(Breeders.pups(realm) { $0.coat != .curly }, ["Bo", "Cy"])
        try await expectEqual(Breeders.pups(realm) { $0.coat.in([.wiry, .smooth]) }, ["Bo", "Cy"])
        try await expectEqual(Breeders.pups(realm) { $0.coat > .curly }, ["Bo", "Cy"])
        try await expectEqual(Breeders.pups(realm) { $0.grade >= .mid }, ["Cy", "Di"])
        try await expectEqual(Breeders.pups(realm) { $0.grade == nil }, ["Bo"])
        try await expectEqual(Breeders.pups(realm) { $0.grade.in([.low, nil]) }, ["Ada", "Bo"])
        try await expectEqual(Breeders.pups(realm) { $0.coat.starts(with: "cur") }, ["Ada", "Di"])
        try await expectEqual(Breeders.pups(realm) { $0.coat.notEquals("curly") }, ["Bo", "Cy"])
        try await expectEqual(
            Breeders.pups(realm) { $0.coat.rawValue.ends(with: "y") },
            [
                "Ada", "Cy", "Di",
            ])
        try await expectEqual(Breeders.pups(realm) { $0.grade.rawValue == 9 }, ["Cy"])
        try await expectEqual(
            Breeders.pups(realm) { $0.grade.rawValue.contains(1...5) }, ["Ada", "Di"])
        try await expectEqual(Breeders.names(realm) { $0.favourite.coat == .wiry }, ["Bob"])
        try await expectEqual(Breeders.names(realm) { $0.pups.grade < .mid }, ["Ann"])
    }

    // Covers 3.26, 3.27, 3.28, 3.30
    @Test func textIsComparedWithTextAndWithProperties() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(
            Breeders.pups(realm) {
                $0.nick.starts(with: "c", options: .caseInsensitive)
            }, ["Cy"])
        try await expectEqual(
            Breeders.pups(realm) { $0.name.contains($0.nick, options: .caseInsensitive) },
            ["Ada", "Cy"])
        try await expectEqual(Breeders.pups(realm) { $0.name.starts(with: $0.nick) }, [])
        try await expectEqual(
            Breeders.pups(realm) { $0.name.ends(with: $0.name) }, ["Ada", "Bo", "Cy", "Di"])
        try await expectEqual(Breeders.pups(realm) { $0.name.like($0.mother.name) }, [])
        try await expectEqual(
            Breeders.pups(realm) { $0.name.equals("ada", options: .caseInsensitive) }, ["Ada"])
        try await expectEqual(Breeders.pups(realm) { $0.name.equals("ada") }, [])
        try await expectEqual(
            Breeders.pups(realm) { $0.name.notEquals("ada", options: .caseInsensitive) },
            ["Bo", "Cy", "Di"])
        try await expectEqual(
            Breeders.pups(realm) { $0.nick.notEquals("AD", options: .caseInsensitive) },
            ["Bo", "Cy", "Di"])
        try await expectEqual(Breeders.pups(realm) { $0.nick.equals(nil) }, ["Bo"])
        try await expectEqual(
            Breeders.pups(realm) { $0.nick.notEquals(nil, options: .caseInsensitive) },
            ["Ada", "Cy", "Di"])
        try await expectEqual(
            Breeders.pups(realm) { $0.name.equals($0.nick, options: .caseInsensitive) }, ["Cy"])
        try await expectEqual(Breeders.pups(realm) { $0.nick.contains(nil) }, [])
        try await expectEqual(Breeders.pups(realm) { !$0.nick.contains(nil) }.count, 4)
        try await expectEqual(Breeders.names(realm) { $0.pups.nick.like("?") }, ["Dan"])
        try await expectEqual(Breeders.names(realm) { $0.pups.nick.contains($0.pups.name) }, [])
    }

    @Test func dataIsComparedByBytes() async throws {
        let realm = try await Breeders.realm()
        try await expectEqual(Breeders.pups(realm) { $0.chip.contains(Data([2])) }, ["Ada", "Cy"])
        try await expectEqual(Breeders.pups(realm) { $0.chip.starts(with: Data([1, 2])) }, ["Ada"])
        try await expectEqual(Breeders.pups(realm) { $0.chip.ends(with: Data([2])) }, ["Cy"])
        try await expectEqual(
            Breeders.pups(realm) { $0.chip.contains(Data()) }, ["Ada", "Cy", "Di"])
        try await expectEqual(Breeders.pups(realm) { $0.chip.equals(Data([2])) }, ["Cy"])
        try await expectEqual(
            Breeders.pups(realm) { $0.chip.notEquals(Data([2])) }, ["Ada", "Bo", "Di"])
    }

    private func narrows() async throws -> Realm {
        let realm = try await Realm.temporary([NarrowNumbers.self])
        try await realm.write { tx in
            for number in 0..<4 {
                let narrow = NarrowNumbers()
                narrow.tiny = [-128, 0, 5, 127][number]
                narrow.short = [.min, -1, 300, .max][number]
                narrow.medium = [nil, 70_000, .min, .max][number]
                narrow.long = [.min, -1, 1 << 40, .max][number]
                narrow.ratio = [0.1, 0.25, -1, .nan][number]
                narrow.maybeRatio = [nil, 0.1, 3, .infinity][number]
                narrow.date = Date(timeIntervalSinceReferenceDate: Double(number))
                narrow.tinies.append(objectsIn: Array(repeating: 100, count: number))
                try tx.add(narrow)
            }
        }
        return realm
    }

    // Covers 3.2, 3.4, 3.9, 3.10
    @Test func narrowIntegersAndFloatsCompareAndFold() async throws {
        let narrows = try await narrows().snapshot().objects(NarrowNumbers.self)
        func found(_ condition: (Query<NarrowNumbers>) -> Query<Bool>) -> [Int8] {
            narrows.where(condition).map(\.tiny)
        }
        expectEqual(found { $0.tiny < 5 }, [-128, 0])
        expectEqual(found { $0.tiny.contains(0...127) }, [0, 5, 127])
        expectTrue(found { $0.short == .max } == [127] && found { $0.short < 0 } == [-128, 0])
        expectTrue(found { $0.medium == nil } == [-128] && found { $0.medium > 70_000 } == [127])
        expectTrue(found { $0.long >= 1 << 40 } == [5, 127] && found { $0.long == -1 } == [0])
        expectTrue(found { $0.ratio == 0.1 } == [-128] && found { $0.ratio > 0.1 } == [0])
        expectEqual(found { $0.ratio.in([0.1, -1]) }, [-128, 5])
        expectTrue(
            found { $0.maybeRatio == 0.1 } == [0] && found { $0.maybeRatio == .infinity } == [127])
        expectTrue(
            found { $0.tinies.sum == 300 } == [127] && found { $0.tinies.max == 100 }.count == 3)
        let dates =
            Date(timeIntervalSinceReferenceDate: 1)...Date(timeIntervalSinceReferenceDate: 2)
        expectEqual(found { $0.date.contains(dates) }, [0, 5])

        expectTrue(narrows.sum(of: \.tiny) == 4 && narrows.average(of: \.tiny) == 1)
        expectTrue(narrows.min(of: \.tiny) == -128 && narrows.max(of: \.short) == .max)
        expectTrue(narrows.min(of: \.medium) == .min && narrows.max(of: \.long) == .max)
        expectTrue(narrows.min(of: \.ratio) == -1 && narrows.max(of: \.ratio) == 0.25)
        expectEqual(narrows.where { $0.tiny < 5 }.sum(of: \.ratio), 0.35)
        expectEqual(narrows.where { $0.tiny < 6 }.sum(of: \.short), -32768 + 299)
        expectEqual(narrows.max(of: \.date), Date(timeIntervalSinceReferenceDate: 3))
        expectEqual(narrows.sorted(by: \.ratio).map(\.tiny), [127, 5, -128, 0])
    }
}
