import RegnumTestSupport
import Testing

/// The documents print what the inventory lists, and the sources here contain it verbatim.
@Suite struct InventoryTests {
    @Test func countsAreTheInventorys() {
        expectEqual(declarations.count, 32)
        expectEqual(declarations.filter { $0.place == .here }.count, 29)
        expectEqual(absentProperties.count, 1)
        expectEqual(includedExamples.count, 14)
        expectEqual(includedExamples.filter { $0.place == .here }.count, 9)
    }

    @Test(arguments: ["000", "001", "002", "003", "004"])
    func everyDeclarationIsListed(number: String) throws {
        guard let document = try SeedDocument.read(number) else { return }
        let listed = declarations.filter { $0.document == number }.map(\.first)
        expectEqual(document.declarations.compactMap(\.first), listed)
    }

    @Test(arguments: ["000", "001", "002", "004"])
    func declarationsStandAsPrinted(number: String) throws {
        guard let document = try SeedDocument.read(number) else { return }
        let source = try SeedModels.lines().filter { !$0.hasPrefix("//") }
        let listed = declarations.filter { $0.document == number }
        for (printed, entry) in zip(document.declarations, listed) where entry.place == .here {
            // The documents print the same code with different comments.
            let code = printed.filter { !$0.hasPrefix("//") }
            expectTrue(source.contains(code), "\(entry.first) of \(document.name)")
        }
    }

    @Test func everyPropertyStandsAsPrintedOrIsListed() throws {
        guard let document = try SeedDocument.read("000") else { return }
        let source = Set(try SeedModels.lines())
        expectEqual(document.properties.count, 41)
        let absent = document.properties.filter { !source.contains($0) }
        expectEqual(absent, absentProperties.map(\.declaration))
    }

    @Test func theCheatSheetIsTheSameInSpanish() throws {
        guard let english = try SeedDocument.read("000"), let spanish = try SeedDocument.read("001")
        else { return }
        for property in english.properties { expectTrue(spanish.text.contains(property)) }
    }

    @Test func everyIncludedExampleIsListed() throws {
        guard let document = try SeedDocument.read("003") else { return }
        let names = document.text.matches(of: #/literalinclude:: \S*\/(\S+\.swift)/#)
            .map { String($0.1) }
        expectEqual(Set(names), Set(includedExamples.map(\.file)))
    }

    @Test func changedModelsAreNoticed() throws {
        let document = SeedDocument(
            name: "sample",
            text: """
                Some class of text {
                ```
                class One: Object {
                    @Persisted var name = ""

                    var both: String { return name }
                }
                ```
                and `@Persisted var a:
                Int`
                public class Two: EmbeddedObject {
                // a comment {
                }
                """)
        expectEqual(
            document.declarations,
            [
                [
                    "class One: Object {", "@Persisted var name = \"\"",
                    "var both: String { return name }", "}",
                ],
                ["public class Two: EmbeddedObject {", "// a comment {", "}"],
            ])
        expectEqual(document.properties, ["@Persisted var a: Int"])
        #expect(!["class One: Object {", "}"].contains(document.declarations[0]))
    }
}
