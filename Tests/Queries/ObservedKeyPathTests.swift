import FoundationEssentials
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private func sentence(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// The changes that a stream with key paths reports.
@Suite struct ObservedKeyPathTests {
    private static let pup = ClassSchema.of(Pup.self)
    private static let breeder = ClassSchema.of(Breeder.self)

    private func paths(_ filter: KeyPathFilter) -> [ChangePath] {
        if case .paths(let paths) = filter.filter { paths } else { [] }
    }

    private func expect<Model: ObjectBase>(
        _ keyPath: PartialKeyPath<Model>, _ text: String, _ hops: [Hop],
        _ last: ChangePath.FinalComponent
    ) throws {
        let schema = ClassSchema.of(Model.self)
        let expected = ChangePath(hops: hops, last: last)
        for _ in 0..<2 {  // resolved, then cached
            let typed = ChangeFilter.paths([keyPath], of: schema)
            expectEqual(paths(typed), [expected], "\(text)")
            let named = try ChangeFilter.paths([text], of: schema)
            expectEqual(paths(named), paths(typed), "\(text)")
            expectEqual(named.firstProperties, typed.firstProperties, "\(text)")
            let first = text.split(separator: ".").first.map { String($0) }
            expectEqual(typed.firstProperties.map { schema.properties[$0].name }, [first])
        }
    }

    @Test func pathsLeadThroughLinksAndEmbeddedObjects() throws {
        try expect(\Pup.name, "name", [], .property("name"))
        try expect(\Pup.nick, "nick", [], .property("nick"))
        try expect(\Pup.coat, "coat", [], .property("coat"))
        try expect(\Pup.mother, "mother", [], .property("mother"))
        try expect(
            \Pup.mother?.name, "mother.name", [.link("mother", to: "Pup")], .property("name"))
        try expect(
            \Pup.mother?.mother?.nick, "mother.mother.nick",
            [.link("mother", to: "Pup"), .link("mother", to: "Pup")], .property("nick"))
        try expect(
            \Breeder.kennel?.yard?.area, "kennel.yard.area",
            [.link("kennel", to: "PupHome"), .link("yard", to: "PupYard")], .property("area"))
        try expect(
            \Breeder.favourite?.mother, "favourite.mother", [.link("favourite", to: "Pup")],
            .property("mother"))
    }

    // Covers 2.31, O20
    @Test func pathsLeadThroughListsAndInverses() throws {
        try expect(\Pup.toys, "toys", [], .property("toys"))
        try expect(\Breeder.pups, "pups", [], .property("pups"))
        try expect(\Pup.breeders, "breeders", [], .backlinks(name: "pups", target: "Breeder"))
        try expect(\Pup.children, "children", [], .backlinks(name: "mother", target: "Pup"))
        try expect(
            \Breeder.pups[0].name, "pups.name", [.list("pups", of: "Pup")], .property("name"))
        try expect(
            \Breeder.pups[7].toys, "pups.toys", [.list("pups", of: "Pup")], .property("toys"))
        try expect(
            \Breeder.branches[0].yard?.note, "branches.yard.note",
            [.list("branches", of: "PupHome"), .link("yard", to: "PupYard")], .property("note"))
        try expect(
            \Pup.breeders[0].name, "breeders.name", [.backlinks("pups", of: "Breeder")],
            .property("name"))
        try expect(
            \Pup.children[0].mother?.breeders[0].pups[1].mother?.age,
            "children.mother.breeders.pups.mother.age",
            [
                .backlinks("mother", of: "Pup"), .link("mother", to: "Pup"),
                .backlinks("pups", of: "Breeder"), .list("pups", of: "Pup"),
                .link("mother", to: "Pup"),
            ], .property("age"))
        try expect(
            \Breeder.favourite?.children, "favourite.children", [.link("favourite", to: "Pup")],
            .backlinks(name: "mother", target: "Pup"))
        try expect(
            \Breeder.favourite?.toys, "favourite.toys", [.link("favourite", to: "Pup")],
            .property("toys"))
        try expect(
            \Breeder.pups[0].children[0].mother, "pups.children.mother",
            [.list("pups", of: "Pup"), .backlinks("mother", of: "Pup")], .property("mother"))
    }

    @Test func computedPropertiesThatGiveAStoredOneUnchangedNameIt() {
        let filter = ChangeFilter.paths([\Pup.motherName], of: Self.pup)
        expectEqual(
            paths(filter), [ChangePath(hops: [.link("mother", to: "Pup")], last: .property("name"))]
        )
    }

    @Test func eachPathHasItsFirstProperty() throws {
        let filter = try ChangeFilter.paths(
            ["mother.name", "age", "mother.age", "children"], of: Self.pup)
        let names = filter.firstProperties.map { Self.pup.properties[$0].name }
        expectEqual(names, ["mother", "age", "mother", "children"])
        expectEqual(paths(filter).count, 4)
        let none = try ChangeFilter.paths([] as [String], of: Self.pup)
        expectTrue(none.filter == .paths([]) && none.firstProperties.isEmpty)
    }

    @Test(arguments: [
        ("nme", "nme", "Pup"), ("", "", "Pup"), ("mother.nme", "nme", "Pup"),
        ("breeders.nme", "nme", "Breeder"), ("breeders.kennel.nme", "nme", "PupHome"),
        ("mother.", "", "Pup"), (".name", "", "Pup"), ("mother..name", "", "Pup"),
        ("mother.pups", "pups", "Pup"), ("breeders.*", "*", "Breeder"),
        ("age.name", "age", "Pup"), ("toys.value", "toys", "Pup"),
        ("breeders.kennel.city.name", "city", "PupHome"), ("Mother.name", "Mother", "Pup"),
    ])
    func textThatNamesNoPropertyIsRefused(_ text: String, _ property: String, _ model: String) {
        let error = #expect(throws: Realm.Error.self) {
            _ = try ChangeFilter.paths(["name", text], of: Self.pup)
        }
        expectEqual(error?.code, .invalidInput)
        expectEqual(error?.property, property)
        expectEqual(error?.className, model)
        expectTrue(error?.message.contains("\"\(text)\"") ?? false)
        let names = ["\(model) has no property \"\(property)\"", "\(model).\(property) "]
        expectTrue(names.contains { error?.message.contains($0) == true })
    }

    @Test func keyPathsOfComputedPropertiesTrap() async {
        let computed = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ChangeFilter.paths([\Pup.ageAsText], of: ClassSchema.of(Pup.self))
        }
        expectTrue(sentence(computed).contains("is not a @Persisted property of Pup"))
        let linked = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ChangeFilter.paths([\Breeder.pups[0].ageAsText], of: ClassSchema.of(Breeder.self))
        }
        expectTrue(sentence(linked).contains("is not a @Persisted property of Breeder"))
        let fallback = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ChangeFilter.paths([\Pup.motherNameOrNone], of: ClassSchema.of(Pup.self))
        }
        expectTrue(sentence(fallback).contains("is not a @Persisted property of Pup"))
        let forced = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ChangeFilter.paths(
                [\Breeder.pups[0].mother!.age], of: ClassSchema.of(Breeder.self))
        }
        expectTrue(sentence(forced).contains("(\\.link?.property)"))
    }

    // Covers O20
    @Test func keyPathsFollowUpTo16Links() async {
        let longest: PartialKeyPath<Pup> =
            \.children[0].children[0].children[0].children[0].children[0].children[0].children[0]
            .children[0].children[0].children[0].children[0].children[0].children[0].children[0]
            .children[0].children[0].name
        let path = ClassSchema.of(Pup.self).observedPath(of: longest)
        expectEqual(path?.properties.count, 17)
        let inverses = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let longer: PartialKeyPath<Pup> =
                \.children[0].children[0].children[0].children[0].children[0].children[0]
                .children[0].children[0].children[0].children[0].children[0].children[0]
                .children[0].children[0].children[0].children[0].children[0].name
            _ = ChangeFilter.paths([longer], of: ClassSchema.of(Pup.self))
        }
        expectTrue(sentence(inverses).contains("A key path of Pup follows more than 16 links"))
    }

    @Test func keyPathsOfCountsElementsAndValuesTrap() async {
        let count = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ChangeFilter.paths([\Breeder.pups.count], of: ClassSchema.of(Breeder.self))
        }
        expectTrue(sentence(count).contains("is not a @Persisted property of Breeder"))
        let element = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ChangeFilter.paths([\Breeder.pups[0]], of: ClassSchema.of(Breeder.self))
        }
        expectTrue(sentence(element).contains("is not a @Persisted property of Breeder"))
        let value = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ChangeFilter.paths([\Pup.toys[3]], of: ClassSchema.of(Pup.self))
        }
        expectTrue(sentence(value).contains("(\\.list[0].property)"))
        let last = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ChangeFilter.paths([\Pup.lastToy], of: ClassSchema.of(Pup.self))
        }
        expectTrue(sentence(last).contains("is not a @Persisted property of Pup"))
    }

    @Test func sortsKnowNoPathsThroughLists() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ChangeFilter.paths([\Breeder.pups[0].name], of: ClassSchema.of(Breeder.self))
            let realm = try await Breeders.realm()
            _ = realm.objects(Breeder.self).sorted(by: \.pups[0].name)
        }
        expectTrue(sentence(result).contains("the count is 0"))
    }
}

extension ChangeFilter {
    fileprivate static func paths<Model: ObjectBase>(
        _ keyPaths: [PartialKeyPath<Model>], of schema: ClassSchema
    ) -> KeyPathFilter {
        schema.filter(keyPaths)
    }

    fileprivate static func paths(
        _ keyPaths: [String], of schema: ClassSchema
    ) throws -> KeyPathFilter {
        try schema.filter(of: schema.type, keyPaths)
    }
}
