import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// The rules for what counts as modified: depth and key paths.
@Suite struct ObservationMarkTests {
    /// Returns the properties of an object that a stream names after a change; `nil` if it isn't
    /// modified. An object that is added afterwards ends the wait, since insertions are always
    /// reported.
    private func properties<Model: Object>(
        of name: String, _ realm: Realm, _ changes: CollectionChanges<Model>,
        _ nameOf: (Frozen<Model>) -> String, mark: @escaping @Sendable () -> Model,
        _ change: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> [String]? {
        var stream = changes.makeAsyncIterator()
        _ = try await nextInitial(&stream)
        try await realm.write { try change($0) }
        try await realm.write { try $0.add(mark()) }
        let (_, delta) = try await nextUpdate(&stream)
        expectTrue(delta.inserted.map(nameOf) == ["mark"] && delta.deletions == [])
        return delta.modified.first { nameOf($0.old) == name }?.properties
    }

    private func ofWhelp(
        _ name: String, depth: Int, _ change: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> [String]? {
        let realm = try await Self.chain()
        return try await properties(
            of: name, realm, realm.objects(Whelp.self).changes(depth: depth), { $0.name },
            mark: { Whelp("mark") }, change)
    }

    /// Does the same by property name.
    private func ofWhelp(
        _ name: String, _ paths: [String],
        _ change: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> [String]? {
        let realm = try await Self.chain()
        return try await properties(
            of: name, realm, try realm.objects(Whelp.self).changes(keyPaths: paths),
            { $0.name }, mark: { Whelp("mark") }, change)
    }

    /// Does the same for Ann in the kennel.
    private func ofAnn(
        _ paths: [String], _ change: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> [String]? {
        let realm = try await Realm.kennel()
        return try await properties(
            of: "Ann", realm, try realm.objects(Walker.self).changes(keyPaths: paths),
            { $0.name }, mark: { Walker("mark") }, change)
    }

    private func ofAnn(
        _ paths: [PartialKeyPath<Walker>],
        _ change: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> [String]? {
        let realm = try await Realm.kennel()
        return try await properties(
            of: "Ann", realm, realm.objects(Walker.self).changes(keyPaths: paths),
            { $0.name }, mark: { Walker("mark") }, change)
    }

    /// Makes whelps 0 to 5, each the friend of the previous one; Ann walks the first.
    private static func chain() async throws -> Realm {
        let realm = try await Realm.temporary([Walker.self, Whelp.self, Medal.self])
        try await realm.write { tx in
            let whelps = (0...5).map { Whelp("\($0)") }
            for (whelp, friend) in zip(whelps, whelps.dropFirst()) { whelp.friend = friend }
            let ann = Walker("Ann")
            ann.pups.append(whelps[0])
            try tx.add(ann)
        }
        return realm
    }

    private static func grow(_ name: String) -> @Sendable (Transaction) throws -> Void {
        { tx in tx.object(Whelp.self, forPrimaryKey: name)?.age += 1 }
    }

    // Covers 4.28, O18, O19
    @Test(arguments: 0...4) func depthCountsTheLinksThatAreFollowed(depth: Int) async throws {
        for distance in 1...5 {
            let reported = try await ofWhelp("0", depth: depth, Self.grow("\(distance)"))
            expectTrue(reported == (distance <= depth ? ["friend"] : nil), "\(distance)")
        }
        try await expectEqual(ofWhelp("0", depth: depth, Self.grow("0")), ["age"])
    }

    // Covers 4.54, O18, O24
    @Test func collectionsFollowThreeLinksAndObjectsNone() async throws {
        let realm = try await Self.chain()
        var all = realm.objects(Whelp.self).where { $0.name == "0" }.changes.makeAsyncIterator()
        var one = realm.object(Whelp.self, forPrimaryKey: "0").changes.makeAsyncIterator()
        var deep = realm.object(Whelp.self, forPrimaryKey: "0").changes(depth: 1)
            .makeAsyncIterator()
        _ = try await nextInitial(&all)
        _ = try await one.next()
        _ = try await deep.next()
        try await realm.write { try Self.grow("4")($0) }
        try await realm.write { try Self.grow("1")($0) }
        try await realm.write { try Self.grow("3")($0) }
        try await realm.write { $0.object(Whelp.self, forPrimaryKey: "0")?.level = 1 }
        try await expectEqual(nextUpdate(&all).1.modified.map(\.properties), [["level", "friend"]])
        guard case .changed(_, _, ["level"])? = try await one.next(),
            case .changed(_, _, ["level", "friend"])? = try await deep.next()
        else {
            Issue.record("unexpected changes")
            return
        }
        try await realm.write { try Self.grow("3")($0) }
        try await expectEqual(nextUpdate(&all).1.modified.map(\.properties), [["friend"]])
        try await realm.write { try Self.grow("4")($0) }
        try await realm.write { try Self.grow("1")($0) }
        guard case .changed(_, _, ["friend"])? = try await deep.next() else {
            Issue.record("unexpected change")
            return
        }
    }

    // Covers 4.28, O18
    @Test func inversesAreNotFollowedByDepth() async throws {
        let reported = try await ofWhelp("0", depth: 4) { $0.objects(Walker.self)[0].name = "Anna" }
        expectNil(reported)
        let admired = try await ofWhelp("1", depth: 4, Self.grow("0"))
        expectNil(admired)
        let walked = try await ofWhelp("1", depth: 4) { tx in
            let whelp = tx.object(Whelp.self, forPrimaryKey: "1")
            if let whelp { tx.objects(Walker.self)[0].pups.append(whelp) }
        }
        expectNil(walked)
    }

    // Covers 2.31, 4.14, 4.29, O20, O21
    @Test func onlyTheKeyPathsCount() async throws {
        let rename: @Sendable (Transaction) throws -> Void = { tx in
            tx.objects(Walker.self)[0].name = "Ann"
            tx.objects(Walker.self)[0].tags.append("more")
        }
        try await expectEqual(ofAnn(["name"], rename), ["name"])
        try await expectEqual(ofAnn(["tags"], rename), ["tags"])
        try await expectEqual(ofAnn(["tags", "name"], rename), ["name", "tags"])
        try await expectNil(ofAnn(["badge", "favourite"], rename))
        try await expectEqual(ofAnn([\.name], rename), ["name"])
        // An empty array means no filter.
        try await expectEqual(ofAnn([] as [String], rename), ["name", "tags"])
    }

    // Covers 2.31, 4.14, 4.15, O20
    @Test func pathIsHitByEachOfItsBeginnings() async throws {
        let choose: @Sendable (Transaction) throws -> Void = { tx in
            tx.objects(Walker.self)[0].favourite = tx.object(Whelp.self, forPrimaryKey: "Rex")
        }
        try await expectEqual(ofAnn(["favourite.age"], choose), ["favourite"])
        try await expectEqual(ofAnn(["favourite.age"], Self.grow("Fido")), ["favourite"])
        try await expectNil(ofAnn(["favourite.age"], Self.grow("Rex")))
        try await expectNil(ofAnn(["favourite.level"], Self.grow("Fido")))
        try await expectNil(ofAnn(["favourite"], Self.grow("Fido")))
        try await expectEqual(ofAnn(["favourite"], choose), ["favourite"])
        try await expectEqual(ofAnn([\.favourite?.age], Self.grow("Fido")), ["favourite"])

        let drop: @Sendable (Transaction) throws -> Void = {
            $0.objects(Walker.self)[0].pups.removeLast()
        }
        try await expectEqual(ofAnn(["pups.age"], drop), ["pups"])
        try await expectEqual(ofAnn(["pups.age"], Self.grow("Rex")), ["pups"])
        try await expectNil(ofAnn(["pups"], Self.grow("Rex")))
        try await expectEqual(ofAnn(["pups"], drop), ["pups"])
        try await expectEqual(ofAnn([\.pups[0].age], Self.grow("Rex")), ["pups"])
        let weigh: @Sendable (Transaction) throws -> Void = {
            $0.objects(Walker.self)[0].badges[1].weight = 7
        }
        try await expectEqual(ofAnn(["badges.weight"], weigh), ["badges"])
        try await expectNil(ofAnn(["badges.code"], weigh))
    }

    // Covers 4.15, O20
    @Test func pathsHaveNoLimitOfLength() async throws {
        let path = ["friend.friend.friend.friend.friend.age"]
        try await expectEqual(ofWhelp("0", path, Self.grow("5")), ["friend"])
        try await expectNil(ofWhelp("0", path, Self.grow("4")))
        let cut = try await ofWhelp("0", path) { tx in
            tx.object(Whelp.self, forPrimaryKey: "4")?.friend = nil
        }
        expectEqual(cut, ["friend"])
    }

    // Covers 4.57, O22
    @Test func inverseOnAPathIsHitByItsOrigins() async throws {
        let unlink: @Sendable (Transaction) throws -> Void = { tx in
            tx.object(Whelp.self, forPrimaryKey: "0")?.friend = nil
        }
        for path in ["admirers", "admirers.age"] {
            try await expectEqual(ofWhelp("1", [path], unlink), ["admirers"])
            let came = try await ofWhelp("1", [path]) { tx in
                let whelp = Whelp("zero")
                whelp.friend = tx.object(Whelp.self, forPrimaryKey: "1")
                try tx.add(whelp)
                // A separate marker would be a second insertion.
                tx.delete(whelp)
            }
            expectNil(came)
            let gone = try await ofWhelp("0", ["walkers"]) { tx in
                tx.delete(tx.objects(Walker.self)[0])
            }
            expectEqual(gone, ["walkers"])
        }
        try await expectEqual(ofWhelp("1", ["admirers.age"], Self.grow("0")), ["admirers"])
        try await expectNil(ofWhelp("1", ["admirers"], Self.grow("0")))
        let walk: @Sendable (Transaction) throws -> Void = { tx in
            let whelp = tx.object(Whelp.self, forPrimaryKey: "3")
            if let whelp { tx.objects(Walker.self)[0].pups.append(whelp) }
        }
        try await expectEqual(ofWhelp("3", ["walkers.name"], walk), ["walkers"])
        let comes = try await ofWhelp("2", ["walkers"]) { tx in
            let bob = Walker("Bob")
            if let whelp = tx.object(Whelp.self, forPrimaryKey: "2") { bob.pups.append(whelp) }
            try tx.add(bob)
        }
        expectEqual(comes, ["walkers"])
        let renamed = try await ofWhelp("0", ["walkers.name"]) { tx in
            tx.objects(Walker.self)[0].name = "Anna"
        }
        expectEqual(renamed, ["walkers"])
    }

    // Covers 4.29, O20, O21
    @Test func streamsOfOneCollectionHaveEachTheirOwnFilter() async throws {
        let realm = try await Realm.kennel()
        let walkers = realm.objects(Walker.self)
        var names = walkers.changes(keyPaths: [\.name]).makeAsyncIterator()
        var pups = try walkers.changes(keyPaths: ["pups"]).makeAsyncIterator()
        var all = walkers.changes.makeAsyncIterator()
        _ = try await nextInitial(&names)
        _ = try await nextInitial(&pups)
        _ = try await nextInitial(&all)
        try await realm.write { $0.objects(Walker.self)[0].pups.removeLast() }
        try await expectEqual(nextUpdate(&pups).1.modified.map(\.properties), [["pups"]])
        try await expectEqual(nextUpdate(&all).1.modified.map(\.properties), [["pups"]])
        try await realm.write { $0.objects(Walker.self)[1].name = "Bobby" }
        // Deletions are reported whatever the key paths.
        try await realm.write { tx in tx.delete(tx.objects(Walker.self)[0]) }
        let (_, renamed) = try await nextUpdate(&names)
        expectTrue(renamed.modifications == [1] && renamed.deletions == [0])
        expectEqual(renamed.modified.map(\.properties), [["name"]])
        let (_, left) = try await nextUpdate(&pups)
        expectTrue(left.deletions == [0] && left.modifications == [])
    }

    // Covers 4.54, O24
    @Test func objectIsFollowedByItsKeyPaths() async throws {
        let realm = try await Self.chain()
        let live = realm.object(Whelp.self, forPrimaryKey: "0")
        var stream = live.changes(keyPaths: [\.friend?.age]).makeAsyncIterator()
        _ = try await stream.next()
        try await realm.write { $0.object(Whelp.self, forPrimaryKey: "0")?.level = 3 }
        try await realm.write { try Self.grow("1")($0) }
        guard case .changed(_, let new, ["friend"])? = try await stream.next() else {
            Issue.record("unexpected change")
            return
        }
        expectTrue(new.level == 3 && new.friend?.age == 1)
    }

    // Covers 4.57
    @Test func objectIsFollowedByItsInverses() async throws {
        let realm = try await Self.chain()
        let live = realm.object(Whelp.self, forPrimaryKey: "1")
        var plain = live.changes.makeAsyncIterator()
        var admirers = live.changes(keyPaths: [\.admirers]).makeAsyncIterator()
        var ages = try live.changes(keyPaths: ["admirers.age"]).makeAsyncIterator()
        _ = try await plain.next()
        _ = try await admirers.next()
        _ = try await ages.next()
        try await realm.write { try Self.grow("0")($0) }
        guard case .changed(_, _, ["admirers"])? = try await ages.next() else {
            Issue.record("no change of an admirer's age")
            return
        }
        try await realm.write { $0.object(Whelp.self, forPrimaryKey: "0")?.friend = nil }
        guard case .changed(let old, let new, ["admirers"])? = try await admirers.next() else {
            Issue.record("no change of the admirers")
            return
        }
        expectTrue(old.admirers.count == 1 && new.admirers.count == 0)
        try await realm.write { try Self.grow("1")($0) }
        guard case .changed(_, _, ["age"])? = try await plain.next() else {
            Issue.record("unexpected change")
            return
        }
    }

    // Covers 4.13, 12.29, O23
    @Test func pathThatLeadsNowhereIsRefusedByName() async throws {
        let realm = try await Realm.kennel()
        for (path, property, className) in [
            ("nothing", "nothing", "Walker"), ("favourite.nothing", "nothing", "Whelp"),
            ("pups.friend.nothing", "nothing", "Whelp"), ("name.age", "name", "Walker"),
            ("", "", "Walker"),
            // A dot and a combining mark are one `Character`.
            ("favourite.\u{301}name", "\u{301}name", "Whelp"),
        ] {
            let error = #expect(throws: Realm.Error.self) {
                _ = try realm.objects(Walker.self).changes(keyPaths: [path])
            }
            expectEqual(error?.code, .invalidInput, "\(path)")
            expectTrue(error?.className == className && error?.property == property, "\(path)")
            let missing = "\(className) has no property \"\(property)\""
            expectTrue(
                [missing, "\(className).\(property) "].contains {
                    error?.message.contains($0) == true
                }, "\(path)")
        }
        let object = #expect(throws: Realm.Error.self) {
            _ = try realm.object(Whelp.self, forPrimaryKey: "Rex").changes(keyPaths: ["tail"])
        }
        expectTrue(object?.code == .invalidInput && object?.message.contains("tail") == true)
    }
}
