import Glibc
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams that nobody pulls during many commits, against a plain model.
///
/// The memory kept for each of them is at most 4 KiB plus 512 bytes for each seat or guest that
/// changed since and existed before or exists now, however many commits there were.
struct SleeperRun {
    private static let seatCount = 400
    private static let guestCount = 40
    private static let labelCount = 600
    private static let sleeperCount = 4

    private var random: SeededRandom
    private var model = SeatModel()

    init(seed: UInt64) {
        random = SeededRandom(seed)
    }

    mutating func run(commitCount: Int, inFile: Bool) async throws {
        let folder = try RealmFolder()
        var configuration = folder.configuration("sleeper.realm", Scale.types)
        configuration.durability = .relaxed(within: .seconds(60))
        let realm =
            inFile ? try await Realm.open(configuration) : try await Realm.temporary(Scale.types)
        try await fill(realm)

        let seats = realm.objects(Scale.Seat.self).where { $0.hall == SeatModel.hall }
        var sleepers: [CollectionChanges<Scale.Seat>.AsyncIterator] = []
        let before = try ProcessUse()
        var mostKept = 0
        for number in 0..<commitCount {
            if number % (commitCount / Self.sleeperCount) == 0, sleepers.count < Self.sleeperCount {
                var stream = seats.changes.makeAsyncIterator()
                guard case .initial(let first)? = try await stream.next() else {
                    Issue.record("no first element")
                    return
                }
                sleepers.append(stream)
                let sleeper = model.beginSleeper()
                expectEqual(first.map { $0[dynamicMember: \.id] }, ids(model.missed[sleeper].rows))
            }
            try await commit(realm)
            if number % 997 == 0 {
                mostKept = max(mostKept, realm.stats().keptSummaryByteCount)
            }
        }

        let stats = realm.stats()
        mostKept = max(mostKept, stats.keptSummaryByteCount)
        let after = try ProcessUse()
        print(
            """
            \(commitCount) commits passed \(sleepers.count) sleepers: \(mostKept >> 10) KiB of \
            summaries kept at most, \(stats.keptSummaryByteCount >> 10) KiB in \
            \(stats.keptSummaries) at the end, \(stats.snapshots.count) versions held; \
            before \(before), after \(after)
            """)
        let objectCount = 2 * (Self.seatCount + Self.guestCount)
        expectTrue(mostKept <= Self.sleeperCount * ((4 << 10) + 512 * objectCount))
        // One per sleeper.
        expectTrue(stats.snapshots.count <= Self.sleeperCount)

        for number in sleepers.indices {
            try await check(&sleepers[number], number, realm)
        }
        // All of it was delivered: the next commit is reported alone.
        for number in 0..<3 {
            try await commit(realm, concerning: true)
            for sleeper in sleepers.indices where sleeper % 2 == number % 2 {
                try await check(&sleepers[sleeper], sleeper, realm)
            }
        }
        sleepers = []
        expectTrue(realm.stats().keptSummaries == 0 && realm.stats().streams == 0)
        await realm.close()
    }

    private func ids(_ rows: [Int]) -> [Int] { rows.map { model.seats[$0]?.id ?? -1 } }

    // MARK: The change set

    private mutating func check(
        _ stream: inout CollectionChanges<Scale.Seat>.AsyncIterator, _ sleeper: Int, _ realm: Realm
    ) async throws {
        let expected = model.expected(sleeper)
        expectTrue(!expected.isEmpty)
        guard case .update(let seats, let delta)? = try await stream.next(isolation: #isolation)
        else {
            Issue.record("no update for sleeper \(sleeper)")
            return
        }
        expectEqual(delta.deletions, expected.deletions)
        expectEqual(delta.insertions, expected.insertions)
        expectEqual(delta.modifications, expected.modifications)
        expectEqual(delta.newModifications, expected.newModifications)
        expectEqual(delta.deleted.map { $0[dynamicMember: \.id] }, expected.deletedIDs)
        expectEqual(delta.inserted.map { $0[dynamicMember: \.id] }, expected.insertedIDs)
        expectEqual(delta.modified.map(\.properties), expected.properties)
        expectEqual(delta.origins, expected.origins)
        expectEqual(delta.version, seats.version)
        for (number, modification) in delta.modified.enumerated() {
            let row = model.missed[sleeper].rows[expected.modifications[number]]
            expectEqual(modification.old.rank, model.missed[sleeper].seats[row]?.rank)
            expectEqual(modification.new.rank, model.seats[row]?.rank)
        }
        expectEqual(seats.map { $0[dynamicMember: \.id] }, ids(model.rows))
        expectEqual(seats.map(\.name), model.rows.map { model.seats[$0]?.name })
        model.wake(sleeper)
    }

    // MARK: Commits

    private mutating func fill(_ realm: Realm) async throws {
        let seats = (0..<Self.seatCount / 2).map { newSeat($0) }
        for seat in seats { _ = model.insert(seat) }
        try await realm.write { tx in
            try tx.add(Scale.Hall(0))
            for guest in 0..<Self.guestCount { try tx.add(Scale.Guest(guest)) }
            for seat in seats { try Self.add(seat, tx) }
        }
    }

    private mutating func newSeat(_ id: Int) -> SeatModel.Seat {
        SeatModel.Seat(
            id: id, hall: below(3), rank: below(10), name: "n\(below(100))",
            guest: below(Self.guestCount))
    }

    private static func add(_ seat: SeatModel.Seat, _ tx: Transaction) throws {
        let guest = tx.object(Scale.Guest.self, forPrimaryKey: seat.guest)
        let new = Scale.Seat(seat.id, hall: seat.hall, rank: seat.rank, guest: guest)
        new.name = seat.name
        try tx.add(new)
    }

    private typealias Change = @Sendable (Transaction) throws -> Void

    /// Makes one to three changes of different objects.
    private mutating func commit(_ realm: Realm, concerning: Bool = false) async throws {
        let origin = "label \(below(Self.labelCount))"
        var changes: [Change] = []
        var concerns = false
        var used: Set<Int> = []
        repeat {
            for _ in 0...below(3) {
                let id = below(Self.seatCount)
                guard used.insert(id).inserted else { continue }
                let (change, isConcerning) = newChange(id)
                changes.append(change)
                concerns = concerns || isConcerning
            }
        } while concerning && !concerns
        model.commit(origin, concerns: concerns)
        try await realm.write(origin: origin) { [changes] tx in
            for change in changes { try change(tx) }
        }
    }

    private mutating func newChange(_ id: Int) -> (Change, Bool) {
        guard model.rowOfID[id] != nil else {
            let seat = newSeat(id)
            return ({ tx in try Self.add(seat, tx) }, model.insert(seat))
        }
        switch below(20) {
        case 0..<6:
            let rank = below(10)
            return (
                { tx in tx.object(Scale.Seat.self, forPrimaryKey: id)?.rank = rank },
                model.set(id, "rank") { $0.rank = rank }
            )
        case 6..<10:
            let name = "n\(below(100))"
            return (
                { tx in tx.object(Scale.Seat.self, forPrimaryKey: id)?.name = name },
                model.set(id, "name") { $0.name = name }
            )
        case 10..<13:
            let hall = below(3)
            return (
                { tx in tx.object(Scale.Seat.self, forPrimaryKey: id)?.hall = hall },
                model.set(id, "hall") { $0.hall = hall }
            )
        case 13:
            let guest = below(Self.guestCount)
            return (
                { tx in
                    let guest = tx.object(Scale.Guest.self, forPrimaryKey: guest)
                    tx.object(Scale.Seat.self, forPrimaryKey: id)?.guest = guest
                }, model.set(id, "guest") { $0.guest = guest }
            )
        case 14 where below(10) == 0:
            let guest = below(Self.guestCount)
            return (
                { tx in tx.object(Scale.Guest.self, forPrimaryKey: guest)?.age += 1 },
                model.setGuest(guest)
            )
        case 15..<18:
            return (
                { tx in
                    if let seat = tx.object(Scale.Seat.self, forPrimaryKey: id) { tx.delete(seat) }
                }, model.delete(id)
            )
        default:
            // Doesn't concern the streams.
            return (
                { tx in
                    guard let hall = tx.object(Scale.Hall.self, forPrimaryKey: 0) else { return }
                    if hall.tags.count > 5 { hall.tags.removeAll() }
                    hall.tags.append("tag \(id)")
                }, false
            )
        }
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
}
