import BenchmarkKit
import Regnum

/// The class that Regnum stores.
final class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var score: Double
    @Persisted var city: String
    @Persisted var note: String

    convenience init(_ values: PersonValues) {
        self.init()
        id = values.id
        name = values.name
        age = values.age
        score = values.score
        city = values.city
        note = values.note
    }
}

/// The class with an index on the age. It has the same name as the one without, and therefore the
/// same table.
enum Indexed {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted(indexed: true) var age: Int
        @Persisted var score: Double
        @Persisted var city: String
        @Persisted var note: String

        convenience init(_ values: PersonValues) {
            self.init()
            id = values.id
            name = values.name
            age = values.age
            score = values.score
            city = values.city
            note = values.note
        }
    }
}

/// The content of one person, for every engine.
struct PersonValues: Sendable {
    var id: Int
    /// 12 characters.
    var name: String
    /// 0 to 99, uniform.
    var age: Int
    /// 0 up to 1, uniform.
    var score: Double
    /// One of 100.
    var city: String
    /// 40 characters.
    var note: String
}

/// The people of all workloads, determined by seed and id.
enum People {
    static let seed: UInt64 = 2026

    @Sendable
    static func person(_ id: Int) -> PersonValues {
        var generator = SeededGenerator(seed: seed &+ UInt64(id) &* 0xD134_2543_DE82_EF95)
        return PersonValues(
            id: id, name: text(12, &generator), age: Int.random(in: 0..<100, using: &generator),
            score: Double.random(in: 0..<1, using: &generator),
            city: "city\(Int.random(in: 0..<100, using: &generator))",
            note: text(40, &generator))
    }

    static func people(_ ids: Range<Int>) -> [PersonValues] { ids.map(person) }

    /// Returns ids of people below `end`, some more than once.
    static func randomIDs(_ count: Int, below end: Int, _ salt: UInt64) -> [Int] {
        var generator = SeededGenerator(seed: seed ^ salt)
        return (0..<count).map { _ in Int.random(in: 0..<end, using: &generator) }
    }

    /// Returns ascending ids of people below `end` from a random one on, wrapping around at the
    /// end.
    static func neighbors(_ count: Int, below end: Int, _ salt: UInt64) -> [Int] {
        var generator = SeededGenerator(seed: seed ^ (salt << 16))
        let first = Int.random(in: 0..<end, using: &generator)
        return (0..<count).map { (first + $0) % end }
    }

    /// Returns distinct ids of people below `end`, in random order.
    static func differentIDs(_ count: Int, below end: Int) -> [Int] {
        var generator = SeededGenerator(seed: seed ^ 0xD1FF)
        return Array(Array(0..<end).shuffled(using: &generator).prefix(count))
    }

    /// Returns ages for random people, different for each salt.
    static func ageChanges(_ count: Int, below end: Int, _ salt: UInt64) -> [AgeChange] {
        ageChanges(of: randomIDs(count, below: end, salt), salt)
    }

    static func ageChanges(of ids: [Int], _ salt: UInt64) -> [AgeChange] {
        var generator = SeededGenerator(seed: seed ^ (salt << 32))
        return ids.map { id in
            AgeChange(id: id, age: Int.random(in: 0..<100, using: &generator))
        }
    }

    private static func text(_ count: Int, _ generator: inout SeededGenerator) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var bits: UInt64 = 0
        for position in 0..<count {
            if position % 8 == 0 { bits = generator.next() }
            let digit = UInt8(truncatingIfNeeded: bits & 31)
            bytes.append(digit < 26 ? UInt8(ascii: "a") + digit : UInt8(ascii: " "))
            bits >>= 5
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
