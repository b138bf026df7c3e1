import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Several suites compare states only by `stateHash`, so it depends on everything in a state.
@Suite struct StateHashTests {
    /// One thing that makes a state differ from the plain one.
    private enum Difference: CaseIterable {
        case className, classKind, classCount
        case columnName, columnType, optional, primaryKey, indexed, fullTextIndexed, defaultValue,
            meaning, linkTarget
        case listName, listTarget, listKind, schemaVersion
        case value, null, link, rowCount, nextKey
        case noElements, elements, elementOrder, repeatedElement
    }

    private func state(_ difference: Difference?) throws -> DatabaseRoot {
        /// Returns the first value in the state with this difference, otherwise the second one.
        func pick<T>(_ which: Difference, _ different: T, _ plain: T) -> T {
            difference == which ? different : plain
        }
        let transaction = EngineTransaction(base: .empty)
        if difference == .schemaVersion { transaction.setSchemaVersion(1) }
        let dog = try transaction.addTable(
            name: pick(.className, "Cat", "Dog"), kind: pick(.classKind, .asymmetric, .object),
            columns: [
                ColumnDefinition(
                    name: pick(.columnName, "label", "name"), type: .string,
                    isPrimaryKey: pick(.primaryKey, true, false),
                    isFullTextIndexed: pick(.fullTextIndexed, true, false)),
                ColumnDefinition(
                    name: "age", type: .int, isOptional: pick(.optional, true, false),
                    isIndexed: pick(.indexed, true, false),
                    defaultValue: .int(pick(.defaultValue, 1, 0))),
                ColumnDefinition(
                    name: "weight", type: pick(.columnType, .date, .double), isOptional: true,
                    meaning: pick(.meaning, .scalar(.float), .value)),
                ColumnDefinition(name: "note", type: .string, isOptional: true),
            ])
        let people = try transaction.addTable(name: "Person", columns: [])
        let others = try transaction.addTable(name: "Other", columns: [])
        if difference == .classCount { _ = try transaction.addTable(name: "Third", columns: []) }
        _ = try transaction.addColumn(
            people, .link(name: "friend", to: pick(.linkTarget, others, people)))
        let friends = try transaction.addList(
            people, name: pick(.listName, "mates", "friends"),
            target: pick(.listTarget, others, people), kind: pick(.listKind, .set, .list))

        let note: Value = pick(.null, .null, .string(""))
        _ = try transaction.insert(
            dog, [.string(pick(.value, "Max", "Rex")), .int(3), .null, note])
        _ = try transaction.insert(dog, [.string("Bo"), .int(3), .null, .null])
        if difference == .rowCount {
            _ = try transaction.insert(dog, [.string("Mo"), .int(3), .null, .null])
        }
        let row = try transaction.insert(people, [])
        let friend = try transaction.insert(people, [])
        if difference == .link {
            try transaction.set(people, row, ColumnKey(rawValue: 0), .int(Int64(friend.rawValue)))
        }
        if difference == .nextKey { _ = try transaction.insert(others, []) }
        let elements: [ObjectKey]? =
            switch difference {
            case .listTarget, .noElements: nil
            case .elements: [row]
            case .elementOrder: [friend, row]
            case .repeatedElement: [row, friend, friend]
            default: [row, friend]
            }
        if let elements {
            try transaction.insertIntoList(people, row, friends, at: 0, elements)
        }
        let next = EngineTransaction(base: try commitAndReplay(transaction).root)
        if difference == .nextKey { next.delete(others, ObjectKey(rawValue: 0)) }
        _ = try next.insert(people, [])
        return try commitAndReplay(next).root
    }

    @Test func everyDifferenceChangesTheHash() throws {
        var seen = [try state(nil).stateHash(): "the plain state"]
        for difference in Difference.allCases {
            let hash = try state(difference).stateHash()
            expectNil(seen[hash], "\(difference)")
            seen[hash] = "\(difference)"
        }
        expectEqual(seen.count, Difference.allCases.count + 1)
    }

    /// Changes a row and changes it back, in two commits, so that only the versions of rows differ.
    @Test func rowsOfOtherVersionsAreAnotherState() throws {
        let hashes = try [0, 1, 1].map { row in
            var root = try state(nil)
            for age: Int64 in [4, 3] {
                let transaction = EngineTransaction(base: root)
                try transaction.set(
                    TableKey(rawValue: 0), ObjectKey(rawValue: UInt64(row)), ColumnKey(rawValue: 1),
                    .int(age))
                root = try commitAndReplay(transaction).root
            }
            return root.stateHash()
        }
        expectTrue(hashes[0] != hashes[1])
        expectEqual(hashes[1], hashes[2])
    }
}
