import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// The system refuses to map a nodes file: what was asked for throws `.ioFailed` with the path and the
/// number of the error, and the realm loses nothing.
@Suite struct MappingFailureTests {
    private static let rooms = (0..<3_000).map { "room \($0)" }

    /// A closed realm whose content lies in a checkpoint, but for the last room.
    private func makeRealm(_ configuration: Realm.Configuration) async throws {
        var closing = configuration
        let adjust = configuration.adjust
        closing.adjust = { options in
            adjust?(&options)
            options.checkpoint.isOn = true
            options.checkpoint.closingByteCountMin = 1
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

    private func expectRefusal(_ error: Realm.Error?, _ place: String) {
        #expect(error?.code == .ioFailed && error?.errno == ENOMEM, "\(place): \(error as Any)")
        #expect(error?.path?.contains("/nodes-") == true, "\(place): \(error as Any)")
        #expect(error?.message.contains("/nodes-") == true, "\(place): \(error as Any)")
    }

    /// What is there when the system maps again.
    private func expectAll(
        _ configuration: Realm.Configuration, _ place: String, more: [String] = []
    ) async throws {
        let realm = try await Realm.open(configuration)
        #expect(
            Set(realm.snapshot().objects(Room.self).map(\.name)) == Set(Self.rooms + more),
            "\(place)")
        await realm.close()
    }

    /// Opening throws. Where it is a leaf that the log leads to, it is the first read that throws; nothing
    /// is shown that is not whole.
    // Covers .ioFailed
    @Test func openingThrowsAndLosesNothing() async throws {
        let disk = SimFileSystem(seed: 1)
        let configuration = simulated(disk)
        try await makeRealm(configuration)
        var (number, refusals, openings) = (0, 0, 0)
        repeat {
            number += 1
            disk.inject(SimFailure(.map, nth: number, errno: ENOMEM))
            let fired = disk.firedFailureCount
            var opened: Realm?
            var error = await realmError { opened = try await Realm.open(configuration) }
            let hasFired = disk.firedFailureCount > fired
            disk.clearFailures()
            if let opened {
                error = await realmError {
                    let names = try await opened.read { tx in
                        Set(tx.objects(Room.self).map(\.name))
                    }
                    #expect(names == Set(Self.rooms), "call \(number)")
                }
                await opened.close()
            } else {
                openings += 1
            }
            guard hasFired else { break }
            if error != nil || opened == nil {
                refusals += 1
                expectRefusal(error, "call \(number)")
            }
            try await expectAll(configuration, "call \(number)")
        } while number < 100
        print("\(number - 1) calls: \(openings) openings and \(refusals - openings) reads throw")
        #expect(openings > 0 && refusals > 1 && number < 100)
    }

    /// Leaves are mapped when they are first touched.
    @Test(arguments: [false, true]) func bodyThrowsAndLosesNothing(isWrite: Bool) async throws {
        let disk = SimFileSystem(seed: 2)
        let configuration = simulated(disk)
        try await makeRealm(configuration)
        let realm = try await Realm.open(configuration)
        disk.inject(SimFailure(.map, errno: ENOMEM, times: .forever))
        let error = await realmError {
            if isWrite {
                try await realm.write { tx in
                    for room in tx.objects(Room.self) { room.topic = room.name }
                }
            } else {
                try await realm.read { tx in
                    _ = tx.objects(Room.self).where { $0.name == "room 5" }.count
                }
            }
        }
        #expect(disk.firedFailureCount > 0)
        expectRefusal(error, "in a body")
        disk.clearFailures()
        await realm.close()
        try await expectAll(configuration, "after a body")
        let again = try await Realm.open(configuration)
        #expect(again.snapshot().objects(Room.self).where { $0.topic != "nothing yet" }.isEmpty)
        await again.close()
    }

    /// Real files, in a process that may have no more address space than it has.
    // Covers .ioFailed
    @Test func systemRefusesAndLaterMaps() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try RealmFolder()
            let tests = MappingFailureTests()
            let configuration = folder.configuration("test.realm", [Room.self])
            try await tests.makeRealm(configuration)
            // threads of the pool that end later would give address space back
            for _ in 0..<6_000 where IOPool.shared.threadCount > 1 {
                try await Task.sleep(for: .milliseconds(10))
            }
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                .split(separator: " ").first.flatMap { UInt64($0) }
            let before = try #require(pages) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
            var limit = rlimit()
            #expect(getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
            let whole = limit
            // room for the stacks of two threads, and far less than one window of a nodes file
            limit.rlim_cur = rlim_t(before + 24 << 20)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
            let error = await realmError { try await Realm.open(configuration) }
            var restored = whole
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &restored) == 0)
            tests.expectRefusal(error, "with the limit")
            try await tests.expectAll(configuration, "without the limit")
        }
    }
}
