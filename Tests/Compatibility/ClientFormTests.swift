import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

final class FormPup: Object, Codable {
    @Persisted var name: String
    @Persisted var age: Int

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }

    /// Creates a dog in the transaction.
    static func make(_ name: String, _ tx: Transaction) throws -> FormPup {
        let pup = FormPup(name)
        try tx.add(pup)
        return pup
    }
}

/// The forms in which programs call the library. It is part of the test that they compile without
/// warnings: the samples are passed to the compiler, the rest is compiled with the tests.
@Suite struct ClientFormTests {
    @Test func bodyMayEndInAnObjectWhichStaysInIt() async throws {
        let realm = try await Realm.temporary([FormPup.self])
        try await realm.write { tx in try tx.create(FormPup.self) }
        try await realm.write { try $0.create(FormPup.self, value: ["name": "Rex"]) }
        try await realm.write(origin: "form") { tx in try FormPup.make("Bo", tx) }
        try await realm.write { tx in try tx.dynamicCreate("FormPup", value: ["name": "Ada"]) }
        expectEqual(realm.snapshot().objects(FormPup.self).map(\.name), ["", "Rex", "Bo", "Ada"])
        // An error is thrown, and nothing is stored.
        await #expect(throws: CancellationError.self) {
            try await realm.write { tx -> FormPup in
                try tx.add(FormPup("Max"))
                throw CancellationError()
            }
        }
        expectEqual(realm.snapshot().objects(FormPup.self).count, 4)
    }

    @Test func resultOfABodyMayBeLeftAlone() async throws {
        let realm = try await Realm.temporary([FormPup.self])
        try await realm.write { tx in tx.objects(FormPup.self).count }
        let count = try await realm.write { tx in
            try tx.add(FormPup("Rex"))
            return tx.objects(FormPup.self).count
        }
        expectEqual(count, 1)
    }

    @Test func formsOfWritingCompileWithoutAWarning() throws {
        let outcome = try SwiftCompiler.compile(forms, as: .library)
        expectTrue(outcome.isAccepted && outcome.output.isEmpty, "\(outcome.output)")
    }

    // The forms recommended by the comment of `write` and by the tutorial.
    @Test func valuesFromOutsideAreTakenIntoABody() async throws {
        let realm = try await Realm.temporary([FormPup.self])
        func save(_ pup: sending FormPup) async throws {
            try await realm.write { tx in try tx.add(pup) }
        }
        func save(_ values: [String: any Sendable]) async throws {
            try await realm.write { tx in try tx.create(FormPup.self, value: values) }
        }
        func save(all pups: sending [FormPup]) async throws {
            try await realm.write { tx in for pup in pups { try tx.add(pup) } }
        }
        func save(json: Data) async throws {
            try await realm.write { tx in
                try tx.add(JSONDecoder().decode([FormPup].self, from: json))
            }
        }
        try await save(FormPup("a"))
        try await save(["name": "b", "age": 3])
        try await save(all: [FormPup("c"), FormPup("d")])
        try await save(json: Data(#"[{"name": "e", "age": 5}]"#.utf8))
        let pups = realm.snapshot().objects(FormPup.self)
        expectEqual(pups.map(\.name), ["a", "b", "c", "d", "e"])
        expectEqual(pups.map(\.age), [0, 3, 0, 0, 5])
    }

    @Test func localFunctionsUseTheIteratorOfAStream() async throws {
        let realm = try await Realm.temporary([FormPup.self])
        var commits = realm.commits.makeAsyncIterator()
        var changes = realm.objects(FormPup.self).changes.makeAsyncIterator()
        func nextCount() async throws(Realm.Error) -> Int? {
            switch try await changes.next() {
            case .initial(let pups)?: pups.count
            case .update(let pups, _)?: pups.count
            case nil: nil
            }
        }
        let first = try await nextCount()
        try await realm.write { tx in try tx.add(FormPup("Rex")) }
        let second = try await nextCount()
        expectTrue(first == 0 && second == 1)
        await realm.close()
        var versions: [UInt64] = []
        do {
            while let commit = try await commits.next() { versions.append(commit.version) }
        } catch {
            Issue.record("\(error.code)")  // of the type `Realm.Error`
        }
        expectEqual(versions, [realm.snapshot().version])
        let last = try await nextCount()
        expectNil(last)
    }

    @Test(arguments: [
        ("var scores: [String: Int]", "a dictionary cannot be stored: declare a Map"),
        ("var tags: Set<String>", "a set cannot be stored: declare a MutableSet"),
        ("var ages: [Int]", "an array cannot be stored: declare a List"),
        ("var friends: Map<String, FormPup>", "declare the values as optional"),
        ("var friend: FormPup", "a link can be nil: declare it as optional"),
        ("var age: UInt16", "unsigned integers cannot be stored: declare an Int"),
    ])
    func compilerSaysWhatToDeclare(property: String, sentence: String) throws {
        let outcome = try SwiftCompiler.compile(
            """
            import Regnum
            final class FormPup: Object {
                @Persisted \(property)
            }
            """, as: .library)
        expectTrue(
            outcome.errorLines == [3] && outcome.output.contains(sentence), "\(outcome.output)")
    }

    @Test func compilerSaysHowObjectsOfAMapAreAsked() throws {
        let outcome = try SwiftCompiler.compile(
            """
            import Regnum
            final class FormPup: Object {
                @Persisted var name: String
                @Persisted var friends: Map<String, FormPup?>
                @Persisted var scores: Map<String, Int>
            }
            func ask(_ pups: LiveResults<FormPup>) {
                _ = pups.where { $0.friends.objects().name == "x" && $0.scores.values > 3 }
                _ = pups.where { $0.scores["a"] == 3 }
                _ = pups.where { $0.friends.values.name == "x" }
                _ = pups.where { $0.friends["a"].name == "x" }
            }
            """, as: .library)
        expectEqual(outcome.errorLines, [10, 11], "\(outcome.output)")
        expectTrue(outcome.output.contains("use $0.map.objects().property"))
    }
}

private let forms = """
    import Foundation
    import Regnum

    final class FormPup: Object, Codable {
        @Persisted var name: String
    }

    func makePup(_ tx: Transaction) throws -> FormPup { try tx.create(FormPup.self) }

    func write(
        _ realm: Realm, _ values: [String: any Sendable], _ pup: sending FormPup
    ) async throws {
        try await realm.write { tx in try tx.create(FormPup.self) }
        try await realm.write { try $0.create(FormPup.self, value: ["name": "Rex"]) }
        try await realm.write { tx in try tx.create(FormPup.self, value: values, update: .error) }
        try await realm.write { tx in try tx.dynamicCreate("FormPup", value: [:]) }
        try await realm.write { tx in try makePup(tx) }
        try await realm.write { tx in tx.objects(FormPup.self).count }
        try await realm.write { tx in try tx.add(pup) }
        try await realm.write { tx in tx.objects(FormPup.self).first?.name = "Bo" }
        try await realm.write { tx in for pup in tx.objects(FormPup.self) { pup.name = "Bo" } }
    }

    func follow(_ realm: Realm) async -> Realm.Error.Code? {
        var changes = realm.objects(FormPup.self).changes.makeAsyncIterator()
        func next() async throws(Realm.Error) -> Bool { try await changes.next() != nil }
        do {
            while try await next() {}
            for try await change in realm.objects(FormPup.self).changes { print(change) }
        } catch {
            return error.code
        }
        return nil
    }

    func hasFiles(_ configuration: Realm.Configuration) async -> Bool {
        do {
            return try await Realm.fileExists(for: configuration)
        } catch {
            return error.code != .filePermissionDenied
        }
    }

    func identify() -> ObjectId { ObjectId("507f1f77bcf86cd799439011") }

    final class Named: Object {
        @Persisted var id = ObjectId("507f1f77bcf86cd799439011")
        @Persisted var name: String
        override var description: String { "Named \\(name) \\(id.timestamp)" }
    }
    """
