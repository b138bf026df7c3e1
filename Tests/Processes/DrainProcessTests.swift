import Foundation
import Glibc
import Regnum
import RegnumTestSupport
import Testing

/// Delivery of asymmetric objects by processes that are killed.
@Suite(.serialized) struct DrainProcessTests {
    /// What drains and writers, killed at any moment, must have printed together: everything at
    /// least once and in order; nothing before what was created earlier; nothing again after it was
    /// removed.
    @Test func killedDrainsLoseNothing() async throws {
        var random = SeededRandom()
        try await withChildren { group in
            let kills = 24
            var delivered = -1  // the highest number printed
            var removed = -1
            var acknowledged = -1  // by a writer
            var ends: [Int] = []  // the last acknowledged number of each killed writer
            var writer = try group.start("measure", "0")
            for _ in 0..<kills {
                let drain = try group.start("drain", "\(Int.random(in: 1...9, using: &random))")
                _ = try await drain.lines(Int.random(in: 1...40, using: &random))
                try await Task.sleep(
                    for: .microseconds(Int.random(in: 0...20_000, using: &random)),
                    tolerance: .zero)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    // The writer is killed too; the next one starts after everything that may
                    // exist.
                    writer.signal(SIGKILL)
                    try await writer.end()
                    acknowledged = max(acknowledged, writer.lines.last.flatMap(Int.init) ?? -1)
                    ends.append(acknowledged)
                    writer = try group.start("measure", "\((acknowledged / 10_000 + 1) * 10_000)")
                }
                drain.signal(SIGKILL)
                try await expectEqual(drain.end(), .killed(signal: SIGKILL))
                try check(drain, ends, &delivered, &removed, "a drain")
                group.forgetEnded()
            }
            _ = try await writer.lines(1)
            writer.signal(SIGTERM)
            try await writer.expectSuccess()
            acknowledged = max(acknowledged, writer.lines.last.flatMap(Int.init) ?? -1)
            // This process delivers the rest.
            let realm = try await Realm.open(
                .init(location: .file(URL(filePath: group.realm)), objectTypes: [Reading.self]))
            var rest: [Int] = []
            try await realm.drain(Reading.self, batchSize: 1_000, untilEmpty: true) {
                rest += $0.map(\.number)
            }
            await realm.close()
            if let first = rest.first { expectTrue(first > removed) }
            var last = delivered
            for number in rest where number > last {
                try requireNext(number, last, ends)
                last = number
            }
            expectTrue(max(last, delivered) >= acknowledged)
        }
    }

    /// Checks the lines of one drain: it begins after what was removed, and omits nothing.
    private func check(
        _ drain: ChildProcess, _ ends: [Int], _ delivered: inout Int, _ removed: inout Int,
        _ place: String
    ) throws {
        var last = removed
        for line in drain.lines {
            if line.hasPrefix("taken ") {
                let number = try requireValue(Int(line.dropFirst(6)))
                expectEqual(number, last, "\(place)")
                removed = max(removed, number)
                continue
            }
            let number = try requireValue(Int(line), "\(place): \(drain.description)")
            expectTrue(number > last, "\(place): \(number) after \(last)")
            if number > delivered {
                try requireNext(number, max(last, delivered), ends)
                delivered = number
            }
            last = number
        }
    }

    /// Checks the next number: writers count up by one; a new one begins at the next multiple of
    /// 10,000.
    private func requireNext(_ number: Int, _ last: Int, _ ends: [Int]) throws {
        let isNewWriter = number % 10_000 == 0 && !ends.contains { $0 > last && $0 < number }
        try require(number == last + 1 || isNewWriter, "\(number) was delivered after \(last)")
    }

    /// A long backlog takes no more memory than a short one.
    @Test func memoryDoesNotGrowWithTheBacklog() async throws {
        let count = Effort.count(gate: 30_000, soak: 300_000)
        try await withChildren { group in
            let fill = try group.start("fill", "\(count)")
            try await fill.expectSuccess()
            let drain = try group.start("drain-all", "1000")
            try await drain.expectSuccess()
            let numbers = try requireValue(drain.lines.first).split(separator: " ").compactMap {
                Int($0)
            }
            print(
                "a backlog of \(count): largest batch \(numbers[1]), \(numbers[2]) KiB before, "
                    + "\(numbers[3]) KiB at the most")
            expectTrue(numbers[0] == count && numbers[1] == min(1_000, count))
            expectTrue(numbers[3] - numbers[2] < 64 << 10)
        }
    }

    /// One of two processes drains; when it is killed, the other one continues.
    @Test func otherProcessTakesOver() async throws {
        try await withChildren { group in
            let first = try group.start("drain", "5")
            let writer = try group.start("measure", "0")
            _ = try await first.lines(20)
            let second = try group.start("drain", "5")
            _ = try await first.lines(first.lineCount + 200)
            expectEqual(second.lineCount, 0)
            first.signal(SIGKILL)
            try await first.end()
            _ = try await second.lines(20)
            writer.signal(SIGTERM)
            try await writer.expectSuccess()
            let last = try requireValue(writer.lines.last)
            try await waitForNone(of: "lines") { second.lines.contains(last) ? 0 : 1 }
            second.signal(SIGTERM)
            try await second.expectSuccess()
            var (delivered, removed) = (-1, -1)
            try check(first, [], &delivered, &removed, "first")
            try check(second, [], &delivered, &removed, "second")
            expectEqual(delivered, Int(last))
        }
    }

    /// Killed copies leave no directory that is mistaken for a realm.
    @Test func killedBackupsLeaveWholeRealmsOrNone() async throws {
        var random = SeededRandom()
        try await withChildren { group in
            let realm = try await Realm.test(group.realm)
            try await realm.write { tx in
                for number in 0..<3_000 {
                    try tx.create(Message.self, value: ["text": "message \(number)"])
                }
            }
            var complete = 0
            for round in 0..<12 {
                let target = group.directory.appending(path: "copy-\(round)-").path
                let child = try group.start("backup", target)
                _ = try await child.lines(1)
                try await Task.sleep(
                    for: .microseconds(Int.random(in: 0...60_000, using: &random)),
                    tolerance: .zero)
                child.signal(SIGKILL)
                try await child.end()
                // Another process writes concurrently.
                try await realm.write { tx in
                    _ = try tx.create(Message.self, value: ["text": "round \(round)"])
                }
                let names = try FileManager.default.contentsOfDirectory(
                    atPath: group.directory.path)
                for name in names where name.hasPrefix("copy-") {
                    let copy = try await Realm.test(group.directory.appending(path: name).path)
                    let count = copy.snapshot().objects(Message.self).count
                    expectTrue(count >= 3_000 && count <= 3_001 + round, "\(name)")
                    await copy.close()
                    try FileManager.default.removeItem(
                        at: group.directory.appending(path: name))
                    complete += 1
                }
                for name in names where !name.hasPrefix("copy-") {
                    expectTrue(name == "chat.realm" || name.hasPrefix(".unfinished-backup-"))
                }
            }
            expectTrue(complete >= 12)
            // The next copy cleans up.
            try await realm.backup(to: group.directory.appending(path: "last"))
            let names = try FileManager.default.subpathsOfDirectory(atPath: group.directory.path)
            let left = names.filter { $0.hasPrefix(".") || $0.hasPrefix("copy") }
            expectEqual(left, [])
            await realm.close()
        }
    }
}

/// The class as declared in the children.
final class Reading: AsymmetricObject {
    @Persisted var number: Int
    @Persisted var text: String
}
