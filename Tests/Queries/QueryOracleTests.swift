import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// A random condition, as the library takes it and as plain Swift computes it.
private struct Condition {
    let query: (Query<Person>) -> Query<Bool>
    let holds: (Plain) -> Bool
    let text: String
}

/// What a person is outside the database.
private struct Plain {
    var name: String
    var age: Int
    var height: Double?
    var isActive: Bool
    var limit: Int
}

private func randomCondition(depth: Int, _ random: inout SeededRandom) -> Condition {
    if depth > 0, Bool.random(using: &random) {
        let left = randomCondition(depth: depth - 1, &random)
        let right = randomCondition(depth: depth - 1, &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            return Condition(
                query: { left.query($0) && right.query($0) },
                holds: { left.holds($0) && right.holds($0) },
                text: "(\(left.text) && \(right.text))")
        case 1:
            return Condition(
                query: { left.query($0) || right.query($0) },
                holds: { left.holds($0) || right.holds($0) },
                text: "(\(left.text) || \(right.text))")
        default:
            return Condition(
                query: { !left.query($0) }, holds: { !left.holds($0) }, text: "!\(left.text)")
        }
    }
    return randomComparison(&random)
}

private func randomComparison(_ random: inout SeededRandom) -> Condition {
    let number = Int.random(in: 0..<4, using: &random)
    let height: Double? = [nil, .nan, -0.0, 1, 2].randomElement(using: &random) ?? nil
    let name = ["a", "b", "", "\u{e9}", "e\u{301}"].randomElement(using: &random) ?? ""
    func bytes(_ string: String) -> [UInt8] { Array(string.utf8) }
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
        return Condition(
            query: { $0.age == number }, holds: { $0.age == number }, text: "age == \(number)")
    case 1:
        return Condition(
            query: { $0.age < number }, holds: { $0.age < number }, text: "age < \(number)")
    case 2:
        return Condition(
            query: { $0.age >= $0.limit }, holds: { $0.age >= $0.limit }, text: "age >= limit")
    case 3:
        return Condition(
            query: { $0.isActive }, holds: { $0.isActive }, text: "isActive")
    case 4:
        return Condition(
            query: { $0.name == name }, holds: { bytes($0.name) == bytes(name) },
            text: "name == \(name)")
    case 5:
        return Condition(
            query: { $0.name <= name },
            holds: { !bytes(name).lexicographicallyPrecedes(bytes($0.name)) },
            text: "name <= \(name)")
    case 6:
        return Condition(
            query: { $0.height == height }, holds: { $0.height == height },
            text: "height == \(String(describing: height))")
    case 7:
        return Condition(
            query: { $0.height > height },
            holds: { person in
                guard let mine = person.height, let height else { return false }
                return mine > height
            }, text: "height > \(String(describing: height))")
    default:
        return Condition(
            query: { $0.height <= height },
            holds: { person in
                guard let mine = person.height, let height else {
                    return person.height == nil && height == nil
                }
                return mine <= height
            }, text: "height <= \(String(describing: height))")
    }
}

@Suite struct QueryOracleTests {
    // Covers 3.6
    @Test func randomConditionsAgreeWithPlainSwift() async throws {
        let seed = SeededRandom.seed()
        var random = SeededRandom(seed)
        for round in 0..<20 {
            let realm = try await Realm.temporary([Person.self])
            let plain = (0..<30).map { _ in
                Plain(
                    name: ["a", "b", "", "\u{e9}", "e\u{301}"].randomElement(using: &random) ?? "",
                    age: Int.random(in: 0..<4, using: &random),
                    height: [nil, .nan, 0.0, -0.0, 1, 2].randomElement(using: &random) ?? nil,
                    isActive: Bool.random(using: &random),
                    limit: Int.random(in: 0..<4, using: &random))
            }
            try await realm.write { tx in
                for person in plain {
                    let object = Person(
                        person.name, age: person.age, height: person.height,
                        isActive: person.isActive)
                    object.limit = person.limit
                    try tx.add(object)
                }
            }
            let all = realm.snapshot().objects(Person.self)
            let identities = all.map(\.rowIdentity)
            for _ in 0..<50 {
                let condition = randomCondition(depth: 3, &random)
                let found = all.where(condition.query).map(\.rowIdentity)
                let expected = zip(plain, identities).filter { condition.holds($0.0) }.map(\.1)
                #expect(
                    found == expected, "seed \(seed), round \(round): \(condition.text)")
            }
        }
    }
}
