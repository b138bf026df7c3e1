import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// Classes with links and lists as plain values, and the same content in a root of the engine.
struct LinkedWorld {
    struct Row {
        var values: [String: Value] = [:]
        var links: [String: UInt64] = [:]
        var lists: [String: [UInt64]] = [:]
        /// By list, one number per element, which stays the same while the element stays.
        var numbers: [String: [Int]] = [:]
    }

    struct Class {
        var name: String
        var kind = TableKind.object
        var columns: [ColumnDefinition] = []
        /// By name, with the position of the class to which they lead.
        var links: [(name: String, target: Int)] = []
        var lists: [(name: String, target: Int)] = []
        var rows: [UInt64: Row] = [:]

        var keys: [UInt64] { rows.keys.sorted() }
    }

    var classes: [Class]
    private(set) var root = DatabaseRoot.empty
    private(set) var summaries: [CommitSummary] = []
    /// By summary, the rows of which a column was set, even to an equal value.
    private(set) var setRows: [Set<LinkedNaive.Place>] = []
    private var noted: Set<LinkedNaive.Place> = []
    private var elementCount = 0

    /// Creates a random schema: some classes of objects, perhaps one of embedded objects and one of
    /// values.
    init(_ generator: inout SeededRandom) {
        let count = 1 + generator.below(3)
        classes = (0..<count).map { Class(name: "C\($0)") }
        for index in 0..<count {
            for number in 0..<2 + generator.below(4) {
                classes[index].columns.append(
                    LinkedWorld.column("p\(number)", &generator))
            }
            for number in 0..<generator.below(3) {
                classes[index].links.append(("l\(number)", generator.below(count)))
            }
            for number in 0..<generator.below(3) {
                classes[index].lists.append(("many\(number)", generator.below(count)))
            }
        }
        if generator.oneIn(2) {
            classes.append(
                Class(
                    name: "E", kind: .embedded,
                    columns: (0..<2).map { LinkedWorld.column("p\($0)", &generator) },
                    links: [("out", generator.below(count))]))
            let owner = generator.below(count)
            classes[owner].links.append(("part", classes.count - 1))
            classes[owner].lists.append(("parts", classes.count - 1))
        }
        if generator.oneIn(2) {
            let owner = generator.below(count)
            var column = LinkedWorld.column("value", &generator)
            column.isIndexed = false
            classes.append(
                Class(name: "\(classes[owner].name).values", kind: .elements, columns: [column]))
            classes[owner].lists.append(("values", classes.count - 1))
        }
    }

    /// Creates two classes with few distinct values, so that rows are alike and swap places.
    init(items generator: inout SeededRandom) {
        let columns = [
            ColumnDefinition(
                name: "p0", type: .bool, isOptional: true, isIndexed: generator.oneIn(2)),
            ColumnDefinition(
                name: "p1", type: .int, isOptional: true, isIndexed: generator.oneIn(2)),
        ]
        classes = [
            Class(
                name: "Item", columns: columns, links: [("out", 1), ("next", 0)],
                lists: [("many", 1)]),
            Class(name: "Other", columns: columns, links: [("back", 0)], lists: [("items", 0)]),
        ]
    }

    private static func column(
        _ name: String, _ generator: inout SeededRandom
    ) -> ColumnDefinition {
        let type = ValueType.plain[generator.below(ValueType.plain.count)]
        return ColumnDefinition(
            name: name, type: type, isOptional: generator.oneIn(2),
            isIndexed: type.canBeIndexed && generator.oneIn(2))
    }

    func table(_ index: Int) -> TableKey { TableKey(rawValue: UInt32(index)) }

    // MARK: Changes, made in both

    /// Makes one commit. Columns come first, then links, in the order of the engine's keys.
    mutating func change(
        _ generator: inout SeededRandom,
        _ body: (inout LinkedWorld, EngineTransaction, inout SeededRandom) throws -> Void
    ) throws {
        let transaction = EngineTransaction(base: root)
        noted = []
        try body(&self, transaction, &generator)
        if !transaction.hasChanges { return }
        let commit = try transaction.commit(
            timestampMicroseconds: 0, maximumBodyByteCount: .max)
        root = commit.root
        summaries.append(commit.summary)
        setRows.append(noted)
    }

    private mutating func note(_ index: Int, _ key: UInt64) {
        noted.insert(LinkedNaive.Place(index: index, key: key))
    }

    /// Returns the rows of a class that exist here and in an older state and were modified
    /// themselves since: a column was set, a list differs, or an element of a list of values was
    /// set.
    func ownModified(_ index: Int, since old: LinkedWorld) -> Set<UInt64> {
        let set = setRows[old.setRows.count...].reduce(into: Set()) { $0.formUnion($1) }
        var found: Set<UInt64> = []
        for (key, row) in classes[index].rows {
            guard let before = old.classes[index].rows[key] else { continue }
            let isSet = set.contains(LinkedNaive.Place(index: index, key: key))
            let hasOtherList = classes[index].lists.contains { list in
                if row.numbers[list.name] ?? [] != before.numbers[list.name] ?? [] { return true }
                guard classes[list.target].kind == .elements else { return false }
                return (row.lists[list.name] ?? []).contains {
                    set.contains(LinkedNaive.Place(index: list.target, key: $0))
                }
            }
            if isSet || hasOtherList { found.insert(key) }
        }
        return found
    }

    mutating func addSchema(_ transaction: EngineTransaction) throws {
        for content in classes {
            _ = try transaction.addTable(
                name: content.name, kind: content.kind, columns: content.columns)
        }
        for (index, content) in classes.enumerated() {
            for link in content.links {
                _ = try transaction.addColumn(
                    table(index), .link(name: link.name, to: table(link.target)))
            }
            for list in content.lists {
                _ = try transaction.addList(
                    table(index), name: list.name, target: table(list.target))
            }
        }
    }

    @discardableResult
    mutating func insert(
        _ index: Int, _ transaction: EngineTransaction, _ generator: inout SeededRandom
    ) throws -> UInt64 {
        var row = Row()
        var values: [Value] = []
        for column in classes[index].columns {
            let value = generator.value(column.type, isOptional: column.isOptional)
            row.values[column.name] = value
            values.append(value)
        }
        for _ in classes[index].links { values.append(.null) }
        let key = try transaction.insert(table(index), values).rawValue
        classes[index].rows[key] = row
        return key
    }

    mutating func setValue(
        _ index: Int, _ key: UInt64, _ transaction: EngineTransaction,
        _ generator: inout SeededRandom
    ) throws {
        let number = generator.below(classes[index].columns.count)
        let column = classes[index].columns[number]
        let value = generator.value(column.type, isOptional: column.isOptional)
        try transaction.set(
            table(index), ObjectKey(rawValue: key), ColumnKey(rawValue: UInt16(number)), value)
        classes[index].rows[key]?.values[column.name] = value
        note(index, key)
    }

    /// Sets a link of a row to a random row of the target or to null; to a new row if those are
    /// owned.
    mutating func setLink(
        _ index: Int, _ key: UInt64, _ transaction: EngineTransaction,
        _ generator: inout SeededRandom
    ) throws {
        guard !classes[index].links.isEmpty else { return }
        let number = generator.below(classes[index].links.count)
        let link = classes[index].links[number]
        var target: UInt64?
        if classes[link.target].kind.isOwned {
            if !generator.oneIn(4) { target = try insert(link.target, transaction, &generator) }
        } else if !generator.oneIn(6) {
            target =
                classes[link.target].rows.isEmpty
                ? nil : classes[link.target].keys.randomElement(using: &generator)
        }
        let column = ColumnKey(rawValue: UInt16(classes[index].columns.count + number))
        try transaction.set(
            table(index), ObjectKey(rawValue: key), column, target.map { .int(Int64($0)) } ?? .null)
        let before = classes[index].rows[key]?.links[link.name]
        if let before, classes[link.target].kind.isOwned { forget(link.target, before) }
        classes[index].rows[key]?.links[link.name] = target
        note(index, key)
    }

    /// Inserts a random row into a list of a row, possibly once more, or removes or moves one.
    mutating func editList(
        _ index: Int, _ key: UInt64, _ transaction: EngineTransaction,
        _ generator: inout SeededRandom
    ) throws {
        guard !classes[index].lists.isEmpty else { return }
        let number = generator.below(classes[index].lists.count)
        let list = classes[index].lists[number]
        let listKey = ListKey(rawValue: UInt16(number))
        let owner = ObjectKey(rawValue: key)
        var elements = classes[index].rows[key]?.lists[list.name] ?? []
        var numbers = classes[index].rows[key]?.numbers[list.name] ?? []
        let isOwned = classes[list.target].kind.isOwned
        elementCount += 1
        switch generator.below(6) {
        case 0 where !elements.isEmpty:
            let place = generator.below(elements.count)
            transaction.removeFromList(table(index), owner, listKey, place..<place + 1)
            let element = elements.remove(at: place)
            numbers.remove(at: place)
            if isOwned { forget(list.target, element) }
        case 1 where !elements.isEmpty:
            let from = generator.below(elements.count)
            let to = generator.below(elements.count)
            transaction.moveInList(table(index), owner, listKey, from: from, to: to)
            if from == to { return }
            elements.insert(elements.remove(at: from), at: to)
            numbers.remove(at: from)
            numbers.insert(elementCount, at: to)
        default:
            if !isOwned, classes[list.target].rows.isEmpty { return }
            let element =
                try isOwned
                ? insert(list.target, transaction, &generator)
                : classes[list.target].keys.randomElement(using: &generator) ?? 0
            let place = generator.below(elements.count + 1)
            try transaction.insertIntoList(
                table(index), owner, listKey, at: place, [ObjectKey(rawValue: element)])
            elements.insert(element, at: place)
            numbers.insert(elementCount, at: place)
        }
        classes[index].rows[key]?.numbers[list.name] = numbers
        classes[index].rows[key]?.lists[list.name] = elements
    }

    /// Deletes a row: it is removed from all links and lists, and the rows that it owns are deleted
    /// with it.
    mutating func delete(
        _ index: Int, _ key: UInt64, _ transaction: EngineTransaction
    ) {
        if classes[index].kind.isOwned { return }
        transaction.delete(table(index), ObjectKey(rawValue: key))
        forget(index, key)
    }

    private mutating func forget(_ index: Int, _ key: UInt64) {
        guard let row = classes[index].rows.removeValue(forKey: key) else { return }
        for link in classes[index].links where classes[link.target].kind.isOwned {
            if let part = row.links[link.name] { forget(link.target, part) }
        }
        for list in classes[index].lists where classes[list.target].kind.isOwned {
            for part in row.lists[list.name] ?? [] { forget(list.target, part) }
        }
        for origin in classes.indices {
            for link in classes[origin].links where link.target == index {
                for (owner, row) in classes[origin].rows where row.links[link.name] == key {
                    classes[origin].rows[owner]?.links[link.name] = nil
                    note(origin, owner)
                }
            }
            for list in classes[origin].lists where list.target == index {
                for (owner, row) in classes[origin].rows {
                    let elements = row.lists[list.name] ?? []
                    let staying = elements.indices.filter { elements[$0] != key }
                    if staying.count == elements.count { continue }
                    classes[origin].rows[owner]?.lists[list.name] = staying.map { elements[$0] }
                    classes[origin].rows[owner]?.numbers[list.name] = staying.map {
                        (row.numbers[list.name] ?? [])[$0]
                    }
                }
            }
        }
    }

    /// Makes some random changes.
    mutating func edit(
        _ count: Int, _ transaction: EngineTransaction, _ generator: inout SeededRandom
    ) throws {
        for _ in 0..<count {
            let index = generator.below(classes.count)
            let isOwned = classes[index].kind.isOwned
            guard let key = classes[index].keys.randomElement(using: &generator) else {
                if !isOwned { try insert(index, transaction, &generator) }
                continue
            }
            switch generator.below(10) {
            case 0 where !isOwned: try insert(index, transaction, &generator)
            case 1 where !isOwned: delete(index, key, transaction)
            case 2, 3, 4: try setValue(index, key, transaction, &generator)
            case 5, 6, 7: try setLink(index, key, transaction, &generator)
            default: try editList(index, key, transaction, &generator)
            }
        }
    }

    /// Creates the schema and some rows, possibly many of one class.
    mutating func fill(_ generator: inout SeededRandom, large: Bool) throws {
        try change(&generator) { world, transaction, generator in
            try world.addSchema(transaction)
            let largest = generator.below(world.classes.count)
            for index in world.classes.indices where !world.classes[index].kind.isOwned {
                let isLarge = large && index == largest
                let count = isLarge ? 1_100 + generator.below(300) : generator.below(60)
                for _ in 0..<count { try world.insert(index, transaction, &generator) }
            }
            for index in world.classes.indices {
                for key in world.classes[index].keys {
                    for _ in 0..<world.classes[index].links.count {
                        try world.setLink(index, key, transaction, &generator)
                    }
                    if large, !generator.oneIn(4) { continue }
                    for _ in 0..<generator.below(6) {
                        try world.editList(index, key, transaction, &generator)
                    }
                }
            }
            for index in world.classes.indices where !world.classes[index].kind.isOwned {
                if world.classes[index].rows.count > 200 { continue }
                for key in world.classes[index].keys where generator.oneIn(8) {
                    world.delete(index, key, transaction)
                }
            }
        }
    }
}
