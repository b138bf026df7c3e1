internal import RegnumEngine
internal import RegnumStore

// What reads of a snapshot do with damage, and with what does not fit.

extension FrozenTable {
    /// What `body` reads; damage that it meets is an error.
    @inline(__always)
    func checked<Answer>(
        _ row: ObjectKey? = nil, _ property: Int? = nil, _ body: () -> Answer
    ) -> Answer {
        let answer = body()
        return snapshot.root.hasDamage ? recheck(row, property, body) : answer
    }

    /// Reads again what may have been damaged.
    @inline(never)
    private func recheck<Answer>(
        _ row: ObjectKey?, _ property: Int?, _ body: () -> Answer
    ) -> Answer {
        let (answer, damage) = DamageWatch.run(on: snapshot.root, body)
        if let damage { fail(damage, row, property) }
        return answer
    }

    func fail(_ damage: StoreError, _ row: ObjectKey?, _ property: Int?) {
        snapshot.realm.coordinator.heal()
        fail(Realm.Error(damage), row, property)
    }

    /// Fails a read with an error that says where it was met.
    func fail(_ error: Realm.Error, _ row: ObjectKey?, _ property: Int?) {
        var error = error
        error.className = error.className ?? schema.name
        if let property { error.property = error.property ?? schema.properties[property].name }
        if error.key == nil, let row { error.key = keyText(row) }
        snapshot.fail(error)
    }

    /// The primary key of a row as text, nil where there is none that can be read.
    private func keyText(_ row: ObjectKey) -> String? {
        guard let table = mapping.table, let key = table.primaryKey, !mapping.place.isMismatch
        else {
            return nil
        }
        let (value, damage) = DamageWatch.run(on: snapshot.root) {
            snapshot.root.value(table.key, row, key)
        }
        return damage == nil ? value?.keyText : nil
    }

    /// The error for a row that is not there: nothing is deleted in a snapshot, so that only a
    /// damaged file leads to it.
    func failMissing(_ row: ObjectKey, _ property: Int?) {
        fail(.missingRow(schema.name), nil, property)
    }
}

extension SnapshotCore {
    /// What `body` reads.
    ///
    /// - Throws: what it throws; damage that it meets.
    func checked<Answer>(
        _ body: () throws(StoreError) -> Answer
    ) throws(Realm.Error) -> Answer {
        do throws(StoreError) {
            if !root.hasDamage {
                let answer = try body()
                if !root.hasDamage { return answer }
            }
            let (outcome, damage) = DamageWatch.run(on: root) {
                () -> Result<Answer, StoreError> in
                do throws(StoreError) { return .success(try body()) } catch {
                    return .failure(error)
                }
            }
            if let damage {
                realm.coordinator.heal()
                throw damage
            }
            return try outcome.get()
        } catch {
            throw Realm.Error(error)
        }
    }
}

extension Realm.Error {
    /// A stored value is none of its property's type.
    static func undecodable(_ className: String, _ property: String, _ value: String) -> Realm.Error
    {
        Realm.Error(
            .invalidValue,
            "\(className).\(property) is stored as \(value), which is no value of its type: another "
                + "version of the program may have written it.",
            className: className, property: property)
    }

    /// An element of a collection is none of its element type.
    static func undecodableElement(_ collection: String, _ value: String) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "An element of \(collection) is stored as \(value), which is no value of its type: another "
                + "version of the program may have written it.")
    }

    /// A row is not there that something stored leads to.
    static func missingRow(_ className: String) -> Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "The file is damaged: it leads to a \(className) that does not exist.",
            className: className)
    }
}
