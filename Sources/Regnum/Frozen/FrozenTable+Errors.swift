internal import RegnumEngine
internal import RegnumStore

// How reads of a snapshot handle damage and mismatches.

extension FrozenTable {
    /// Returns the result of `body`, which reads the snapshot. Damage that it encounters fails the
    /// read.
    @inline(__always)
    func checked<Answer>(
        _ row: ObjectKey? = nil, _ property: Int? = nil, _ body: () -> Answer
    ) -> Answer {
        let answer = body()
        return snapshot.root.hasDamage ? recheck(row, property, body) : answer
    }

    /// Repeats a read that may have encountered damage.
    @inline(never)
    private func recheck<Answer>(
        _ row: ObjectKey?, _ property: Int?, _ body: () -> Answer
    ) -> Answer {
        let (answer, damage) = DamageWatch.run(on: snapshot.root, body)
        if let damage { fail(damage, row, property) }
        return answer
    }

    /// Returns the result of `body`, which looks up the row with a primary key. Damage that it
    /// encounters fails the read with an error that includes the key.
    func checked<Answer>(key: Value, _ body: () -> Answer) -> Answer {
        let answer = body()
        guard snapshot.root.hasDamage else { return answer }
        let (again, damage) = DamageWatch.run(on: snapshot.root, body)
        guard var damage else { return again }
        damage.key = damage.key ?? key.keyText
        fail(damage, nil, nil)
        return again
    }

    /// The error that prevents finding an owner, which is of this class, if any: that of the class
    /// or of one whose links lead to the owner.
    func mismatch(of owner: CollectionOwner) -> Realm.Error? {
        mismatch ?? snapshot.realm.mismatch(along: owner, in: snapshot.root.schema)
    }

    /// Returns the query of a list or inverse of an owner, which is of this class. The query finds
    /// nothing if there is no such object. After a mismatch (see `mismatch(of:)`), the object
    /// isn't looked up, and using the query must be an error.
    func plan(_ plan: QueryPlan, of owner: CollectionOwner) -> QueryPlan {
        guard mismatch(of: owner) == nil else { return plan }
        return checked(key: owner.key) { owner.plan(plan, at: snapshot.root) }
    }

    func fail(_ damage: StoreError, _ row: ObjectKey?, _ property: Int?) {
        snapshot.realm.coordinator.heal()
        fail(Realm.Error(damage), row, property)
    }

    /// Fails a read with an error, adding where it occurred.
    func fail(_ error: Realm.Error, _ row: ObjectKey?, _ property: Int?) {
        var error = error
        error.className = error.className ?? schema.name
        if let property { error.property = error.property ?? schema.properties[property].name }
        if error.key == nil, let row { error.key = keyText(row) }
        snapshot.fail(error)
    }

    /// Returns the primary key of a row as text, or `nil` if it has none or it can't be read.
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
}

extension SnapshotCore {
    /// Returns the result of `body`, which reads the snapshot.
    ///
    /// - Throws: The errors of `body`, and damage that it encounters.
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
