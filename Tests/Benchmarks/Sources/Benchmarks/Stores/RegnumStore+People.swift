import Foundation
import Regnum

extension RegnumStore: PeopleStore {
    @concurrent
    func insert(
        _ ids: Range<Int>, _ person: @escaping @Sendable (Int) -> PersonValues
    ) async throws {
        let count = options.batch ?? max(ids.count, 1)
        let isIndexed = options.isIndexed
        for start in stride(from: ids.lowerBound, to: ids.upperBound, by: count) {
            let batch = start..<min(start + count, ids.upperBound)
            try await realm.write { tx in
                if isIndexed {
                    for id in batch { try tx.add(Indexed.Person(person(id))) }
                } else {
                    for id in batch { try tx.add(Person(person(id))) }
                }
            }
        }
    }

    @concurrent
    func read(_ ids: [Int]) async throws -> Int {
        try await realm.read { tx in
            var sum = 0
            for id in ids {
                guard let person = tx.object(Person.self, forPrimaryKey: id) else {
                    throw Failure("Regnum has no person \(id).")
                }
                Sums.add(age: person.age, score: person.score, to: &sum)
            }
            return sum
        }
    }

    @concurrent
    func count(_ condition: Condition) async throws -> Int {
        try await realm.read { tx in
            let people = tx.objects(Person.self)
            switch condition {
            case .ageIs42: return people.where { $0.age == 42 }.count
            case .cityIs42: return people.where { $0.city == "city42" }.count
            case .agedAbove50AndScoreBelowHalf:
                return people.where { $0.age > 50 && $0.score < 0.5 }.count
            case .noteContains:
                return people.where { $0.note.contains(Condition.noteText) }.count
            }
        }
    }

    @concurrent
    func sumOfAges() async throws -> Int {
        try await realm.read { tx in tx.objects(Person.self).sum(of: \.age) }
    }

    @concurrent
    func maximumOfScores() async throws -> Double {
        try await realm.read { tx in tx.objects(Person.self).max(of: \.score) ?? 0 }
    }

    @concurrent
    func sortByScore(first limit: Int?) async throws -> Int {
        try await realm.read { tx in
            let people = tx.objects(Person.self).sorted(by: \.score)
            var sum = 0
            if let limit {
                for person in people.prefix(limit) { Sums.append(person.id, to: &sum) }
            } else {
                for person in people { Sums.append(person.id, to: &sum) }
            }
            return sum
        }
    }

    private static let byAge = PreparedQuery<Indexed.Person, Int> { $0.age == $1 }

    @concurrent
    func countByAge(_ ages: [Int]) async throws -> Int {
        try await realm.read { tx in
            let people = tx.objects(Indexed.Person.self)
            var sum = 0
            for age in ages { sum += people.where(Self.byAge, age).count }
            return sum
        }
    }

    @concurrent
    func findByAge(_ ages: [Int]) async throws -> Int {
        try await realm.read { tx in
            let people = tx.objects(Indexed.Person.self)
            var sum = 0
            for age in ages {
                let found = people.where { $0.age == age }
                guard let first = found.first, let last = found.last else { continue }
                sum &+= first.id &+ found[found.count / 2].id &+ last.id
            }
            return sum
        }
    }

    @concurrent
    func update(_ changes: [AgeChange], perTransaction: Int) async throws {
        for start in stride(from: 0, to: changes.count, by: perTransaction) {
            let end = min(start + perTransaction, changes.count)
            try await realm.write { tx in
                for change in changes[start..<end] {
                    guard let person = tx.object(Person.self, forPrimaryKey: change.id) else {
                        throw Failure("Regnum has no person \(change.id).")
                    }
                    person.age = change.age
                }
            }
            opaqueCall()
        }
    }

    @concurrent
    func delete(_ ids: [Int]) async throws {
        try await realm.write { tx in
            for id in ids {
                guard let person = tx.object(Person.self, forPrimaryKey: id) else {
                    throw Failure("Regnum has no person \(id).")
                }
                tx.delete(person)
            }
        }
    }

    @concurrent
    func contentSum() async throws -> Int {
        try await realm.read { tx in
            var sum = 0
            for person in tx.objects(Person.self) {
                Sums.add(id: person.id, age: person.age, to: &sum)
            }
            return sum
        }
    }

    func buildAgeIndex() async throws {
        throw Failure("Regnum builds an index on opening: see buildAgeIndex(in:isEncrypted:).")
    }

    func dropAgeIndex() async throws {
        throw Failure("Regnum drops indexes that a class no longer declares.")
    }

    /// Opens a realm that was created without the index, using the class that declares it, which
    /// builds it; counts once using the index.
    static func buildAgeIndex(in directory: URL, isEncrypted: Bool) async throws {
        let options = StoreOptions(isIndexed: true, isEncrypted: isEncrypted)
        let store = try await open(in: directory, options)
        _ = try await store.countByAge([42])
        await store.close()
    }

    func close() async { await realm.close() }
}
