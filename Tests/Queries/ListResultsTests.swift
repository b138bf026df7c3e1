import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

private func sentence(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// Results, positions and aggregates of lists and inverses.
@Suite struct ListResultsTests {
    // Covers 2.2, 2.3, 2.13, 2.16, 2.19, 2.47, 3.1, 3.91
    @Test func resultsOfAListKeepItsOrderAndDuplicates() async throws {
        let realm = try await Breeders.realm()
        try await realm.read { tx in
            let ann = tx.objects(Breeder.self)[0]
            expectEqual(ann.pups.where { $0.age < 9 }.map(\.name), ["Ada", "Bo", "Ada"])
            expectEqual(ann.pups.where { $0.isGood }.map(\.name), ["Ada", "Ada"])
            expectEqual(ann.pups.sorted(by: \.name).map(\.name), ["Ada", "Ada", "Bo"])
            expectEqual(
                ann.pups.sorted(by: \.age, ascending: false).map(\.name), ["Bo", "Ada", "Ada"])
            expectEqual(ann.pups.distinct(by: \.name).map(\.name), ["Ada", "Bo"])
            expectEqual(
                ann.pups.sorted(by: .descending(\.age), .ascending(\.name)).where { $0.age > 1 }
                    .map(\.name), ["Bo"])
            expectEqual(ann.pups.sorted(by: \.mother?.name).map(\.name), ["Ada", "Ada", "Bo"])
            expectEqual(ann.branches.where { $0.size > 1 }.map(\.city), ["Oslo"])
            expectEqual(ann.branches.sorted(by: \.city).first?.city, "Oslo")
            let dan = tx.objects(Breeder.self)[3]
            let pups = dan.pups.where { $0.age > 0 }
            expectTrue(pups.count == 2 && pups[1].name == "Cy" && pups.first?.name == "Di")
            expectTrue(pups.last?.name == "Cy" && pups.prefix(1).map(\.name) == ["Di"])
        }
    }

    // Covers 2.2
    @Test func resultsOfAListFollowIt() async throws {
        let realm = try await Breeders.realm()
        try await realm.write { tx in
            let (ann, pups) = (tx.objects(Breeder.self)[0], tx.objects(Pup.self))
            let old = ann.pups.where { $0.age > 2 }.sorted(by: \.age)
            expectEqual(old.map(\.name), ["Bo"])
            ann.pups.append(pups[3])
            expectEqual(old.map(\.name), ["Bo", "Di"])
            pups[0].age = 4
            expectEqual(old.map(\.name), ["Bo", "Ada", "Ada", "Di"])
            ann.pups.remove(at: 0)
            expectEqual(old.map(\.name), ["Bo", "Ada", "Di"])
            for pup in ann.pups.where({ $0.age > 2 }) { tx.delete(pup) }
            expectTrue(old.isEmpty && ann.pups.isEmpty)
            tx.delete(ann)
            expectTrue(old.isEmpty)
        }
    }

    // Covers 2.10, 2.13, 2.47, 3.1
    @Test func linkingObjectsAreQueriedEachOccurrence() async throws {
        let realm = try await Breeders.realm()
        try await realm.write { tx in
            let pups = tx.objects(Pup.self)
            let ada = pups[0]
            expectEqual(ada.breeders.map(\.name), ["Ann", "Ann"])
            expectEqual(ada.breeders.where { $0.limit == 2 }.map(\.name), ["Ann", "Ann"])
            expectEqual(ada.children.map(\.name), ["Bo", "Cy"])
            expectEqual(ada.children.where { $0.age > 3 }.map(\.name), ["Cy"])
            expectEqual(ada.children.sorted(by: \.age, ascending: false).map(\.name), ["Cy", "Bo"])
            expectTrue(ada.children.sum(of: \.age) == 8 && ada.children.max(of: \.age) == 5)
            expectEqual(pups[2].breeders.sorted(by: \.name, ascending: false).first?.name, "Dan")
            expectEqual(ada.children.index(matching: { $0.age == 5 }), 1)
            pups[3].mother = ada
            expectEqual(ada.children.map(\.name), ["Bo", "Cy", "Di"])
        }
        let unmanaged = Pup("new", age: 1)
        expectTrue(unmanaged.breeders.isEmpty && unmanaged.breeders.sum(of: \.limit) == 0)
        expectNil(unmanaged.breeders.max(of: \.limit))
    }

    // Covers 2.24
    @Test func listsOfObjectsFold() async throws {
        let realm = try await Breeders.realm()
        let unmanaged = List([Pup("a", age: 1), Pup("b", age: 3), Pup("a", age: 1)])
        unmanaged[1].weight = 2.5
        expectTrue(unmanaged.sum(of: \.age) == 5 && unmanaged.min(of: \.age) == 1)
        expectTrue(unmanaged.max(of: \.weight) == 2.5 && unmanaged.average(of: \.weight) == 2.5)
        expectEqual(unmanaged.sum(of: \.mother?.age), 0)
        expectTrue(List<Pup>().average(of: \.age) == nil && List<Pup>().max(of: \.age) == nil)
        try await realm.read { tx in
            let ann = tx.objects(Breeder.self)[0]
            expectTrue(ann.pups.sum(of: \.age) == 5 && ann.pups.average(of: \.weight) == 10)
            expectTrue(ann.pups.min(of: \.age) == 1 && ann.pups.max(of: \.mother?.age) == 1)
            expectEqual(ann.branches.sum(of: \.size), 3)
            expectNil(tx.objects(Breeder.self)[2].pups.max(of: \.age))
        }
    }

    // Covers 2.24
    @Test func listsOfValuesFoldSortAndAreMadeDistinct() async throws {
        let realm = try await Breeders.realm()
        func check(_ scores: List<Int?>, _ tags: List<String>) {
            expectTrue(scores.sum() == 14 && scores.average() == 3.5)
            expectTrue(scores.min() == 1 && scores.max() == 9)
            expectEqual(scores.sorted(ascending: true), [nil, nil, 1, 1, 3, 9])
            expectEqual(scores.sorted(ascending: false), [9, 3, 1, 1, nil, nil])
            expectEqual(scores.distinct(), [3, nil, 1, 9])
            expectEqual(tags.sorted(ascending: true), ["Z", "a", "b", "\u{e9}"])
            expectTrue(scores.index(of: nil) == 1 && scores.firstIndex(of: 9) == 5)
        }
        let breeder = Breeder("Eve")
        breeder.scores.append(objectsIn: [3, nil, 1, nil, 1, 9])
        breeder.tags.append(objectsIn: ["\u{e9}", "b", "a", "Z"])
        check(breeder.scores, breeder.tags)
        let empty = List<Double>()
        expectTrue(empty.sum() == 0 && empty.average() == nil && empty.min() == nil)
        let doubles = List([0.0, .nan, -0.0, 2, .nan])
        expectTrue(doubles.max() == 2 && doubles.distinct().count == 3 && doubles.sum().isNaN)
        try await realm.write { tx in
            try tx.add(breeder)
            check(breeder.scores, breeder.tags)
            let cid = tx.objects(Breeder.self)[2]
            expectTrue(cid.scores.max() == nil && cid.scores.sum() == 0)
        }
    }

    // Covers 2.10, 3.1
    @Test func positionsOfObjects() async throws {
        let realm = try await Breeders.realm()
        try await realm.write { tx in
            let pups = tx.objects(Pup.self)
            let byAge = pups.sorted(by: \.age, ascending: false)
            let (ada, di) = (pups[0], pups[3])
            expectTrue(pups.index(of: ada) == 0 && byAge.index(of: ada) == 3)
            expectTrue(byAge.index(of: di) == 0 && pups.index(of: di) == 3)
            expectNil(pups.where { $0.age > 2 }.index(of: ada))
            expectEqual(pups.where { $0.age > 2 }.index(of: di), 2)
            expectNil(pups.index(of: Pup("other", age: 1)))
            expectEqual(byAge.index(matching: { $0.isGood }), 1)
            expectEqual(byAge.where { $0.age < 5 }.index(matching: { $0.isGood }), 1)
            expectEqual(byAge.index(matching: { $0.mother.name == "Ada" }), 1)
            expectNil(byAge.index(matching: { $0.age > 100 }))
            expectEqual(byAge.objects(at: [3, 0]).map(\.name), ["Ada", "Di"])
            let ann = tx.objects(Breeder.self)[0]
            expectEqual(ann.pups.index(of: pups[1]), 1)
            expectEqual(ann.pups.index(matching: { $0.name == "Bo" }), 1)
            expectEqual(ann.pups.objects(at: [1, 2]).map(\.name), ["Bo", "Ada"])
            expectEqual(ann.pups.where { $0.age > 0 }.index(of: pups[1]), 1)
        }
        let live = realm.objects(Pup.self).sorted(by: \.age, ascending: false)
        expectEqual(live.index(matching: { $0.isGood }), 1)
        expectEqual(live.current.index(matching: { $0.toys.count == 2 }), 3)
    }

    // Covers 2.3, 2.5, 3.103
    @Test func slicesFindNoMoreThanTheyNeed() async throws {
        let realm = try await Breeders.realm()
        try await realm.write { tx in
            let byAge = tx.objects(Pup.self).sorted(by: \.age, ascending: false)
            let slice = byAge[1..<3]
            expectTrue(slice.map(\.name) == ["Cy", "Bo"] && slice.count == 2)
            expectTrue(byAge[0..<0].isEmpty && byAge[...].count == 4 && byAge[2...].count == 2)
            expectEqual(byAge.dropFirst(3).map(\.name), ["Ada"])
            // Positions are looked up again.
            tx.objects(Pup.self)[0].age = 6
            expectEqual(slice.map(\.name), ["Ada", "Cy"])
            expectTrue(byAge.last?.name == "Bo" && byAge.first?.name == "Di")
        }
    }

    @Test func queriesOfUnmanagedListsTrap() async {
        let condition = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Breeder("Ann").pups.where { $0.age > 1 }
        }
        expectTrue(sentence(condition).contains("where was called on an unmanaged List<Pup>"))
        let sort = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Pup("Ada", age: 1).children.sorted(by: \.age)
        }
        expectTrue(
            sentence(sort).contains("sorted(by:) was called on an unmanaged LinkingObjects<Pup>"))
    }
}
