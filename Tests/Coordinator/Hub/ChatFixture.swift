import RegnumEngine
import RegnumSimulation
import RegnumStore

@testable import EngineOracle

/// A realm of rooms with lists of messages, messages with a room, a score and a list of reactions,
/// and unrelated people: roots without a log.
struct ChatFixture {
    static let room = TableKey(rawValue: 0)
    static let message = TableKey(rawValue: 1)
    static let reaction = TableKey(rawValue: 2)
    static let person = TableKey(rawValue: 3)
    static let names = ["Room", "Message", "Reaction", "Person"]
    static let messages = ListKey(rawValue: 0)
    static let pinned = ListKey(rawValue: 1)
    static let reactions = ListKey(rawValue: 0)
    /// The columns of a message.
    static let roomOfMessage = ColumnKey(rawValue: 0)
    static let score = ColumnKey(rawValue: 1)
    static let tag = ColumnKey(rawValue: 2)

    /// Makes a root with rows in the classes.
    static func makeRoot() throws -> DatabaseRoot {
        let transaction = EngineTransaction(base: .empty)
        let plain = [ColumnDefinition(name: "number", type: .int)]
        _ = try transaction.addTable(name: "Room", columns: plain)
        _ = try transaction.addTable(
            name: "Message",
            columns: [
                ColumnDefinition(name: "room", type: .int, isOptional: true),
                ColumnDefinition(name: "score", type: .double),
                ColumnDefinition(name: "tag", type: .string, isOptional: true),
            ])
        _ = try transaction.addTable(name: "Reaction", columns: plain)
        _ = try transaction.addTable(name: "Person", columns: plain)
        _ = try transaction.addList(room, name: "messages", target: message)
        _ = try transaction.addList(room, name: "pinned", target: message)
        _ = try transaction.addList(message, name: "reactions", target: reaction)
        return try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0).root
    }

    static func commit(
        on base: DatabaseRoot, origin: String? = nil,
        _ body: (EngineTransaction) throws -> Void
    ) throws -> Commit {
        let transaction = EngineTransaction(base: base, origin: origin)
        try body(transaction)
        return try transaction.commit(timestampMicroseconds: 0, maximumBodyByteCount: 0)
    }
}

extension EngineTransaction {
    @discardableResult
    func addMessage(room: Int64?, score: Double = 0, tag: String? = nil) throws -> ObjectKey {
        try insert(
            ChatFixture.message,
            [
                room.map { .int($0) } ?? .null, .double(score), tag.map { .string($0) } ?? .null,
            ])
    }

    /// Adds a person, whose columns are all integers.
    @discardableResult
    func addPerson() throws -> ObjectKey {
        let columns = root.schema.tables[3].columns
        return try insert(ChatFixture.person, columns.map { _ in .int(0) })
    }
}

extension Interest {
    static func room(_ number: Int64) -> Interest {
        Interest([.value(tableName: "Message", column: "room", .int(number))])
    }

    static func elements(of row: ObjectKey, list: String = "messages") -> Interest {
        Interest([.elements(tableName: "Message", listOf: "Room", list: StoredText(list), row: row)]
        )
    }
}

extension Interest {
    /// An interest in all changes to the given classes.
    static func tables(_ names: some Sequence<String>) -> Interest {
        Interest(names.map { .table(StoredText($0)) })
    }
}
