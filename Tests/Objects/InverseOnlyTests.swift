import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Classes with inverses and nothing else, and their schemas.
@Suite struct InverseOnlyTests {
    final class InvRoot: Object {
        @Persisted(originProperty: "root") var leaves: LinkingObjects<InvLeaf>
    }
    final class InvLeaf: Object {
        @Persisted var root: InvRoot?
        @Persisted var number: Int
        @Persisted var any: AnyRealmValue
        @Persisted(indexed: true) var indexedAny: AnyRealmValue
    }
    final class InvAstray: Object {
        @Persisted var number: Int
        @Persisted var leaves: LinkingObjects<InvLeaf>
    }
    final class InvMapped: Object { @Persisted var counts: Map<String, Int> }
    final class InvNarrow: Object {
        @Persisted var numbers: List<Int8>
        @Persisted(originProperty: "numbers") var inverse: LinkingObjects<InvNarrow>
    }

    // Covers 1.69
    @Test func objectsAreStoredAndLinkedTo() async throws {
        let folder = try RealmFolder()
        let configuration = folder.configuration("a.realm", [InvRoot.self, InvLeaf.self])
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            let root = InvRoot()
            try tx.add([InvRoot(), root])
            for number in 1...3 {
                try tx.create(InvLeaf.self, value: ["root": root, "number": number])
            }
            expectEqual(root.leaves.map(\.number), [1, 2, 3])
        }
        await realm.close()
        let again = try await Realm.open(configuration)
        expectEqual(again.snapshot().objects(InvRoot.self).map { $0.leaves.count }, [0, 3])
        try await again.write { tx in
            tx.delete(tx.objects(InvRoot.self)[1])
            expectEqual(tx.objects(InvRoot.self).count, 1)
            expectTrue(tx.objects(InvLeaf.self).allSatisfy { $0.root == nil })
        }
        await again.close()
    }

    // Covers 1.75
    @Test func schemaListsStoredProperties() {
        let (root, leaf) = (InvRoot().objectSchema, InvLeaf().objectSchema)
        expectTrue(root.properties.isEmpty && root["leaves"]?.type == .linkingObjects)
        expectTrue("\(root)".contains("leaves: LinkingObjects<InvLeaf>, of root"))
        expectEqual(leaf.properties.map(\.name), ["root", "number", "any", "indexedAny"])
        expectEqual(leaf.properties.map(\.isOptional), [true, false, false, false])
        expectEqual(leaf.properties.map(\.isIndexed), [false, false, false, true])
        expectTrue("\(leaf)".contains("any: AnyRealmValue\n"))
    }

    // Covers 1.50
    @Test func wrongInversesAreNamed() async throws {
        let astray = await realmError {
            try await Realm.temporary([InvAstray.self, InvLeaf.self, InvRoot.self])
        }
        expectEqual(
            astray?.message.contains(
                "InvAstray.leaves doesn't name the property of InvLeaf whose inverse it is"), true)
        let narrow = await realmError { try await Realm.temporary([InvNarrow.self]) }
        expectEqual(
            narrow?.message.contains("which is of type List<Int8>"), true, "\(narrow as Any)")
    }

    // Covers 12.19
    @Test func keyOfAnErrorIsTheTextItself() async throws {
        let realm = try await Realm.temporary(bookClasses)
        let error = await realmError {
            try await realm.write { tx in try tx.add([Book("a \"b\""), Book("a \"b\"")]) }
        }
        expectTrue(error?.code == .duplicatePrimaryKey && error?.key == "a \"b\"")
    }

    @Test func keyOfAMapThatIsTooLongIsNamed() async throws {
        let realm = try await Realm.temporary([InvMapped.self])
        let key = String(repeating: "k", count: 16_777_200)
        for isManaged in [false, true] {
            let error = await realmError {
                try await realm.write { tx in
                    let mapped = InvMapped()
                    if isManaged { try tx.add(mapped) }
                    mapped.counts[key] = 1
                    if !isManaged { try tx.add(mapped) }
                }
            }
            expectTrue(error?.className == "InvMapped" && error?.property == "counts")
            expectEqual(
                error?.message.hasPrefix("InvMapped.counts was given a key of 16777200 bytes"),
                true, "\(error?.message.prefix(200) ?? "")")
        }
        let created = await realmError {
            try await realm.write { tx in
                try tx.create(InvMapped.self, value: ["counts": [key: 1]])
            }
        }
        let shown = "counts[\"" + String(repeating: "k", count: 100) + "…\"]"
        expectEqual(created?.valuePath, shown)
    }
}
