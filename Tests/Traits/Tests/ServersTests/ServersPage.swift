import Configuration
import Foundation
import Logging
import Regnum
import RegnumService
import ServiceLifecycle
import UnixSignals

final class Room: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var messages: List<Message>

    /// Appends a message and returns its number.
    func post(_ text: String, at date: Date) -> Int {
        let message = Message()
        message.number = (messages.last?.number ?? 0) + 1
        message.text = text
        message.sentAt = date
        messages.append(message)
        return message.number
    }
}

final class Message: Object {
    @Persisted var number: Int
    @Persisted var text: String
    @Persisted var sentAt: Date
}

final class Order: Object {
    @Persisted var isPaid: Bool
}

enum HTTPError: Error {
    case noRoom(String)
}

/// Some of a room's messages.
struct MessagePage: Sendable {
    var messages: [Frozen<Message>] = []

    init() {}

    init(_ list: FrozenResults<Message>, after number: Int, limit: Int) throws {
        messages = try list.snapshot.read { _ in
            Array(list.where { $0.number > number }.prefix(limit))
        }
    }
}

/// The blocks of Swift in `Docs/Guides/Servers.md`, each in a function that supplies its names.
enum ServersPage {
    static func messages(after: Int, limit: Int, in realm: Realm) throws -> [Frozen<Message>] {
        let page = try realm.snapshot().read { snapshot in
            let list = snapshot.object(Room.self, forPrimaryKey: "lobby")!.messages
            return Array(list.where { $0.number > after }.prefix(limit))
        }
        return page
    }

    static func post(
        _ message: String, to name: String, at date: Date, in realm: Realm
    ) async throws -> Int {
        let number = try await realm.write { tx in
            guard let room = tx.object(Room.self, forPrimaryKey: name) else {
                throw HTTPError.noRoom(name)
            }
            return room.post(message, at: date)
        }
        return number
    }

    static func wait(
        in name: String, after number: Int, limit: Int, in realm: Realm
    ) async throws -> MessagePage {
        let shuttingDown = MessagePage()
        var changes = realm.object(Room.self, forPrimaryKey: name).messages.changes
            .makeAsyncIterator()
        guard let initial = try await changes.next() else { return shuttingDown }
        var page = try MessagePage(initial.collection, after: number, limit: limit)
        if page.messages.isEmpty, let change = try await changes.next(within: .seconds(25)).element
        {
            page = try MessagePage(change.collection, after: number, limit: limit)
        }
        return page
    }

    static func sendEvents(
        of messages: LiveResults<Message>, since lastEventID: ChangeCursor?,
        _ send: (String) async throws -> Void
    ) async throws {
        func write(_ name: String, id: String, _ data: String) async throws {
            try await send("id: \(id)\nevent: \(name)\ndata: \(data)\n\n")
        }
        func write(comment: String, id: String) async throws {
            try await send(": \(comment)\nid: \(id)\n\n")
        }
        func json(_ value: some Encodable) throws -> String {
            String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        }
        let events = messages.changes(since: lastEventID).heartbeats(every: .seconds(15))
        for try await event in events.cancelOnGracefulShutdown() {
            switch event {
            case .change(.initial(let messages), let cursor):
                try await write("reset", id: "\(cursor)", json(messages))
            case .change(.update(_, let delta), let cursor):
                try await write("change", id: "\(cursor)", json(delta))
            case .heartbeat(let cursor):
                try await write(comment: "heartbeat", id: "\(cursor)")
            }
        }
    }

    static func unpaidOrders(of tenant: String, in folder: URL) async throws -> Int {
        let pool = RealmPool(maximumOpenCount: 200) { tenant in
            Realm.Configuration(location: .file(folder.appending(path: "\(tenant).realm")))
        }
        let open = try await pool.withRealm(tenant) { realm in
            realm.snapshot().objects(Order.self).where { !$0.isPaid }.count
        }
        await pool.close()
        return open
    }

    static func run(
        _ application: some ServiceLifecycle.Service, logger: Logger, on realm: Realm
    ) async throws {
        var configuration = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        try await ServiceGroup(configuration: configuration).run()
        await realm.close()
    }

    static func check(_ realm: Realm) async throws {
        try await realm.catchUp()
    }

    static func settings() async throws -> Realm.Configuration {
        let config = ConfigReader(provider: EnvironmentVariablesProvider())  // such as REALM_PATH
        var configuration = try await Realm.Configuration(
            config: config.scoped(to: "realm"), objectTypes: [Room.self, Message.self])
        configuration.logger = nil
        return configuration
    }
}
