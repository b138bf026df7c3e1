import Foundation
import Logging
import Regnum
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// A scrub reads all files at its rate, and reports damage that nothing else has read.
@Suite(.timeLimit(.minutes(20)))
struct ScrubTests {
    private let folder: RealmFolder
    private let clock = ScrubClock()
    private let log = ScrubLog()

    init() throws { folder = try RealmFolder() }

    private func configuration(rate: Int? = 1 << 20) -> Realm.Configuration {
        var configuration = folder.configuration("test.realm", [Crate.self])
        configuration.logger = Logger(label: "tests") { [log] _ in ScrubLogHandler(log: log) }
        configuration.scrubBytesPerSecond = rate
        configuration.adjust = { [clock] options in
            options.checkpoint.minimumClosingByteCount = 1
            clock.use(&options)
        }
        return configuration
    }

    /// Makes a closed realm with two checkpoints in the same nodes file.
    private func makeRealm() async throws {
        for numbers in [0..<1_100, 1_100..<1_101] {
            let realm = try await Realm.open(configuration(rate: nil))
            try await realm.write { tx in
                for number in numbers {
                    let crate = Crate()
                    crate.id = number
                    crate.name = "the name of the crate \(number), in full"
                    try tx.add(crate)
                }
            }
            expectNil(realm.stats().scrub)
            await realm.close()
        }
    }

    private func scrub(_ realm: Realm) throws -> Realm.Scrub {
        try requireValue(realm.stats().scrub)
    }

    private func flip(_ name: String, at offset: Int) throws {
        let file = try FileHandle(forUpdating: folder["test.realm"].appending(path: name))
        try file.seek(toOffset: UInt64(offset))
        let byte = try requireValue(file.read(upToCount: 1)?.first)
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: [byte ^ 1])
        try file.close()
    }

    @Test func soundRealmIsReadAgainAndAgain() async throws {
        try await makeRealm()
        let start = Date()
        let realm = try await Realm.open(configuration())
        try await clock.waitForPasses(1)
        let first = try scrub(realm)
        clock.allowPass()
        try await clock.waitForPasses(2)
        let second = try scrub(realm)
        expectTrue(first.passes == 1 && second.passes == 2)
        expectTrue(first.damageCount == 0 && second.damageCount == 0)
        let times = [start, try requireValue(first.lastPass), try requireValue(second.lastPass)]
        expectEqual(times, times.sorted())
        // as much as the command reads
        let report = try await Realm.verify(at: folder["test.realm"])
        expectTrue(report.isSound)
        expectEqual(second.byteCount - first.byteCount, report.byteCount)
        expectTrue(realm.stats().snapshots.isEmpty)
        await realm.close()
        expectEqual(log.lines, [])
    }

    // Covers .invalidDatabase
    @Test func damageIsReportedBeforeAReaderFindsIt() async throws {
        try await makeRealm()
        let nodes = try Data(contentsOf: folder["test.realm"].appending(path: "nodes-1"))
        let name = Data("the name of the crate 99, in full".utf8)
        let text = try requireValue(nodes.range(of: name, options: .backwards)).lowerBound
        let directory = try requireValue(nodes.range(of: Data("RGDI".utf8), options: .backwards))
        let realm = try await Realm.open(configuration())
        var passes = 1
        try await clock.waitForPasses(passes)
        let cases: [(file: String, offset: Int, parts: [String])] = [
            (
                "nodes-1", text,
                ["class: Crate, property: name, key: 0, file: ", "/test.realm/nodes-1, offset: "]
            ),
            (
                "nodes-1", directory.lowerBound,
                ["(file: ", "/test.realm/nodes-1, offset: \(directory.lowerBound))"]
            ),
            ("log-0-0", 4096 + 60, ["(file: ", "/test.realm/log-0-0, offset: 4096)"]),
        ]
        for (file, offset, parts) in cases {
            try flip(file, at: offset)
            passes += 1
            clock.allowPass()
            try await clock.waitForPasses(passes)
            let found = try scrub(realm)
            let lines = log.take()
            expectTrue(found.damageCount == 1 && found.passes == UInt64(passes), "\(found)")
            expectTrue(lines.count == 1 && lines[0].hasPrefix("error: damage was found: "))
            for part in parts {
                expectTrue(lines.joined().contains(part), "\(part) isn't in:\n\(lines)")
            }
            try flip(file, at: offset)  // reverts it
        }
        clock.allowPass()
        try await clock.waitForPasses(passes + 1)
        try expectEqual(scrub(realm).damageCount, 0)
        expectEqual(realm.snapshot().objects(Crate.self).count, 1_101)
        await realm.close()
        expectEqual(log.lines, [])
    }

    @Test func theRateIsRespected() async throws {
        try await makeRealm()
        let realm = try await Realm.open(configuration(rate: 1_000))
        try await clock.waitForPasses(1)
        let seconds = Double(clock.now) / 1e9
        let byteCount = try scrub(realm).byteCount
        expectTrue(byteCount > 50_000)
        expectTrue(abs(seconds - Double(byteCount) / 1_000) < 0.02, "\(byteCount) in \(seconds) s")
        expectTrue(clock.waitCount > 10)
        await realm.close()
    }

    @Test func closingEndsAPass() async throws {
        try await makeRealm()
        clock.stand(afterWaits: 2)
        let realm = try await Realm.open(configuration(rate: 1))
        try await clock.waitForWaits(2)
        let before = try scrub(realm)
        await realm.close()
        expectTrue(clock.wasWoken, "the scrub is still running")
        try expectEqual(scrub(realm), before)
        expectEqual(before.passes, 0)
        try await expectTrue(Realm.deleteFiles(for: configuration()))
        expectEqual(log.lines, [])
    }

    @Test func aRealmWithoutOwnersIsNoLongerRead() async throws {
        // the scrub has its clock as long as it runs
        let released = try await openAndRelease()
        while released.clock != nil { try await Task.sleep(for: .milliseconds(1)) }
    }

    private struct Released {
        weak var clock: ScrubClock?
    }

    private func openAndRelease() async throws -> Released {
        let clock = ScrubClock()
        clock.stand(afterWaits: 1)
        var configuration = folder.configuration("released.realm", [Crate.self])
        configuration.logger = nil
        configuration.scrubBytesPerSecond = 1
        configuration.adjust = { clock.use(&$0) }
        let realm = try await Realm.open(configuration)
        try await clock.waitForWaits(1)
        withExtendedLifetime(realm) {}
        return Released(clock: clock)
    }

    /// Also while it is being read, so that its space is free at once.
    @Test func aFileThatACompactionRemovedIsNotReadToItsEnd() async throws {
        var configuration = configuration(rate: 16 << 10)
        configuration.historyRetention = .nothing
        var writing = configuration
        writing.scrubBytesPerSecond = nil
        let writer = try await Realm.open(writing)
        try await writer.write { tx in
            for number in 0..<300 {
                let crate = Crate()
                crate.id = number
                crate.data = Data(repeating: UInt8(truncatingIfNeeded: number), count: 16 << 10)
                try tx.add(crate)
            }
        }
        await writer.close()
        let realm = try await Realm.open(configuration)
        try await clock.waitForPasses(1)
        let whole = try scrub(realm).byteCount
        // in the second half, which is that of the nodes file
        let waits = clock.waitCount
        clock.stand(afterWaits: waits + waits * 6 / 10)
        clock.allowPass()
        try await clock.waitForWaits(waits + waits * 6 / 10)
        try await realm.compact()
        clock.goOn()
        try await clock.waitForPasses(2)
        let found = try scrub(realm)
        expectTrue(found.passes == 2 && found.damageCount == 0)
        let second = found.byteCount - whole
        expectTrue(second < whole - (512 << 10), "\(second) of \(whole) bytes")
        await realm.close()
        expectEqual(log.lines, [])
    }

    @Test func readOnlyRealmsAreReadAndThoseInMemoryAreNot() async throws {
        try await makeRealm()
        var configuration = configuration()
        configuration.readOnly = true
        let realm = try await Realm.open(configuration)
        try await clock.waitForPasses(1)
        try expectEqual(scrub(realm).passes, 1)
        await realm.close()
        var memory = Realm.Configuration(location: .inMemory(identifier: folder.url.path))
        memory.scrubBytesPerSecond = 1
        let other = try await Realm.open(memory)
        expectNil(other.stats().scrub)
        await other.close()
    }
}

/// The clock of a scrub. It advances by whatever the scrub waits for. Between passes, and after a
/// number of waits, the scrub stands still until the test lets it go on.
private final class ScrubClock: Sendable {
    private static let interval: UInt64 = 1 << 50

    private let state = Guarded(State())

    private struct State {
        var now: UInt64 = 0
        var passes = 0
        var allowedPasses = 1
        var waits = 0
        var allowedWaits = Int.max
        var wasWoken = false
    }

    var now: UInt64 { state.withLock { $0.now } }
    var waitCount: Int { state.withLock { $0.waits } }
    /// Whether a wait was ended early. Becomes true some time after that.
    var wasWoken: Bool { state.withLock { $0.wasWoken } }

    func use(_ options: inout CoordinatorOptions) {
        options.scrub?.intervalNanoseconds = Self.interval
        options.scrub?.now = { self.now }
        options.scrub?.wait = { self.wait($0, $1, $2) }
    }

    func allowPass() { state.withLock { $0.allowedPasses += 1 } }
    func stand(afterWaits count: Int) { state.withLock { $0.allowedWaits = count } }
    func goOn() { stand(afterWaits: .max) }

    func waitForPasses(_ count: Int) async throws {
        while state.withLock({ $0.passes < count }) { try await Task.sleep(for: .milliseconds(1)) }
    }

    func waitForWaits(_ count: Int) async throws {
        while waitCount < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    private func wait(_ wake: WakeWord, _ observed: UInt32, _ nanoseconds: UInt64) {
        let isPause = nanoseconds > Self.interval / 2
        state.withLock { state in
            if isPause { state.passes += 1 } else { state.waits += 1 }
        }
        while wake.observe() == observed {
            let mayGoOn = state.withLock { state in
                guard state.passes < state.allowedPasses, state.waits < state.allowedWaits else {
                    return false
                }
                state.now += nanoseconds
                return true
            }
            if mayGoOn { return }
            wake.wait(observed: observed, timeoutNanoseconds: 1_000_000)
        }
        usleep(50_000)
        state.withLock { $0.wasWoken = true }
    }
}

/// The warnings and errors that were logged.
private final class ScrubLog: Sendable {
    private let state = Guarded<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func take() -> [String] {
        state.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    func add(_ level: Logger.Level, _ text: String) {
        if level >= .warning { state.withLock { $0.append("\(level): \(text)") } }
    }
}

private struct ScrubLogHandler: LogHandler {
    let log: ScrubLog
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { log.add(event.level, "\(event.message)") }
}
