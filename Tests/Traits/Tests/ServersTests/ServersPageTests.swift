import Foundation
import Logging
import Regnum
import ServiceLifecycle
import Testing
import TraitModels

/// The code in `Docs/Guides/Servers.md`, which is in `ServersPage.swift`.
@Suite struct ServersPageTests {
    private let directory = TemporaryDirectory()
    private let journal = Journal()

    private func open() async throws -> Realm {
        var configuration = Realm.Configuration(
            location: .file(directory.url), objectTypes: [Room.self, Message.self])
        configuration.logger = nil
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in try tx.create(Room.self, value: ["name": "lobby"]) }
        return realm
    }

    @Test func eachBlockOfThePageIsCompiled() throws {
        func withoutSpace(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let page = try String(
            contentsOf: folder.appending(path: "../../../../Docs/Guides/Servers.md"),
            encoding: .utf8)
        let source = folder.appending(path: "ServersPage.swift")
        let code = withoutSpace(try String(contentsOf: source, encoding: .utf8))
        let blocks = page.components(separatedBy: "\n```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        #expect(blocks.count == 8)
        for block in blocks {
            let isCompiled = code.contains(withoutSpace(block))
            #expect(isCompiled, "\(block)")
        }
    }

    @Test(.timeLimit(.minutes(8))) func handlersReadPostAndWait() async throws {
        let realm = try await open()
        let waiting = Task {
            try await ServersPage.wait(in: "lobby", after: 0, limit: 9, in: realm)
        }
        while realm.stats().streams == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let number = try await ServersPage.post("hello", to: "lobby", at: Date(), in: realm)
        #expect(number == 1)
        #expect(try await waiting.value.messages.map(\.text) == ["hello"])
        await #expect(throws: HTTPError.self) {
            try await ServersPage.post("hello", to: "nowhere", at: Date(), in: realm)
        }
        _ = try await ServersPage.post("again", to: "lobby", at: Date(), in: realm)
        let page = try ServersPage.messages(after: 1, limit: 9, in: realm)
        #expect(page.map(\.text) == ["again"])
        try await ServersPage.check(realm)
        await realm.close()
        await #expect(throws: Realm.Error.self) { try await ServersPage.check(realm) }
    }

    @Test(.timeLimit(.minutes(8))) func eventsContinueAfterTheLastOne() async throws {
        let realm = try await open()
        let messages = realm.object(Room.self, forPrimaryKey: "lobby").messages
        func events(since cursor: ChangeCursor?) -> Task<Void, any Error> {
            Task { [journal] in
                let messages = messages.where { $0.number > 0 }
                try await ServersPage.sendEvents(of: messages, since: cursor) { journal.add($0) }
            }
        }
        func wait(forEvents count: Int) async throws {
            while journal.all.count < count { try await Task.sleep(for: .milliseconds(1)) }
        }
        let first = events(since: nil)
        try await wait(forEvents: 1)
        first.cancel()
        try? await first.value
        let reset = journal.all[0].split(separator: "\n")
        #expect(reset[1...] == ["event: reset", "data: []"])

        _ = try await ServersPage.post("hello", to: "lobby", at: Date(), in: realm)
        let cursor = ChangeCursor(String(reset[0].dropFirst("id: ".count)))
        #expect(cursor != nil)
        let second = events(since: cursor)
        try await wait(forEvents: 2)
        let change = journal.all[1]
        #expect(change.contains("event: change\n") && change.contains("\"insertions\":[0]"))
        #expect(change.contains("hello"))
        await realm.close()
        try await second.value
    }

    @Test func tenantsHaveRealms() async throws {
        let folder = directory.url
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(try await ServersPage.unpaidOrders(of: "acme", in: folder) == 0)
        let realm = folder.appending(path: "acme.realm").path
        #expect(FileManager.default.fileExists(atPath: realm))
    }

    @Test(.timeLimit(.minutes(8))) func theRealmIsClosedAfterASignal() async throws {
        struct Application: ServiceLifecycle.Service {
            func run() async throws {
                kill(getpid(), SIGTERM)
                try await gracefulShutdown()
            }
        }
        let realm = try await open()
        var logger = Logger(label: "servers")
        logger.logLevel = .critical
        try await ServersPage.run(Application(), logger: logger, on: realm)
        #expect(realm.isClosed)
    }

    @Test func settingsOfTheEnvironmentAreRead() async throws {
        // without REALM_PATH
        await #expect(throws: (any Error).self) { try await ServersPage.settings() }
        setenv("REALM_PATH", directory.url.path, 1)
        defer { unsetenv("REALM_PATH") }
        let realm = try await Realm.open(try await ServersPage.settings())
        let rooms = try realm.snapshot().read { $0.objects(Room.self).count }
        #expect(rooms == 0)
        await realm.close()
    }
}
