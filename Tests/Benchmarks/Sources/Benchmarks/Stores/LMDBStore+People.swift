internal import CLMDB
import Glibc

extension LMDBStore: PeopleStore {
    func insert(_ ids: Range<Int>, _ person: @escaping @Sendable (Int) -> PersonValues) throws {
        try write { transaction in
            for id in ids { try put(person(id), transaction, appending: true) }
        }
    }

    func read(_ ids: [Int]) throws -> Int {
        try read { transaction in
            var sum = 0
            for id in ids {
                let row = PackedPerson(bytes: try get(id, transaction).data)
                Sums.add(age: row.age, score: row.score, to: &sum)
            }
            return sum
        }
    }

    func count(_ condition: Condition) throws -> Int {
        var count = 0
        switch condition {
        case .ageIs42:
            try forEachPerson { _, row in if row.age == 42 { count += 1 } }
        case .cityIs42:
            let city = Array("city42".utf8)
            try city.withUnsafeBytes { wanted in
                try forEachPerson { _, row in
                    if areEqual(row.city, wanted) { count += 1 }
                }
            }
        case .agedAbove50AndScoreBelowHalf:
            try forEachPerson { _, row in if row.age > 50 && row.score < 0.5 { count += 1 } }
        case .noteContains:
            let text = Array(Condition.noteText.utf8)
            try text.withUnsafeBytes { wanted in
                try forEachPerson { _, row in
                    if contains(row.note, wanted) { count += 1 }
                }
            }
        }
        return count
    }

    func sumOfAges() throws -> Int {
        var sum = 0
        try forEachPerson { _, row in sum += row.age }
        return sum
    }

    func maximumOfScores() throws -> Double {
        var maximum = -Double.infinity
        try forEachPerson { _, row in if row.score > maximum { maximum = row.score } }
        return maximum
    }

    func sortByScore(first limit: Int?) throws -> Int {
        var sum = 0
        for entry in try limit.map(lowest) ?? sorted() { Sums.append(entry.id, to: &sum) }
        return sum
    }

    func update(_ changes: [AgeChange], perTransaction: Int) throws {
        for start in stride(from: 0, to: changes.count, by: perTransaction) {
            try write { transaction in
                for change in changes[start..<min(start + perTransaction, changes.count)] {
                    try update(change, transaction)
                }
            }
        }
    }

    func delete(_ ids: [Int]) throws {
        try write { transaction in
            for id in ids {
                var id = id
                try withUnsafeMutableBytes(of: &id) { bytes in
                    var key = clmdb_val(size: bytes.count, data: bytes.baseAddress)
                    try LMDBLibrary.check(clmdb_del(transaction, people, &key, nil))
                }
            }
        }
    }

    func contentSum() throws -> Int {
        var sum = 0
        try forEachPerson { id, row in Sums.add(id: id, age: row.age, to: &sum) }
        return sum
    }

    private func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count, let start = left.baseAddress, let other = right.baseAddress
        else { return left.count == right.count }
        return memcmp(start, other, left.count) == 0
    }

    private func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        clmdb_contains(text.baseAddress, text.count, part.baseAddress, part.count) != 0
    }

    /// Stores a copy of the row with the new age.
    private func update(_ change: AgeChange, _ transaction: UnsafeMutableRawPointer?) throws {
        var row = try get(change.id, transaction)
        var id = change.id
        try withUnsafeTemporaryAllocation(byteCount: row.size, alignment: 8) { copy in
            guard let start = copy.baseAddress else { return }
            start.copyMemory(from: row.data, byteCount: row.size)
            start.storeBytes(of: change.age, as: Int.self)
            row.data = start
            try withUnsafeMutableBytes(of: &id) { bytes in
                var key = clmdb_val(size: bytes.count, data: bytes.baseAddress)
                try LMDBLibrary.check(clmdb_put(transaction, people, &key, &row, 0))
            }
        }
    }

    private struct Entry {
        var score: Double
        var id: Int
    }

    private func sorted() throws -> [Entry] {
        var entries: [Entry] = []
        try forEachPerson { id, row in entries.append(Entry(score: row.score, id: id)) }
        entries.sort { ($0.score, $0.id) < ($1.score, $1.id) }
        return entries
    }

    /// Returns the `count` lowest ones, which are kept sorted during the scan.
    private func lowest(_ count: Int) throws -> [Entry] {
        var entries: [Entry] = []
        try forEachPerson { id, row in
            if entries.count == count {
                guard let last = entries.last, row.score < last.score else { return }
                entries.removeLast()
            }
            let place = entries.firstIndex { $0.score > row.score } ?? entries.endIndex
            entries.insert(Entry(score: row.score, id: id), at: place)
        }
        return entries
    }
}
