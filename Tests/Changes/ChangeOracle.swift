import Regnum

/// A class for random histories; `number` is never reused.
final class Sample: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var group: Int
    @Persisted var value: Int?
    @Persisted var note: String
}

/// A sample in plain Swift.
struct PlainSample: Equatable {
    var number: Int
    var group: Int
    var value: Int?
    var note: String
}

/// A query of samples, both for the library and in plain Swift.
struct SampleQuery: Sendable {
    let name: String
    /// Whether commits that change a sample to or from this state concern the query.
    var concerns: @Sendable (PlainSample) -> Bool = { _ in true }
    let live: @Sendable (Realm) -> LiveResults<Sample>
    /// Returns the numbers of the results, in order. Samples are in order of creation, which is
    /// that of their numbers.
    let plain: @Sendable ([PlainSample]) -> [Int]

    static let all: [SampleQuery] = [
        SampleQuery(
            name: "all", live: { $0.objects(Sample.self) }, plain: { $0.map(\.number) }),
        SampleQuery(
            name: "group 1", concerns: { $0.group == 1 },
            live: { $0.objects(Sample.self).where { $0.group == 1 } },
            plain: { $0.filter { $0.group == 1 }.map(\.number) }),
        SampleQuery(
            name: "by value",
            live: { $0.objects(Sample.self).sorted(by: \.value) },
            plain: { samples in sorted(samples) { less($0.value, $1.value) } }),
        SampleQuery(
            name: "by group and value, descending",
            live: { realm in
                realm.objects(Sample.self).where { !($0.value == 2) }
                    .sorted(by: .ascending(\.group), .descending(\.value))
            },
            plain: { samples in
                sorted(samples.filter { $0.value != 2 }) { left, right in
                    left.group != right.group
                        ? left.group < right.group : less(right.value, left.value)
                }
            }),
    ]

    private static func less(_ left: Int?, _ right: Int?) -> Bool {
        guard let left else { return right != nil }
        guard let right else { return false }
        return left < right
    }

    private static func sorted(
        _ samples: [PlainSample], _ areInOrder: (PlainSample, PlainSample) -> Bool
    ) -> [Int] {
        samples.sorted {
            areInOrder($0, $1) || (!areInOrder($1, $0) && $0.number < $1.number)
        }.map(\.number)
    }
}

/// The expected change set between two collections.
struct ExpectedChange: Equatable {
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
    var newModifications: [Int] = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// Computes the definition: untouched rows keep their position; of the touched ones the longest
    /// subsequence that still fits stays (of equally long ones, that with the lower old positions);
    /// the others are a deletion and an insertion.
    init(from old: [Int], to new: [Int], touched: Set<Int>) {
        let newPlace = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($1, $0) })
        let oldPlace = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1, $0) })
        let common = old.filter { newPlace[$0] != nil }
        let kept = Set(ExpectedChange.longest(common, touched, newPlace))
        for (place, number) in old.enumerated() {
            if !kept.contains(number) {
                deletions.append(place)
            } else if touched.contains(number) {
                modifications.append(place)
            }
        }
        for (place, number) in new.enumerated() where !kept.contains(number) {
            insertions.append(place)
        }
        newModifications = modifications.compactMap { newPlace[old[$0]] }
        assert(oldPlace.count == old.count)
    }

    /// Returns the longest subsequence of `common` that is ascending in the new order and contains
    /// all untouched rows, by exhaustive search over all its ends.
    private static func longest(
        _ common: [Int], _ touched: Set<Int>, _ newPlace: [Int: Int]
    ) -> [Int] {
        // best[i]: the best subsequence that ends with common[i].
        var best: [[Int]?] = []
        func isBetter(_ candidate: [Int], than other: [Int]?) -> Bool {
            guard let other else { return true }
            if candidate.count != other.count { return candidate.count > other.count }
            let places = { (list: [Int]) in list.map { common.firstIndex(of: $0) ?? 0 } }
            return places(candidate).lexicographicallyPrecedes(places(other))
        }
        for (index, number) in common.enumerated() {
            var found: [Int]?
            if common[..<index].allSatisfy({ touched.contains($0) }) { found = [number] }
            for earlier in 0..<index {
                guard let head = best[earlier],
                    newPlace[common[earlier]]! < newPlace[number]!,
                    common[(earlier + 1)..<index].allSatisfy({ touched.contains($0) })
                else { continue }
                if isBetter(head + [number], than: found) { found = head + [number] }
            }
            best.append(found)
        }
        var result: [Int]? = common.allSatisfy { touched.contains($0) } ? [] : nil
        for (index, candidate) in best.enumerated() {
            guard let candidate,
                common[(index + 1)...].allSatisfy({ touched.contains($0) })
            else { continue }
            if isBetter(candidate, than: result) { result = candidate }
        }
        return result ?? []
    }
}
