import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Delivery of asymmetric objects: order, batches, failures, ends.
@Suite struct AsymDrainTests {
    private let folder: RealmFolder
    private static let classes: [ObjectBase.Type] = [
        AsymReading.self, AsymPlace.self, AsymEvent.self, AsymSensor.self,
    ]

    init() throws { folder = try RealmFolder() }

    private func open(_ name: String = "test.realm") async throws -> Realm {
        try await Realm.open(folder.configuration(name, Self.classes))
    }

    @Test(arguments: ["file", "memory", "unlisted"])
    func createdObjectsAreDeliveredOnceInOrder(_ kind: String) async throws {
        let realm =
            switch kind {
            case "memory":
                try await Realm.open(.init(location: .inMemory(identifier: folder.url.path)))
            case "unlisted": try await Realm.open(folder.configuration())
            default: try await open()
            }
        for start in stride(from: 0, to: 250, by: 50) {
            try await realm.makeReadings(start..<start + 50)
        }
        expectTrue(realm.isEmpty)
        let inbox = AsymInbox()
        let count = try await realm.drain(AsymReading.self, batchSize: 60, untilEmpty: true) {
            for reading in $0 {
                expectEqual(reading.celsius, Double(reading.number))
                expectEqual(reading.fahrenheit, Double(reading.number) * 1.8 + 32)
                expectEqual(reading.tags.map { $0 }, ["a", "b \(reading.number)"])
                expectEqual(reading.levels["low"], reading.number)
                expectEqual(reading.place?.x, Double(reading.number))
                expectEqual(reading.others.map(\.x), [1, 2])
            }
            inbox.take($0.map(\.number))
        }
        expectTrue(count == 250 && inbox.numbers == Array(0..<250))
        expectEqual(inbox.batchSizes, [60, 60, 60, 60, 10])
        let again = try await realm.drain(AsymReading.self, untilEmpty: true) { _ in
            Issue.record("delivered again")
        }
        expectEqual(again, 0)
        // Their content is gone too, and keys can be reused.
        try await realm.makeReadings(7..<8)
        try await realm.drain(AsymReading.self, untilEmpty: true) { inbox.take($0.map(\.number)) }
        expectTrue(inbox.numbers.last == 7 && inbox.numbers.count == 251)
        await realm.close()
    }

    @Test func aDrainIsNoSlowStream() async throws {
        let realm = try await open()
        try await realm.makeReadings(0..<20)
        var lags: [UInt64] = []
        try await realm.drain(AsymReading.self, batchSize: 5, untilEmpty: true) { _ in
            lags.append(realm.stats().streamLag)
        }
        expectEqual(lags, [0, 0, 0, 0])
        await realm.close()
    }

    @Test func frozenOnesCanBeEncoded() async throws {
        let realm = try await open()
        try await realm.makeReadings(3..<4)
        let inbox = AsymInbox()
        try await realm.drain(AsymReading.self, untilEmpty: true) { batch in
            let text = String(decoding: try JSONEncoder().encode(batch), as: UTF8.self)
            expectTrue(text.contains("\"celsius\":3") && text.contains("\"b 3\""))
            inbox.take(batch.map(\.number))
        }
        expectEqual(inbox.numbers, [3])
        await realm.close()
    }

    @Test func newOnesAreWaitedForUntilTheTaskIsCancelled() async throws {
        let realm = try await open()
        let inbox = AsymInbox()
        let task = Task {
            try await realm.drain(AsymReading.self) { inbox.take($0.map(\.number)) }
        }
        for number in 0..<20 {
            try await realm.makeReadings(number * 3..<number * 3 + 3)
            if number % 3 == 0 { try await inbox.wait(for: number * 3 + 3) }
        }
        try await inbox.wait(for: 60)
        task.cancel()
        _ = try await task.value
        expectEqual(inbox.numbers, Array(0..<60))
        // From here on nobody drains them.
        try await realm.makeReadings(100..<103)
        let rest = try await realm.drain(AsymReading.self, untilEmpty: true) {
            inbox.take($0.map(\.number))
        }
        expectTrue(rest == 3 && inbox.numbers.suffix(3) == [100, 101, 102])
        await realm.close()
    }

    @Test func closeEndsADrain() async throws {
        let realm = try await open()
        let inbox = AsymInbox()
        try await realm.makeReadings(0..<5)
        let task = Task {
            try await realm.drain(AsymReading.self) { inbox.take($0.map(\.number)) }
        }
        try await inbox.wait(for: 5)
        await realm.close()
        _ = try await task.value
        let error = await realmError { try await realm.drain(AsymReading.self) { _ in } }
        expectEqual(error?.code, .closed)
    }

    private struct SinkFailed: Error {}

    @Test func whatASinkThrowsIsThrownAndNothingIsLost() async throws {
        let realm = try await open()
        try await realm.makeReadings(0..<100)
        let inbox = AsymInbox()
        for round in 0..<3 {
            await #expect(throws: SinkFailed.self) {
                try await realm.drain(AsymReading.self, batchSize: 10, untilEmpty: true) { batch in
                    inbox.take(batch.map(\.number))
                    if inbox.batchSizes.count % 4 == 3 { throw SinkFailed() }
                }
            }
            expectEqual(inbox.numbers.suffix(10).first, [20, 50, 80][round])
        }
        await realm.close()
        let again = try await open()
        try await again.drain(AsymReading.self, untilEmpty: true) { inbox.take($0.map(\.number)) }
        var expected = -1
        for number in inbox.numbers {  // in order, some of them twice
            expectTrue(number <= expected + 1)
            expected = max(expected, number)
        }
        expectEqual(Set(inbox.numbers), Set(0..<100))
        await again.close()
    }

    @Test func cancellationInTheSinkLosesNothing() async throws {
        let realm = try await open()
        try await realm.makeReadings(0..<30)
        let inbox = AsymInbox()
        let task = Task {
            try await realm.drain(AsymReading.self, batchSize: 10) { batch in
                inbox.take(batch.map(\.number))
                if inbox.numbers.count == 20 { try await Task.sleep(for: .seconds(600)) }
            }
        }
        try await inbox.wait(for: 20)
        task.cancel()
        try await expectEqual(task.value, 10)
        // A sink that returns although it was cancelled has taken the batch.
        let other = Task {
            try await realm.drain(AsymReading.self, batchSize: 10) { batch in
                inbox.take(batch.map(\.number))
                while !Task.isCancelled { await Task.yield() }
            }
        }
        try await inbox.wait(for: 30)
        other.cancel()
        try await expectEqual(other.value, 10)
        let rest = try await realm.drain(AsymReading.self, untilEmpty: true) {
            inbox.take($0.map(\.number))
        }
        expectEqual(rest, 10)
        expectEqual(inbox.numbers, Array(0..<20) + Array(10..<30))
        await realm.close()
    }

    @Test func oneTaskDrainsAClassAtATime() async throws {
        let realm = try await open()
        let inbox = AsymInbox()
        let events = AsymInbox()
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    try await realm.drain(AsymReading.self, batchSize: 7) { batch in
                        inbox.begin()
                        await Task.yield()
                        inbox.take(batch.map(\.number))
                        inbox.end()
                    }
                }
            }
            // Another class is drained concurrently.
            group.addTask {
                try await realm.drain(AsymEvent.self) { events.take($0.map(\.number)) }
            }
            for number in 0..<30 {
                try await realm.makeReadings(number..<number + 1)
                try await realm.write { tx in
                    try tx.create(AsymEvent.self, value: ["number": number])
                }
            }
            try await inbox.wait(for: 30)
            try await events.wait(for: 30)
            group.cancelAll()
            while let count = try await group.next() { expectTrue(count <= 30) }
        }
        expectTrue(inbox.numbers == Array(0..<30) && inbox.maximumRunning == 1)
        expectEqual(events.numbers, Array(0..<30))
        await realm.close()
    }

    /// The task that waited continues when the other one has ended.
    @Test func nextTaskTakesOver() async throws {
        let realm = try await open()
        try await realm.makeReadings(0..<20)
        let (first, second) = (AsymInbox(), AsymInbox())
        let leader = Task {
            try await realm.drain(AsymReading.self, batchSize: 5) { batch in
                first.take(batch.map(\.number))
                if first.numbers.count == 10 { throw SinkFailed() }
            }
        }
        _ = await leader.result
        let follower = Task {
            try await realm.drain(AsymReading.self) { second.take($0.map(\.number)) }
        }
        try await second.wait(for: 15)
        follower.cancel()
        _ = try await follower.value
        expectTrue(first.numbers == Array(0..<10) && second.numbers == Array(5..<20))
        await realm.close()
    }

    @Test func manyWritersKeepTheirOrder() async throws {
        let realm = try await open()
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<40 {
                        try await realm.write { tx in
                            try tx.create(
                                AsymEvent.self, value: ["writer": writer, "number": number])
                        }
                    }
                }
            }
            var last = [-1, -1, -1, -1]
            var count = 0
            while count < 160 {
                count += try await realm.drain(AsymEvent.self, batchSize: 16, untilEmpty: true) {
                    for event in $0 {
                        expectEqual(event.number, last[event.writer] + 1)
                        last[event.writer] = event.number
                    }
                }
            }
            try await group.waitForAll()
        }
        await realm.close()
    }
}
