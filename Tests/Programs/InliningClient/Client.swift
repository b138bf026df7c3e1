import Regnum

/// A client of the library as users write it, whose machine code `.ci/check-inlining` inspects.
final class Reading: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var count: Int
    @Persisted var value: Double
}

/// Reads two properties of managed objects: the loop must compile to a handful of loads.
@inline(never)
func sumOfReadings(_ readings: [Reading]) -> Double {
    var sum = 0.0
    for reading in readings { sum += Double(reading.count) * reading.value }
    return sum
}

/// Fills an unmanaged object: each assignment must compile to a store.
@inline(never)
func fill(_ reading: Reading, _ number: Int) {
    reading.id = number
    reading.count = number
    reading.value = 0.5
}

@main
struct Client {
    static func main() async throws {
        let realm = try await Realm.open(.init(location: .inMemory(identifier: "inlining")))
        try await realm.write { tx in
            for number in 0..<64 {
                let reading = Reading()
                fill(reading, number)
                try tx.add(reading)
            }
        }
        let sum = try await realm.read { tx in
            sumOfReadings(Array(tx.objects(Reading.self)))
        }
        print(sum)
        precondition(sum == 1008, "the sum of 64 objects is \(sum)")
    }
}
