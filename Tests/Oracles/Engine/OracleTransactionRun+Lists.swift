import RegnumEngine
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

extension OracleTransactionRun {
    mutating func addList(_ table: Int, _ generator: inout SeededRandom) throws {
        let state = oracle.tables[table]
        guard state.lists.count < 3 else { return }
        let target = generator.below(oracle.tables.count)
        let list = OracleList(name: "list\(state.lists.count)", target: target)
        log.add("addList \(state.name).\(list.name) of \(oracle.tables[target].name)")
        let key = try engine?.addList(
            tableKey(table), name: list.name, target: tableKey(target))
        try require(
            key == nil || key == ListKey(rawValue: UInt16(state.lists.count)),
            "addList returned the key \(String(describing: key))")
        oracle.addList(table, list)
        if let engine {
            try refuses(.invalidInput) { () throws(StoreError) in
                _ = try engine.addList(
                    tableKey(table), name: list.name, target: tableKey(target))
            }
        }
    }

    /// Returns a list of some row, if there is one.
    private func someList(_ generator: inout SeededRandom) -> (OracleRowList, [UInt64])? {
        let tables = oracle.tables.indices.filter {
            !oracle.tables[$0].lists.isEmpty && !oracle.tables[$0].keys.isEmpty
        }
        guard !tables.isEmpty else { return nil }
        let table = generator.oneOf(tables)
        let keys = oracle.tables[table].keys
        // Few owners, so that lists grow.
        let row =
            generator.oneIn(3) ? generator.oneOf(keys) : keys[generator.below(min(3, keys.count))]
        let place = OracleRowList(
            table: table, list: generator.below(oracle.tables[table].lists.count), row: row)
        return (place, oracle.tables[table].rows[row]?.lists[place.list] ?? [])
    }

    mutating func editList(_ step: OracleStep, _ generator: inout SeededRandom) throws {
        guard let (place, elements) = someList(&generator) else { return }
        let targetNumber = oracle.tables[place.table].lists[place.list].target
        let target = oracle.tables[targetNumber]
        let table = tableKey(place.table)
        let row = ObjectKey(rawValue: place.row)
        let list = ListKey(rawValue: UInt16(place.list))
        let position = generator.below(elements.count + 1)
        let name = "\(oracle.tables[place.table].name) row \(row.rawValue) list \(place.list)"
        switch step.kind {
        case .listInsert, .listInsertMany:
            guard !target.keys.isEmpty, elements.count < 2_000 else { return }
            let bound = step.kind == .listInsert ? 3 : generator.oneIn(3) ? 600 : 40
            let count = min(1 + generator.below(bound), step.maximumRowCount)
            var linkable = OracleLinkable()
            let keys = (0..<count).compactMap { _ in
                linkable.row(targetNumber, oracle.database, &generator)
            }
            if keys.isEmpty { return }
            log.add("\(name): insert \(keys) at \(position)")
            try engine?.insertIntoList(
                table, row, list, at: position, keys.map { ObjectKey(rawValue: $0) })
            oracle.edit(place, at: position, removing: 0, inserting: keys)
        case .listRemove:
            guard position < elements.count else { return }
            let most = generator.oneIn(8) ? elements.count : 3
            let count = 1 + generator.below(min(most, elements.count - position))
            log.add("\(name): remove \(count) at \(position)")
            engine?.removeFromList(table, row, list, position..<position + count)
            oracle.replace(place, at: position, removing: count, inserting: [])
        case .listSet:
            guard position < elements.count, !target.keys.isEmpty else { return }
            var linkable = OracleLinkable()
            let isSame = generator.oneIn(4)
            let new = linkable.row(targetNumber, oracle.database, &generator)
            let key = isSame ? elements[position] : new ?? elements[position]
            log.add("\(name): set \(position) to \(key)")
            try engine?.setListElement(
                table, row, list, at: position, ObjectKey(rawValue: key))
            oracle.replace(place, at: position, removing: 1, inserting: [key])
        case .listMove:
            guard position < elements.count else { return }
            let destination = generator.below(elements.count)
            log.add("\(name): move \(position) to \(destination)")
            engine?.moveInList(table, row, list, from: position, to: destination)
            guard position != destination else { return }
            oracle.edit(place, at: position, removing: 1, inserting: [])
            oracle.edit(place, at: destination, removing: 0, inserting: [elements[position]])
        default:
            guard let engine else { return }
            let absent = ObjectKey(rawValue: target.nextKey + UInt64(generator.below(2_000)))
            try refuses(.invalidValue) { () throws(StoreError) in
                try engine.insertIntoList(table, row, list, at: position, [absent])
            }
            guard target.kind.isOwned else { return }
            let free = oracle.database.linkable(targetNumber).prefix(1)
            var bad = free.map { [$0, $0] }
            bad += oracle.database.owned(targetNumber).sorted().prefix(2).map { [$0] }
            for keys in bad {
                try refuses(.invalidValue) { () throws(StoreError) in
                    try engine.insertIntoList(
                        table, row, list, at: position, keys.map { ObjectKey(rawValue: $0) })
                }
            }
        }
    }
}
