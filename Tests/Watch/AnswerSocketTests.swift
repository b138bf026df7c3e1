import Foundation
import Glibc
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumWatch

/// The sockets of a process, at which others ask for its state.
@Suite(.serialized, .timeLimit(.minutes(8))) struct AnswerSocketTests {
    private let subject = UUID().uuidString
    private let process = UInt32(ProcessInfo.processInfo.processIdentifier)

    private func ask(within timeoutNanoseconds: UInt64 = 400_000_000_000) async -> [UInt8]? {
        await ProcessSocket.ask([process], subject, timeoutNanoseconds: timeoutNanoseconds)[0]
    }

    private func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    @Test(arguments: [0, 1, 4_095, 4_096, 4_097, ProcessSocket.maximumByteCount])
    func eachQuestionGetsTheAnswer(byteCount: Int) async throws {
        let answer = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
        let loop = WatchLoop()
        defer { loop.stop() }
        let token = try loop.startAnswering(subject) { ProcessSocket.answer($0, answer) }
        await loop.synchronize()
        for _ in 0..<20 { await expectTrue(ask() == answer) }
        // more than can wait for the process
        await withTaskGroup { group in
            for _ in 0..<40 { group.addTask { await expectTrue(ask() == answer) } }
        }
        token.cancel()
        await loop.synchronize()
        await expectNil(ask())
    }

    @Test func answersThatAreTooLongOrMissingAreNone() async throws {
        let loop = WatchLoop()
        defer { loop.stop() }
        let long = [UInt8](repeating: 7, count: ProcessSocket.maximumByteCount + 5_000)
        let token = try loop.startAnswering(subject) { ProcessSocket.answer($0, long) }
        await loop.synchronize()
        await expectNil(ask())
        token.cancel()
        await loop.synchronize()
        let open = Guarded<[Int32]>([])
        let silent = try loop.startAnswering(subject) { connection in
            open.withLock { $0.append(connection) }
        }
        await loop.synchronize()
        await expectNil(ask(within: 100_000_000))
        for connection in open.withLock({ $0 }) { ProcessSocket.answer(connection, [1]) }
        silent.cancel()
        await loop.synchronize()
        // not an empty answer
        let refusing = try loop.startAnswering(subject) { _ = close($0) }
        await loop.synchronize()
        await expectNil(ask())
        refusing.cancel()
        await loop.synchronize()
    }

    /// Several processes that don't answer take no longer than one.
    @Test func processesAreAskedAtTheSameTime() async throws {
        let loop = WatchLoop()
        defer { loop.stop() }
        let open = Guarded<[Int32]>([])
        // answers nobody until all have asked
        let token = try loop.startAnswering(subject) { connection in
            let all = open.withLock { connections in
                connections.append(connection)
                return connections.count == 5 ? connections : []
            }
            for connection in all { ProcessSocket.answer(connection, [1]) }
        }
        await loop.synchronize()
        let answers = await ProcessSocket.ask(
            [UInt32](repeating: process, count: 5), subject, timeoutNanoseconds: 60_000_000_000)
        expectEqual(answers, [[UInt8]?](repeating: [1], count: 5))
        token.cancel()
        await loop.synchronize()
    }

    /// A question that can't be accepted must not keep the loop busy until it can.
    @Test func processWithoutDescriptorsWaitsForThem() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let subject = UUID().uuidString
            let loop = WatchLoop()
            let token = try loop.startAnswering(subject) { ProcessSocket.answer($0, [1]) }
            await loop.synchronize()
            let answer = Guarded<[UInt8]?>(nil)
            try await Task.sleep(for: .milliseconds(10))  // the timer has its own descriptors
            var held = takeAllDescriptors()
            // for the other side
            held.popLast().map { _ = close($0) }
            Task {
                let found = await ProcessSocket.ask(
                    [UInt32(getpid())], subject, timeoutNanoseconds: 400_000_000_000)
                answer.withLock { $0 = found[0] ?? [] }
            }
            let before = processorTime()
            try await Task.sleep(for: .seconds(2))
            let isIdle = processorTime() - before < 0.5
            for descriptor in held { close(descriptor) }
            while answer.withLock({ $0 }) == nil { try await Task.sleep(for: .milliseconds(10)) }
            token.cancel()
            exit(!isIdle ? 8 : answer.withLock({ $0 }) == [1] ? 7 : 9)
        }
    }

    /// A second socket for a subject isn't an error, but isn't asked either.
    @Test func socketIsClosedWithItsTokenOrLoop() async throws {
        let before = try descriptorCount()
        for _ in 0..<50 {
            let loop = WatchLoop()
            let first = try loop.startAnswering(subject) { ProcessSocket.answer($0, [1]) }
            let second = try loop.startAnswering(subject) { ProcessSocket.answer($0, [2]) }
            await loop.synchronize()
            await expectEqual(ask(), [1])
            second.cancel()
            await loop.synchronize()
            await expectEqual(ask(), [1])
            loop.stop()
            await expectNil(ask())
            first.cancel()
        }
        // other tests open files, too
        let after = try descriptorCount()
        expectTrue(after < before + 40, "\(before) descriptors before, \(after) after")
    }
}

/// The processor time that this process has used, in seconds.
private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
