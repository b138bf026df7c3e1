import Foundation
import Regnum
import RegnumTestSupport
import RegnumWorkers
import Testing

@testable import RegnumTestModels

/// A later version of the program, in which texts are optional.
private enum Later {
    final class Memo: Object {
        @Persisted var text: String?
    }

    static let types: [ObjectBase.Type] =
        [Memo.self, Parcel.self, Receipt.self] + Workers.models
}

/// Consumers of a class that a migration changes.
@Suite struct MigratedConsumerTests {
    // Covers O34
    @Test func consumerCanBeginAgainAfterAMigrationOfItsClass() async throws {
        let world = try await ConsumerWorld()
        try await world.add("a", "b")
        try await world.consuming { _ in
        } during: {
            try await world.saved()
        }
        await world.realm.close()
        var configuration = world.folder.configuration("test.realm", Later.types)
        configuration.schemaVersion = 2
        let realm = try await Realm.open(configuration)
        var options = world.options
        let error = await realmError { [options] in
            try await realm.consume(Later.Memo.self, as: "mailer", options: options) { _ in }
        }
        expectEqual(error?.code, .historyTrimmed)
        options.lostHistory = .resync
        let journal = Journal()
        let run = Task { [options] in
            try await realm.consume(Later.Memo.self, as: "mailer", options: options) { batch in
                for memo in batch.inserted { journal.add(memo.text ?? "") }
            }
        }
        await expectEqual(journal.entries(2), ["a", "b"])
        run.cancel()
        try await run.value
        await realm.close()
    }
}
