import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum

private final class SourceNode: Object {
    @Persisted var number: Int
    @Persisted var next: SourceNode?
    @Persisted var others: List<SourceNode>
    @Persisted var labels: List<String>
}

private final class CopiedNode: Object {
    @Persisted var number: Int
    @Persisted var next: CopiedNode?
    @Persisted var others: List<CopiedNode>
    @Persisted var labels: List<String>
}

private final class Slot: EmbeddedObject {
    @Persisted var text: String
}

private final class Rack: Object {
    @Persisted var slots: List<Slot>
}

/// Copying graphs, and lists that are stored together with their objects.
@Suite struct CopyGraphTests {
    /// Passes two objects that link to each other; the links are cut afterwards so that the memory
    /// is freed.
    private func withCircle(_ body: (SourceNode) throws -> Void) rethrows {
        let (first, second) = (SourceNode(value: ["number": 1]), SourceNode(value: ["number": 2]))
        first.next = second
        second.next = first
        first.others.append(objectsIn: [first, second, second])
        try body(first)
        (first.next, second.next) = (nil, nil)
        first.others.removeAll()
    }

    @Test func circleOfOneClassIsCopiedToAnotherClass() throws {
        withCircle { first in
            let copy = CopiedNode(value: first)
            expectTrue(copy.number == 1 && copy.next?.number == 2 && copy.next?.next === copy)
            expectTrue(copy.others[0] === copy && copy.others[1] === copy.next)
            expectTrue(copy.others[2] === copy.next)
            copy.next?.next = nil
            copy.others.removeAll()
        }
    }

    @Test func circleIsCreatedAsObjectsOfAnotherClass() async throws {
        let realm = try await Realm.temporary([SourceNode.self, CopiedNode.self])
        try await realm.write { tx in
            try withCircle { first in
                let copy = try tx.create(CopiedNode.self, value: first)
                expectEqual(copy.next?.next?.isSameObject(as: copy), true)
                expectEqual(tx.objects(CopiedNode.self).count, 2)
            }
        }
        await realm.close()
    }

    @Test func listThatCannotBeStoredLeavesNoElements() async throws {
        let realm = try await Realm.temporary([CopiedNode.self])
        try await realm.write { tx in
            try tx.add(CopiedNode(value: ["labels": ["there"]]))
            let node = CopiedNode(value: ["number": 1])
            node.labels.append(objectsIn: ["a", "b", longText(17_000_000)])
            let error = #expect(throws: Realm.Error.self) { try tx.add(node) }
            expectTrue(error?.code == .invalidValue && error?.property == "labels")
            expectEqual(tx.objects(CopiedNode.self).count, 1)
        }
        let root = realm.core.coordinator.published
        let elements = try requireValue(root.schema.table(named: "CopiedNode.labels"))
        expectEqual(root.count(elements.key), 1)
        await realm.close()
    }

    @Test func embeddedElementIsPutInItsOwnPlace() async throws {
        let realm = try await Realm.temporary([Rack.self, Slot.self])
        try await realm.write { tx in
            let rack = try tx.create(Rack.self, value: ["slots": [["text": "a"], ["text": "b"]]])
            rack.slots[1] = rack.slots[1]
            expectEqual(rack.slots.map(\.text), ["a", "b"])
        }
        await realm.close()
    }
}
