import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams that skip the commits with certain labels, such as a client's own.
@Suite struct ExcludedOriginTests {
    typealias Guest = Cards.Guest

    private func add(_ realm: Realm, age: Int, by origin: String?) async throws {
        try await realm.write(origin: origin) { try $0.add(Person("p", age: age)) }
    }

    /// Makes commits of "me", of "you" and without a label.
    private func fill(_ realm: Realm) async throws {
        try await add(realm, age: 4, by: "me")
        try await add(realm, age: 1, by: "you")
        try await add(realm, age: 5, by: nil)
        try await add(realm, age: 2, by: "me")
        try await add(realm, age: 6, by: "me")
        try await add(realm, age: 3, by: "you")
        try await add(realm, age: 7, by: "me")
    }

    /// Returns the sizes, insertions and labels of all elements that there are.
    private func rest(
        _ stream: inout CollectionChanges<Person>.AsyncIterator,
        isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> [String] {
        var found: [String] = []
        while true {
            let next = try await stream.next(
                within: .zero, clock: ContinuousClock(), isolation: actor)
            guard case .element(.update(let people, let delta)) = next else { return found }
            found.append("\(people.count) \(delta.insertions) \(delta.origins)")
        }
    }

    // Covers 4.11, O51
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func ownCommitsAreSkipped(_ policy: ChangePolicy) async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(folder.configuration("own.realm", [Person.self]))
        let start = realm.snapshot().cursor
        let people = realm.objects(Person.self).sorted(by: \.age)
        func changes(_ cursor: ChangeCursor?) -> CollectionChanges<Person> {
            people.changes(policy: policy, since: cursor, excludingOrigins: ["me", "nobody"])
        }
        let expected =
            policy == .everyCommit
            ? [#"2 [0] ["you"]"#, "3 [2] []", #"6 [2] ["you"]"#]
            : [#"3 [0, 2] ["you"]"#, #"6 [2] ["you"]"#]
        var stream = changes(nil).makeAsyncIterator()
        _ = try await stream.next()
        try await fill(realm)
        try await expectEqual(rest(&stream), expected)
        // the same from the log
        var later = changes(start).makeAsyncIterator()
        try await expectEqual(rest(&later), expected)
        await realm.close()
    }

    // Covers 4.11, O51
    @Test func ownCommitsOnlyMoveThePosition() async throws {
        let realm = try await Realm.temporary([Person.self])
        var stream = realm.objects(Person.self).changes(excludingOrigins: ["me"])
            .makeAsyncIterator()
        _ = try await stream.next()
        try await add(realm, age: 1, by: "me")
        let next = try await stream.next(within: .zero)
        expectNil(next.element)
        expectEqual(stream.cursor, realm.snapshot().cursor)
        // a change of what was skipped is a modification
        try await realm.write(origin: "you") { $0.objects(Person.self)[0].age = 2 }
        guard case .update(_, let delta)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectTrue(delta.insertions.isEmpty && delta.modifications == [0])
        expectEqual(delta.modified.map(\.old.age), [1])
    }

    // Covers 4.11, O51
    @Test func everyKindOfStreamSkipsThem() async throws {
        let realm = try await Cards.realm()
        let ann = realm.object(Guest.self, forPrimaryKey: 1)
        var object = ann.changes(excludingOrigins: ["me"]).makeAsyncIterator()
        var named = ann.changes(keyPaths: [\.age, \.tags, \.friends], excludingOrigins: ["me"])
            .makeAsyncIterator()
        var tags = ann.tags.changes(excludingOrigins: ["me"]).makeAsyncIterator()
        var friends = ann.friends.changes(keyPaths: [\.age], excludingOrigins: ["me"])
            .makeAsyncIterator()
        var commits = realm.commits(excludingOrigins: ["me"]).makeAsyncIterator()
        _ = try await (object.next(), named.next(), tags.next(), friends.next())
        for (origin, age) in [("me", 41), ("you", 42), ("me", 43)] {
            try await realm.write(origin: origin) { tx in
                let ann = try requireValue(tx.object(Guest.self, forPrimaryKey: 1))
                ann.age = age
                ann.tags.append("\(age)")
                ann.friends.append(ann)
            }
        }
        guard case .changed(let old, let new, _)? = try await object.next(within: .zero).element,
            case .changed(let oldNamed, _, let names)? =
                try await named.next(within: .zero).element,
            case .update(let values, let delta)? = try await tags.next(within: .zero).element,
            case .update(let guests, let change)? = try await friends.next(within: .zero).element
        else {
            Issue.record("an element is missing")
            return
        }
        expectTrue(old.age == 41 && new.age == 42 && oldNamed.age == 41)
        expectEqual(names, ["age", "friends", "tags"])
        expectTrue(Array(values) == ["a", "b", "41", "42"] && delta.insertions == [3])
        expectTrue(guests.count == 4 && change.insertions == [3] && change.modifications == [2])
        try await expectEqual(commits.next()?.origin, "you")
        try await expectNil(object.next(within: .zero).element)
        try await expectNil(named.next(within: .zero).element)
        try await expectNil(tags.next(within: .zero).element)
        try await expectNil(friends.next(within: .zero).element)
        try await expectNil(commits.next(within: .zero).element)
        expectEqual(commits.cursor, realm.snapshot().cursor)
    }

    // Covers O11, O20, O51
    @Test func changesMadeWhileAnObjectWasElsewhereAreNamed() async throws {
        let realm = try await Log.realm()
        let room = realm.objects(Log.Line.self).where { $0.room == "b" }
        var all = room.changes(depth: 0, excludingOrigins: ["me"]).makeAsyncIterator()
        var texts = room.changes(keyPaths: [\.text], excludingOrigins: ["me"]).makeAsyncIterator()
        _ = try await (all.next(), texts.next())
        try await realm.write { try $0.line(1).room = "z" }
        try await realm.write { try $0.line(1).text = "changed" }  // doesn't concern the room
        try await realm.write { try $0.line(1).room = "b" }
        guard case .update(_, let delta)? = try await all.next(within: .zero).element,
            case .update(_, let named)? = try await texts.next(within: .zero).element
        else {
            Issue.record("an element is missing")
            return
        }
        expectEqual(delta.modified.map(\.properties), [["room", "text"]])
        expectEqual(named.modified.map(\.properties), [["text"]])
    }

    /// A commit that adds another class is examined by every stream.
    // Covers O32, O51
    @Test func labelsDoNotIncludeThoseOfOtherClasses() async throws {
        let folder = try RealmFolder()
        let realm = try await Realm.open(
            folder.configuration("own.realm", [Person.self, Room.self]))
        try await add(realm, age: 1, by: nil)
        let start = realm.snapshot().cursor
        let people = realm.objects(Person.self)
        var stream = people.changes(excludingOrigins: ["me"]).makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write(origin: "rooms") { try $0.add(Room("general")) }
        try await add(realm, age: 2, by: "you")
        try await expectEqual(rest(&stream), [#"2 [1] ["you"]"#])
        // the same from the log
        var later = people.changes(since: start, excludingOrigins: ["me"]).makeAsyncIterator()
        try await expectEqual(rest(&later), [#"2 [1] ["you"]"#])
    }

    // Covers 4.11, O51
    @Test func mapsSkipThem() async throws {
        let realm = try await Realm.temporary(mapClasses)
        try await realm.write { try $0.add(MapKeeper(1)) }
        var scores = realm.object(MapKeeper.self, forPrimaryKey: 1).scores
            .changes(excludingOrigins: ["me"]).makeAsyncIterator()
        _ = try await scores.next()
        for (origin, key) in [("me", "a"), ("you", "b"), ("me", "c")] {
            try await realm.write(origin: origin) { $0.objects(MapKeeper.self)[0].scores[key] = 1 }
        }
        guard case .update(let map, let delta)? = try await scores.next(within: .zero).element
        else {
            Issue.record("no update")
            return
        }
        expectTrue(map.keys == ["a", "b"] && delta.insertions == ["b"])
        try await expectNil(scores.next(within: .zero).element)
    }

    /// Names the next element: the keys, and the paths of the modifications and insertions.
    private func next(
        _ stream: inout SectionChanges<String, Log.Line>.AsyncIterator,
        isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> String {
        let next = try await stream.next(
            within: .zero, clock: ContinuousClock(), isolation: actor)
        switch next {
        case .element(.initial(let rooms)): return "\(rooms.allKeys)"
        case .element(.update(let rooms, let delta)):
            expectTrue(delta.deletions.isEmpty && delta.sectionDeletions.isEmpty)
            return "\(rooms.allKeys) \(delta.modifications) \(delta.insertions)"
        case .timedOut: return "nothing"
        case .end: return "end"
        }
    }

    // Covers 4.11, 4.46, O45, O51
    @Test(arguments: [ChangePolicy.coalesce, .everyCommit, .newest])
    func sectionsSkipThem(_ policy: ChangePolicy) async throws {
        let folder = try RealmFolder()
        let realm = try await Log.realm(folder.configuration("lines.realm", Log.types))
        let start = realm.snapshot().cursor
        let lines = realm.objects(Log.Line.self)
        let byRoom = lines.sectioned(by: \.room)
        let byClosure = lines.sectioned(sortDescriptors: [.ascending(\.room)]) { $0.room }
        func streams(
            _ cursor: ChangeCursor?
        ) -> [SectionChanges<String, Log.Line>.AsyncIterator] {
            [byRoom, byClosure].map {
                $0.changes(policy: policy, since: cursor, excludingOrigins: ["me"])
                    .makeAsyncIterator()
            }
        }
        var all = streams(nil)
        for index in all.indices {
            try await expectEqual(next(&all[index]), #"["a", "b", "c"]"#)
        }
        // a room less and others before and after the rest, and then a change of another one
        try await realm.write(origin: "me") { tx in
            tx.delete([try tx.line(2), try tx.line(5)])
            try tx.add([Log.Line(6, "B"), Log.Line(7, "d"), Log.Line(8, "d")])
        }
        try await realm.write(origin: "you") { tx in
            try tx.line(4).text = "changed"
            try tx.add(Log.Line(9, "d"))
        }
        try await realm.write(origin: "me") { try $0.add(Log.Line(10, "A")) }
        all += streams(start)
        let rooms = #"["B", "b", "c", "d"]"#
        for index in all.indices {
            try await expectEqual(next(&all[index]), "\(rooms) [[2, 0]] [[3, 2]]")
            try await expectEqual(next(&all[index]), "nothing")
        }
        try await realm.write(origin: "you") { try $0.line(7).text = "changed" }
        for index in all.indices {
            try await expectEqual(
                next(&all[index]), #"["A", "B", "b", "c", "d"] [[4, 0]] []"#)
        }
        await realm.close()
    }
}
