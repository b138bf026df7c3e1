import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Lists whose leaves contradict themselves, as in a forged file. Writes to them must not seem to
/// succeed, or lead to records that can't be applied.
@Suite struct ForgedListTests {
    private let table = TableKey(rawValue: 0)
    private let list = ListKey(rawValue: 0)
    private let owner = ObjectKey(rawValue: 0)

    /// Rows with a list, of which the first has 200 elements. If forged, the second half of the
    /// first leaf belongs to another row.
    private func makeRoot(isForged: Bool) throws -> (root: DatabaseRoot, leaf: IndexLeaf) {
        let transaction = EngineTransaction(base: .makeEmpty())
        _ = try transaction.addTable(name: "A", columns: [])
        _ = try transaction.addList(table, name: "list", target: table)
        let rows = try (0..<200).map { _ in try transaction.insert(table, []) }
        try transaction.insertIntoList(table, owner, list, at: 0, rows)
        let root = try transaction.commit(timestampMicroseconds: 0).root
        let inner = IndexInner(try requireValue(root.content.elements(table, list).tree.root))
        let leaf = IndexLeaf(inner.child(0))
        if isForged { for place in leaf.count / 2..<leaf.count { leaf.keys[place] = 9 } }
        return (root, leaf)
    }

    // Covers .invalidDatabase
    @Test func insertionThatFailsIsReported() throws {
        for isForged in [false, true] {
            let (root, leaf) = try makeRoot(isForged: isForged)
            let next = EngineTransaction(base: root)
            let position = leaf.count - 1
            let (_, damage) = DamageWatch.run {
                Result { try next.insertIntoList(table, owner, list, at: position, [owner]) }
            }
            expectEqual(damage?.code, isForged ? .invalidDatabase : nil)
        }
    }

    // Covers .invalidDatabase
    @Test func listWithoutAllElementsIsReported() throws {
        for isForged in [false, true] {
            let (root, _) = try makeRoot(isForged: isForged)
            let (elements, damage) = DamageWatch.run { root.list(table, owner, list) }
            expectEqual(damage?.code, isForged ? .invalidDatabase : nil)
            if !isForged { expectEqual(elements.count, 200) }
        }
    }

    // Covers .invalidDatabase
    @Test func changesThatCouldNotBeDecodedAreRefused() throws {
        for isForged in [false, true] {
            let (root, _) = try makeRoot(isForged: isForged)
            let next = EngineTransaction(base: root)
            try next.insertIntoList(table, owner, list, at: 200, [owner])
            let commit = try next.commit(timestampMicroseconds: 0)
            if isForged {
                let error = #expect(throws: StoreError.self) {
                    try DeltaBlob.check(commit.summary, from: root, to: commit.root)
                }
                expectEqual(error?.code, .invalidDatabase)
            } else {
                try DeltaBlob.check(commit.summary, from: root, to: commit.root)
            }
        }
    }

    /// The record would insert them into the list of the new row once more.
    // Covers .invalidDatabase
    @Test func elementsOfRowsToComeAreReported() throws {
        for isForged in [false, true] {
            let first = EngineTransaction(base: .makeEmpty())
            _ = try first.addTable(name: "A", columns: [])
            _ = try first.addList(table, name: "list", target: table)
            _ = try first.insert(table, [])
            try first.insertIntoList(table, owner, list, at: 0, [owner])
            if isForged {
                _ = first.content.splice(
                    ListPlace(table: table, list: list), 1, at: 0, removing: 0, inserting: [0],
                    first.edit.nodes)
            }
            let next = EngineTransaction(base: try first.commit(timestampMicroseconds: 0).root)
            expectEqual(try next.insert(table, []).rawValue, 1)
            if isForged {
                let error = #expect(throws: StoreError.self) {
                    _ = try next.commit(timestampMicroseconds: 0)
                }
                expectEqual(error?.code, .invalidDatabase)
            } else {
                _ = try commitAndReplay(next)
            }
        }
    }

    /// An element before the others of its list would get a negative position, which a record can't
    /// have.
    @Test func differenceIsWithinTheList() throws {
        let transaction = EngineTransaction(base: .makeEmpty())
        _ = try transaction.addTable(name: "A", columns: [])
        _ = try transaction.addList(table, name: "list", target: table)
        let rows = try (0..<10).map { _ in try transaction.insert(table, []) }
        try transaction.insertIntoList(table, rows[0], list, at: 0, Array(rows[0..<3]))
        try transaction.insertIntoList(table, rows[9], list, at: 0, Array(rows[3..<5]))
        let root = try transaction.commit(timestampMicroseconds: 0).root
        let leaf = IndexLeaf(try requireValue(root.content.elements(table, list).tree.root))
        leaf.keys[0] = 9  // the keys are 9, 0, 0, 9, 9
        let next = EngineTransaction(base: root)
        try next.insertIntoList(table, rows[9], list, at: 0, [rows[7]])
        let splices = SequenceTree.difference(
            root.content.elements(table, list), next.content.elements(table, list), 9)
        expectEqual(
            splices, [ListSplice(position: 0, removedCount: 0, inserted: [rows[7]])])
    }

    /// Begins a transaction on three rows. The list of the first has a row that doesn't exist and
    /// the second row.
    private func beginWithMissingElement() throws -> EngineTransaction {
        let transaction = EngineTransaction(base: .makeEmpty())
        _ = try transaction.addTable(name: "A", columns: [])
        _ = try transaction.addList(table, name: "list", target: table)
        for _ in 0..<3 { _ = try transaction.insert(table, []) }
        let isDone = transaction.content.splice(
            ListPlace(table: table, list: list), owner.rawValue, at: 0, removing: 0,
            inserting: [777, 1][...], transaction.edit.nodes)
        expectTrue(isDone)
        let commit = try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0)
        return EngineTransaction(base: commit.root)
    }

    // Covers .invalidDatabase
    @Test func moveOfAnElementThatDoesNotExistIsRefused() throws {
        let transaction = try beginWithMissingElement()
        transaction.moveInList(table, owner, list, from: 0, to: 1)
        let damage = #expect(throws: StoreError.self) {
            try transaction.commit(timestampMicroseconds: 0)
        }
        expectEqual(damage?.code, .invalidDatabase)
        expectEqual(damage?.className, "A")
        expectEqual(damage?.property, "list")
    }

    /// The element isn't one of the rows that the record deletes.
    @Test func removalOfAnElementThatDoesNotExistIsRecorded() throws {
        let transaction = try beginWithMissingElement()
        transaction.removeFromList(table, owner, list, 0..<1)
        transaction.delete(table, ObjectKey(rawValue: 2))
        let root = try commitAndReplay(transaction).root
        expectEqual(root.list(table, owner, list), [ObjectKey(rawValue: 1)])
    }

    /// A change of a list of a row that doesn't exist couldn't be decoded.
    // Covers .invalidDatabase
    @Test func ownersThatDoNotExistAreReported() throws {
        for isForged in [false, true] {
            let transaction = EngineTransaction(base: .makeEmpty())
            _ = try transaction.addTable(name: "A", columns: [])
            _ = try transaction.addList(table, name: "list", target: table)
            let rows = try (0..<3).map { _ in try transaction.insert(table, []) }
            _ = transaction.content.splice(
                ListPlace(table: table, list: list), isForged ? 7 : rows[1].rawValue, at: 0,
                removing: 0, inserting: [rows[0].rawValue], transaction.edit.nodes)
            let (_, damage) = DamageWatch.run { transaction.delete(table, rows[0]) }
            expectEqual(damage?.code, isForged ? .invalidDatabase : nil)
        }
    }

    /// A search of the leaf finds the foreign key only after the insertion, so that fewer elements
    /// would be removed than backlinks.
    // Covers .invalidDatabase
    @Test func removalThatFailsAfterAnInsertionIsReported() throws {
        for isForged in [false, true] {
            let transaction = EngineTransaction(base: .makeEmpty())
            _ = try transaction.addTable(name: "A", columns: [])
            _ = try transaction.addList(table, name: "list", target: table)
            let rows = try (0..<10).map { _ in try transaction.insert(table, []) }
            try transaction.insertIntoList(table, owner, list, at: 0, Array(rows[..<8]))
            let leaf = IndexLeaf(
                try requireValue(transaction.content.elements(table, list).tree.root))
            if isForged { leaf.keys[4] = 9 }
            let (isDone, damage) = DamageWatch.run {
                transaction.content.splice(
                    ListPlace(table: table, list: list), owner.rawValue, at: 0, removing: 8,
                    inserting: [8, 9], transaction.edit.nodes)
            }
            expectTrue(isDone)
            expectEqual(damage?.code, isForged ? .invalidDatabase : nil)
            let count = transaction.content.elements(table, list).tree.count
            expectEqual(count, isForged ? 6 : 2)
        }
    }
}
