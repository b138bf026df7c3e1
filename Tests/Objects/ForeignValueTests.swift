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
        }
    }

    /// The version of the program that reads what the other one wrote.
    enum Earlier {
        enum Status: String, PersistableEnum {
            case open, done
        }

        final class Task: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var status: Status
            @Persisted var formerStatus: Status?
            @Persisted var priority: Int8
            @Persisted var labels: List<Status>
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
                try tx.add(task)
            }
        }
        try await body(try LaterProgram.core(of: later, [Earlier.Task.self]))
        await later.close()
    }

    @Test func valuesOfTheTypeAreRead() async throws {
        try await withEarlier { realm in
            try await realm.read { tx in
                let task = try #require(tx.object(Earlier.Task.self, forPrimaryKey: 1))
                expectTrue(task.status == .done && task.formerStatus == .done && task.priority == 7)
                expectEqual(task.labels.map { $0 }, [.open, .done])
            }
        }
    }

    @Test func unknownCaseOfAnOptionalPropertyIsNil() async throws {
        try await withEarlier { realm in
            try await realm.read { tx in
                let task = try #require(tx.object(Earlier.Task.self, forPrimaryKey: 2))
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
                        read(try #require(tx.object(Earlier.Task.self, forPrimaryKey: 2)))
                    }
                }
                expectTrue(error?.code == .invalidValue && error?.className == "Task")
                expectEqual(error?.property, property)
                await #expect(throws: Realm.Error.self) {
                    try await realm.write { tx in
                        let task = try #require(tx.object(Earlier.Task.self, forPrimaryKey: 2))
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
            let task = try #require(
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

    @Test func unknownCasesAreFoundByTheirRawValue() async throws {
        try await withEarlier { realm in
            let tasks = realm.snapshot().objects(Earlier.Task.self)
            expectEqual(tasks.where { $0.status.rawValue == "paused" }.map(\.id), [2])
            expectEqual(tasks.where { $0.status != .done }.map(\.id), [2])
        }
    }
}
