import FoundationEssentials
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Values stored by another version of the program that are invalid for a property's type.
@Suite struct ForeignValueTests {
    /// A version of the program with more cases and wider integers.
    enum Later {
        final class Task: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var status: String
            @Persisted var formerStatus: String?
            @Persisted var priority: Int
            @Persisted var labels: List<String>
            @Persisted var size: Int?
            @Persisted var box = 0
            @Persisted var rank = 1
            @Persisted var sizes: List<Int>
            @Persisted var ranks: List<Int>
            @Persisted var boxes: MutableSet<Int>
            @Persisted var byName: Map<String, Int>
        }
    }

    /// The version of the program that reads what the other one wrote.
    enum Earlier {
        enum Status: String, PersistableEnum {
            case open, done
        }

        enum Rank: Int8, PersistableEnum {
            case zero, one
        }

        final class Task: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var status: Status
            @Persisted var formerStatus: Status?
            @Persisted var priority: Int8
            @Persisted var labels: List<Status>
            @Persisted var size: Int32?
            @Persisted var box = Box<Int16>(0)
            @Persisted var rank = Rank.one
            @Persisted var sizes: List<Int16>
            @Persisted var ranks: List<Rank>
            @Persisted var boxes: MutableSet<Box<Int8>>
            @Persisted var byName: Map<String, Int8>
        }

        final class Priority: Projection<Task> {
            @Projected(\Task.priority) var priority
        }

        final class Size: Projection<Task> {
            @Projected(\Task.size) var size
        }

        final class Ranks: Projection<Task> {
            @Projected(\Task.ranks) var ranks
        }

        final class ByName: Projection<Task> {
            @Projected(\Task.byName) var byName
        }
    }

    /// Runs a body with the earlier program on a realm of the later one.
    private func withEarlier(_ body: (Realm) async throws -> Void) async throws {
        let later = try await Realm.temporary([Later.Task.self])
        try await later.write { tx in
            for (id, status, priority) in [(1, "done", 7), (2, "paused", 300)] {
                let task = Later.Task()
                (task.id, task.status, task.formerStatus) = (id, status, status)
                task.priority = priority
                task.labels.append(objectsIn: ["open", status])
                let large = priority == 300 ? 1 << 40 : 1
                (task.size, task.box, task.rank) = (large, large, large)
                task.sizes.append(large)
                task.ranks.append(large)
                task.boxes.insert(large)
                task.byName["a"] = large
                try tx.add(task)
            }
        }
        try await body(try LaterProgram.core(of: later, [Earlier.Task.self]))
        await later.close()
    }

    @Test func valuesOfTheTypeAreRead() async throws {
        try await withEarlier { realm in
            try await realm.read { tx in
                let task = try requireValue(tx.object(Earlier.Task.self, forPrimaryKey: 1))
                expectTrue(task.status == .done && task.formerStatus == .done && task.priority == 7)
                expectEqual(task.labels.map { $0 }, [.open, .done])
            }
        }
    }

    @Test func unknownCaseOfAnOptionalPropertyIsNil() async throws {
        try await withEarlier { realm in
            try await realm.read { tx in
                let task = try requireValue(tx.object(Earlier.Task.self, forPrimaryKey: 2))
                expectNil(task.formerStatus)
            }
            let task = realm.snapshot().object(Earlier.Task.self, forPrimaryKey: 2)
            expectEqual(task?.formerStatus, .some(nil))
        }
    }

    // Covers 1.34, 1.51
    @Test func requiredPropertyFailsTheTransactionThatReadsIt() async throws {
        try await withEarlier { realm in
            let reads: [(property: String, read: @Sendable (Earlier.Task) -> Void)] = [
                ("status", { _ = $0.status }), ("priority", { _ = $0.priority }),
                ("labels", { _ = $0.labels[1] }),
            ]
            for (property, read) in reads {
                let error = await #expect(throws: Realm.Error.self) {
                    try await realm.read { tx in
                        read(try requireValue(tx.object(Earlier.Task.self, forPrimaryKey: 2)))
                    }
                }
                expectTrue(error?.code == .invalidValue && error?.className == "Task")
                expectEqual(error?.property, property)
                await #expect(throws: Realm.Error.self) {
                    try await realm.write { tx in
                        let task = try requireValue(tx.object(Earlier.Task.self, forPrimaryKey: 2))
                        read(task)
                        task.status = .open
                    }
                }
            }
        }
    }

    // Covers .invalidValue
    @Test func frozenPropertyFailsTheReadOfItsSnapshot() async throws {
        try await withEarlier { realm in
            let task = try requireValue(
                realm.snapshot().object(Earlier.Task.self, forPrimaryKey: 2))
            let errors = [
                #expect(throws: Realm.Error.self) { try task.snapshot.read { _ in task.status } },
                #expect(throws: Realm.Error.self) { try task.snapshot.read { _ in task.priority } },
                #expect(throws: Realm.Error.self) {
                    try task.snapshot.read { _ in task.labels.array }
                },
            ]
            expectTrue(errors.allSatisfy { $0?.code == .invalidValue && $0?.className == "Task" })
            expectEqual(errors.prefix(2).map(\.?.property), ["status", "priority"])
        }
    }

    // Covers 2.21, 2.22, .invalidValue
    @Test func maximumThatDoesNotFitIsAnErrorInAllViews() async throws {
        try await withEarlier { realm in
            let objects = realm.objects(Earlier.Task.self)
            let properties: [(name: String, ask: @Sendable (FrozenResults<Earlier.Task>) -> Void)]
            properties = [
                ("priority", { _ = $0.max(of: \.priority) }), ("size", { _ = $0.max(of: \.size) }),
                ("box", { _ = $0.max(of: \.box) }), ("rank", { _ = $0.max(of: \.rank) }),
                ("sizes", { _ = $0[1].sizes.max() }), ("ranks", { _ = $0[1].ranks.max() }),
                ("boxes", { _ = $0[1].boxes.max() }),
            ]
            for (name, ask) in properties {
                let error = await realmError {
                    try realm.snapshot().read { ask($0.objects(Earlier.Task.self)) }
                }
                expect(error, names: name)
            }
            let live = await realmError {
                try realm.snapshot().read { _ in objects.max(of: \.priority) }
            }
            expect(live, names: "priority")
            let confined: [(name: String, ask: @Sendable (Results<Earlier.Task>) -> Void)] = [
                ("priority", { _ = $0.max(of: \.priority) }), ("size", { _ = $0.max(of: \.size) }),
                ("box", { _ = $0.max(of: \.box) }), ("rank", { _ = $0.max(of: \.rank) }),
                ("sizes", { _ = $0[1].sizes.max() }), ("ranks", { _ = $0[1].ranks.max() }),
                ("boxes", { _ = $0[1].boxes.max() }), ("byName", { _ = $0[1].byName.max() }),
            ]
            for (name, ask) in confined {
                let error = await realmError {
                    try await realm.read { tx in ask(tx.objects(Earlier.Task.self)) }
                }
                expect(error, names: name)
            }
            // the minimum fits
            expectEqual(objects.min(of: \.priority), 7)
            expectEqual(objects.min(of: \.size), 1)
        }
    }

    // Covers 11.14, .invalidValue
    @Test func encodingAValueThatDoesNotFitThrows() async throws {
        try await withEarlier { realm in
            let snapshot = realm.snapshot()
            func error<P>(_ objects: FrozenResults<P>) async -> Realm.Error? {
                await realmError { try JSONEncoder().encode(objects[1]) }
            }
            await expect(error(snapshot.objects(Earlier.Task.self)), names: "status")
            await expect(error(snapshot.objects(Earlier.Priority.self)), names: "priority")
            await expect(error(snapshot.objects(Earlier.Ranks.self)), names: "ranks")
            await expect(error(snapshot.objects(Earlier.ByName.self)), names: "byName")
            await expectEqual(error(snapshot.objects(Earlier.Priority.self))?.key, "2")
            // an optional reads as nil
            let size = try JSONEncoder().encode(snapshot.objects(Earlier.Size.self)[1])
            expectEqual(String(decoding: size, as: UTF8.self), #"{"size":null}"#)
        }
    }

    private func expect(_ error: Realm.Error?, names property: String) {
        expectTrue(error?.code == .invalidValue && error?.className == "Task", "\(property)")
        expectEqual(error?.property, property)
    }

    @Test func unknownCasesAreFoundByTheirRawValue() async throws {
        try await withEarlier { realm in
            let tasks = realm.snapshot().objects(Earlier.Task.self)
            expectEqual(tasks.where { $0.status.rawValue == "paused" }.map(\.id), [2])
            expectEqual(tasks.where { $0.status != .done }.map(\.id), [2])
        }
    }
}
