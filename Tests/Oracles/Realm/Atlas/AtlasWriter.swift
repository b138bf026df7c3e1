import FoundationEssentials
import Regnum
import RegnumSimulation

/// Applies the edits of the oracle in a transaction.
struct AtlasWriter {
    /// The error thrown by a body itself.
    struct Thrown: Error {}

    let tx: Transaction
    let classes: [any AtlasModel.Type]
    private var nodes: AtlasNodes { AtlasNodes(tx: tx) }

    func make(_ edit: AtlasEdit) throws {
        switch edit {
        case .add(let type, let number, let states, let route):
            try add(classes[type], number, states, route)
        case .update(let type, let number, let given, let isAll):
            try update(classes[type], number, given, isAll ? .all : .modified)
        case .change(let type, let number, let slot, let edit):
            try change(classes[type], number, slot, edit)
        case .delete(let type, let number): tx.delete(try object(classes[type], number))
        case .deleteClass(let type): deleteAll(classes[type])
        case .deleteAll: tx.deleteAll()
        case .addTaken(let type, let number): try addTaken(classes[type], number)
        case .savepoint(let edits, let end): try savepoint(edits, end)
        }
    }

    // MARK: Objects

    private func object<T: AtlasModel>(_ type: T.Type, _ number: Int) throws -> T {
        guard let object = tx.object(type, forPrimaryKey: number) else {
            throw AtlasFailure("\(type) \(number) was not found by its key")
        }
        return object
    }

    private func add<T: AtlasModel>(
        _ type: T.Type, _ number: Int, _ states: [AtlasState], _ route: AtlasRoute
    ) throws {
        let given = Dictionary(uniqueKeysWithValues: states.enumerated().map { ($0, $1) })
        let values = dictionary(type, number, given)
        switch (route, values) {
        case (.create, let values?): try tx.create(type, value: values)
        case (.createModified, let values?): try tx.create(type, value: values, update: .modified)
        case (.createAll, let values?): try tx.create(type, value: values, update: .all)
        default:
            let object = T()
            object.number = number
            for (slot, state) in zip(T.slots, states) {
                slot.edit(object, state.assignment, nodes)
            }
            let policies: [AtlasRoute: Realm.UpdatePolicy] = [
                .addModified: .modified, .createModified: .modified, .addAll: .all,
                .createAll: .all,
            ]
            try tx.add(object, update: policies[route] ?? .error)
            guard object.isManaged, object.number == number else {
                throw AtlasFailure("the added object is not an accessor of \(type) \(number)")
            }
        }
    }

    /// Returns the values for `create`; `nil` if a map can't be passed as a dictionary.
    private func dictionary<T: AtlasModel>(
        _ type: T.Type, _ number: Int, _ given: [Int: AtlasState]
    ) -> [String: Any?]? {
        var values: [String: Any?] = ["number": number]
        for (slot, state) in given {
            let value = T.slots[slot].given(state, nodes)
            if case .map = state, value == nil { return nil }
            values.updateValue(value, forKey: T.slots[slot].shape.name)
        }
        return values
    }

    private func update<T: AtlasModel>(
        _ type: T.Type, _ number: Int, _ given: [Int: AtlasState], _ policy: Realm.UpdatePolicy
    ) throws {
        guard let values = dictionary(type, number, given) else {
            throw AtlasFailure("a map drawn for create can't be a dictionary")
        }
        try tx.create(type, value: values, update: policy)
    }

    private func change<T: AtlasModel>(
        _ type: T.Type, _ number: Int, _ slot: Int, _ edit: AtlasSlotEdit
    ) throws {
        T.slots[slot].edit(try object(type, number), edit, nodes)
    }

    private func deleteAll<T: AtlasModel>(_ type: T.Type) { tx.delete(tx.objects(type)) }

    private func addTaken<T: AtlasModel>(_ type: T.Type, _ number: Int) throws {
        let object = T()
        object.number = number
        do {
            try tx.add(object)
        } catch let error {
            guard error.code == .duplicatePrimaryKey, !object.isManaged else { throw error }
            return
        }
        throw AtlasFailure("\(type) \(number) was added twice")
    }

    // MARK: Savepoints and failures

    private func savepoint(_ edits: [AtlasEdit], _ end: AtlasEnd) throws {
        do {
            try tx.savepoint {
                for edit in edits { try make(edit) }
                try finish(end)
            }
        } catch {
            try end.check(error)
            return
        }
        if !end.isKept { throw AtlasFailure("a savepoint with the end \(end) was kept") }
    }

    /// Performs what ends the transaction or savepoint in that way.
    func finish(_ end: AtlasEnd) throws {
        switch end {
        case .kept: break
        case .thrown: throw Thrown()
        case .violated(.number(let type, let number)):
            try renumber(classes[type], number)
        case .violated(.key(let type, let number, let slot)):
            try putDottedKey(classes[type], number, slot)
        case .violated(.date(let type, let number, let slot)):
            let nan = AtlasValue.date(Double.nan.bitPattern)
            try change(classes[type], number, slot, .set(nan))
        case .violated(.owned(let number)):
            let node = try object(AtlasNode.self, number)
            if let box = node.box { node.boxes.append(box) } else { throw AtlasFailure("no box") }
        case .violated(.listInSet(let type, let number, let slot)):
            try change(classes[type], number, slot, .insertMember(.items([])))
        }
    }

    private func renumber<T: AtlasModel>(_ type: T.Type, _ number: Int) throws {
        try object(type, number).number = number + 100
    }

    private func putDottedKey<T: AtlasModel>(_ type: T.Type, _ number: Int, _ slot: Int) throws {
        let shape = T.slots[slot].shape
        let value: AtlasValue =
            shape.isOptional ? .null : shape.kind.pool.first ?? .null
        T.slots[slot].edit(try object(type, number), .put(AtlasBytes("a.b"), value), nodes)
    }
}

extension AtlasEnd {
    /// Throws unless the error is the one by which such a transaction or savepoint ends.
    func check(_ error: any Error) throws {
        switch self {
        case .thrown where error is AtlasWriter.Thrown: return
        case .violated:
            guard let error = error as? Realm.Error, error.code == .invalidValue else {
                throw error
            }
        default: throw error
        }
    }
}

extension AtlasState {
    /// The change that assigns this state to a property.
    fileprivate var assignment: AtlasSlotEdit {
        switch self {
        case .value(let value): .set(value)
        case .list(let values), .set(let values): .assign(values)
        case .map(let entries): .assignEntries(entries)
        }
    }
}
