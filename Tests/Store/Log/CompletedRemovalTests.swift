import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@Suite struct CompletedRemovalTests {
    /// Another process completes an interrupted removal after this one has read `LOCK`, and is
    /// about to create a realm.
    @Test func removalThatIsCompletedIsNoMissingLog() throws {
        let realm = LogFixture()
        let process = try realm.openWriter()
        try process.commit()
        process.log.releaseLocks()
        realm.disk.removeFile("log-0-0", in: realm.path)
        let lock = try realm.disk.openDirectory(realm.path, .existing).openLock()
        let system = WatchedFileSystem(realm.disk)
        var listingCount = 0
        system.willList = {
            listingCount += 1
            guard listingCount == 2 else { return }
            for slot in 0...1 { lock.storeControlSlot(slot, ControlWords(repeating: 0)) }
        }
        try expectTrue(!RealmLog.exists(system, path: realm.path))
        expectTrue(listingCount >= 2)
    }

    /// The other process creates the realm, and commits as many versions as the removed one had.
    @Test func realmThatIsCreatedAfterARemovalIsNoMissingLog() throws {
        let realm = LogFixture()
        let process = try realm.openWriter()
        try process.commit()
        process.log.releaseLocks()
        realm.disk.removeFile("log-0-0", in: realm.path)
        let lock = try realm.disk.openDirectory(realm.path, .existing).openLock()
        let system = WatchedFileSystem(realm.disk)
        var listingCount = 0
        var created: LogFixture.Process?
        system.didList = {
            listingCount += 1
            guard listingCount == 2 else { return }
            for slot in 0...1 { lock.storeControlSlot(slot, ControlWords(repeating: 0)) }
            created = try? realm.openWriter()
            try? created?.commit()
        }
        try expectTrue(!RealmLog.exists(system, path: realm.path))
        expectEqual(created?.log.version, 1)
        try expectTrue(RealmLog.exists(system, path: realm.path))
    }
}
