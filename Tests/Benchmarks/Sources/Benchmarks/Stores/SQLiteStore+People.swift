import GRDBSQLite

/// The texts of the queries, for SQLite and GRDB.
enum SQL {
    static let read = "SELECT age, score FROM person WHERE id = ?"
    static let sumOfAges = "SELECT sum(age) FROM person"
    static let maximumOfScores = "SELECT max(score) FROM person"
    static let sorted = "SELECT id FROM person ORDER BY score"
    static let sortedFirst = "SELECT id FROM person ORDER BY score LIMIT ?"
    static let buildAgeIndex = "CREATE INDEX person_age ON person (age)"
    static let dropAgeIndex = "DROP INDEX person_age"
    static let countByAge = "SELECT count(*) FROM person WHERE age = ?"
    static let findByAge = "SELECT id FROM person WHERE age = ? ORDER BY id"
    static let update = "UPDATE person SET age = ? WHERE id = ?"
    static let delete = "DELETE FROM person WHERE id = ?"
    static let content = "SELECT id, age FROM person"

    static func count(_ condition: Condition) -> String {
        switch condition {
        case .ageIs42: "SELECT count(*) FROM person WHERE age = 42"
        case .cityIs42: "SELECT count(*) FROM person WHERE city = 'city42'"
        case .agedAbove50AndScoreBelowHalf:
            "SELECT count(*) FROM person WHERE age > 50 AND score < 0.5"
        case .noteContains:
            "SELECT count(*) FROM person WHERE instr(note, '\(Condition.noteText)') > 0"
        }
    }
}

extension SQLiteStore: PeopleStore {
    func insert(_ ids: Range<Int>, _ person: @escaping @Sendable (Int) -> PersonValues) throws {
        try transaction { for id in ids { try commit(person(id)) } }
    }

    func read(_ ids: [Int]) throws -> Int {
        let statement = try prepared(SQL.read)
        var sum = 0
        try transaction {
            for id in ids {
                sqlite3_bind_int64(statement, 1, Int64(id))
                try check(sqlite3_step(statement), expected: SQLITE_ROW)
                Sums.add(
                    age: Int(sqlite3_column_int64(statement, 0)),
                    score: sqlite3_column_double(statement, 1), to: &sum)
                sqlite3_reset(statement)
            }
        }
        return sum
    }

    func count(_ condition: Condition) throws -> Int { try integer(SQL.count(condition)) }

    func sumOfAges() throws -> Int { try integer(SQL.sumOfAges) }

    func maximumOfScores() throws -> Double {
        let statement = try prepared(SQL.maximumOfScores)
        defer { sqlite3_reset(statement) }
        try check(sqlite3_step(statement), expected: SQLITE_ROW)
        return sqlite3_column_double(statement, 0)
    }

    func sortByScore(first limit: Int?) throws -> Int {
        let statement = try prepared(limit == nil ? SQL.sorted : SQL.sortedFirst)
        if let limit { sqlite3_bind_int64(statement, 1, Int64(limit)) }
        var sum = 0
        try forEachRow(statement) { Sums.append(Int(sqlite3_column_int64(statement, 0)), to: &sum) }
        return sum
    }

    func buildAgeIndex() throws { try executeOnce(SQL.buildAgeIndex) }

    func dropAgeIndex() throws { try executeOnce(SQL.dropAgeIndex) }

    func countByAge(_ ages: [Int]) throws -> Int {
        let statement = try prepared(SQL.countByAge)
        var sum = 0
        for age in ages {
            sqlite3_bind_int64(statement, 1, Int64(age))
            try check(sqlite3_step(statement), expected: SQLITE_ROW)
            sum += Int(sqlite3_column_int64(statement, 0))
            sqlite3_reset(statement)
        }
        return sum
    }

    func findByAge(_ ages: [Int]) throws -> Int {
        let statement = try prepared(SQL.findByAge)
        var sum = 0
        var found: [Int] = []
        for age in ages {
            sqlite3_bind_int64(statement, 1, Int64(age))
            found.removeAll(keepingCapacity: true)
            try forEachRow(statement) { found.append(Int(sqlite3_column_int64(statement, 0))) }
            Sums.add(found, to: &sum)
        }
        return sum
    }

    func update(_ changes: [AgeChange], perTransaction: Int) throws {
        let statement = try prepared(SQL.update)
        for start in stride(from: 0, to: changes.count, by: perTransaction) {
            try transaction {
                for change in changes[start..<min(start + perTransaction, changes.count)] {
                    sqlite3_bind_int64(statement, 1, Int64(change.age))
                    sqlite3_bind_int64(statement, 2, Int64(change.id))
                    try run(statement)
                }
            }
        }
    }

    func delete(_ ids: [Int]) throws {
        let statement = try prepared(SQL.delete)
        try transaction {
            for id in ids {
                sqlite3_bind_int64(statement, 1, Int64(id))
                try run(statement)
            }
        }
    }

    func contentSum() throws -> Int {
        let statement = try prepared(SQL.content)
        var sum = 0
        try forEachRow(statement) {
            Sums.add(
                id: Int(sqlite3_column_int64(statement, 0)),
                age: Int(sqlite3_column_int64(statement, 1)), to: &sum)
        }
        return sum
    }

    private func integer(_ sql: String) throws -> Int {
        let statement = try prepared(sql)
        defer { sqlite3_reset(statement) }
        try check(sqlite3_step(statement), expected: SQLITE_ROW)
        return Int(sqlite3_column_int64(statement, 0))
    }

    func forEachRow(_ statement: OpaquePointer, _ body: () -> Void) throws {
        defer { sqlite3_reset(statement) }
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else { return try check(code, expected: SQLITE_DONE) }
            body()
        }
    }
}
