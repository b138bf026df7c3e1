import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams of lists and inverses reached through live objects, and of queries of them.
@Suite struct LiveCollectionTests {
    private static let types: [ObjectBase.Type] = [Whelp.self, Walker.self, Medal.self]

    private func update<T>(
        _ stream: inout CollectionChanges<T>.AsyncIterator
    ) async throws -> (FrozenResults<T>, ChangeSet<T>) {
        let change = try await stream.next(isolation: #isolation)
        guard case .update(let collection, let delta)? = change else { throw Unexpected() }
        return (collection, delta)
    }

    private struct Unexpected: Error {}

    /// Makes a realm in which Rex is walked by Ann and Bob, and admired by Fido.
    private func makeRealm() async throws -> Realm {
        let realm = try await Realm.temporary(Self.types)
        try await realm.write { tx in
            let rex = Whelp("Rex", age: 3)
            let fido = Whelp("Fido", age: 5)
            fido.friend = rex
            let ann = Walker("Ann")
            ann.pups.append(objectsIn: [rex, fido, rex])
            try tx.add(ann)
        }
        return realm
    }

    // Covers O1, O25
    @Test func inverseFollowsLinksAndTheirObjects() async throws {
        let realm = try await makeRealm()
        let rex = realm.object(Whelp.self, forPrimaryKey: "Rex")
        var admirers = rex.admirers.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await admirers.next() else { throw Unexpected() }
        expectEqual(first.map(\.name), ["Fido"])
        try await realm.write { tx in
            let max = Whelp("Max", age: 1)
            max.friend = tx.object(Whelp.self, forPrimaryKey: "Rex")
            try tx.add(max)
        }
        let (two, came) = try await update(&admirers)
        expectTrue(two.map(\.name) == ["Fido", "Max"] && came.insertions == [1])
        try await realm.write { tx in tx.object(Whelp.self, forPrimaryKey: "Fido")?.friend = nil }
        let (one, left) = try await update(&admirers)
        expectTrue(one.map(\.name) == ["Max"] && left.deletions == [0])
        expectEqual(left.deleted.map(\.name), ["Fido"])
        try await realm.write { tx in tx.object(Whelp.self, forPrimaryKey: "Max")?.age = 2 }
        let (_, older) = try await update(&admirers)
        expectTrue(older.modifications == [0] && older.modified.first?.properties == ["age"])
        try await realm.write { tx in
            if let rex = tx.object(Whelp.self, forPrimaryKey: "Rex") { tx.delete(rex) }
        }
        let (none, gone) = try await update(&admirers)
        expectTrue(none.isEmpty && gone.deletions == [0])
    }

    @Test func inverseOfAListHasEachOccurrence() async throws {
        let realm = try await makeRealm()
        var walkers =
            realm.object(Whelp.self, forPrimaryKey: "Rex").walkers.changes.makeAsyncIterator()
        guard case .initial(let first)? = try await walkers.next() else { throw Unexpected() }
        expectEqual(first.map(\.name), ["Ann", "Ann"])
        try await realm.write { tx in tx.objects(Walker.self)[0].pups.removeLast() }
        let (one, left) = try await update(&walkers)
        expectTrue(one.map(\.name) == ["Ann"] && left.deletions.count == 1)
    }
}

/// Streams of rooms with lists of messages.
@Suite struct LiveListTests {
    private func makeRealm() async throws -> Realm {
        try await Realm.temporary([Kiosk.self, Paper.self])
    }

    private func update<T>(
        _ stream: inout CollectionChanges<T>.AsyncIterator
    ) async throws -> (FrozenResults<T>, ChangeSet<T>) {
        let change = try await stream.next(isolation: #isolation)
        guard case .update(let collection, let delta)? = change else { throw Unexpected() }
        return (collection, delta)
    }

    private struct Unexpected: Error {}

    // Covers O25
    @Test func listOfAnObjectThatIsNotThereIsEmptyUntilItComes() async throws {
        let realm = try await makeRealm()
        let papers = realm.object(Kiosk.self, forPrimaryKey: "north").papers
        expectTrue(papers.current.isEmpty && papers.count == 0 && papers.first == nil)
        var stream = papers.changes.makeAsyncIterator()
        guard case .initial(let none)? = try await stream.next() else { throw Unexpected() }
        expectTrue(none.isEmpty)
        try await realm.write(origin: "elsewhere") { tx in
            try tx.add(Kiosk("south", papers: ["x"]))
        }
        try await realm.write(origin: "opened") { tx in
            try tx.add(Kiosk("north", papers: ["a", "b"]))
        }
        let (two, came) = try await update(&stream)
        expectTrue(two.map(\.title) == ["a", "b"] && came.insertions == [0, 1])
        expectEqual(came.origins, ["opened"])
        try await realm.write { tx in
            let kiosk = tx.object(Kiosk.self, forPrimaryKey: "north")
            kiosk?.papers.insert(Paper("c"), at: 1)
            kiosk?.papers[0].title = "a2"
        }
        let (three, delta) = try await update(&stream)
        expectEqual(three.map(\.title), ["a2", "c", "b"])
        expectTrue(delta.insertions == [1] && delta.modifications == [0])
        expectTrue(delta.modified.map(\.old.title) == ["a"] && delta.newModifications == [0])
    }

    // Covers O25, O32
    @Test func originsIncludeThoseOfCommitsThatOnlyChangeElementsOfANewOwner() async throws {
        let realm = try await makeRealm()
        var stream =
            realm.object(Kiosk.self, forPrimaryKey: "north").papers.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write(origin: "opened") { tx in
            try tx.add(Kiosk("north", papers: ["a"]))
        }
        try await realm.write(origin: "elsewhere") { tx in
            try tx.add(Kiosk("south", papers: ["x"]))
        }
        try await realm.write(origin: "edited") { tx in
            tx.object(Kiosk.self, forPrimaryKey: "north")?.papers[0].title = "b"
        }
        let (one, delta) = try await update(&stream)
        expectTrue(one.map(\.title) == ["b"] && delta.insertions == [0])
        expectEqual(delta.origins, ["opened", "edited"])
    }

    // Covers O25
    @Test func deletedOwnerDeletesAllAndANewOneFillsAgain() async throws {
        let realm = try await makeRealm()
        try await realm.write { tx in try tx.add(Kiosk("north", papers: ["a", "b"])) }
        var stream =
            realm.object(Kiosk.self, forPrimaryKey: "north").papers.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            if let kiosk = tx.object(Kiosk.self, forPrimaryKey: "north") { tx.delete(kiosk) }
        }
        let (none, gone) = try await update(&stream)
        expectTrue(none.isEmpty && gone.deletions == [0, 1])
        expectEqual(gone.deleted.map(\.title), ["a", "b"])
        try await realm.write { tx in try tx.add(Kiosk("north", papers: ["z"])) }
        let (one, came) = try await update(&stream)
        expectTrue(one.map(\.title) == ["z"] && came.insertions == [0])
        // Replaced between two elements.
        try await realm.write { tx in
            if let kiosk = tx.object(Kiosk.self, forPrimaryKey: "north") { tx.delete(kiosk) }
            try tx.add(Kiosk("north", papers: ["y", "x"]))
        }
        let (two, replaced) = try await update(&stream)
        expectEqual(two.map(\.title), ["y", "x"])
        expectTrue(replaced.deletions == [0] && replaced.insertions == [0, 1])
        try await realm.write { tx in
            tx.object(Kiosk.self, forPrimaryKey: "north")?.papers[1].title = "w"
        }
        let (_, modified) = try await update(&stream)
        expectEqual(modified.modifications, [1])
    }

    // Covers 4.34, O1
    @Test func queriesOfALiveListFollowIt() async throws {
        let realm = try await makeRealm()
        try await realm.write { tx in try tx.add(Kiosk("north", papers: ["b", "a", "cc"])) }
        let papers = realm.object(Kiosk.self, forPrimaryKey: "north").papers
        let sorted = papers.sorted(by: \.title)
        let short = papers.where { $0.pages < 2 }
        expectEqual(sorted.current.map(\.title), ["a", "b", "cc"])
        expectTrue(short.current.map(\.title) == ["b", "a"] && short.sum(of: \.pages) == 2)
        expectEqual(papers.index { $0.title == "cc" }, 2)
        var stream = sorted.changes.makeAsyncIterator()
        var shorts = short.changes.makeAsyncIterator()
        _ = try await stream.next()
        _ = try await shorts.next()
        try await realm.write { tx in
            let list = tx.object(Kiosk.self, forPrimaryKey: "north")?.papers
            list?.append(Paper("aa"))
            list?[0].pages = 7
        }
        let (all, delta) = try await update(&stream)
        expectEqual(all.map(\.title), ["a", "aa", "b", "cc"])
        expectTrue(delta.insertions == [1] && delta.modifications == [1])
        let (few, left) = try await update(&shorts)
        expectTrue(few.map(\.title) == ["a"] && left.deletions == [0] && left.insertions.isEmpty)
    }

    // Covers O1, O26
    @Test func listOfValuesTellsItsValues() async throws {
        let realm = try await makeRealm()
        let tags = realm.object(Kiosk.self, forPrimaryKey: "north").tags
        expectTrue(tags.current.isEmpty)
        var stream = tags.changes.makeAsyncIterator()
        guard case .initial(let none)? = try await stream.next() else { throw Unexpected() }
        expectTrue(none.isEmpty)
        try await realm.write { tx in
            let kiosk = Kiosk("north", papers: [])
            kiosk.tags.append(objectsIn: ["red", "old"])
            try tx.add(kiosk)
        }
        guard case .update(let two, let came)? = try await stream.next() else { throw Unexpected() }
        expectTrue(two.array == ["red", "old"] && came.inserted == ["red", "old"])
        try await realm.write(origin: "paint") { tx in
            let list = tx.object(Kiosk.self, forPrimaryKey: "north")?.tags
            list?[0] = "blue"
            list?.append("small")
            list?.remove(at: 1)
        }
        guard case .update(let now, let delta)? = try await stream.next() else {
            throw Unexpected()
        }
        expectTrue(now.array == ["blue", "small"] && tags.current == now)
        expectTrue(delta.deletions == [1] && delta.insertions == [1] && delta.modifications == [0])
        expectTrue(delta.deleted == ["old"] && delta.inserted == ["small"])
        expectTrue(delta.modified.map(\.old) == ["red"] && delta.modified.map(\.new) == ["blue"])
        expectTrue(delta.origins == ["paint"] && delta.version == now.version)
        expectEqual(two.array.applying(delta.difference), now.array)
    }

    // Covers 2.61, 4.12
    @Test func elementSetByNameIsAModification() async throws {
        let realm = try await makeRealm()
        try await realm.write { tx in
            try tx.create(
                Kiosk.self, value: ["name": "west", "tags": ["red", "old"]], update: .modified)
        }
        let tags = realm.object(Kiosk.self, forPrimaryKey: "west").tags
        var stream = tags.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            let kiosk = try tx.dynamicObject(ofType: "Kiosk", forPrimaryKey: "west")
            try kiosk?.dynamicList("tags").set("blue", at: 1)
        }
        guard case .update(let now, let delta)? = try await stream.next() else {
            throw Unexpected()
        }
        expectEqual(now.array, ["red", "blue"])
        expectTrue(delta.modifications == [1] && delta.deletions.isEmpty)
        expectTrue(delta.insertions.isEmpty)
    }
}
