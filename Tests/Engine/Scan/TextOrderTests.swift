import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Searches for text that was not written in the order of its rows.
@Suite struct TextOrderTests {
    private static let text = ColumnReference(name: "text", type: .string, missing: .string(""))

    private func expectEachIsFound(
        _ root: DatabaseRoot, _ keys: [ObjectKey], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (number, key) in keys.enumerated() {
            let plan = QueryPlan(
                tableName: "Note",
                predicate: .matchText(
                    Self.text, .contains, "number \(number) of", caseInsensitive: false))
            let found = try plan.firstKeys(10, QueryState(root))
            #expect(found == [key], "\(number)", sourceLocation: sourceLocation)
        }
    }

    /// Short text lies in the cells, so that what takes its place is all that the text node has.
    @Test(arguments: [false, true]) func textThatTakesThePlaceOfShortTextIsFound(
        isDescending: Bool
    ) throws {
        let first = EngineTransaction(base: .makeEmpty())
        let table = try first.addTable(
            name: "Note", columns: [ColumnDefinition(name: "text", type: .string)])
        let keys = try (0..<200).map { _ in try first.insert(table, [.string("short")]) }
        let second = EngineTransaction(base: try commitAndReplay(first).root)
        for index in keys.indices {
            let number = isDescending ? keys.count - 1 - index : index
            try second.set(
                table, keys[number], ColumnKey(rawValue: 0),
                .string("this is number \(number) of the notes"))
        }
        try expectEachIsFound(second.root, keys)
        try expectEachIsFound(try commitAndReplay(second).root, keys)
    }
}
