import FoundationEssentials
import Regnum
import RegnumTestSupport
import Synchronization
import Testing

@testable import RegnumTestModels

@Suite struct FrozenGraphTests {
    // Covers 2.101
    @Test func linksListsAndInversesAreReadFromAFrozenObject() async throws {
        let realm = try await Realm.kennel()
        let ann = realm.ann
        expectTrue(ann.favourite?.name == "Fido" && ann.favourite?.friend?.name == "Rex")
        expectEqual(ann.favourite?.friend?.friend, ann.favourite)
        expectEqual(ann.pups.map(\.name), ["Rex", "Fido", "Rex"])
        expectTrue(
            ann.badge?.code == "gold" && ann.badge?.weight == 1.5 && ann.badge?.issuer == nil)
        expectEqual(ann.badges.map(\.code), ["a", "b"])
        expectTrue(
            Array(ann.tags) == ["big", "loud", "big"] && ann.scores.array == [4, nil, 2, 4])
        expectEqual(Array(ann.furs), [.long, .short])
        let rex = try requireValue(ann.pups.first)
        expectTrue(
            rex.walkers.map(\.name) == ["Ann", "Ann"] && rex.admirers.map(\.name) == ["Fido"])
        expectTrue(rex.weight == 0.1 && rex.level == -3 && rex.fur == .long && rex.oldFur == nil)
        let bob = try requireValue(realm.snapshot().objects(Walker.self).last)
        expectTrue(bob.name == "Bob" && bob.favourite == nil && bob.badge == nil)
        expectTrue(
            bob.pups.isEmpty && bob.badges.isEmpty && bob.tags.isEmpty && bob.tags.first == nil)
    }

    @Test func everythingReachedIsOfTheSameSnapshot() async throws {
        let realm = try await Realm.kennel()
        let ann = realm.ann
        try await realm.write { tx in
            tx.object(Whelp.self, forPrimaryKey: "Fido")?.age = 9
            tx.objects(Walker.self)[0].tags.removeAll()
            tx.objects(Walker.self)[0].pups.removeAll()
            if let rex = tx.object(Whelp.self, forPrimaryKey: "Rex") { tx.delete(rex) }
        }
        expectTrue(ann.favourite?.age == 5 && ann.tags.count == 3 && ann.pups.count == 3)
        expectTrue(ann.favourite?.friend?.name == "Rex" && ann.pups[0].walkers.count == 2)
        let now = realm.ann
        expectTrue(now.favourite?.age == 9 && now.favourite?.friend == nil)
        expectTrue(now.tags.isEmpty && now.pups.isEmpty)
    }

    // Covers 2.2
    @Test func listsAndInversesTakeTheQueryVocabulary() async throws {
        let realm = try await Realm.kennel()
        let pups = realm.ann.pups
        expectEqual(pups.where { $0.age < 4 }.map(\.name), ["Rex", "Rex"])
        expectEqual(pups.sorted(by: \.age, ascending: false).map(\.name), ["Fido", "Rex", "Rex"])
        expectTrue(pups.count == 3 && pups.first?.name == "Rex" && pups.last?.name == "Rex")
        expectTrue(pups[1].name == "Fido" && pups[1...].map(\.name) == ["Fido", "Rex"])
        expectTrue(pups.sum(of: \.age) == 11 && pups.max(of: \.age) == 5)
        let fido = try requireValue(realm.ann.favourite)
        expectTrue(pups.index(of: fido) == 1 && pups.contains(fido))
        expectEqual(fido.walkers.where { $0.name == "Ann" }.count, 1)
        expectTrue(fido.walkers.where { $0.name == "Bob" }.isEmpty)
        expectEqual(realm.ann.badges.where { $0.code > "a" }.map(\.code), ["b"])
    }

    @Test func computedPropertiesGoThroughLinksListsAndInverses() async throws {
        let realm = try await Realm.kennel()
        let ann = realm.ann
        // Twice each: the first read of a key path takes a different code path.
        for _ in 0..<2 {
            expectTrue(ann.summary == "Ann: Rex, Fido, Rex" && ann.friendsOfPups == 3)
            expectTrue(ann.codes == ["a", "b"] && ann.loudTags == ["BIG", "LOUD", "BIG"])
            expectTrue(ann.eldest?.name == "Fido" && ann.eldest == ann.favourite)
            expectTrue(ann.first.name == "Rex" && ann.others.count == 3)
            expectEqual(ann.others.map(\.name), ["Rex", "Fido", "Rex"])
            let rex = ann.first
            expectTrue(rex.friendOfFriend == rex && rex.oldestWalker == ann)
        }
        try await realm.write { $0.objects(Walker.self)[0].name = "Anna" }
        expectTrue(ann.summary.hasPrefix("Ann:") && realm.ann.summary.hasPrefix("Anna:"))
    }

    @Test func computationsLeaveNothingBehind() async throws {
        let realm = try await Realm.temporary([Watcher.self, Watched.self])
        try await realm.write { tx in
            let watcher = Watcher()
            watcher.targets.append(objectsIn: [Watched(), Watched()])
            try tx.add(watcher)
        }
        var frozen = realm.snapshot().objects(Watcher.self).first
        expectEqual(frozen?.total, 2)
        let before = Watched.alive.count
        for _ in 0..<100 { expectEqual(frozen?.total, 2) }
        expectEqual(Watched.alive.count, before)
        // Reused accessors are released with the snapshot.
        let seen = try requireValue(frozen?.seen)
        frozen = nil
        expectNil(seen.object)
    }

    @Test func computedPropertySeesOnlyValuesThatItsObjectHas() async throws {
        final class Point: Object {
            @Persisted var numbers: List<Double>
            @Persisted var text: String
            @Persisted var version = 3
            var latitude: Double { numbers[1] }
            var initial: String { String(text.first!) }
        }
        let realm = try await Realm.temporary([Point.self])
        try await realm.write { tx in
            let point = Point()
            point.numbers.append(objectsIn: [1, 2])
            point.text = "some"
            try tx.add(point)
        }
        let point = try requireValue(realm.snapshot().objects(Point.self).first)
        for _ in 0..<2 {
            expectTrue(point.latitude == 2 && point.initial == "s" && point.text == "some")
            expectTrue(point.version == 3 && point.numbers.count == 2)
        }
    }

    @Test func storedValueThatIsNoCaseReadsAsTheDefaultOrNil() async throws {
        enum Old {
            enum Hue: String, PersistableEnum { case red, green, blue }
            final class Paint: Object {
                @Persisted var hue: Hue
                @Persisted var other: Hue?
            }
        }
        enum New {
            enum Hue: String, PersistableEnum { case red, green }
            final class Paint: Object {
                @Persisted var hue: Hue
                @Persisted var other: Hue?
            }
        }
        let place = Realm.Configuration.Location.inMemory(identifier: "hues-\(UUID())")
        let old = try await Realm.open(.init(location: place))
        try await old.write { tx in
            let paint = Old.Paint()
            (paint.hue, paint.other) = (.blue, .blue)
            try tx.add(paint)
        }
        let new = try LaterProgram.core(of: old)
        let paint = try requireValue(new.snapshot().objects(New.Paint.self).first)
        #expect(throws: Realm.Error.self) { try paint.snapshot.read { _ in paint.hue } }
        expectNil(paint.other)
        let before = try requireValue(old.snapshot().objects(Old.Paint.self).first)
        expectTrue(before.hue == .blue && before.other == .blue)
    }

    @Test func frozenObjectsGoToOtherTasksWithAllThatTheyReach() async throws {
        let realm = try await Realm.kennel()
        let ann = realm.ann
        let names = await Task.detached { () -> [String] in
            ann.pups.map { $0.friend?.name ?? "-" } + ann.tags + [ann.summary]
        }.value
        expectTrue(names.prefix(3) == ["Fido", "Rex", "Fido"] && names.count == 7)
    }

    // Covers 1.95
    @Test func idIsThatOfTheModelOrItsRow() async throws {
        final class Ident: Object, Identifiable { @Persisted(primaryKey: true) var id: Int }
        final class Rowed: Object, ObjectKeyIdentifiable { @Persisted var text: String }
        let realm = try await Realm.temporary([Ident.self, Rowed.self])
        try await realm.write { tx in
            let ident = Ident()
            ident.id = 7
            try tx.add(ident)
            try tx.add([Rowed(), Rowed()])
        }
        let snapshot = realm.snapshot()
        expectEqual(snapshot.objects(Ident.self).map(\.id), [7])
        let rowed = snapshot.objects(Rowed.self)
        expectTrue(rowed[0].id != rowed[1].id)
        let id = rowed[1].id
        let confined = try await realm.write { tx in
            tx.objects(Rowed.self)[1].text = "changed"
            return (tx.objects(Rowed.self)[1].id, tx.objects(Rowed.self)[1].id)
        }
        expectTrue(confined == (id, id) && realm.snapshot().objects(Rowed.self)[1].id == id)
        let (first, second) = (Rowed(), Rowed())
        expectTrue(first.id == first.id && first.id != second.id)
    }
}

/// Counts instances.
private final class Census: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add(_ change: Int) { number.withLock { $0 += change } }
}

private final class Watched: Object {
    static let alive = Census()
    @Persisted var number = 1
    private let token = Token()

    private final class Token {
        init() { Watched.alive.add(1) }
        deinit { Watched.alive.add(-1) }
    }
}

/// A weak reference that can be sent.
///
/// Guard of the `@unchecked Sendable`: only ever compared with `nil`.
private struct WeakObject: @unchecked Sendable {
    weak var object: ObjectBase?
}

private final class Watcher: Object {
    @Persisted var targets: List<Watched>
    var total: Int { targets.map(\.number).reduce(0, +) }
    var seen: WeakObject { WeakObject(object: self) }
}
