import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// The system refuses to map a nodes file: its bytes are read into private memory instead, and
/// nothing is reported as damaged.
@Suite struct MappingFailureTests {
    private static let rooms = (0..<3_000).map { "room \($0)" }

    /// Makes a closed realm whose content is in a checkpoint, except for the last room.
    private func makeRealm(_ configuration: Realm.Configuration) async throws {
        var closing = configuration
        let adjust = configuration.adjust
        closing.adjust = { options in
            adjust?(&options)
            options.checkpoint.isOn = true
            options.checkpoint.minimumClosingByteCount = 1
        }
        let realm = try await Realm.open(closing)
        try await realm.write { tx in
            for name in Self.rooms.dropLast() { try tx.add(Room(name)) }
        }
        await realm.close()
        let again = try await Realm.open(configuration)
        try await again.write { try $0.add(Room(Self.rooms.last ?? "")) }
        await again.close()
    }

    private func simulated(_ disk: SimFileSystem) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/mapped")), objectTypes: [Room.self])
        configuration.adjust = { options in
            options.fileSystem = disk
            options.checkpoint.isOn = false
            options.store.idleDelayNanoseconds = 3_600_000_000_000
        }
        return configuration
    }

    private func expectAll(
        _ configuration: Realm.Configuration, _ place: String
    ) async throws {
        let realm = try await Realm.open(configuration)
        let names = try await realm.read { tx in Set(tx.objects(Room.self).map(\.name)) }
        expectEqual(names, Set(Self.rooms), "\(place)")
        await realm.close()
    }

    /// After a refused mapping the next leaf tries again.
    @Test func openingAndReadingGoOn() async throws {
        let disk = SimFileSystem(seed: 1)
        let configuration = simulated(disk)
        try await makeRealm(configuration)
        var number = 0
        repeat {
            number += 1
            disk.inject(SimFailure(.map, nth: number, errno: ENOMEM))
            let fired = disk.firedFailureCount
            try await expectAll(configuration, "call \(number)")
            let hasFired = disk.firedFailureCount > fired
            disk.clearFailures()
            guard hasFired else { break }
        } while number < 100
        expectTrue(number > 2 && number < 100)
    }

    /// Leaves are mapped on first access.
    @Test(arguments: [false, true]) func bodyReadsPrivateMemory(isWrite: Bool) async throws {
        let disk = SimFileSystem(seed: 2)
        let configuration = simulated(disk)
        try await makeRealm(configuration)
        let realm = try await Realm.open(configuration)
        disk.inject(SimFailure(.map, errno: ENOMEM, times: .forever))
        if isWrite {
            try await realm.write { tx in
                for room in tx.objects(Room.self) { room.topic = room.name }
            }
        } else {
            try await realm.read { tx in
                let found = tx.objects(Room.self).where { $0.name == "room 5" }.count
                expectEqual(found, 1)
            }
        }
        expectTrue(disk.firedFailureCount > 0)
        disk.clearFailures()
        await realm.close()
        try await expectAll(configuration, "after a body")
        let again = try await Realm.open(configuration)
        let changed = try await again.read { tx in
            tx.objects(Room.self).where { $0.topic != "nothing yet" }.count
        }
        expectTrue(changed == (isWrite ? Self.rooms.count : 0))
        await again.close()
    }

    /// Uses real files in a process that can't get more address space.
    @Test func systemRefusesAndLaterMaps() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try RealmFolder()
            let tests = MappingFailureTests()
            let configuration = folder.configuration("test.realm", [Room.self])
            try await tests.makeRealm(configuration)
            // Threads of the pool that end later would free address space.
            for _ in 0..<6_000 where IOPool.shared.threadCount > 1 {
                try await Task.sleep(for: .milliseconds(10))
            }
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                .split(separator: " ").first.flatMap { UInt64($0) }
            let before = try requireValue(pages) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
            var limit = rlimit()
            expectEqual(getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit), 0)
            let whole = limit
            // Room for the stacks of two threads, but far less than one window of a nodes file.
            limit.rlim_cur = rlim_t(before + 24 << 20)
            expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit), 0)
            try await tests.expectAll(configuration, "with the limit")
            var restored = whole
            expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &restored), 0)
            try await tests.expectAll(configuration, "without the limit")
        }
    }
}
