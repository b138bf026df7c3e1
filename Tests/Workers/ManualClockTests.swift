import Foundation
import RegnumTestSupport
import RegnumTesting
import Testing

/// `ManualClock`.
@Suite struct ManualClockTests {
    @Test func sleepersWakeWhenTheirTimeHasCome() async throws {
        let clock = ManualClock(date: Date(timeIntervalSince1970: 0))
        let tasks = (1...3).map { seconds in
            Task { try await clock.sleep(for: .seconds(seconds)) }
        }
        try await clock.sleeps(3)
        clock.advance(by: .milliseconds(2_500))
        for task in tasks[..<2] { try await task.value }
        expectEqual(clock.sleeperCount, 1)
        expectEqual(clock.date, Date(timeIntervalSince1970: 2.5))
        tasks[2].cancel()
        let error = await #expect(throws: CancellationError.self) { try await tasks[2].value }
        expectTrue(error != nil && clock.sleeperCount == 0)
        try await clock.sleep(until: clock.now, tolerance: nil)  // returns at once
    }

    @Test func waitForSleepsEndsWhenTheTaskIsCancelled() async throws {
        let clock = ManualClock()
        for isEarly in [true, false] {
            let wait = Task { try await clock.sleeps(1) }
            // perhaps before it waits, or while it does
            if !isEarly { try await Task.sleep(for: .milliseconds(10)) }
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
        }
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.sleeps(1)
        clock.advance(by: .seconds(1))
        try await sleeper.value
    }
}
