import Foundation
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Code that the compiler refuses. Each sample compiles except for the lines marked `// refused`,
/// which are all refused; the lines next to them show the correct form.
@Suite struct RefusedSourceTests {
    /// A named source.
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        var testDescription: String { name }

        init(_ name: String, _ text: String) {
            self.name = name
            self.text = "import Foundation\nimport Regnum\n" + text
        }

        /// The lines that must be refused.
        var refusedLines: [Int] {
            text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                .filter { $1.hasSuffix("// refused") }.map { $0.offset + 1 }
        }
    }

    @Test func propertyWithATypeThatCannotBeStoredIsRefused() throws { try check(types) }
    // Covers 1.23
    @Test func indexOnATypeWithoutIndexIsRefused() throws { try check(indexes) }
    // Covers 1.24
    @Test func primaryKeyOfATypeThatIsNoKeyIsRefused() throws { try check(keys) }
    @Test func wrapperOutsideAModelIsRefused() throws { try check(wrappers) }
    // Covers 1.1
    @Test func valueThatIsNoModelIsRefused() throws { try check(models) }
    @Test func queryWithWrongTypesOrPropertiesIsRefused() throws { try check(queries) }
    @Test func queryThroughLinksAndListsWithWrongTypesIsRefused() throws { try check(paths) }
    @Test func frozenValuesHaveNeitherSettersNorStreams() throws { try check(frozen) }
    // Covers 1.72, 1.89
    @Test func embeddedObjectsAndSetsAreNoValuesOfAnyType() throws { try check(anyValues) }
    @Test func optionalPersistedTypeIsRefused() throws { try check(persistedTypes) }
    // Covers 2.99
    @Test func mapsHaveNoPositions() throws { try check(maps) }
    // Covers 2.60
    @Test func listsAreChangedByTheirOwnMethods() throws { try check(lists) }
    @Test func confinedTypesAreNotSendableAndTheOthersAre() throws { try check(sendable) }

    /// The compiler reports no line for it.
    @Test func wrapperInAClassThatIsNoModelIsRefused() throws {
        let text = "import Regnum\nfinal class Plain: Object { @Persisted var number: Int }\n"
        try expectTrue(SwiftCompiler.compile(text, as: .library).isAccepted)
        let plain = text.replacingOccurrences(of: ": Object", with: "")
        let outcome = try SwiftCompiler.compile(plain, as: .library)
        expectTrue(!outcome.isAccepted && outcome.output.contains("inherit from 'ObjectBase'"))
    }

    @Test func sampleWithAWrongMarkIsNoticed() throws {
        let text =
            "func f() {\n    let a: Int = \"\"\n    let b = 1 // refused\n    _ = (a, b)\n}\n"
        let sample = Sample("wrong", text)
        let outcome = try SwiftCompiler.compile(sample.text, as: .library)
        expectTrue(outcome.errorLines == [4] && sample.refusedLines == [5])
    }

    private func check(_ sample: Sample) throws {
        let outcome = try SwiftCompiler.compile(sample.text, as: .library)
        try #require(!sample.refusedLines.isEmpty)
        expectEqual(outcome.errorLines, sample.refusedLines, "\(outcome.output)")
    }
}

private let person = """
    final class Person: Object {
        @Persisted var name: String
        @Persisted var age: Int
        @Persisted var isActive: Bool
    }

    """

private let types = RefusedSourceTests.Sample(
    "types",
    """
    final class Right: Object {
        @Persisted var bool: Bool
        @Persisted var int: Int?
        @Persisted var double: Double
        @Persisted var string: String?
        @Persisted var data: Data
        @Persisted var date: Date?
        @Persisted var uuid: UUID
        @Persisted var objectId: ObjectId?
    }
    final class Wrong: Object {
        @Persisted var unsigned: UInt // refused
        @Persisted var small: UInt8 // refused
        @Persisted var twice: Int?? // refused
    }
    """)

private let indexes = RefusedSourceTests.Sample(
    "indexes",
    """
    final class Right: Object {
        @Persisted(indexed: true) var bool: Bool
        @Persisted(indexed: true) var int: Int?
        @Persisted(indexed: true) var string: String = "x"
        @Persisted(indexed: true) var date: Date?
        @Persisted(indexed: true) var uuid: UUID
        @Persisted(indexed: true) var objectId: ObjectId?
        @Persisted(indexed: true) var any: AnyRealmValue
    }
    final class Wrong: Object {
        @Persisted(indexed: true) var double: Double // refused
        @Persisted(indexed: true) var maybe: Double? // refused
        @Persisted(indexed: true) var data: Data // refused
        @Persisted(indexed: true) var decimal: Decimal128 // refused
        @Persisted(indexed: true) var list: List<Int> // refused
    }
    """)

private let keys = RefusedSourceTests.Sample(
    "keys",
    """
    final class A: Object { @Persisted(primaryKey: true) var key: Int? }
    final class B: Object { @Persisted(primaryKey: true) var key: String }
    final class C: Object { @Persisted(primaryKey: true) var key: ObjectId }
    final class D: Object { @Persisted(primaryKey: true) var key: UUID? }
    final class E: Object { @Persisted(primaryKey: true) var key: Bool } // refused
    final class F: Object { @Persisted(primaryKey: true) var key: Date } // refused
    final class G: Object { @Persisted(primaryKey: true) var key: Double } // refused
    final class H: Object { @Persisted(primaryKey: true) var key: Data? } // refused
    final class I: Object { @Persisted(primaryKey: true) var key: AnyRealmValue } // refused
    final class J: Object { @Persisted(primaryKey: true) var key: Decimal128 } // refused
    final class K: Object { @Persisted(primaryKey: true) var key: A? } // refused
    final class L: Object { @Persisted(primaryKey: true) var key: List<Int> } // refused
    """)

private let wrappers = RefusedSourceTests.Sample(
    "wrappers",
    """
    final class Model: Object { @Persisted var number: Int }
    struct Value { @Persisted var number: Int } // refused
    func read(_ wrapper: Persisted<Int>) -> Int {
        wrapper.wrappedValue // refused
    }
    """)

private let models = RefusedSourceTests.Sample(
    "models",
    person + """
        struct Value { var number = 1 }
        enum Choice { case one }
        final class Plain {}
        func add(_ tx: Transaction) throws {
            try tx.add(Person())
            try tx.add(Value()) // refused
            try tx.add(Choice.one) // refused
            try tx.add(Plain()) // refused
            _ = tx.objects(Person.self)
            _ = tx.objects(Plain.self) // refused
        }
        """)

private let queries = RefusedSourceTests.Sample(
    "queries",
    person + """
        func find(_ people: LiveResults<Person>) {
            _ = people.where { $0.age == 3 }
            _ = people.where { $0.age == "3" } // refused
            _ = people.where { $0.agee == 3 } // refused
            _ = people.where { $0.name > "A" }
            _ = people.where { $0.age == $0.name } // refused
            _ = people.where { $0.isActive == true }
            _ = people.where { $0.isActive < true } // refused
            _ = people.where { $0.isActive && $0.age < 3 }
            _ = people.where { $0.age } // refused
            _ = people.sorted(by: \\.name)
            _ = people.sorted(by: \\.agee) // refused
        }
        """)

private let paths = RefusedSourceTests.Sample(
    "paths",
    """
    enum Size: Int, PersistableEnum { case small, large }
    final class Toy: Object { @Persisted var name: String }
    final class Dog: Object {
        @Persisted var name: String
        @Persisted var size: Size
        @Persisted var friend: Dog?
        @Persisted var toys: List<Toy>
        @Persisted var tags: List<String>
    }
    func find(_ dogs: LiveResults<Dog>, _ dog: Frozen<Dog>, _ toy: Frozen<Toy>) {
        _ = dogs.where { $0.friend.name == "x" }
        _ = dogs.where { $0.friend.name == 3 } // refused
        _ = dogs.where { $0.friend == dog && $0.friend != nil }
        _ = dogs.where { $0.friend == toy } // refused
        _ = dogs.where { $0.friend > nil } // refused
        _ = dogs.where { $0.toys.contains(toy) && $0.toys.count > 1 }
        _ = dogs.where { $0.toys.contains(dog) } // refused
        _ = dogs.where { $0.toys == "x" } // refused
        _ = dogs.where { $0.tags == "x" && $0.tags.contains("x") }
        _ = dogs.where { $0.tags == 3 } // refused
        _ = dogs.where { $0.tags.sum == 3 } // refused
        _ = dogs.where { $0.size > .small && $0.size.rawValue < 3 }
        _ = dogs.where { $0.size == 3 } // refused
        _ = dogs.where { $0.toys.any { $0.name == "x" } }
        _ = dogs.where { $0.toys.any { $0.size == .small } } // refused
        _ = dogs.sorted(by: \\.friend?.name)
        _ = dogs.sorted(by: \\.friend) // refused
        _ = dogs.sorted(by: \\.toys) // refused
        _ = dogs.max(of: \\.name) // refused
    }
    """)

private let frozen = RefusedSourceTests.Sample(
    "frozen",
    person + """
        func use(_ realm: Realm, _ snapshot: Snapshot, _ one: Frozen<Person>, _ person: Person) {
            _ = one.name
            one.name = "x" // refused
            _ = realm.objects(Person.self).changes
            _ = snapshot.objects(Person.self).changes // refused
            _ = one.changes // refused
            _ = person.changes // refused
            _ = [person].changes // refused
            _ = person.isSameObject(as: person)
            _ = person.isSameObject(as: one) // refused
        }
        """)

private let anyValues = RefusedSourceTests.Sample(
    "values of any type",
    """
    final class Part: EmbeddedObject { @Persisted var number: Int }
    final class Whole: Object { @Persisted var any: AnyRealmValue }
    func fill(_ whole: Whole) {
        whole.any = .object(Whole())
        whole.any = .object(Part()) // refused
        whole.any = .fromArray([.int(1)])
        whole.any = .list(List<Int>()) // refused
        whole.any = .set(MutableSet<AnyRealmValue>()) // refused
        whole.any = Part() // refused
    }
    """)

/// As printed by "Type Projection - Swift SDK" (002) as a mistake, with the members that it omits.
private let persistedTypes = RefusedSourceTests.Sample(
    "persisted types",
    """
    extension URL: FailableCustomPersistable { // refused
        // The `PersistedType` cannot be an optional, so this is not a valid
        // conformance to the FailableCustomPersistable protocol.
        public typealias PersistedType = String?
        public init?(persistedValue: String?) { self.init(string: persistedValue ?? "") }
        public var persistableValue: String? { self.absoluteString }
    }
    struct Link { let text: String }
    extension Link: FailableCustomPersistable {
        typealias PersistedType = String
        init?(persistedValue: String) { self.init(text: persistedValue) }
        var persistableValue: String { text }
    }
    class Club: Object {
        @Persisted var id: ObjectId
        @Persisted var name: String
        @Persisted var link: Link?
    }
    """)

private let maps = RefusedSourceTests.Sample(
    "maps",
    """
    final class Keeper: Object { @Persisted var scores: Map<String, Int> }
    func takeSequence(_ value: some Sequence) {}
    func takeCollection(_ value: some Collection) {}
    func use(_ keeper: Keeper) {
        takeSequence(keeper.scores)
        takeCollection(keeper.scores) // refused
        _ = keeper.scores["a"]
        _ = keeper.scores[0] // refused
        _ = keeper.scores.startIndex // refused
        _ = keeper.scores.index(of: 1) // refused
        _ = keeper.scores.distinct() // refused
        _ = keeper.scores.sectioned(by: { $0 }) // refused
        _ = keeper.scores.contains { $0.key == "a" }
    }
    """)

private let lists = RefusedSourceTests.Sample(
    "lists",
    """
    func takeMutable(_ value: some MutableCollection) {}
    func takeReplaceable(_ value: some RangeReplaceableCollection) {}
    func use(_ numbers: List<Int>) {
        takeMutable(numbers)
        takeReplaceable(numbers) // refused
        numbers.removeAll()
        numbers.removeAll(where: { $0 > 1 }) // refused
        _ = numbers + numbers // refused
    }
    """)

private let sendable = RefusedSourceTests.Sample(
    "sendable",
    person + """
        func check<T: Sendable>(_ type: T.Type) {}
        func checkAll() {
            check(Realm.self)
            check(Realm.Configuration.self)
            check(Snapshot.self)
            check(Frozen<Person>.self)
            check(FrozenResults<Person>.self)
            check(Live<Person>.self)
            check(LiveResults<Person>.self)
            check(CollectionChange<Person>.self)
            check(ObjectChange<Person>.self)
            check(ChangeSet<Person>.self)
            check(CommitNotice.self)
            check(ObjectId.self)
            check(SortOrder<Person>.self)
            check(Realm.Error.self)
            check(Person.self) // refused
            check(Results<Person>.self) // refused
            check(Transaction.self) // refused
        }
        """)
