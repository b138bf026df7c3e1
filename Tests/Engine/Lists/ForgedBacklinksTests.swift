import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumEngine

/// Backlinks that differ from the elements of their list, as in a forged file.
@Suite struct ForgedBacklinksTests {
    private let owners = TableKey(rawValue: 0)
    private let targets = TableKey(rawValue: 1)
    private let list = ListKey(rawValue: 0)
    private let owner = ObjectKey(rawValue: 0)
    private let target = ObjectKey(rawValue: 0)

    private enum Change: CaseIterable { case elements, owner, target, other }

    /// If the trees had different counts afterwards, the next checkpoint couldn't be loaded.
    // Covers .invalidDatabase
    @Test func missingBacklinksAreReportedWhenElementsGo() throws {
        for change in Change.allCases {
            for isForged in [false, true] {
                let transaction = try makeTransaction(isForged: isForged)
                let (_, damage) = DamageWatch.run {
                    switch change {
                    case .elements: transaction.removeFromList(owners, owner, list, 0..<2)
                    case .owner: transaction.delete(owners, owner)
                    case .target: transaction.delete(targets, target)
                    case .other: transaction.delete(targets, ObjectKey(rawValue: 1))
                    }
                }
                expectEqual(damage?.code, isForged ? .invalidDatabase : nil)
            }
        }
    }

    /// A list with the same element twice. If forged, one of its backlinks is that of another one.
    private func makeTransaction(isForged: Bool) throws -> EngineTransaction {
        let transaction = EngineTransaction(base: .makeEmpty())
        let columns = [ColumnDefinition(name: "n", type: .int)]
        for name in ["Owner", "Target"] {
            _ = try transaction.addTable(name: name, columns: columns)
        }
        _ = try transaction.addList(owners, name: "list", target: targets)
        _ = try transaction.insert(owners, [.int(1)])
        for number in 1...2 as ClosedRange<Int64> {
            _ = try transaction.insert(targets, [.int(number)])
        }
        try transaction.insertIntoList(owners, owner, list, at: 0, [target, target])
        guard isForged else { return transaction }
        let nodes = transaction.edit.nodes
        let table = transaction.content.ownTable(owners.index, nodes)
        var backlinks = table.backlinks(list.index)
        let isRemoved = backlinks.remove(target.rawValue, owner.rawValue, nodes)
        expectTrue(isRemoved)
        backlinks.insertAgain(target.rawValue + 1, owner.rawValue, nodes)
        table.setIndex(backlinks, at: table.listSlot(list.index) + 1)
        return transaction
    }
}
