import Foundation
import Regnum
import RegnumStore

final class AsymReading: AsymmetricObject {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var celsius: Double
    @Persisted var tags: List<String>
    @Persisted var levels: Map<String, Int>
    @Persisted var place: AsymPlace?
    @Persisted var others: List<AsymPlace>

    var fahrenheit: Double { celsius * 1.8 + 32 }
}

final class AsymPlace: EmbeddedObject {
    @Persisted var x: Double
}

final class AsymEvent: AsymmetricObject {
    @Persisted var text: String
    @Persisted var writer: Int
    @Persisted var number: Int
}

final class AsymSensor: Object {
    @Persisted(primaryKey: true) var name: String
}

final class AsymPage: AsymmetricObject {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var content: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var sheet: AsymSheet?
}

final class AsymSheet: EmbeddedObject {
    @Persisted var value: AnyRealmValue
}

final class AsymShelf: Object {
    @Persisted var content: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
}

// Classes that can't be stored.

final class AsymLinker: Object {
    @Persisted var event: AsymEvent?
    @Persisted var events: List<AsymEvent>
}

final class AsymLinked: AsymmetricObject {
    @Persisted var text: String
    @Persisted var sensor: AsymSensor?
    @Persisted var sensors: List<AsymSensor>
}

final class AsymHolder: AsymmetricObject {
    @Persisted var tag: AsymTag?
}

final class AsymTag: EmbeddedObject {
    @Persisted var sensor: AsymSensor?
}

/// The objects that sinks have received, on any task.
final class AsymInbox: Sendable {
    private struct State {
        var numbers: [Int] = []
        var batches: [Int] = []
        var running = 0
        var maximumRunning = 0
    }

    private let state = Guarded(State())

    var numbers: [Int] { state.withLock { $0.numbers } }
    var batchSizes: [Int] { state.withLock { $0.batches } }
    var maximumRunning: Int { state.withLock { $0.maximumRunning } }

    func begin() {
        state.withLock { state in
            state.running += 1
            state.maximumRunning = max(state.maximumRunning, state.running)
        }
    }

    func end() { state.withLock { $0.running -= 1 } }

    func take(_ numbers: [Int]) {
        state.withLock { state in
            state.numbers += numbers
            state.batches.append(numbers.count)
        }
    }

    /// Waits until this many have arrived.
    func wait(for count: Int) async throws {
        for _ in 0..<12_000 {
            if numbers.count >= count { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw AsymTimeout()
    }
}

struct AsymTimeout: Error {}

extension Realm {
    /// Creates readings with these numbers in one commit.
    func makeReadings(_ numbers: Range<Int>) async throws {
        try await write { tx in
            for number in numbers {
                try tx.create(
                    AsymReading.self,
                    value: [
                        "number": number, "celsius": Double(number), "tags": ["a", "b \(number)"],
                        "levels": ["low": number], "place": ["x": Double(number)],
                        "others": [["x": 1.0], ["x": 2.0]],
                    ] as [String: Any?])
            }
        }
    }
}
