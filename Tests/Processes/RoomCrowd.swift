import Foundation
import Glibc
import RegnumTestSupport
import Synchronization

@testable import RegnumCrashChild

/// Clients of rooms that two servers serve. All of them run on one thread.
final class RoomCrowd: Sendable {
    struct Progress: Sendable {
        /// The number of clients that have moved to the second server since it was started last.
        var movedCount = 0
        /// All clients, once they have the last message of their rooms.
        var clients: [CrowdClient]?
        var failure: String?
    }

    private let orders = Mutex(CrowdClient.Orders())
    private let isCancelled = Atomic(false)
    private let progress = Watched(Progress())

    /// Starts clients, evenly distributed to the rooms, that read up to a text.
    init(
        _ count: Int, of rooms: [String], until lastText: String, at servers: [String],
        _ seed: UInt64
    ) throws {
        // Only in the soak, because the limit also applies to other tests.
        if count > 400 { try raiseDescriptorLimit() }
        let clients = (0..<count).map { number in
            // Of the clients of a room, half have an even number.
            CrowdClient(
                number / rooms.count, of: rooms[number % rooms.count], until: lastText, servers,
                SeededRandom.seed(seed, ofRun: number))
        }
        Thread.detachNewThread { [self] in run(clients) }
    }

    func tell(_ change: (inout CrowdClient.Orders) -> Void) {
        orders.withLock { change(&$0) }
    }

    /// Disconnects all clients.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Waits until that many clients have moved to the second server.
    func waitForMoved(_ count: Int) async throws {
        _ = try await wait("\(count) clients have moved") { $0.movedCount >= count }
    }

    /// Waits until all clients have the last message of their rooms, and returns them.
    func end() async throws -> [CrowdClient] {
        try await wait("all clients are done") { $0.clients != nil }.clients ?? []
    }

    private func wait(
        _ sentence: String, until isMet: @escaping @Sendable (Progress) -> Bool
    ) async throws -> Progress {
        let isInTime = await progress.wait(within: timeLimit) { isMet($0) || $0.failure != nil }
        let progress = progress.read { $0 }
        if let failure = progress.failure { throw ChildFailure(failure) }
        try require(isInTime, "waited too long until \(sentence)")
        return progress
    }

    // MARK: The thread

    private func run(_ clients: [CrowdClient]) {
        var clients = clients
        do {
            while !clients.allSatisfy(\.isDone), !isCancelled.load(ordering: .relaxed) {
                let orders = orders.withLock { $0 }
                try step(&clients, orders)
                let movedCount = clients.count { $0.movedAtStart == orders.startCount }
                progress.update { $0.movedCount = movedCount }
            }
            if clients.allSatisfy(\.isDone) { progress.update { $0.clients = clients } }
        } catch {
            progress.update { $0.failure = "\(error)" }
        }
        for index in clients.indices { clients[index].disconnect() }
    }

    private func step(_ clients: inout [CrowdClient], _ orders: CrowdClient.Orders) throws {
        var awaited: [pollfd] = []
        var indices: [Int] = []
        for index in clients.indices {
            try clients[index].prepare(orders)
            guard let descriptor = clients[index].awaited else { continue }
            awaited.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
            indices.append(index)
        }
        // Returns early, because stalls end and servers are started meanwhile.
        poll(&awaited, nfds_t(awaited.count), 10)
        for (entry, index) in zip(awaited, indices) where entry.revents != 0 {
            try clients[index].read()
        }
    }
}
