import Foundation
import RegnumTestSupport
import Testing

/// The examples of `Docs/Predicates.md` work.
@Suite struct PredicatePageTests {
    private static let models = """
        import Foundation
        import Regnum

        final class Dog: Object {
            @Persisted var name: String
            @Persisted var age: Int
        }
        final class Person: Object {
            @Persisted var name: String
            @Persisted var age: Int
            @Persisted var dogs: List<Dog>
        }
        final class Message: Object {
            @Persisted var room: String
        }
        final class Place: EmbeddedObject {
            @Persisted var type = "Point"
            @Persisted var coordinates: List<Double>
        }
        final class Shop: Object {
            @Persisted var location: Place?
        }

        let realm = try await Realm.open(.init(location: .file(URL(filePath: "page.realm"))))
        try await realm.write { tx in
            let ann = Person(value: ["name": "Ann", "age": 20])
            ann.dogs.append(Dog(value: ["name": "Rex", "age": 4]))
            try tx.add(ann)
            try tx.add(Person(value: ["name": "Bob", "age": 30]))
            try tx.add(Message(value: ["room": "home"]))
        }
        let people = realm.snapshot().objects(Person.self)
        let messages = realm.snapshot().objects(Message.self)

        """

    @Test func theExamplesWork() throws {
        let page = try page()
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("    ") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let subquery = try requireValue(lines.first { $0.hasPrefix("SUBQUERY(") })
        let program =
            Self.models + TutorialPage(text: page).program + """
                print(adults.count, owners.map(\\.name), inRoom.count, position ?? -1)
                print(try people.filter("\(subquery)").map(\\.name))
                do { _ = try people.filter("agee > 3") } catch { print(error.message) }
                """
        let message = lines.drop { !$0.hasPrefix("The predicate ") }.prefix(2)
            .joined(separator: " ")
        let expected = "1 [\"Ann\"] 1 0\n[\"Ann\"]\n\(message)\n"
        let output = try SwiftCompiler.output(of: program)
        expectEqual(output, [expected])
    }

    private func page() throws -> String {
        let file = Repository.root.appending(path: "Docs/Predicates.md")
        return try String(contentsOf: file, encoding: .utf8)
    }
}
