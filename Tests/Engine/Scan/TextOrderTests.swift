import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// Searches of text that wasn't written in row order.
@Suite struct TextOrderTests {
    private static let text = ColumnReference(name: "text", type: .string, missing: .string(""))

    private func expectEachIsFound(
        _ root: DatabaseRoot, _ keys: [ObjectKey], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (number, key) in keys.enumerated() {
            let plan = QueryPlan(
                tableName: "Note",
                predicate: .matchText(
                    Self.text, .contains, StoredText("number \(number) of"),
                    ignoring: []))
            let found = try plan.firstKeys(10, QueryState(root))
            #expect(found == [key], "\(number)", sourceLocation: sourceLocation)
        }
    }

    /// Short texts are stored in the cells, so that the text node contains only the texts that
    /// replace them.
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
