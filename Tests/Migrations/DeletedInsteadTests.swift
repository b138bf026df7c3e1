import Foundation
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// Realms that are deleted instead of migrated by several openers at the same time.
@Suite struct DeletedInsteadTests {
    private func configuration(_ realm: MigrationRealm, version: UInt64) -> Realm.Configuration {
        var configuration = realm.configuration(version, MigSecond.types)
        configuration.deleteRealmIfMigrationNeeded = true
        return configuration
    }

    // Covers 5.8
    @Test func realmThatAnotherOpenerMadeIsKept() async throws {
        let realm = try await MigrationRealm.first()
        let configuration = configuration(realm, version: 2)
        let stale = try await Coordinator.open(configuration.coordinatorOptions())
        await stale.close()
        let new = try await Realm.open(configuration)
        try await new.write { try $0.add(MigSecond.MigPet()) }
        // it was found to need a migration before the other opener replaced it
        #expect(try await Realm.deletedInstead(of: stale, configuration))
        expectTrue(!new.isClosed)
        await new.close()
        #expect(try await Realm.deletedInstead(of: stale, configuration))
        let again = try await Realm.open(configuration)
        expectEqual(again.snapshot().objects(MigSecond.MigPet.self).count, 1)
        await again.close()
    }

    // Covers 5.8
    @Test func realmThatAnotherOpenerMigratedIsKept() async throws {
        let realm = try await MigrationRealm.first()
        let configuration = configuration(realm, version: 2)
        let stale = try await Coordinator.open(configuration.coordinatorOptions())
        await stale.close()
        try await realm.migrate(2, MigSecond.types, MigSecond.migration)
        #expect(try await Realm.deletedInstead(of: stale, configuration))
        try await realm.read(2, MigSecond.types) { tx in
            expectEqual(tx.objects(MigSecond.MigPerson.self).count, 3)
        }
    }

    // Covers 5.8
    @Test func realmInUseIsKept() async throws {
        let realm = try await MigrationRealm.first()
        let configuration = configuration(realm, version: 2)
        let stale = try await Coordinator.open(configuration.coordinatorOptions())
        await stale.close()
        let old = try await Realm.open(realm.configuration(1, MigFirst.types))
        #expect(try await Realm.deletedInstead(of: stale, configuration))
        let error = await realmError { try await Realm.open(configuration) }
        expectEqual(error?.code, .alreadyOpen)
        expectTrue(!old.isClosed && old.snapshot().objects(MigFirst.MigPet.self).count == 3)
        #expect(try await !Realm.deletedInstead(of: old.core.coordinator, configuration))
        expectTrue(!old.isClosed)
        await old.close()
        #expect(try await Realm.deletedInstead(of: stale, configuration))
        #expect(try await !Realm.fileExists(for: configuration))
    }

    // Covers 5.8, 5.12
    @Test(arguments: [false, true])
    func seedThatNeedsAMigrationIsMigrated(isInMemory: Bool) async throws {
        let realm = try await MigrationRealm.first()
        var configuration = configuration(realm, version: 2)
        configuration.location =
            isInMemory
            ? .inMemory(identifier: "deleted-\(UUID())") : .file(realm.folder["copy.realm"])
        configuration.seedFile = realm.folder["test.realm"]
        configuration.migration = MigSecond.migration
        let opened = try await Realm.open(configuration)
        expectEqual(opened.snapshot().objects(MigSecond.MigPerson.self).count, 3)
        await opened.close()
        try await expectEqual(realm.version, 1)
    }

    // Covers 5.8
    @Test func openersThatComeAtOnceGetOneRealm() async throws {
        let realm = try await MigrationRealm.first()
        for version in UInt64(2)..<8 {
            let configuration = configuration(realm, version: version)
            let realms = try await withThrowingTaskGroup(of: Realm.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let opened = try await Realm.open(configuration)
                        try await opened.write { try $0.add(MigSecond.MigPet()) }
                        return opened
                    }
                }
                var realms: [Realm] = []
                for try await opened in group { realms.append(opened) }
                return realms
            }
            expectTrue(realms.allSatisfy { $0 === realms[0] })
            expectEqual(realms[0].snapshot().objects(MigSecond.MigPet.self).count, 8)
            await realms[0].close()
        }
    }
}
