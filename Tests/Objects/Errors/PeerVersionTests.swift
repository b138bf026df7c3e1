import Foundation
import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Processes with other versions of the library on one realm.
@Suite struct PeerVersionTests {
    private func configuration(_ fileSystem: any FileSystem) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            location: .file(URL(filePath: "/rooms")), objectTypes: [Room.self])
        configuration.adjust = { options in
            options.fileSystem = fileSystem
            options.store.idleDelayNanoseconds = 3_600_000_000_000
        }
        return configuration
    }

    /// Makes a realm of a process whose library uses another layout of `LOCK`: both slots have the
    /// next number.
    private func makePeer(_ disk: SimFileSystem) async throws -> (Realm, any LockFile) {
        let realm = try await Realm.open(configuration(disk))
        try await realm.write { try $0.add(Room("a")) }
        let lock = try disk.openDirectory("/rooms", .existing).openLock()
        for slot in 0...1 {
            var words = lock.loadControlSlot(slot)
            words[0] &+= 1
            lock.storeControlSlot(slot, words)
        }
        return (realm, lock)
    }

    private func files(_ disk: SimFileSystem) throws -> [String: [UInt8]] {
        let directory = try disk.openDirectory("/rooms", .existing)
        var files: [String: [UInt8]] = [:]
        for name in try directory.names() where name != "LOCK" {
            let file = try directory.open(name)
            files[name] = Array(try file.read(at: 0, count: Int(try file.size())))
        }
        return files
    }

    // Covers 12.7, 12.8, 13.4, .incompatiblePeer
    @Test func peerOfAnotherLayoutIsRefusedAtOnceAndNothingIsChanged() async throws {
        let disk = SimFileSystem(seed: 1)
        let (peer, lock) = try await makePeer(disk)
        let before = (try files(disk), lock.loadControlSlot(0), lock.loadControlSlot(1))
        let error = await realmError { try await Realm.open(configuration(SimView(disk))) }
        expectTrue(error?.code == .incompatiblePeer && error?.path == "/rooms/LOCK")
        expectEqual(error?.message.contains("version of Regnum"), true)
        let after = (try files(disk), lock.loadControlSlot(0), lock.loadControlSlot(1))
        expectTrue(before == after)
        expectEqual(peer.snapshot().objects(Room.self).count, 1)
    }

    // Covers 12.7, .incompatiblePeer
    @Test func readerIsRefusedToo() async throws {
        let disk = SimFileSystem(seed: 2)
        let (peer, _) = try await makePeer(disk)
        var reading = configuration(SimView(disk))
        reading.readOnly = true
        let error = await realmError { try await Realm.open(reading) }
        expectTrue(error?.code == .incompatiblePeer && error?.path == "/rooms/LOCK")
        expectTrue(!peer.isClosed)
    }

    // Covers 12.7
    @Test func layoutThatNobodyUsesIsMadeAnew() async throws {
        let disk = SimFileSystem(seed: 3)
        let (peer, lock) = try await makePeer(disk)
        await peer.close()
        for slot in 0...1 {
            var words = lock.loadControlSlot(slot)
            words[0] = 0x5245_474E_4354_4C32
            lock.storeControlSlot(slot, words)
        }
        let realm = try await Realm.open(configuration(SimView(disk)))
        expectEqual(realm.snapshot().objects(Room.self).map(\.name), ["a"])
        try await realm.write { try $0.add(Room("b")) }
        await realm.close()
        let again = try await Realm.open(configuration(disk))
        expectEqual(again.snapshot().objects(Room.self).map(\.name), ["a", "b"])
        await again.close()
    }
}
