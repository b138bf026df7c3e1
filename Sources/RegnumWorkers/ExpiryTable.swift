internal import FoundationEssentials
internal import Regnum

/// The type of a property with the date on which an object expires: `Date` or `Date?`.
protocol ExpiryDate: ScalarValue, Sendable where _Basis: OrderedValue {
    /// The date, or `nil` if the object never expires.
    var expiry: Date? { get }

    static func expiry(_ date: Date) -> Self
}

extension Date: ExpiryDate {
    var expiry: Date? { self }

    static func expiry(_ date: Date) -> Date { date }
}

extension Optional: ExpiryDate where Wrapped == Date {
    var expiry: Date? { self }

    static func expiry(_ date: Date) -> Date? { date }
}

/// The objects of a class that expire, and their removal in a transaction.
struct ExpiryTable<T: Object, Expiry: ExpiryDate>: Sendable {
    let type: T.Type
    let keyPath: any KeyPath<T, Expiry> & Sendable

    /// The name of the class.
    var name: String { "\(type as ObjectBase.Type)" }

    private var property: KeyPath<T, Expiry> { keyPath }

    /// Throws `.invalidInput` unless the key path names a stored property that has an index.
    func check() throws(Realm.Error) {
        guard let property = type.init().objectSchema[property] else {
            throw Realm.Error(
                .invalidInput,
                "Objects of \(name) can only expire by a date that they store: the key path "
                    + "refers to a computed property, or to a property of a linked object.",
                className: name)
        }
        guard property.isIndexed else {
            throw Realm.Error(
                .invalidInput,
                "\(name).\(property.name) has no index. Without one, all objects would be read "
                    + "whenever one changes: declare it with @Persisted(indexed: true).",
                className: name, property: property.name)
        }
    }

    // MARK: Looking

    /// Returns the number of objects that have expired at a date.
    func count(_ date: Date, _ tx: Transaction) -> Int {
        objects(tx) { $0 <= .expiry(date) }.count
    }

    /// Returns some objects that have expired, those with the earliest dates, in any order.
    ///
    /// - Parameter postponed: Objects that are left out.
    /// - Complexity: O(log n), 64 times if there are more than that, and O(1) for each object,
    ///   including those that are left out.
    func expired(
        at now: Date, upTo limit: Int, besides postponed: Set<RowIdentity>, _ tx: Transaction
    ) throws -> [T] {
        let wanted = limit + postponed.count
        let all = objects(tx) { $0 <= .expiry(now) }
        var found: [T]
        if all.count <= wanted {
            found = Array(all)
        } else {
            // not `all.limited(to: wanted)`, which collects and sorts the rows of all of them
            let last = Date.first(until: now) { count($0, tx) >= wanted }
            found = Array(objects(tx) { $0 < .expiry(last) })
            let rest = max(wanted - found.count, 0)
            found += objects(tx) { $0 == .expiry(last) }.limited(to: rest)
        }
        if !postponed.isEmpty {
            found = try found.filter { try !postponed.contains($0.freeze().rowIdentity) }
        }
        if found.count > limit {
            // some of `postponed` have been deleted or prolonged
            let dates = found.map { $0[keyPath: property].expiry ?? .distantFuture }
            found = found.indices.sorted { dates[$0] < dates[$1] }.map { found[$0] }
        }
        return Array(found.prefix(limit))
    }

    private func objects(
        _ tx: Transaction, _ condition: (Query<Expiry>) -> Query<Bool>
    ) -> Results<T> {
        let property = property
        return tx.objects(type).where { condition($0[dynamicMember: property]) }
    }

    // MARK: Writing

    /// Runs a body for some objects that have expired, and deletes them. If that fails, does it for
    /// each of them alone.
    ///
    /// - Parameter postponed: Objects that are left out.
    /// - Returns: The errors of objects for which it failed. Nothing has changed for them.
    func remove(
        at now: Date, upTo limit: Int, besides postponed: Set<RowIdentity>, _ tx: Transaction,
        _ body: (Transaction, [T]) throws -> Void
    ) throws -> [RowIdentity: String] {
        let expired = try expired(at: now, upTo: limit, besides: postponed, tx)
        if expired.count > 1 {
            do {
                try remove(expired, at: now, tx, body)
                return [:]
            } catch {
                // one of them may be the reason
            }
        }
        var failures: [RowIdentity: String] = [:]
        // the body of another one may have deleted or prolonged it
        for object in expired where isExpired(object, now) {
            do {
                try remove([object], at: now, tx, body)
            } catch {
                failures[try object.freeze().rowIdentity] = "\(error)"
            }
        }
        return failures
    }

    private func remove(
        _ objects: [T], at now: Date, _ tx: Transaction,
        _ body: (Transaction, [T]) throws -> Void
    ) throws {
        try tx.savepoint {
            try body(tx, objects)
            tx.delete(objects.filter { isExpired($0, now) })
        }
    }

    private func isExpired(_ object: T, _ now: Date) -> Bool {
        guard !object.isInvalidated, let date = object[keyPath: property].expiry else {
            return false
        }
        return date <= now
    }
}
