import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

private final class Maker: Object {
    @Persisted var text: String
    @Persisted var items: List<AnyRealmValue>
    @Persisted var content: AnyRealmValue
    @Persisted var byName: Map<String, AnyRealmValue>

    var madeObject: AnyRealmValue { .object(AnyPet("new")) }
    var madeList: AnyRealmValue { .fromArray([.string(text), .object(AnyPet("new"))]) }
    var plainList: AnyRealmValue { .fromArray([.string(text), .fromDictionary(["t": content])]) }
    var wholeList: AnyRealmValue { .list(items) }
    var wholeMap: AnyRealmValue { .dictionary(byName) }
    var inner: AnyRealmValue { content.dictionaryValue?["in"] ?? .none }
    var loop: AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(.list(list))
        list.append(.list(list))
        return .list(list)
    }
}

/// Values of any type returned by computed properties of frozen objects.
@Suite struct AnyComputedTests {
    private func realm() async throws -> Realm {
        let realm = try await Realm.temporary(anyClasses + [Maker.self])
        try await realm.write { tx in
            let maker = Maker()
            maker.text = "t"
            maker.items.append(objectsIn: [.int(1), .fromArray([.object(AnyPet("Rex"))])])
            maker.content = .fromDictionary(["in": .fromArray([.int(7)])])
            maker.byName["a"] = .int(2)
            try tx.add(maker)
        }
        return realm
    }

    @Test func storedAndMadeListsAreValues() async throws {
        let realm = try await realm()
        let maker = realm.snapshot().objects(Maker.self)[0]
        let content = FrozenAnyValue.dictionary(["in": .list([.int(7)])])
        expectEqual(maker.content, content)
        expectEqual(maker.plainList, .list([.string("t"), .dictionary(["t": content])]))
        expectEqual(maker.wholeList[0], .int(1))
        expectEqual(maker.wholeList[1]?[0]?.object(AnyPet.self)?.name, "Rex")
        expectEqual(maker.wholeMap, .dictionary(["a": .int(2)]))
        expectEqual(maker.inner, .list([.int(7)]))
    }

    // Covers .invalidInput
    @Test func objectsThatAreNotStoredAreErrors() async throws {
        let snapshot = try await realm().snapshot()
        let maker = snapshot.objects(Maker.self)[0]
        let errors = [
            #expect(throws: Realm.Error.self) { try snapshot.read { _ in _ = maker.madeObject } },
            #expect(throws: Realm.Error.self) { try snapshot.read { _ in _ = maker.madeList } },
        ]
        for error in errors {
            expectTrue(error?.code == .invalidInput && error?.className == "Maker")
            expectEqual(error?.message.contains("AnyPet"), true)
        }
    }

    // Covers .invalidValue
    @Test func listThatLiesInItselfIsAnError() async throws {
        let snapshot = try await realm().snapshot()
        let maker = snapshot.objects(Maker.self)[0]
        let error = #expect(throws: Realm.Error.self) { try snapshot.read { _ in _ = maker.loop } }
        expectTrue(error?.code == .invalidValue && error?.className == "Maker")
        expectEqual(error?.message.contains("100 levels"), true)
    }
}
