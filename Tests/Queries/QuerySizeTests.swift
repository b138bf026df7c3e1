import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Numbers in queries and streams at their limits: of sort properties and of links in paths given
/// as text, of objects and of levels.
@Suite struct QuerySizeTests {
    /// Sorts have at most 64 properties. Repeated ones count once.
    @Test func sortsMayRepeatProperties() async throws {
        let realm = try await Realm.temporary([Person.self])
        try await realm.write { tx in
            for name in ["b", "a", "c"] { try tx.add(Person(name, age: 1)) }
        }
        // Only the last property tells the objects apart.
        func orders(_ count: Int, _ last: SortOrder<Person>) -> [SortOrder<Person>] {
            Array(repeating: .ascending(\.age), count: count - 1) + [last]
        }
        for count in [63, 64, 65] {
            for (last, names) in [
                (SortOrder<Person>.ascending(\.name), ["a", "b", "c"]),
                (.descending(\.name), ["c", "b", "a"]),
            ] {
                let people = realm.objects(Person.self).sorted(by: orders(count, last))
                expectEqual(people.current.map(\.name), names)
                expectEqual(people.current.limited(to: 2).map(\.name), Array(names.prefix(2)))
                let read = try await realm.read { tx in
                    tx.objects(Person.self).sorted(by: orders(count, last)).map(\.name)
                }
                expectEqual(read, names)
                var stream = people.changes.makeAsyncIterator()
                guard case .initial(let initial)? = try await stream.next() else {
                    Issue.record("no initial collection")
                    return
                }
                expectEqual(initial.map(\.name), names)
                try await realm.write { try $0.add(Person("bb", age: 1)) }
                guard case .update(let now, _)? = try await stream.next() else {
                    Issue.record("no update")
                    return
                }
                let more = names == names.sorted() ? ["a", "b", "bb", "c"] : ["c", "bb", "b", "a"]
                expectEqual(now.map(\.name), more)
                try await realm.write { tx in
                    tx.delete(tx.objects(Person.self).where { $0.name == "bb" })
                }
            }
        }
    }

    // Covers O20
    @Test(arguments: [15, 16, 17, 40]) func pathsAsTextFollowAnyNumberOfLinks(_ count: Int)
        async throws
    {
        let realm = try await Breeders.realm()
        try await realm.write { tx in
            let eve = Pup("Eve", age: 9)
            try tx.add(eve)
            eve.mother = eve
        }
        let path = String(repeating: "mother.", count: count)
        let pups = realm.objects(Pup.self)
        let sorted = try pups.sorted(byKeyPath: "\(path)name", ascending: false)
        expectEqual(sorted.current.map(\.name), ["Eve", "Ada", "Bo", "Cy", "Di"])
        try expectEqual(
            pups.distinct(byKeyPaths: ["\(path)name"]).current.map(\.name), ["Eve"])
        var stream = try pups.changes(keyPaths: ["\(path)nick"]).makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            tx.object(Pup.self, forPrimaryKey: "Ada")?.nick = "not at the end of a path"
            tx.object(Pup.self, forPrimaryKey: "Eve")?.nick = "new"
        }
        guard case .update(let now, let changes)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(changes.newModifications.map { now[$0].name }, ["Eve"])
    }

    /// A search that calls itself for each link of such a path would overflow the stack.
    // Covers O20
    @Test func pathsAsTextMayBeVeryLong() async throws {
        let realm = try await Breeders.realm()
        try await realm.write { tx in
            let eve = Pup("Eve", age: 9)
            try tx.add(eve)
            eve.mother = eve
        }
        let path = String(repeating: "mother.", count: 20_000) + "nick"
        var stream = try realm.objects(Pup.self).changes(keyPaths: [path]).makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { $0.object(Pup.self, forPrimaryKey: "Eve")?.nick = "new" }
        guard case .update(let now, let changes)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(changes.newModifications.map { now[$0].name }, ["Eve"])
    }

    /// Chains of one operator are one level, and a double negation is none.
    @Test(arguments: [63, 64]) func conditionsHaveUpTo64Levels(_ count: Int) async throws {
        let realm = try await Breeders.realm()
        let pups = realm.objects(Pup.self).where { pup in
            var condition = pup.age > 2
            for level in 1..<count {
                condition =
                    level % 2 == 0
                    ? condition && pup.age > 0 && pup.weight != -1
                    : condition || pup.age > 100 || pup.weight == -1
                if level < count - 1 { for _ in 0..<1_000 { condition = !condition } }
            }
            return condition
        }
        expectEqual(pups.current.map(\.name).sorted(), ["Bo", "Cy", "Di"])
        expectEqual(pups.where { $0.age < 8 }.current.map(\.name).sorted(), ["Bo", "Cy"])
        var stream = pups.changes.makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { try $0.add(Pup("Eve", age: 9)) }
        guard case .update(let now, _)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(now.map(\.name).sorted(), ["Bo", "Cy", "Di", "Eve"])
    }

    /// The estimated work for a row grows with each level, beyond what an integer can hold.
    @Test func conditionsOnCollectionsHaveUpTo64Levels() async throws {
        func isAncestor(_ pup: Query<Pup>, _ depth: Int) -> Query<Bool> {
            if depth == 0 { return pup.age > 0 && pup.name == "Di" }
            return pup.children.any { isAncestor($0, depth - 1) }
        }
        let realm = try await Breeders.realm()
        let pups = realm.objects(Pup.self)
        let found = pups.where { $0.age > 0 && isAncestor($0, 2) }
        expectEqual(found.current.map(\.name), ["Ada"])
        let none = pups.where { $0.age > 0 && isAncestor($0, 60) }
        expectTrue(none.current.isEmpty)
        // 16 levels with two collections each
        func text(_ depth: Int, _ level: Int = 0) -> String {
            let object = level == 0 ? "" : "$x\(level)."
            if depth == level { return "\(object)age > 0" }
            let inner = text(depth, level + 1)
            return "\(object)age > 0 AND "
                + "SUBQUERY(\(object)children.children, $x\(level + 1), \(inner)).@count > 0"
        }
        try expectEqual(pups.filter(text(1)).current.map(\.name), ["Ada"])
        try expectTrue(pups.filter(text(16)).current.isEmpty)
    }

    /// The ways through 40 lists of three objects can't be followed one by one.
    // Covers 3.13
    @Test(.timeLimit(.minutes(8))) func pathsLeadThroughAnyNumberOfLists() async throws {
        let realm = try await Realm.temporary([Gadget.self, GadgetPart.self])
        try await realm.write { tx in
            let gadgets = (0..<12).map { id in
                let gadget = Gadget()
                gadget.id = id
                return gadget
            }
            try tx.add(gadgets)
            // The last one is alone.
            for gadget in gadgets.dropLast() {
                gadget.friends.append(objectsIn: (1...3).map { gadgets[(gadget.id + $0) % 11] })
            }
        }
        let path = String(repeating: "friends.", count: 40)
        let all = Array(0..<12)
        let found: [(String, [Int])] = [
            ("\(path)id == 5", Array(0..<11)), ("\(path)id == 11", []),
            ("ALL \(path)id < 11", all), ("NONE \(path)id == 5", [11]),
            ("NONE \(path)id == 11", all), ("ALL \(path)friends.id != 5", [11]),
            ("friends.friends.friends.id == 0", [2, 3, 4, 5, 6, 7, 8]),
            ("friends.friend.friends.friends.id == 0", []),
        ]
        let snapshot = realm.snapshot()
        for (text, ids) in found {
            try expectEqual(snapshot.objects(Gadget.self).filter(text).map(\.id), ids, "\(text)")
            let read = try await realm.read { tx in
                try tx.objects(Gadget.self).filter(text).map(\.id)
            }
            expectEqual(read, ids, "\(text)")
            // A path is followed from each of a few objects.
            let few = try await realm.read { tx in
                try tx.object(Gadget.self, forPrimaryKey: 0)?.friends.filter(text).map(\.id)
            }
            expectEqual(few, [1, 2, 3].filter(ids.contains), "\(text)")
        }
    }

    @Test func conditionsHaveAnyNumberOfTerms() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.objects(Pup.self).where { pup in
            (10..<2_000).reduce(pup.age == 3) { $0 || pup.age == $1 }
        }
        expectEqual(pups.current.map(\.name), ["Bo"])
    }

    /// Each operator adds to the terms of its left side. Copying them would take much longer.
    @Test(.timeLimit(.minutes(8))) func longChainsAreBuiltInLinearTime() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.objects(Pup.self)
        let all = pups.where { pup in
            (0..<500_000).reduce(pup.age > 2) { condition, _ in condition && pup.age != 100 }
        }
        expectEqual(all.current.map(\.name).sorted(), ["Bo", "Cy", "Di"])
    }

    /// Conditions that begin with the same terms don't share the others.
    @Test func aConditionCanBeContinuedTwice() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.objects(Pup.self)
        let found = pups.where { pup in
            let adults = pup.age > 2 && pup.age < 100
            let (bo, cy) = (adults && pup.name == "Bo", adults && pup.name == "Cy")
            let either = bo || cy
            let (one, other) = (either || pup.name == "Ada", either || pup.name == "Di")
            return one && !(other && !either) && adults
        }
        expectEqual(found.current.map(\.name).sorted(), ["Bo", "Cy"])
        let adults = pups.where { pup in
            let adults = pup.age > 2 && pup.age < 100
            _ = adults && pup.name == "Bo"
            return adults
        }
        expectEqual(adults.current.map(\.name).sorted(), ["Bo", "Cy", "Di"])
    }

    @Test func largestNumbersMeanAll() async throws {
        let realm = try await Breeders.realm()
        let pups = realm.objects(Pup.self)
        for limit in [4, 5, Int.max - 1, .max] {
            for limited in [pups, pups.where { $0.age > 0 }, pups.sorted(by: \.age)] {
                expectEqual(limited.limited(to: limit).current.map(\.name).count, 4)
            }
            expectEqual(pups.current.prefix(limit).count, 4)
        }
        var stream = pups.sorted(by: \.age).limited(to: .max).changes(depth: .max)
            .makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { tx in
            tx.object(Pup.self, forPrimaryKey: "Ada")?.nick = "new"
        }
        guard case .update(let now, let changes)? = try await stream.next() else {
            Issue.record("no update")
            return
        }
        expectEqual(changes.newModifications.map { now[$0].name }, ["Ada", "Bo", "Cy", "Di"])
    }

    /// Words are distinguished by their first 64 letters, wherever the realm is read.
    // Covers 10.8, 10.9
    @Test(arguments: [false, true]) func wordsOf64LettersAreFound(isBulk: Bool) async throws {
        let folder = try RealmFolder()
        func open(_ name: String) async throws -> Realm {
            try await Realm.open(folder.configuration(name, [Memo.self, MemoBinder.self]))
        }
        func word(_ count: Int, _ end: String = "") -> String { longText(count) + end }
        let numbers = (1...64).map { "w\($0)" }.joined(separator: " ")
        let texts = [word(63), word(64), word(65), word(64, "y"), word(63, "y"), numbers]
        let searches: [(String, [Int])] = [
            (word(62), []), (word(63), [0]), (word(64), [1, 2, 3]), (word(65), [1, 2, 3]),
            (word(64, "y"), [1, 2, 3]), (word(63, "y"), [4]), (word(63, "*"), [0, 1, 2, 3, 4]),
            (word(64, "*"), [1, 2, 3]), (word(65, "*"), [1, 2, 3]),
            (numbers, [5]), (String(numbers.dropFirst(3)), [5]), ("w1 -w64", []),
        ]
        func check(_ realm: Realm, _ place: String) async throws {
            for (search, ids) in searches {
                let read = try await realm.read { tx in
                    let memos = tx.objects(Memo.self)
                    let filtered = try memos.filter("text TEXT %@", search)
                    return (
                        memos.where { $0.text.matchesText(search) }.map(\.id).sorted(),
                        filtered.map(\.id).sorted()
                    )
                }
                expectTrue(read.0 == ids && read.1 == ids, "\(search), \(place): \(read)")
            }
        }
        let realm = try await open("test.realm")
        try await realm.write { tx in
            for (id, text) in texts.enumerated() { try tx.add(Memo(id, "a \(text) z")) }
            let large = Memo(100, "large")
            if isBulk { large.plain = longText(5 << 20) }
            try tx.add(large)
        }
        try await check(realm, "in the realm itself")
        try await realm.backup(to: folder["copy.realm"])
        await realm.close()
        for name in ["test.realm", "copy.realm"] {
            let again = try await open(name)
            try await check(again, name)
            await again.close()
        }
    }

    /// In a path into a value of any type, a position is two levels, a key three, and any element
    /// one.
    // Covers .invalidQuery
    @Test(arguments: [("[0]", 31), ("['k']", 21), ("", 63)])
    func pathsIntoValuesHaveUpTo64Levels(step: String, limit: Int) async throws {
        let realm = try await Gadgets.realm()
        for count in [limit - 1, limit, limit + 1] {
            try await realm.write { tx in
                let gadget = try requireValue(tx.objects(Gadget.self).where { $0.id == 0 }.first)
                gadget.any = (0..<count).reduce(.int(5)) { value, _ in
                    step == "['k']" ? .fromDictionary(["k": value]) : .fromArray([value])
                }
            }
            let typed = await realmError {
                let ids = try await realm.read { tx in
                    tx.objects(Gadget.self).where { gadget in
                        (0..<count).reduce(gadget.any) { value, _ in
                            step.isEmpty ? value.any : step == "[0]" ? value[0] : value["k"]
                        } == .int(5)
                    }.map(\.id)
                }
                expectEqual(ids, [0], "\(step), \(count)")
            }
            let text = await realmError {
                if step.isEmpty { return }
                let path = "any" + String(repeating: step, count: count)
                let found = try realm.snapshot().objects(Gadget.self).filter("\(path) == 5")
                expectEqual(found.map(\.id), [0], "\(step), \(count)")
            }
            for error in step.isEmpty ? [typed] : [typed, text] {
                expectEqual(error?.code, count > limit ? .invalidQuery : nil, "\(step), \(count)")
                let isDepth = error?.message.contains("more than 64 levels")
                expectTrue(count <= limit || isDepth == true, "\(step), \(count)")
            }
        }
    }
}
