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

/// The people of all workloads: the same for each seed and id.
enum People {
    static let seed: UInt64 = 2026

    static func person(_ id: Int) -> PersonValues {
        var generator = SeededGenerator(seed: seed &+ UInt64(id) &* 0xD134_2543_DE82_EF95)
        return PersonValues(
            id: id, name: text(12, &generator), age: Int.random(in: 0..<100, using: &generator),
            score: Double.random(in: 0..<1, using: &generator),
            city: "city\(Int.random(in: 0..<100, using: &generator))",
            note: text(40, &generator))
    }

    static func people(_ ids: Range<Int>) -> [PersonValues] { ids.map(person) }

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
