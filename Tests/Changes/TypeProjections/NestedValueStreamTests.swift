import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams of values that are stored as embedded objects with others in them: changes made in place
/// are changes of the value, those in linked objects aren't.
@Suite struct NestedValueStreamTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary([
            Street.self, Board.self, Maker.self, Spot.self,
        ])
        try await realm.write { tx in
            let street = try tx.create(Street.self, value: ["id": 1])
            street.sign = Sign("a", Point(1, 0))
            street.signs.append(objectsIn: [Sign("a", Point(1, 0)), Sign("b", Point(2, 0))])
            street.named["a"] = Sign("a", Point(1, 0))
            street.named["b"] = Sign("b", Point(2, 0))
            let maker = try tx.create(Maker.self, value: ["Ann"])
            for board in boards(street) { board.maker = maker }
        }
        return realm
    }

    /// Changes the object that all signs link to, then the place of those with a text.
    private func move(_ text: String, to x: Double, _ realm: Realm) async throws {
        try await realm.write { tx in tx.objects(Maker.self)[0].name += "a" }
        try await realm.write { tx in
            for board in boards(tx.objects(Street.self)[0]) where board.text == text {
                (board["place"] as? Spot)?.x = x
            }
        }
    }

    // Covers 8.15, O26
    @Test func changesInListElementsAreTold() async throws {
        let realm = try await realm()
        let live = realm.object(Street.self, forPrimaryKey: 1)
        var stream = live.signs.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await move("b", to: 5, realm)
        guard case .update(let new, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(delta.deletions.isEmpty && delta.insertions.isEmpty)
        expectEqual(delta.modifications, [1])
        expectEqual(delta.modified.map(\.old), [Sign("b", Point(2, 0))])
        expectEqual(new.array, [Sign("a", Point(1, 0)), Sign("b", Point(5, 0))])
        // a property of the elements' own objects
        try await realm.write { tx in
            (tx.objects(Street.self)[0]["signs"] as? List<Board>)?[0].text = "c"
        }
        guard case .update(_, let second)? = try await stream.next() else {
            Issue.record("no second update")
            return
        }
        expectEqual(second.modified.map(\.new), [Sign("c", Point(1, 0))])
    }

    // Covers 8.15, O26
    @Test func upsertOfNestedValueIsTold() async throws {
        let realm = try await realm()
        try await realm.write { tx in
            for board in boards(tx.objects(Street.self)[0]) { board.maker = nil }
        }
        let live = realm.object(Street.self, forPrimaryKey: 1)
        var stream = live.signs.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            let street = Street()
            street.id = 1
            street.signs.append(objectsIn: [Sign("a", Point(1, 0)), Sign("b", nil)])
            try tx.add(street, update: .modified)
        }
        guard case .update(_, let first)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(first.modified.map(\.new), [Sign("b", nil)])
        try await realm.write { tx in
            let street = Street()
            street.id = 1
            street.signs.append(objectsIn: [Sign("a", Point(4, 0)), Sign("b", nil)])
            try tx.add(street, update: .modified)
        }
        guard case .update(_, let second)? = try await stream.next() else {
            Issue.record("no second update")
            return
        }
        expectEqual(second.modified.map(\.new), [Sign("a", Point(4, 0))])
    }

    // Covers 8.15, O40
    @Test func changesInMapValuesAreTold() async throws {
        let realm = try await realm()
        let live = realm.object(Street.self, forPrimaryKey: 1)
        var stream = live.named.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await move("b", to: 5, realm)
        guard case .update(_, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(delta.deletions.isEmpty && delta.insertions.isEmpty)
        expectEqual(delta.modifications, ["b"])
        expectEqual(delta.modified.map(\.new), [Sign("b", Point(5, 0))])
        try await realm.write { tx in tx.objects(Street.self)[0].named["a"] = .some(nil) }
        guard case .update(_, let second)? = try await stream.next() else {
            Issue.record("no second update")
            return
        }
        expectEqual(second.modifications, ["a"])
    }

    // Covers 8.15, O20
    @Test func keyPathsToValuesIncludeWhatIsInThem() async throws {
        let realm = try await realm()
        let streets = realm.objects(Street.self)
        var typed = streets.changes(keyPaths: [\.sign]).makeAsyncIterator()
        var named = try streets.changes(keyPaths: ["id", "signs"]).makeAsyncIterator()
        var maps = try streets.changes(keyPaths: ["named"]).makeAsyncIterator()
        _ = try await (typed.next(), named.next(), maps.next())
        try await move("b", to: 5, realm)
        try await expectEqual(names(&named), [["signs"]])
        try await expectEqual(names(&maps), [["named"]])
        try await move("a", to: 3, realm)
        try await expectEqual(names(&typed), [["sign"]])
    }

    // Covers 8.15, O20
    @Test func projectionsTellChangesInValues() async throws {
        let realm = try await realm()
        let views = realm.objects(StreetView.self)
        var all = views.changes.makeAsyncIterator()
        var signs = views.changes(keyPaths: [\.board]).makeAsyncIterator()
        _ = try await (all.next(), signs.next())
        try await move("b", to: 5, realm)
        try await expectEqual(names(&all), [["others"]])
        try await move("a", to: 3, realm)
        try await expectEqual(names(&all), [["board", "others"]])
        try await expectEqual(names(&signs), [["board"]])
    }

    /// Returns the names of the modified properties in the next update.
    private func names<T>(
        _ stream: inout CollectionChanges<T>.AsyncIterator,
        isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> [[String]] {
        guard case .update(_, let delta)? = try await stream.next(isolation: actor) else {
            Issue.record("no update")
            return []
        }
        return delta.modified.map(\.properties)
    }
}

/// A sign with a place, stored as an embedded object.
private struct Sign: CustomPersistable, Hashable, Sendable {
    let text: String
    let place: Point?

    init(_ text: String, _ place: Point?) { (self.text, self.place) = (text, place) }
    init(persistedValue: Board) {
        (text, place) = (persistedValue.text, persistedValue.place)
    }
    var persistableValue: Board {
        let board = Board()
        (board.text, board.place) = (text, place)
        return board
    }
}

private final class Board: EmbeddedObject {
    @Persisted var text: String
    @Persisted var place: Point?
    @Persisted var maker: Maker?
}

private final class Maker: Object {
    @Persisted var name: String
}

private final class Street: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var sign: Sign?
    @Persisted var signs: List<Sign>
    @Persisted var named: Map<String, Sign?>
}

private final class StreetView: Projection<Street> {
    @Projected(\Street.sign) var board
    @Projected(\Street.signs) var others
}

/// The stored signs of a street.
private func boards(_ street: Street) -> [Board] {
    let list = (street["signs"] as? List<Board>).map { Array($0) } ?? []
    let map = (street["named"] as? Map<String, Board?>).map { $0.values.compactMap { $0 } } ?? []
    return list + map + [street["sign"] as? Board].compactMap { $0 }
}
