import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle

/// The rows that plans through links examine, and the plans that are refused.
@Suite struct LinkedIndexTests {
    private static let person = TableKey(rawValue: 0)
    private static let dog = TableKey(rawValue: 1)
    private static let dogName = ColumnReference(
        name: "name", type: .string, missing: .string(""))
    private static let dogAge = ColumnReference(name: "age", type: .int, missing: .int(0))
    private static let toDog = Hop.link("dog", to: "Dog")
    private static let toDogs = Hop.list("dogs", of: "Dog")

    /// Person i has dog i % 400 unless that is a multiple of 5, and lists the dog i % 400 twice and
    /// (i + 1) % 400 once; dog i is named "dog i" and is i % 20 years old.
    private func makeRoot() throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        let person = try transaction.addTable(
            name: "Person",
            columns: [ColumnDefinition(name: "name", type: .string, isIndexed: true)])
        let dog = try transaction.addTable(
            name: "Dog",
            columns: [
                ColumnDefinition(name: "name", type: .string, isIndexed: true),
                ColumnDefinition(name: "age", type: .int),
            ])
        _ = try transaction.addColumn(person, .link(name: "dog", to: dog))
        let dogs = try transaction.addList(person, name: "dogs", target: dog)
        for index in 0..<400 {
            _ = try transaction.insert(dog, [.string("dog \(index)"), .int(Int64(index % 20))])
        }
        for index in 0..<2_000 {
            let number = Int64(index % 400)
            let row = try transaction.insert(
                person, [.string("person \(index)"), number % 5 == 0 ? .null : .int(number)])
            let keys = [index % 400, index % 400, (index + 1) % 400]
            try transaction.insertIntoList(
                person, row, dogs, at: 0, keys.map { ObjectKey(rawValue: UInt64($0)) })
        }
        return try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: .max).root
    }

    private func reference(_ column: ColumnReference, _ hops: Hop...) -> ColumnReference {
        var column = column
        column.hops = hops
        return column
    }

    private func check(
        _ predicate: Predicate, of className: String = "Person", _ root: DatabaseRoot,
        rows: ClosedRange<Int>, usesIndex: Bool = true, _ expected: (Int) -> Bool
    ) throws {
        let plan = QueryPlan(tableName: className, predicate: predicate)
        var statistics = QueryStatistics()
        let found = try plan.evaluate(root, statistics: &statistics).map { Int($0.rawValue) }
        let count = className == "Person" ? 2_000 : 400
        expectTrue(found == (0..<count).filter(expected), "\(predicate)")
        expectTrue(rows.contains(statistics.rowsEvaluated), "\(predicate): \(statistics)")
        expectEqual(statistics.usedIndex, usesIndex, "\(predicate)")
    }

    @Test func conditionsOnFewOtherRowsAreAnsweredFromTheseBack() throws {
        let root = try makeRoot()
        let name = LinkedIndexTests.dogName
        let (toDog, toDogs) = (LinkedIndexTests.toDog, LinkedIndexTests.toDogs)
        let named = Predicate.compare(name, .equal, .string("dog 7"))
        // Five persons have the dog, and one dog is examined.
        try check(
            .compare(reference(name, toDog), .equal, .string("dog 7")), root, rows: 1...6
        ) { $0 % 400 == 7 }
        try check(.related([toDog], .any, named), root, rows: 1...6) { $0 % 400 == 7 }
        try check(.related([toDogs], .any, named), root, rows: 1...11) {
            $0 % 400 == 7 || $0 % 400 == 6
        }
        try check(.count([toDogs], named, .greater, 1), root, rows: 1...11) { $0 % 400 == 7 }
        let dog = ColumnReference(name: "dog", type: .int, missing: .null)
        try check(.compare(dog, .equal, .int(7)), root, rows: 5...5) { $0 % 400 == 7 }
        let isDog = Predicate.isRow([ObjectKey(rawValue: 7)])
        try check(.related([toDogs], .any, isDog), root, rows: 10...10) {
            $0 % 400 == 7 || $0 % 400 == 6
        }
        let person = Predicate.compare(name, .equal, .string("person 407"))
        try check(
            .related([.backlinks("dog", of: "Person")], .any, person), of: "Dog", root, rows: 1...2
        ) { $0 == 7 }
        try check(
            .related([.backlinks("dogs", of: "Person")], .any, person), of: "Dog", root, rows: 1...3
        ) { $0 == 7 || $0 == 8 }
        try check(
            .related([toDogs, .backlinks("dog", of: "Person")], .any, person), root, rows: 1...11
        ) { $0 % 400 == 7 || $0 % 400 == 6 }
    }

    @Test func aMuchSmallerClassIsScannedFirst() throws {
        let root = try makeRoot()
        let age = reference(LinkedIndexTests.dogAge, LinkedIndexTests.toDog)
        // 400 dogs, and the 100 persons who have one of that age.
        try check(.compare(age, .equal, .int(3)), root, rows: 400...500) { $0 % 20 == 3 }
    }

    @Test func manyObjectsAreFoundAmongRowsThatAreScanned() throws {
        let root = try makeRoot()
        let thirds = (0..<1_000).reversed().map { ObjectKey(rawValue: 3 * UInt64($0)) }
        let isThird = Predicate.isRow(thirds + thirds)
        let toDog = LinkedIndexTests.toDog
        try check(.related([toDog], .any, isThird), root, rows: 0...2_000, usesIndex: false) {
            $0 % 400 % 3 == 0 && $0 % 5 != 0
        }
        try check(.not(isThird), root, rows: 0...2_000, usesIndex: false) { $0 % 3 != 0 }
        let isNone = Predicate.isRow([])
        try check(.not(isNone), root, rows: 0...2_000, usesIndex: false) { _ in true }
    }

    @Test func otherTermsAndLimitsSpareTheSearch() throws {
        let root = try makeRoot()
        let age = reference(LinkedIndexTests.dogAge, LinkedIndexTests.toDog)
        let named = Predicate.compare(LinkedIndexTests.dogName, .equal, .string("person 9"))
        try check(.and([.compare(age, .equal, .int(9)), named]), root, rows: 1...1) { $0 == 9 }
        // A condition that most rows match is evaluated for all dogs and then for each person, and
        // null can't be reached from other rows.
        try check(
            .compare(age, .greaterOrEqual, .int(0)), root, rows: 2_000...2_800, usesIndex: false
        ) { $0 % 5 != 0 }
        try check(.compare(age, .equal, .null), root, rows: 2_400...2_400, usesIndex: false) {
            $0 % 5 == 0
        }
        try check(.compare(age, .notEqual, .int(3)), root, rows: 2_400...2_400, usesIndex: false) {
            $0 % 20 != 3
        }
    }

    @Test func aListIsNotLookedAtBeyondWhatIsAsked() throws {
        let root = try makeRoot()
        let owner = ObjectKey(rawValue: 3)
        let source = QuerySource.list(tableName: "Person", row: owner, name: "dogs")
        var statistics = QueryStatistics()
        let plan = QueryPlan(tableName: "Dog", source: source)
        try expectEqual(plan.count(root, statistics: &statistics), 3)
        expectEqual(statistics.rowsEvaluated, 0)
        try expectEqual(plan.evaluate(root).map(\.rawValue), [3, 3, 4])
        let back = QuerySource.backlinks(name: "dogs", target: "Dog", row: owner)
        let origins = QueryPlan(tableName: "Person", source: back)
        try expectEqual(origins.evaluate(root).prefix(3).map(\.rawValue), [2, 3, 3])
        try expectEqual(origins.count(root), 15)
    }

    @Test func sortsHaveUpTo64Terms() throws {
        let root = try makeRoot()
        func plan(_ count: Int) -> QueryPlan {
            let term = SortTerm(column: LinkedIndexTests.dogAge, ascending: true)
            return QueryPlan(tableName: "Dog", sort: Array(repeating: term, count: count))
        }
        for count in [63, 64] { _ = try plan(count).evaluate(root) }
        let error = #expect(throws: StoreError.self) { try plan(65).evaluate(root) }
        expectTrue(error?.code == .invalidQuery && error?.className == "Dog")
        expectEqual(error?.message.contains("at most 64 terms; this one has 65"), true)
    }

    /// Two sorts of a list order by more values than a bit set has directions.
    @Test func listsAreSortedByMoreThan64Values() throws {
        let setup = EngineTransaction(base: .empty)
        let columns = (0..<70).map { ColumnReference(name: "n\($0)", type: .int, missing: .int(0)) }
        let wide = try setup.addTable(
            name: "Wide", columns: columns.map { ColumnDefinition(name: $0.name, type: .int) })
        let owner = try setup.addTable(
            name: "Owner", columns: [ColumnDefinition(name: "id", type: .int)])
        let list = try setup.addList(owner, name: "wides", target: wide)
        let row = try setup.insert(owner, [.int(0)])
        func add(_ transaction: EngineTransaction, _ last: Int64) throws {
            let values = columns.dropLast().map { _ in Value.int(0) } + [.int(last)]
            let key = try transaction.insert(wide, values)
            try transaction.insertIntoList(owner, row, list, at: 0, [key])
        }
        for last in [2, 0, 1] { try add(setup, Int64(last)) }
        let base = try setup.commit(timestampMicroseconds: 1).root
        let terms = columns.map { SortTerm(column: $0, ascending: $0.name != "n69") }
        let plan = QueryPlan(
            tableName: "Wide", source: .list(tableName: "Owner", row: row, name: "wides"),
            sort: Array(terms[35...]), steps: [.sort(Array(terms[..<35]))])
        let result = try plan.evaluate(base, counters: StreamCounters())
        expectEqual(result.map(\.rawValue), [0, 2, 1])
        let transaction = EngineTransaction(base: base)
        try add(transaction, 3)
        let commit = try transaction.commit(timestampMicroseconds: 2)
        let step = VersionStep(from: base, to: commit.root, summaries: [commit.summary])
        let (new, change) = try plan.advance(result, step)
        expectEqual(new.map(\.rawValue), [3, 0, 2, 1])
        expectEqual(change.insertions, [0])
    }

    /// A sum beyond 64 bits is compared with a decimal by its value.
    @Test func sumsBeyondIntegersCompareWithDecimals() throws {
        let setup = EngineTransaction(base: .empty)
        let item = try setup.addTable(
            name: "Item", columns: [ColumnDefinition(name: "n", type: .int)])
        let owner = try setup.addTable(
            name: "Owner", columns: [ColumnDefinition(name: "id", type: .int)])
        let list = try setup.addList(owner, name: "items", target: item)
        let row = try setup.insert(owner, [.int(0)])
        for _ in 0..<2 {
            let key = try setup.insert(item, [.int(.max)])
            try setup.insertIntoList(owner, row, list, at: 0, [key])
        }
        let root = try setup.commit(timestampMicroseconds: 1).root
        let sum = Int128(Int64.max) * 2
        for (difference, holding) in [
            (Int128(-1), [Comparison.notEqual, .greater, .greaterOrEqual]),
            (0, [.equal, .lessOrEqual, .greaterOrEqual]), (1, [.notEqual, .less, .lessOrEqual]),
        ] {
            let value = Value.decimal(DecimalBits(sum + difference))
            let n = ColumnReference(name: "n", type: .int, missing: .int(0))
            for comparison in Comparison.allCases {
                let plan = QueryPlan(
                    tableName: "Owner",
                    predicate: .aggregate(
                        [.list("items", of: "Item")], .sum, n, comparison, value))
                let isFound = try plan.count(root) == 1
                expectEqual(isFound, holding.contains(comparison), "\(difference) \(comparison)")
            }
        }
    }

    @Test func hopsThatAreStoredOtherwiseAreRefused() throws {
        let root = try makeRoot()
        let always = Predicate.constant(true)
        func refuses(
            _ code: StoreError.Code, _ className: String, _ property: String, _ plan: QueryPlan
        ) {
            let error = #expect(throws: StoreError.self) { try plan.evaluate(root) }
            expectTrue(error?.code == code && error?.className == className)
            expectEqual(error?.property, property, "\(plan)")
            expectTrue(error?.message.contains("\(className).\(property) ") ?? false)
        }
        func person(_ hop: Hop) -> QueryPlan {
            QueryPlan(tableName: "Person", predicate: .related([hop], .any, always))
        }
        refuses(.schemaMismatch, "Person", "dog", person(.link("dog", to: "Cat")))
        refuses(.schemaMismatch, "Person", "dog", person(.list("dog", of: "Dog")))
        refuses(.schemaMismatch, "Person", "dogs", person(.link("dogs", to: "Dog")))
        refuses(.schemaMismatch, "Person", "name", person(.link("name", to: "Dog")))
        refuses(.schemaMismatch, "Person", "dog", person(.backlinks("dog", of: "Person")))
        refuses(.schemaMismatch, "Person", "name", person(.backlinks("name", of: "Person")))
        let source = QuerySource.list(
            tableName: "Person", row: ObjectKey(rawValue: 0), name: "dogs")
        refuses(.schemaMismatch, "Person", "dogs", QueryPlan(tableName: "Cat", source: source))
        let throughList = reference(LinkedIndexTests.dogAge, LinkedIndexTests.toDogs)
        refuses(
            .invalidQuery, "Person", "dogs",
            QueryPlan(
                tableName: "Person", sort: [SortTerm(column: throughList, ascending: true)]))
        refuses(
            .invalidQuery, "Dog", "name",
            QueryPlan(
                tableName: "Person",
                predicate: .compare(
                    reference(LinkedIndexTests.dogName, LinkedIndexTests.toDog), .equal, .int(1))))
        refuses(
            .invalidQuery, "Dog", "name",
            QueryPlan(
                tableName: "Person",
                predicate: .aggregate(
                    [LinkedIndexTests.toDogs], .sum, LinkedIndexTests.dogName, .equal, .int(1))))
    }

    @Test func plansNameTheClassesThatTheyLeadThrough() {
        let age = reference(LinkedIndexTests.dogAge, LinkedIndexTests.toDog)
        let plan = QueryPlan(
            tableName: "Person",
            source: .list(tableName: "Town", row: ObjectKey(rawValue: 0), name: "p"),
            predicate: .related([.backlinks("boss", of: "Firm")], .any, .constant(true)),
            sort: [SortTerm(column: age, ascending: true)])
        expectEqual(plan.linkedDependencies, ["Firm", "Dog"])
        expectEqual(QueryPlan(tableName: "Dog").linkedDependencies, [])
    }

    @Test func plansAreEqualByTheBytesOfTheirNamesAndPatterns() {
        let (a, b) = ("\u{E9}", "e\u{301}")
        expectEqual(a, b)
        expectTrue(Hop.link(a, to: "Dog") != Hop.link(b, to: "Dog"))
        let name = LinkedIndexTests.dogName
        expectTrue(
            Predicate.matchText(name, .contains, StoredText(a), ignoring: [])
                != .matchText(name, .contains, StoredText(b), ignoring: []))
        expectTrue(
            Route(tableName: a, column: "", value: .null)
                != Route(tableName: b, column: "", value: .null))
        expectTrue(ChangePath.FinalComponent.property(StoredText(a)) != .property(StoredText(b)))
        expectTrue(
            ChangePath.FinalComponent.backlinks(name: "", target: StoredText(a))
                != .backlinks(name: "", target: StoredText(b)))
        let owners = [a, b].map { name in
            CollectionOwner(tableName: name, keyColumn: "", key: .int(0), kind: .list, name: "")
        }
        expectTrue(owners[0] != owners[1])
        let terms: [Interest.Term] = [a, b].flatMap { name -> [Interest.Term] in
            let row = ObjectKey(rawValue: 0)
            let name = StoredText(name)
            return [
                .table(name), .value(tableName: name, column: "", .null),
                .value(tableName: "", column: name, .null),
                .elements(tableName: name, listOf: "", list: "", row: row),
                .elements(tableName: "", listOf: name, list: "", row: row),
                .elements(tableName: "", listOf: "", list: name, row: row),
            ]
        }
        expectEqual(Interest(terms).terms.count, terms.count)
        let plan = QueryPlan(tableName: "Dog", distinct: [[name]], limit: 3)
        expectEqual(plan, QueryPlan(tableName: "Dog", steps: [.distinct([name])], limit: 3))
        expectTrue(plan != QueryPlan(tableName: "Dog", distinct: [[name]]))
    }
}
