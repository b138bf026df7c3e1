import RegnumEngine
import RegnumSimulation
import RegnumStore

@testable import EngineOracle

/// People with dogs, streets and tags: a link, a list, an owned link that nests, owned lists.
struct LinkContent {
    static let person = TableKey(rawValue: 0)
    static let dog = TableKey(rawValue: 1)
    static let address = TableKey(rawValue: 2)
    static let tags = TableKey(rawValue: 3)

    // Columns of Person.
    static let name = ColumnKey(rawValue: 0)
    static let favourite = ColumnKey(rawValue: 1)
    static let home = ColumnKey(rawValue: 2)
    static let work = ColumnKey(rawValue: 3)
    static let dogs = ListKey(rawValue: 0)
    static let tagList = ListKey(rawValue: 1)
    static let addresses = ListKey(rawValue: 2)
    // Columns of Dog.
    static let owner = ColumnKey(rawValue: 0)
    // Columns of Address.
    static let next = ColumnKey(rawValue: 0)
    static let street = ColumnKey(rawValue: 1)

    /// Adds the classes, initially without columns.
    static func addClasses(_ transaction: EngineTransaction) throws {
        let person = try transaction.addTable(name: "Person", columns: [])
        let dog = try transaction.addTable(name: "Dog", columns: [])
        let address = try transaction.addTable(name: "Address", kind: .embedded, columns: [])
        let tags = try transaction.addTable(
            name: "Person.tags", kind: .elements,
            columns: [ColumnDefinition(name: "value", type: .string)])
        _ = try transaction.addColumn(person, ColumnDefinition(name: "name", type: .string))
        _ = try transaction.addColumn(person, .link(name: "favourite", to: dog))
        _ = try transaction.addColumn(person, .link(name: "home", to: address))
        _ = try transaction.addColumn(person, .link(name: "work", to: address))
        _ = try transaction.addList(person, name: "dogs", target: dog)
        _ = try transaction.addList(person, name: "tags", target: tags)
        _ = try transaction.addList(person, name: "addresses", target: address)
        _ = try transaction.addColumn(dog, .link(name: "owner", to: person))
        _ = try transaction.addColumn(address, .link(name: "next", to: address))
        _ = try transaction.addColumn(address, ColumnDefinition(name: "street", type: .string))
    }

    static func begin() throws -> EngineTransaction {
        let transaction = EngineTransaction(base: .empty)
        try addClasses(transaction)
        return transaction
    }
}

extension Value {
    static func link(_ key: ObjectKey) -> Value { .int(Int64(key.rawValue)) }
}

extension EngineTransaction {
    func person(_ name: String) throws -> ObjectKey {
        try insert(LinkContent.person, [.string(name)])
    }

    func dog() throws -> ObjectKey { try insert(LinkContent.dog, []) }

    func address(next: ObjectKey? = nil) throws -> ObjectKey {
        try insert(LinkContent.address, [next.map { .link($0) } ?? .null, .string("street")])
    }

    func tag(_ text: String) throws -> ObjectKey {
        try insert(LinkContent.tags, [.string(text)])
    }

    func set(_ row: ObjectKey, _ column: ColumnKey, _ target: ObjectKey?) throws {
        try set(LinkContent.person, row, column, target.map { .link($0) } ?? .null)
    }
}
