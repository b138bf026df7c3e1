import Regnum

/// The seats and guests of a realm as plain values, and what each of some sleepers has missed.
struct SeatModel {
    /// A row. A later one with the same key is a different row.
    struct Seat {
        var id: Int
        var hall: Int
        var rank: Int
        var name: String
        var guest: Int
    }

    /// The changes since a stream's last element.
    struct Missed {
        /// The rows of the collection at that time, in its order.
        var rows: [Int]
        var seats: [Int: Seat]
        /// The properties that were set, by row.
        var setProperties: [Int: Set<String>] = [:]
        var setGuests: Set<Int> = []
        /// The origins of the commits that concern the stream.
        var origins: [String] = []
        var knownOrigins: Set<String> = []

        mutating func add(_ origin: String) {
            if knownOrigins.insert(origin).inserted { origins.append(origin) }
        }
    }

    /// The hall whose seats the streams follow.
    static let hall = 1
    /// In order of declaration.
    static let properties = ["id", "hall", "rank", "name", "guest"]

    /// By row number, which increases in order of creation.
    private(set) var seats: [Int: Seat] = [:]
    private(set) var rowOfID: [Int: Int] = [:]
    private var nextRow = 0
    private(set) var missed: [Missed] = []

    /// The rows that the streams follow, in order of creation.
    var rows: [Int] { seats.filter { $0.value.hall == Self.hall }.keys.sorted() }

    /// Registers a stream that begins, or that has delivered everything.
    ///
    /// - Returns: Its number, for `missed`.
    mutating func beginSleeper() -> Int {
        missed.append(Missed(rows: rows, seats: seats))
        return missed.count - 1
    }

    mutating func wake(_ sleeper: Int) {
        missed[sleeper] = Missed(rows: rows, seats: seats)
    }

    // MARK: Changes, each with whether it concerns the streams

    mutating func insert(_ seat: Seat) -> Bool {
        seats[nextRow] = seat
        rowOfID[seat.id] = nextRow
        nextRow += 1
        return seat.hall == Self.hall
    }

    mutating func delete(_ id: Int) -> Bool {
        guard let row = rowOfID.removeValue(forKey: id), let seat = seats.removeValue(forKey: row)
        else { return false }
        return seat.hall == Self.hall
    }

    mutating func set(_ id: Int, _ property: String, _ change: (inout Seat) -> Void) -> Bool {
        guard let row = rowOfID[id], var seat = seats[row] else { return false }
        let wasThere = seat.hall == Self.hall
        change(&seat)
        seats[row] = seat
        for sleeper in missed.indices {
            missed[sleeper].setProperties[row, default: []].insert(property)
        }
        return wasThere || seat.hall == Self.hall
    }

    mutating func setGuest(_ guest: Int) -> Bool {
        for sleeper in missed.indices { missed[sleeper].setGuests.insert(guest) }
        // The streams report seats whose guest changes.
        return true
    }

    mutating func commit(_ origin: String, concerns: Bool) {
        guard concerns else { return }
        for sleeper in missed.indices { missed[sleeper].add(origin) }
    }

    // MARK: The change set

    struct Expected {
        var deletions: [Int] = []
        var insertions: [Int] = []
        var modifications: [Int] = []
        var newModifications: [Int] = []
        var properties: [[String]] = []
        var deletedIDs: [Int] = []
        var insertedIDs: [Int] = []
        var origins: [String]

        var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
    }

    /// Returns what must be reported to a sleeper: the definition of change sets, for a collection
    /// in order of creation.
    func expected(_ sleeper: Int) -> Expected {
        let missed = missed[sleeper]
        let now = rows
        let positions = Dictionary(uniqueKeysWithValues: zip(now, now.indices))
        var expected = Expected(origins: missed.origins)
        for (position, row) in missed.rows.enumerated() {
            guard let newPosition = positions[row], let seat = seats[row] else {
                expected.deletions.append(position)
                expected.deletedIDs.append(missed.seats[row]?.id ?? -1)
                continue
            }
            var set = missed.setProperties[row] ?? []
            if missed.setGuests.contains(seat.guest) { set.insert("guest") }
            if set.isEmpty { continue }
            expected.modifications.append(position)
            expected.newModifications.append(newPosition)
            expected.properties.append(Self.properties.filter(set.contains))
        }
        let old = Set(missed.rows)
        for (position, row) in now.enumerated() where !old.contains(row) {
            expected.insertions.append(position)
            expected.insertedIDs.append(seats[row]?.id ?? -1)
        }
        return expected
    }
}
