import GRDB

extension GRDBStore: PeopleStore {
    func insert(_ ids: Range<Int>, _ person: @escaping @Sendable (Int) -> PersonValues) throws {
        try pool.write { db in
            let statement = try db.cachedStatement(sql: SQLiteStore.insert)
            for id in ids { try Self.insert(person(id), statement) }
        }
    }

    func read(_ ids: [Int]) throws -> Int {
        try pool.read { db in
            let statement = try db.cachedStatement(sql: SQL.read)
            var sum = 0
            for id in ids {
                guard let row = try Row.fetchOne(statement, arguments: [id]) else {
                    throw Failure("GRDB has no person \(id).")
                }
                Sums.add(age: row[0], score: row[1], to: &sum)
            }
            return sum
        }
    }

    func count(_ condition: Condition) throws -> Int { try integer(SQL.count(condition)) }

    func sumOfAges() throws -> Int { try integer(SQL.sumOfAges) }

    func maximumOfScores() throws -> Double {
        try pool.read { db in
            try Double.fetchOne(try db.cachedStatement(sql: SQL.maximumOfScores)) ?? 0
        }
    }

    func sortByScore(first limit: Int?) throws -> Int {
        try pool.read { db in
            let statement = try db.cachedStatement(sql: limit == nil ? SQL.sorted : SQL.sortedFirst)
            let arguments: StatementArguments = limit.map { [$0] } ?? []
            let ids = try Int.fetchCursor(statement, arguments: arguments)
            var sum = 0
            while let id = try ids.next() { Sums.append(id, to: &sum) }
            return sum
        }
    }

    func buildAgeIndex() throws {
        try pool.write { db in try db.execute(sql: SQL.buildAgeIndex) }
    }

    func dropAgeIndex() throws {
        try pool.write { db in try db.execute(sql: SQL.dropAgeIndex) }
    }

    func countByAge(_ ages: [Int]) throws -> Int {
        try pool.read { db in
            let statement = try db.cachedStatement(sql: SQL.countByAge)
            var sum = 0
            for age in ages { sum += try Int.fetchOne(statement, arguments: [age]) ?? 0 }
            return sum
        }
    }

    func findByAge(_ ages: [Int]) throws -> Int {
        try pool.read { db in
            let statement = try db.cachedStatement(sql: SQL.findByAge)
            var sum = 0
            for age in ages {
                Sums.add(try Int.fetchAll(statement, arguments: [age]), to: &sum)
            }
            return sum
        }
    }

    func update(_ changes: [AgeChange], perTransaction: Int) throws {
        for start in stride(from: 0, to: changes.count, by: perTransaction) {
            try pool.write { db in
                let statement = try db.cachedStatement(sql: SQL.update)
                for change in changes[start..<min(start + perTransaction, changes.count)] {
                    try statement.execute(arguments: [change.age, change.id])
                }
            }
        }
    }

    func delete(_ ids: [Int]) throws {
        try pool.write { db in
            let statement = try db.cachedStatement(sql: SQL.delete)
            for id in ids { try statement.execute(arguments: [id]) }
        }
    }

    func contentSum() throws -> Int {
        try pool.read { db in
            let rows = try Row.fetchCursor(db, sql: SQL.content)
            var sum = 0
            while let row = try rows.next() { Sums.add(id: row[0], age: row[1], to: &sum) }
            return sum
        }
    }

    func close() throws { try pool.close() }

    private func integer(_ sql: String) throws -> Int {
        try pool.read { db in try Int.fetchOne(try db.cachedStatement(sql: sql)) ?? 0 }
    }
}
