import Foundation
import Regnum
import Testing
import TraitModels

/// Four processes write and four read while others give the realm one key after the other. Writers
/// and those that compact are killed at any moment.
@Suite struct KeyChangeKillTests {
    private let realm = TemporaryDirectory()
    private let keys = TemporaryDirectory()

    /// 20 kills, or 200 in the soak, whose effort is 10.
    private static let killCount = Int(
        20 * (ProcessInfo.processInfo.environment["REGNUM_EFFORT"].flatMap(Double.init) ?? 1))

    /// A process with the number that it printed last.
    private final class Child {
        private let process = Process()
        private let ended: AsyncStream<Void>
        private let output: URL

        init(_ realm: URL, _ arguments: [String], output: URL) throws {
            self.output = output
            let (ended, end) = AsyncStream<Void>.makeStream()
            self.ended = ended
            process.terminationHandler = { _ in end.finish() }
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
                .deletingLastPathComponent().appending(path: "peer")
            process.arguments = [realm.path] + arguments
            try Data().write(to: output)
            process.standardOutput = try FileHandle(forWritingTo: output)
            try process.run()
        }

        /// The number in the last complete line.
        func lastNumber() throws -> Int? {
            let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last
                .flatMap { Int($0) }
        }

        var isRunning: Bool { process.isRunning }

        /// Waits until the process exits, and returns its exit code.
        func end() async -> Int32 {
            for await _ in ended {}
            return process.terminationStatus
        }

        func sendKill() {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }

        func killAndWait() async {
            sendKill()
            _ = await end()
        }
    }

    private func keyFile(_ number: Int) throws -> String {
        let url = keys.url.appending(path: "key-\(number)")
        try Data((0..<32).map { UInt8(truncatingIfNeeded: $0 &* 29 &+ number) }).write(to: url)
        return url.path
    }

    private func configuration(_ key: Int) throws -> Realm.Configuration {
        var configuration = Realm.Configuration.ofTests(realm.url)
        configuration.encryptionKey = try Data(contentsOf: URL(filePath: keyFile(key)))
        return configuration
    }

    // Covers 13.3, .wrongKey
    @Test(.timeLimit(.minutes(40))) func killsWhileTheKeyChangesLoseNothing() async throws {
        try FileManager.default.createDirectory(at: keys.url, withIntermediateDirectories: true)
        let first = try await Realm.open(configuration(0))
        await first.close()
        /// The numbers of the last notes that were acknowledged.
        var acknowledged: [String: Int] = [:]
        var (kills, round) = (0, 0)
        while kills < Self.killCount {
            round += 1
            let files = [try keyFile(round), try keyFile(round - 1)]
            func start(_ role: String, _ name: String) throws -> Child {
                let output = keys.url.appending(path: "output-\(role)-\(name)")
                return try Child(realm.url, [role, name] + files, output: output)
            }
            func noteAcknowledged(_ name: String, _ child: Child) throws {
                guard let number = try child.lastNumber() else { return }
                #expect(number >= acknowledged[name] ?? 0)
                acknowledged[name] = number
            }
            var writers: [String: Child] = [:]
            for name in ["ann", "bob", "cyd", "dan"] { writers[name] = try start("write", name) }
            let readers = try (0..<4).map { try start("read", "\($0)") }
            defer {
                for child in readers + writers.values { child.sendKill() }
            }
            for _ in 0..<5 {
                let compacting = try start("compact", "x")
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
                await compacting.killAndWait()
                if Bool.random(), let (name, victim) = writers.randomElement() {
                    await victim.killAndWait()
                    try noteAcknowledged(name, victim)
                    writers[name] = try start("write", name)
                    kills += 1
                }
                kills += 1
            }
            var status: Int32 = 3
            for _ in 0..<5 where status == 3 {
                let compacting = try start("compact", "x")
                status = await compacting.end()
            }
            #expect(status == 0, "round \(round)")
            for child in readers + writers.values { #expect(child.isRunning) }
            for (name, child) in writers {
                await child.killAndWait()
                try noteAcknowledged(name, child)
            }
            for reader in readers { await reader.killAndWait() }
            try await check(round, acknowledged)
        }
        print("key changes: \(kills) kills in \(round) rounds, \(acknowledged) acknowledged")
    }

    /// Opens the realm with the newest key alone.
    private func check(_ round: Int, _ acknowledged: [String: Int]) async throws {
        await #expect(throws: Realm.Error.self) {
            try await Realm.open(configuration(round - 1))
        }
        let opened = try await Realm.open(configuration(round))
        let texts = opened.snapshot().objects(Note.self).map(\.text)
        await opened.close()
        #expect(hasNoGaps(texts))
        for (name, number) in acknowledged {
            let count = texts.count { $0.hasPrefix("\(name) ") }
            #expect(count >= number, "\(count) notes of \(name), \(number) acknowledged")
        }
    }
}
