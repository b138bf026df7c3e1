import Foundation
import RegnumEngine
import Synchronization

@testable import Regnum

final class BackupShelf: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(indexed: true) var room: String
    @Persisted var books: List<BackupBook>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var place: BackupPlace?
}

final class BackupBook: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var cover: Data
    @Persisted var sequel: BackupBook?
    @Persisted(originProperty: "books") var shelves: LinkingObjects<BackupShelf>
}

final class BackupPlace: EmbeddedObject {
    @Persisted var x: Double
}

/// Two numbers whose sum every commit preserves.
final class BackupAccount: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var amount: Int
}

/// Adds an account in a relaxed commit that isn't synced. Returns the next identifier.
///
/// A relaxed commit while the pump is active is synced, so this tries until one isn't.
func addUnsynced(to realm: Realm, from first: Int) async throws -> Int {
    var id = first
    var syncs: UInt64
    repeat {
        syncs = realm.core.coordinator.statistics.syncs
        let number = id
        try await realm.write(durability: .relaxed(within: .seconds(3_600))) { tx in
            try tx.add(BackupAccount(value: ["id": number, "amount": 0]))
        }
        id += 1
    } while realm.core.coordinator.statistics.syncs != syncs
    return id
}

/// A counter shared by several tasks.
final class BackupSignal: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .acquiring) }

    func add() { value.add(1, ordering: .acquiringAndReleasing) }
}
