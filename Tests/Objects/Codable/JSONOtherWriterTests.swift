import Foundation
import RegnumEngine
import RegnumJSON
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// A class with a list, and with links to classes with and without a primary key.
final class JSONClub: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var size: Int
    @Persisted var members: List<String>
    @Persisted var next: JSONClub?
    @Persisted var thing: JSONThing?
}

/// The lines of a text, interleaved with other steps.
private struct JSONSteps: AsyncSequence, Sendable {
    enum Step: Sendable {
        case line(String)
        case act(@Sendable () async throws -> Void)
    }

    let steps: [Step]

    init(_ steps: Step...) { self.steps = steps }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Step>

        mutating func next() async throws -> [UInt8]? {
            while let step = rest.popFirst() {
                switch step {
                case .line(let line): return Array((line + "\n").utf8)
                case .act(let body): try await body()
                }
            }
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: steps[...]) }
}

/// Imports of objects that other transactions change or delete between the batches.
@Suite struct JSONOtherWriterTests {
    private let realm: Realm

    init() async throws { realm = try await Realm.json([JSONClub.self] + jsonTypes) }

    private func club(_ name: String, _ values: String = "") -> JSONSteps.Step {
        .line(#"{"class":"JSONClub","values":{"name":"\#(name)"\#(values)}}"#)
    }

    private func thing(_ key: Int, _ values: String = "") -> JSONSteps.Step {
        .line(#"{"class":"JSONThing","key":\#(key),"values":{"tag":\#(key)\#(values)}}"#)
    }

    /// Returns a step that runs another transaction between two batches.
    private func write(_ body: @escaping @Sendable (Transaction) throws -> Void) -> JSONSteps.Step {
        .act { [realm] in try await realm.write(body) }
    }

    @discardableResult
    private func run(
        _ text: JSONSteps, update: Realm.UpdatePolicy = .error
    ) async throws -> Realm.ImportSummary {
        try await realm.importJSON(from: text, update: update, batchSize: 1)
    }

    private var clubs: [String: Int] {
        let clubs = realm.snapshot().objects(JSONClub.self)
        return Dictionary(clubs.map { ($0.name, $0.size) }, uniquingKeysWith: { $1 })
    }

    @Test func failedImportKeepsWhatOthersHaveStored() async throws {
        let text = JSONSteps(
            club("a", #","next":"b""#), club("c", #","next":"d""#), club("e", #","next":"f""#),
            write { tx in
                try tx.create(
                    JSONClub.self, value: ["name": "b", "size": 3], update: .modified)
                let club = try requireValue(tx.object(JSONClub.self, forPrimaryKey: "d"))
                club.members.append("Ann")
            },
            .line("{"))
        let error = await realmError { try await run(text) }
        expectTrue(error?.code == .invalidInput && error?.line == 4)
        // only the placeholder without changes is deleted
        expectEqual(clubs, ["a": 0, "b": 3, "c": 0, "d": 0, "e": 0])
        let clubs = realm.snapshot().objects(JSONClub.self)
        expectEqual(clubs.first { $0.name == "a" }?.next?.size, 3)
        expectEqual(clubs.first { $0.name == "d" }?.members.map { $0 }, ["Ann"])
        expectNil(clubs.first { $0.name == "e" }?.next)
    }

    @Test func failedBatchFillsNoPlaceholder() async throws {
        let text = JSONSteps(
            club("a", #","next":"b""#), club("c", #","next":"d""#),
            // in one transaction, which is rolled back
            club("b"), .line("{"))
        let error = await realmError { try await realm.importJSON(from: text, batchSize: 2) }
        expectTrue(error?.code == .invalidInput && error?.line == 4)
        expectEqual(clubs, ["a": 0, "c": 0])
    }

    @Test(arguments: [Realm.UpdatePolicy.error, .modified, .all])
    func policyAppliesToPlaceholdersThatOthersHaveStored(
        _ update: Realm.UpdatePolicy
    ) async throws {
        let text = JSONSteps(
            club("a", #","next":"b""#),
            write { tx in
                try tx.create(
                    JSONClub.self, value: ["name": "b", "size": 3], update: .modified)
            },
            club("b", #","size":4"#))
        let error = await realmError { try await run(text, update: update) }
        if update == .error {
            expectTrue(error?.code == .duplicatePrimaryKey && error?.line == 2 && error?.key == "b")
        } else {
            expectNil(error)
        }
        expectEqual(clubs, ["a": 0, "b": update == .error ? 3 : 4])
    }

    @Test func whatOthersStoreIsNotMissing() async throws {
        let text = JSONSteps(
            club("a", #","next":"b""#), club("c", #","next":"d""#),
            write { tx in
                try tx.create(
                    JSONClub.self, value: ["name": "b", "size": 3], update: .modified)
                // deleted, and created again as another row
                tx.delete(try requireValue(tx.object(JSONClub.self, forPrimaryKey: "d")))
                try tx.create(JSONClub.self, value: ["name": "d"])
            })
        try await expectEqual(run(text).objectCount, 2)
        expectEqual(clubs, ["a": 0, "b": 3, "c": 0, "d": 0])
    }

    @Test func deletedPlaceholdersAreMadeAgainByTheirLines() async throws {
        let deletion = write { tx in
            tx.delete(tx.objects(JSONClub.self))
            tx.delete(tx.objects(JSONThing.self))
        }
        let text = JSONSteps(
            thing(1, #","other":2"#), club("a", #","next":"b""#), deletion,
            thing(2), club("b", #","size":4"#), thing(3, #","other":2"#),
            club("c", #","next":"b""#))
        try await expectEqual(run(text).objectCount, 6)
        let things = realm.snapshot().objects(JSONThing.self)
        expectTrue(things.map(\.tag) == [2, 3] && things[1].other?.tag == 2)
        expectEqual(clubs, ["b": 4, "c": 0])
        let last = realm.snapshot().object(JSONClub.self, forPrimaryKey: "c")
        expectEqual(last?.next?.size, 4)
    }

    @Test func linkToADeletedObjectIsAnErrorOfItsLine() async throws {
        for text in [
            JSONSteps(
                thing(1), write { $0.delete($0.objects(JSONThing.self)) },
                thing(2, #","others":[2,1]"#)),
            JSONSteps(
                thing(7, #","other":1"#), write { $0.delete($0.objects(JSONThing.self)) },
                thing(2, #","other":1"#)),
        ] {
            let error = await realmError { try await run(text) }
            expectTrue(error?.code == .invalidInput && error?.line == 2)
            expectEqual(error?.className, "JSONThing")
            expectEqual(error?.message.contains("the JSONThing with the key 1, which is"), true)
            // the object with the link stays, and the placeholder is deleted
            expectEqual(realm.snapshot().objects(JSONThing.self).map(\.tag), [2])
            try await realm.write { $0.delete($0.objects(JSONThing.self)) }
        }
    }

    @Test func keyThatStandsTwiceIsRefusedAlsoIfItsObjectIsGone() async throws {
        let text = JSONSteps(
            thing(4), write { $0.delete($0.objects(JSONThing.self)) }, thing(4))
        let error = await realmError { try await run(text) }
        expectTrue(error?.code == .duplicatePrimaryKey && error?.key == "4" && error?.line == 2)
    }

    @Test func placeholderWithoutAPrimaryKeyThatWasChangedGetsItsLine() async throws {
        let change = write { tx in tx.objects(JSONThing.self).last?.text = "changed" }
        let both = JSONSteps(thing(1, #","other":2"#), change, thing(2, #","double":0.5"#))
        try await expectEqual(run(both).objectCount, 2)
        let things = realm.snapshot().objects(JSONThing.self)
        expectTrue(things.map(\.text) == ["initial", "changed"] && things[1].double == 0.5)
        let one = JSONSteps(thing(3, #","other":4"#), change)
        await expectEqual(realmError { try await run(one) }?.code, .invalidInput)
        expectEqual(realm.snapshot().objects(JSONThing.self).map(\.tag), [1, 2, 3, 0])
    }

    @Test(.timeLimit(.minutes(8)))
    func cancelledImportDoesNotWaitForTheWritesOfOthers() async throws {
        let turn = Turn()
        let text = JSONSteps(
            club("a", #","next":"b""#),
            .act { [realm] in
                // the turn is released after the import has ended
                await turn.take(try await realm.core.coordinator.beginWrite())
                withUnsafeCurrentTask { $0?.cancel() }
            },
            club("b"))
        let task = Task { try await realm.importJSON(from: text, batchSize: 1) }
        await #expect(throws: CancellationError.self) { try await task.value }
        expectEqual(clubs, ["a": 0, "b": 0])
        let taken = try #require(await turn.value)
        try await realm.core.coordinator.abandon(taken)
        for try await change in realm.objects(JSONClub.self).changes {
            if change.collection.count == 1 { break }
        }
        expectEqual(clubs, ["a": 0])
    }

    private actor Turn {
        private(set) var value: WriteTurn?

        func take(_ turn: WriteTurn) { value = turn }
    }
}
