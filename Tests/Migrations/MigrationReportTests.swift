import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum

@Suite struct MigrationReportTests {
    @Test func linkToAnotherClassOfAnEqualNameIsAChange() throws {
        let number = ColumnDefinition(name: "number", type: .int)
        let setup = EngineTransaction(base: .empty)
        let one = try setup.addTable(name: "caf\u{E9}", columns: [number])
        let two = try setup.addTable(name: "cafe\u{301}", columns: [number])
        let table = try setup.addTable(
            name: "Menu", columns: [number, .link(name: "place", to: one)])
        let base = try setup.commit(timestampMicroseconds: 1).root
        let edit = EngineTransaction(base: base)
        edit.drop(table, ColumnKey(rawValue: 1))
        _ = try edit.addColumn(table, .link(name: "place", to: two))
        expectEqual(
            MigrationReport(base, edit).changes.map { Array($0.utf8) },
            [Array("Menu.place changes from caf\u{E9}? to cafe\u{301}?.".utf8)])
    }

    @Test func descriptionCountsTheObjectsOfClassesWithEqualNames() throws {
        let number = ColumnDefinition(name: "number", type: .int)
        let setup = EngineTransaction(base: .empty)
        let one = try setup.addTable(name: "caf\u{E9}", columns: [number])
        let two = try setup.addTable(name: "cafe\u{301}", columns: [number])
        let base = try setup.commit(timestampMicroseconds: 1).root
        let edit = EngineTransaction(base: base)
        _ = try edit.insert(one, [.int(1)])
        for value in 1...2 { _ = try edit.insert(two, [.int(Int64(value))]) }
        let report = MigrationReport(base, edit)
        expectEqual(report.objectCounts.count, 1)
        expectEqual(
            report.description.split(separator: "\n").dropFirst().map { Array($0.utf8) },
            [
                Array("The number of cafe\u{301} objects changes from 0 to 2.".utf8),
                Array("The number of caf\u{E9} objects changes from 0 to 1.".utf8),
            ])
    }
}
