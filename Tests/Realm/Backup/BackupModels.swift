import Foundation
import Regnum
import Synchronization

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

/// A counter shared by several tasks.
final class BackupSignal: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .acquiring) }

    func add() { value.add(1, ordering: .acquiringAndReleasing) }
}
