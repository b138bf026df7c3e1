import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A small graph of several classes that is changed at random, both in a realm and in plain Swift:
/// links, lists, embedded objects, lists of values, a map of objects, cycles; and a class, a link
/// and a list that are added later.
struct MarkWorld {
    /// A class as the tests know it, with properties identified by the positions of columns and
    /// lists.
    struct Class {
        var name: String
        var kind = TableKind.object
        var columns: [ColumnDefinition]
        var lists: [(name: String, target: Int)] = []
    }

    /// An element of a list. One that is removed and inserted again is a different occurrence.
    struct Occurrence: Hashable {
        var id: Int
        var target: UInt64
    }

    struct Row {
        var values: [Value]
        var lists: [[Occurrence]]
    }

    struct Place: Hashable {
        var table: Int
        var row: UInt64
    }

    /// All rows of a version, by class and key.
    typealias Content = [[UInt64: Row]]

    private(set) var root = DatabaseRoot.empty
    private(set) var content: Content = []
    private(set) var classes: [Class] = []
    /// The columns that the transaction has set, by row.
    private(set) var sets: [Place: Set<Int>] = [:]
    private var lastID = 0
    private var transaction = EngineTransaction(base: .empty)

    static let person = 0
    static let dog = 1
    static let address = 2
    static let personTags = 3
    static let toy = 4
    static let dogNicks = 5
    static let addressNotes = 6
    static let lonely = 7
    static let personPets = 8
    static let late = 9
    static let names = [
        "Person", "Dog", "Address", "Person.tags", "Toy", "Dog.nicks", "Address.notes", "Lonely",
        "Person.pets", "Late",
    ]

    private static func text(_ name: String) -> ColumnDefinition {
        ColumnDefinition(name: name, type: .string)
    }

    private static func link(_ name: String, _ target: Int) -> ColumnDefinition {
        .link(name: name, to: TableKey(rawValue: UInt32(target)))
    }

    // MARK: Transactions

    mutating func begin() {
        transaction = EngineTransaction(base: root)
        sets = [:]
    }

    var hasChanges: Bool { transaction.hasChanges }

    mutating func commit() throws -> CommitSummary {
        let commit = try commitAndReplay(transaction)
        root = commit.root
        for (table, rows) in content.enumerated() {
            let key = TableKey(rawValue: UInt32(table))
            guard root.keys(key).map(\.rawValue) == rows.keys.sorted() else {
                throw TestFailure("The rows of \(classes[table].name) are not as expected.")
            }
            for (row, expected) in rows {
                try check(key, ObjectKey(rawValue: row), expected)
            }
        }
        return commit.summary
    }

    private func check(_ table: TableKey, _ row: ObjectKey, _ expected: Row) throws {
        let columns = expected.values.indices.map { ColumnKey(rawValue: UInt16($0)) }
        let lists = expected.lists.indices.map { ListKey(rawValue: UInt16($0)) }
        guard columns.map({ root.value(table, row, $0) }) == expected.values,
            lists.map({ root.list(table, row, $0).map(\.rawValue) })
                == expected.lists.map({ $0.map(\.target) })
        else { throw TestFailure("A row of \(classes[Int(table.rawValue)].name) differs.") }
    }

    // MARK: Schema

    mutating func addClasses() throws {
        for name in MarkWorld.names.dropLast() {
            let kind: TableKind =
                name.contains(".") ? .elements : name == "Address" ? .embedded : .object
            try addClass(name, kind, MarkWorld.text(kind == .elements ? "value" : "name"))
        }
        try add(MarkWorld.person, MarkWorld.link("best", MarkWorld.dog))
        try add(MarkWorld.person, MarkWorld.link("boss", MarkWorld.person))
        try add(MarkWorld.person, MarkWorld.link("home", MarkWorld.address))
        try add(MarkWorld.dog, MarkWorld.link("owner", MarkWorld.person))
        try add(MarkWorld.dog, MarkWorld.link("toy", MarkWorld.toy))
        try add(MarkWorld.address, MarkWorld.link("next", MarkWorld.address))
        try add(MarkWorld.address, MarkWorld.link("shop", MarkWorld.toy))
        try add(MarkWorld.toy, MarkWorld.link("first", MarkWorld.dog))
        try add(MarkWorld.personPets, MarkWorld.link("dog", MarkWorld.dog))
        try add(MarkWorld.person, list: "dogs", MarkWorld.dog)
        try add(MarkWorld.person, list: "friends", MarkWorld.person)
        try add(MarkWorld.person, list: "tags", MarkWorld.personTags)
        try add(MarkWorld.person, list: "places", MarkWorld.address)
        try add(MarkWorld.dog, list: "toys", MarkWorld.toy)
        try add(MarkWorld.dog, list: "nicks", MarkWorld.dogNicks)
        try add(MarkWorld.address, list: "notes", MarkWorld.addressNotes)
        try add(MarkWorld.person, list: "pets", MarkWorld.personPets)
    }

    mutating func addLateClass() throws {
        try addClass("Late", .object, MarkWorld.text("name"))
        try add(MarkWorld.late, MarkWorld.link("person", MarkWorld.person))
        try add(MarkWorld.person, MarkWorld.link("late", MarkWorld.late))
        try add(MarkWorld.person, list: "lates", MarkWorld.late)
    }

    private mutating func addClass(
        _ name: String, _ kind: TableKind, _ column: ColumnDefinition
    ) throws {
        _ = try transaction.addTable(name: name, kind: kind, columns: [column])
        classes.append(Class(name: name, kind: kind, columns: [column]))
        content.append([:])
    }

    private mutating func add(_ table: Int, _ column: ColumnDefinition) throws {
        _ = try transaction.addColumn(TableKey(rawValue: UInt32(table)), column)
        classes[table].columns.append(column)
        for row in content[table].keys { content[table][row]?.values.append(.null) }
    }

    private mutating func add(_ table: Int, list: String, _ target: Int) throws {
        _ = try transaction.addList(
            TableKey(rawValue: UInt32(table)), name: list,
            target: TableKey(rawValue: UInt32(target)))
        classes[table].lists.append((list, target))
        for row in content[table].keys { content[table][row]?.lists.append([]) }
    }

    // MARK: Edits

    /// Makes one edit: an insertion, a deletion, a value, a link or a list.
    mutating func edit(_ generator: inout SeededRandom) throws {
        let objects = classes.indices.filter { classes[$0].kind == .object }
        let tables = objects + [MarkWorld.person, MarkWorld.person, MarkWorld.dog]
        let table = tables.randomElement(using: &generator) ?? 0
        guard let row = content[table].keys.sorted().randomElement(using: &generator),
            content[table].count > 2, !generator.oneIn(8)
        else {
            _ = try insert(table, &generator)
            return
        }
        if generator.oneIn(10) { return delete([Place(table: table, row: row)]) }
        let place = Place(table: table, row: row)
        try editRow(generator.oneIn(3) ? owned(below: place, &generator) : place, &generator)
    }

    /// Returns the row itself, or one that it owns, directly or indirectly.
    private func owned(below place: Place, _ generator: inout SeededRandom) -> Place {
        let mine = owned(by: place)
        guard let next = mine.randomElement(using: &generator) else { return place }
        return generator.oneIn(2) ? next : owned(below: next, &generator)
    }

    private func owned(by place: Place) -> [Place] {
        guard let row = content[place.table][place.row] else { return [] }
        var found: [Place] = []
        for (column, value) in zip(classes[place.table].columns, row.values) {
            guard let target = MarkWorld.target(column), case .int(let key) = value,
                classes[target].kind.isOwned
            else { continue }
            found.append(Place(table: target, row: UInt64(key)))
        }
        for (list, elements) in zip(classes[place.table].lists, row.lists)
        where classes[list.target].kind.isOwned {
            found += elements.map { Place(table: list.target, row: $0.target) }
        }
        return found
    }

    /// Returns the class to which a link column refers.
    static func target(_ column: ColumnDefinition) -> Int? {
        if case .link(let table) = column.meaning { Int(table.rawValue) } else { nil }
    }

    private mutating func editRow(
        _ place: Place, _ generator: inout SeededRandom
    ) throws {
        let model = classes[place.table]
        if !model.lists.isEmpty, generator.oneIn(2) {
            return try editList(place, generator.below(model.lists.count), &generator)
        }
        let number = generator.below(model.columns.count)
        guard let target = MarkWorld.target(model.columns[number]) else {
            let same = content[place.table][place.row]?.values[number]
            let new = Value.string(["a", "b", "c"][generator.below(3)])
            return try set(place, number, generator.oneIn(4) ? same ?? new : new)
        }
        if generator.oneIn(4) { return try set(place, number, .null) }
        if generator.oneIn(6), let same = content[place.table][place.row]?.values[number] {
            return try set(place, number, same)
        }
        let linked = try candidate(target, &generator)
        if let linked { try set(place, number, .int(Int64(linked))) }
    }

    /// Returns a row that may be linked to; a new one for classes whose rows are owned.
    private mutating func candidate(
        _ table: Int, _ generator: inout SeededRandom
    ) throws -> UInt64? {
        if classes[table].kind.isOwned { return try insert(table, &generator) }
        return content[table].keys.sorted().randomElement(using: &generator)
    }

    private mutating func insert(
        _ table: Int, _ generator: inout SeededRandom
    ) throws -> UInt64 {
        let text = Value.string(["a", "b", "c"][generator.below(3)])
        let key = try transaction.insert(TableKey(rawValue: UInt32(table)), [text]).rawValue
        let model = classes[table]
        content[table][key] = Row(
            values: [text] + model.columns.dropFirst().map { _ in .null },
            lists: model.lists.map { _ in [] })
        return key
    }

    private mutating func set(_ place: Place, _ column: Int, _ value: Value) throws {
        let old = content[place.table][place.row]?.values[column]
        try transaction.set(
            TableKey(rawValue: UInt32(place.table)), ObjectKey(rawValue: place.row),
            ColumnKey(rawValue: UInt16(column)), value)
        content[place.table][place.row]?.values[column] = value
        sets[place, default: []].insert(column)
        if let target = MarkWorld.target(classes[place.table].columns[column]),
            classes[target].kind.isOwned, old != value, case .int(let key) = old
        {
            forget([Place(table: target, row: UInt64(key))])
        }
    }

    private mutating func editList(
        _ place: Place, _ list: Int, _ generator: inout SeededRandom
    ) throws {
        let (table, row) = (
            TableKey(rawValue: UInt32(place.table)), ObjectKey(rawValue: place.row)
        )
        let key = ListKey(rawValue: UInt16(list))
        let target = classes[place.table].lists[list].target
        let count = content[place.table][place.row]?.lists[list].count ?? 0
        switch generator.below(count > 3 ? 4 : 6) {
        case 0 where count > 0:
            let position = generator.below(count)
            transaction.removeFromList(table, row, key, position..<position + 1)
            let old = content[place.table][place.row]?.lists[list].remove(at: position)
            if classes[target].kind.isOwned, let old {
                forget([Place(table: target, row: old.target)])
            }
        case 1 where count > 1:
            let (source, end) = (generator.below(count), generator.below(count))
            transaction.moveInList(table, row, key, from: source, to: end)
            if source == end { return }
            guard let old = content[place.table][place.row]?.lists[list].remove(at: source)
            else { return }
            let moved = occurrence(old.target)
            content[place.table][place.row]?.lists[list].insert(moved, at: end)
        case 2 where count > 0:
            let position = generator.below(count)
            guard let new = try candidate(target, &generator) else { return }
            try transaction.setListElement(
                table, row, key, at: position, ObjectKey(rawValue: new))
            let old = content[place.table][place.row]?.lists[list][position].target
            let put = occurrence(new)
            content[place.table][place.row]?.lists[list][position] = put
            if classes[target].kind.isOwned, let old {
                forget([Place(table: target, row: old)])
            }
        default:
            let position = generator.below(count + 1)
            guard let new = try candidate(target, &generator) else { return }
            try transaction.insertIntoList(
                table, row, key, at: position, [ObjectKey(rawValue: new)])
            let put = occurrence(new)
            content[place.table][place.row]?.lists[list].insert(put, at: position)
        }
    }

    private mutating func occurrence(_ target: UInt64) -> Occurrence {
        lastID += 1
        return Occurrence(id: lastID, target: target)
    }

    private mutating func delete(_ places: [Place]) {
        for place in places {
            transaction.delete(
                TableKey(rawValue: UInt32(place.table)), ObjectKey(rawValue: place.row))
        }
        forget(places)
    }

    /// Removes rows from the plain content, with everything they own, from all lists; links to them
    /// become null.
    private mutating func forget(_ places: [Place]) {
        var pending = places
        while let place = pending.popLast() {
            guard content[place.table][place.row] != nil else { continue }
            pending += owned(by: place)
            content[place.table][place.row] = nil
            for table in classes.indices {
                for (row, var value) in content[table] {
                    for (column, definition) in classes[table].columns.enumerated()
                    where MarkWorld.target(definition) == place.table
                        && value.values[column] == .int(Int64(place.row))
                    {
                        value.values[column] = .null
                        sets[Place(table: table, row: row), default: []].insert(column)
                    }
                    for (list, definition) in classes[table].lists.enumerated()
                    where definition.target == place.table {
                        value.lists[list].removeAll { $0.target == place.row }
                    }
                    content[table][row] = value
                }
            }
        }
    }
}
