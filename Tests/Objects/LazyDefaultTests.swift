import Regnum
import RegnumTestSupport
import Synchronization
import Testing

/// Counts how many defaults were created.
private enum Made {
    static let choices = Mutex(0)
    static let points = Mutex(0)
    static let tags = Mutex(0)

    static var all: [Int] {
        [choices.withLock { $0 }, points.withLock { $0 }, tags.withLock { $0 }]
    }
}

/// Its default is the first of all cases, so that each access to them counts as creating one.
private enum CountedChoice: Int, PersistableEnum {
    case first, second

    static var allCases: [CountedChoice] {
        Made.choices.withLock { $0 += 1 }
        return [.first, .second]
    }
}

/// Its default is created from the default of `String`, which is never a stored value here.
private struct CountedPoint: CustomPersistable {
    var text: String

    init(_ text: String) { self.text = text }
    init(persistedValue: String) {
        if persistedValue.isEmpty { Made.points.withLock { $0 += 1 } }
        text = persistedValue
    }
    var persistableValue: String { text }
}

/// A class without initial values.
private final class CountedThing: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var choice: CountedChoice
    @Persisted var point: CountedPoint
    @Persisted var text: String
    @Persisted var link: CountedThing?
    @Persisted var list: List<CountedThing>
}

/// A class with an initial value.
private final class CountedTag: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var tag: String = {
        Made.tags.withLock { $0 += 1 }
        return "made"
    }()
}

/// When the defaults of properties are created.
@Suite(.serialized) struct LazyDefaultTests {
    private static let count = 200

    // Covers 1.21
    @Test func readsOfStoredObjectsMakeNoDefaults() async throws {
        let realm = try await Realm.temporary([CountedThing.self])
        try await realm.write { tx in
            for id in 0..<Self.count {
                let thing = try tx.create(
                    CountedThing.self,
                    value: [
                        "id": id, "choice": CountedChoice.second, "point": "p\(id)",
                        "text": "t\(id)",
                    ])
                thing.link = tx.object(CountedThing.self, forPrimaryKey: id / 2)
                thing.list.append(thing)
            }
        }
        let before = Made.all
        try await realm.read { tx in
            var held: [CountedThing] = []
            let things = tx.objects(CountedThing.self)
            for thing in things {
                expectTrue(thing.choice == .second && thing.point.text == "p\(thing.id)")
                expectTrue(thing.text.first == "t" && thing.link?.choice == .second)
                expectEqual(thing.list.first?.point.text, "p\(thing.id)")
                held.append(thing)
            }
            expectTrue(held.count == Self.count && held[7].choice == .second)
            let one = try requireValue(tx.object(CountedThing.self, forPrimaryKey: 5))
            expectTrue(one.point.text == "p5" && one.isManaged)
        }
        expectEqual(Made.all, before)
        // A key path is resolved once per process, using sample objects, which creates some.
        let frozen = realm.snapshot().objects(CountedThing.self)
        func look(_ thing: Frozen<CountedThing>) {
            expectTrue(thing.choice == .second && thing.point.text == "p\(thing.id)")
        }
        look(frozen[0])
        expectEqual(frozen.where { $0.choice == .second }.count, Self.count)
        let resolved = Made.all
        for thing in frozen { look(thing) }
        expectEqual(frozen.where { $0.choice == .second }.count, Self.count)
        expectEqual(Made.all, resolved)
    }

    /// Verifies that the counters work.
    @Test func newObjectsMakeThemWhenTheyAreNeeded() async throws {
        let realm = try await Realm.temporary([CountedThing.self])
        try await realm.write { try $0.add(CountedThing()) }  // reflects the class
        let before = Made.all
        let thing = CountedThing()
        thing.point = CountedPoint("given")
        expectEqual(Made.all, before)
        expectEqual(thing.choice, .first)
        expectEqual(Made.all, [before[0] + 1, before[1], before[2]])
        expectTrue(thing.choice == .first && thing.point.text == "given")
        expectEqual(Made.all, [before[0] + 1, before[1], before[2]])
        // A default that was never read is created when it is stored.
        try await realm.write { tx in try tx.create(CountedThing.self, value: ["id": 7]) }
        expectEqual(Made.all, [before[0] + 2, before[1] + 1, before[2]])
    }

    /// Swift evaluates initial values for each instance, also for accessors; iteration creates one
    /// of these unless they are retained. Reads evaluate none.
    // Covers 1.22
    @Test func initialValuesAreMadeWithTheInstance() async throws {
        let realm = try await Realm.temporary([CountedTag.self])
        try await realm.write { tx in
            for id in 0..<Self.count { try tx.create(CountedTag.self, value: ["id": id]) }
        }
        func made(_ body: @Sendable (Transaction) throws -> Void) async throws -> Int {
            let before = Made.all[2]
            try await realm.read { try body($0) }
            return Made.all[2] - before
        }
        let walk = try await made { tx in
            for tag in tx.objects(CountedTag.self) { expectEqual(tag.tag, "made") }
        }
        expectTrue(walk <= 2)
        let held = try await made { tx in
            let tags = Array(tx.objects(CountedTag.self))
            expectEqual(tags.count, Self.count)
        }
        expectTrue(held >= Self.count && held <= Self.count + 2)
        let reads = try await made { tx in
            let tag = try requireValue(tx.object(CountedTag.self, forPrimaryKey: 3))
            for _ in 0..<100 { expectEqual(tag.tag, "made") }
        }
        expectEqual(reads, 1)
        let frozen = realm.snapshot().objects(CountedTag.self)
        expectEqual(frozen[0].tag, "made")  // resolves the key path, using sample objects
        let before = Made.all[2]
        expectEqual(frozen.map(\.tag).count, Self.count)
        expectEqual(Made.all[2], before)
    }
}
