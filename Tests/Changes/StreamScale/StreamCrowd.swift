import Regnum
import RegnumTestSupport
import Testing

/// Many streams of all kinds on one realm, which are begun and ended again.
struct StreamCrowd {
    /// The way in which the streams end.
    enum Ending: CaseIterable {
        case cancelledTasks
        case cancelledGroup
        /// A child of the group throws.
        case failedGroup
        case closedRealm
        /// The iterators are released while nobody waits on them.
        case droppedIterators
    }

    private struct Failed: Error {}

    let realm: Realm
    let count: Int

    /// Begins the streams, makes a commit that most of them report, and ends them.
    ///
    /// - Parameter atTheirMost: Called while all streams wait.
    func run(_ ending: Ending, atTheirMost: @Sendable () throws -> Void = {}) async throws {
        switch ending {
        case .cancelledTasks: try await runTasks(atTheirMost)
        case .cancelledGroup: try await runGroup(fails: false, atTheirMost)
        case .failedGroup: try await runGroup(fails: true, atTheirMost)
        case .closedRealm: try await runUntilClosed(atTheirMost)
        case .droppedIterators: try await runDropped(atTheirMost)
        }
    }

    private func runTasks(_ atTheirMost: () throws -> Void) async throws {
        let begun = Arrivals()
        let tasks = begin(begun)
        await begun.wait(for: count)
        try await commit()
        try atTheirMost()
        for task in tasks { task.cancel() }
        for task in tasks { try await task.value }
    }

    private func runUntilClosed(_ atTheirMost: () throws -> Void) async throws {
        let begun = Arrivals()
        let tasks = begin(begun)
        await begun.wait(for: count)
        try await commit()
        try atTheirMost()
        await realm.close()
        for task in tasks { try await task.value }
    }

    private func begin(_ begun: Arrivals) -> [Task<Void, any Error>] {
        (0..<count).map { number in
            Task { try await Self.follow(realm, number, begun) }
        }
    }

    private func runGroup(
        fails: Bool, _ atTheirMost: @Sendable () throws -> Void
    ) async throws {
        let begun = Arrivals()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask { try await Self.follow(realm, number, begun) }
                }
                await begun.wait(for: count)
                try await commit()
                try atTheirMost()
                if fails {
                    group.addTask { throw Failed() }
                    // Ends the body, and with it the others.
                    for try await _ in group {}
                } else {
                    group.cancelAll()
                }
            }
            expectTrue(!fails)
        } catch is Failed {
            expectTrue(fails)
        }
    }

    private func runDropped(_ atTheirMost: () throws -> Void) async throws {
        var held: [CollectionChanges<Scale.Seat>.AsyncIterator] = []
        for number in 0..<count {
            let seats = realm.objects(Scale.Seat.self).where { $0.hall == number }
            // Not all of them are ever asked for an element.
            var stream = seats.changes.makeAsyncIterator()
            if number % 3 > 0 { _ = try await stream.next() }
            held.append(stream)
        }
        try await commit()
        try atTheirMost()
        held = []
    }

    /// Wakes many of the streams.
    private func commit() async throws {
        try await realm.write(origin: "crowd") { tx in
            tx.object(Scale.Seat.self, forPrimaryKey: 0)?.rank += 1
            tx.object(Scale.Guest.self, forPrimaryKey: 0)?.age += 1
        }
    }

    /// Iterates a stream to its end; the number determines the kind of stream.
    static func follow(
        _ realm: Realm, _ number: Int, _ begun: Arrivals
    ) async throws {
        let seats = realm.objects(Scale.Seat.self)
        let hall = realm.object(Scale.Hall.self, forPrimaryKey: number)
        switch number % 10 {
        // Queries of their own.
        case 0: try await pass(seats.where { $0.hall == number }.changes, begun)
        case 1: try await pass(seats.where { $0.rank == number && $0.hall < 9 }.changes, begun)
        // Queries shared with other streams.
        case 2: try await pass(seats.where { $0.hall == 0 }.changes, begun)
        case 3: try await pass(seats.where { $0.guest.age > 20 }.sorted(by: \.rank).changes, begun)
        case 4: try await pass(seats.changes(depth: 0, policy: .everyCommit), begun)
        case 5: try await pass(seats.distinct(by: \.hall).changes(policy: .newest), begun)
        case 6:
            let seat = realm.object(Scale.Seat.self, forPrimaryKey: number % 100)
            try await pass(seat.changes, begun)
        case 7: try await pass(hall.seats.changes, begun)
        case 8: try await pass(hall.tags.changes, begun)
        default:
            // Has no initial element.
            var commits = realm.commits.makeAsyncIterator()
            begun.arrive()
            while try await commits.next() != nil {}
        }
    }

    private static func pass<Changes: AsyncSequence>(
        _ changes: Changes, _ begun: Arrivals
    ) async throws {
        var isFirst = true
        // Also if it fails at once: the error is seen by whoever awaits it.
        defer { if isFirst { begun.arrive() } }
        for try await _ in changes {
            if isFirst { begun.arrive() }
            isFirst = false
        }
    }
}
