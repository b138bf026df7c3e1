import FoundationEssentials
import Regnum
import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private final class Observed: Object {
    @Persisted var number = 0 {
        willSet { log.append("will \(newValue)") }
        didSet { log.append("did \(oldValue)") }
    }
    var log: [String] = []
}

private final class Partly: Object {
    @Persisted var stored = 1
    var plain = 2
    lazy var late = stored + 10
    var computed: Int {
        get { stored * 100 }
        set { stored = newValue / 100 }
    }
}

private final class Both: Object {
    @Persisted(primaryKey: true) var number: Int?
    @Persisted var text: String

    convenience init(_ number: Int?, _ text: String) {
        self.init()
        self.number = number
        self.text = text
    }
}

/// Objects, their wrapped properties and their keys, as in the compatibility checklist.
@Suite struct ObjectModelTests {
    // Covers 1.1
    @Test func objectHoldsPlainValuesUntilItIsAddedAndReadsTheTransactionAfterwards() async throws {
        let realm = try await Realm.temporary([Person.self])
        let person = Person("Ann", age: 30)
        person.age = 31
        expectTrue(!person.isManaged && person.age == 31)
        try await realm.write { tx in
            try tx.add(person)
            expectTrue(person.isManaged && person.name == "Ann" && person.age == 31)
            let other = tx.objects(Person.self)[0]
            expectTrue(other !== person)
            other.age = 32
            expectEqual(person.age, 32)
            person.name = "Eve"
            expectEqual(other.name, "Eve")
        }
        // An unmanaged object may be created by any task.
        let made = await Task.detached { Person("Bob", age: 1).age }.value
        expectEqual(made, 1)
        expectEqual(realm.snapshot().objects(Person.self).map(\.age), [32])
    }

    // Covers 1.5
    @Test func initWithoutArgumentsGivesDefaultsAlsoBesideAConvenienceInitialiser() {
        let room = Room()
        expectTrue(room.name == "" && room.topic == "nothing yet" && !room.isManaged)
        let other = Room("general", topic: "all")
        expectTrue(other.name == "general" && other.topic == "all" && !other.isManaged)
        expectTrue(Both().number == nil && Both().text == "")
    }

    // Covers 1.20
    @Test func observersOfAPropertyRunForItsAccessorOnly() async throws {
        let realm = try await Realm.temporary([Observed.self])
        try await realm.write { tx in
            let object = Observed()
            object.number = 1
            try tx.add(object)
            object.number = 2
            expectEqual(object.log, ["will 1", "did 0", "will 2", "did 1"])
            let other = tx.objects(Observed.self)[0]
            other.number = 3
            expectEqual(other.log, ["will 3", "did 2"])
            expectTrue(object.number == 3 && object.log.count == 4)
        }
    }

    // Covers 1.54
    @Test func onlyWrappedPropertiesAreStored() async throws {
        let realm = try await Realm.temporary([Partly.self])
        try await realm.write { tx in
            let object = Partly()
            object.stored = 5
            object.plain = 7
            expectEqual(object.late, 15)
            object.computed = 600
            try tx.add(object)
            expectTrue(object.stored == 6 && object.plain == 7 && object.late == 15)
            let other = tx.objects(Partly.self)[0]
            expectTrue(other.stored == 6 && other.plain == 2 && other.late == 16)
            expectEqual(other.computed, 600)
        }
        let root = realm.snapshot()
        expectEqual("\(root.objects(Partly.self)[0])", "Partly {\n    stored = 6\n}")
    }

    // Covers 1.18
    @Test func nestedClassGoesByItsLastName() async throws {
        enum Outer {
            enum Inner {
                final class Leaf: Object { @Persisted var number: Int }
            }
        }
        let realm = try await Realm.temporary([Outer.Inner.Leaf.self])
        var commits = realm.commits.makeAsyncIterator()
        try await realm.write { try $0.add(Outer.Inner.Leaf()) }
        try await expectEqual(commits.next()?.classNames, ["Leaf"])
    }

    // Covers 1.60
    @Test func objectIdsCompareAndHashByTheirBytes() throws {
        let low = try ObjectId(string: "00000000000000000000007f")
        let same = try ObjectId(string: "00000000000000000000007F")
        let middle = try ObjectId(string: "000000000000000000000080")
        let high = try ObjectId(string: "800000000000000000000000")
        expectTrue(low == same && low.hashValue == same.hashValue && low != middle)
        expectEqual(Set([low, same, middle, high]).count, 3)
        expectTrue(low < middle && middle < high && !(high < middle) && !(low < same))
        expectTrue(low <= same && low <= middle && !(high <= middle))
        expectTrue(high > middle && !(low > same) && low >= same && !(low >= middle))
    }

    @Test func objectIdIsMadeOfItsParts() {
        let date = Date(timeIntervalSince1970: 0x1234_5678)
        let first = ObjectId(timestamp: date, machineId: 0xAB_CDEF, processId: 0x1357)
        let second = ObjectId(timestamp: date, machineId: 0xAB_CDEF, processId: 0x1357)
        expectTrue(first.description.hasPrefix("12345678abcdef1357"))
        expectTrue(second.description.hasPrefix("12345678abcdef1357") && second != first)
        expectTrue(first.timestamp == date && first.timestampSeconds == 0x1234_5678)
        let texts = ["not an id", "", "80000000000000000000000g"]
        expectTrue(texts.allSatisfy { ObjectId($0) == nil } && ObjectId("\(first)") == first)
        expectEqual(ObjectId().timestamp, Date(timeIntervalSince1970: 0))
    }

    // Covers 1.65, 5.68, 5.69
    @Test func objectIsFoundByItsKeyInEveryView() async throws {
        let realm = try await Realm.temporary([Both.self])
        try await realm.write { tx in
            try tx.add([Both(1, "one"), Both(nil, "none"), Both(-1, "minus")])
            expectEqual(tx.object(Both.self, forPrimaryKey: -1)?.text, "minus")
            expectEqual(tx.object(Both.self, forPrimaryKey: Int?.none)?.text, "none")
            expectNil(tx.object(Both.self, forPrimaryKey: 2))
        }
        let found = try await realm.read { tx in
            [1, nil, 2].map { tx.object(Both.self, forPrimaryKey: $0)?.text }
        }
        expectEqual(found, ["one", "none", nil])
        let snapshot = realm.snapshot()
        let keys: [Int?] = [1, nil, 2]
        expectEqual(
            keys.map { snapshot.object(Both.self, forPrimaryKey: $0)?.text }, ["one", "none", nil])
        expectEqual(
            keys.map { realm.object(Both.self, forPrimaryKey: $0).current?.text },
            ["one", "none", nil])
    }

    // Covers 1.78
    @Test func classHasAtMost65535Columns() throws {
        let transaction = EngineTransaction(base: .empty)
        let columns = (0..<65_536).map { ColumnDefinition(name: "c\($0)", type: .bool) }
        let error = #expect(throws: StoreError.self) {
            try transaction.addTable(name: "Wide", columns: columns)
        }
        expectTrue(error?.code == .invalidInput && error?.className == "Wide")
        let table = try transaction.addTable(name: "Wide", columns: Array(columns.dropLast()))
        let added = #expect(throws: StoreError.self) {
            try transaction.addColumn(table, ColumnDefinition(name: "more", type: .bool))
        }
        expectEqual(added?.code, .invalidInput)
    }
}
