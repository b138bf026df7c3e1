import RegnumStore

@testable import RegnumEngine

extension DatabaseRoot {
    /// Returns a hash of the entire content: version, schema, next keys, rows with their keys and
    /// content versions, indexes, lists and backlinks. Equal content has the same hash in every
    /// process, regardless of the history that led to it.
    ///
    /// - Complexity: O(n).
    func stateHash() -> UInt64 {
        var hasher = StateHasher()
        hasher.combine(version)
        hasher.combine(schema.version)
        for table in schema.tables {
            let state = content[table.key.index]
            hasher.combine(.string(table.name))
            hasher.combine(UInt64(table.kind.rawValue))
            for column in table.columns {
                hasher.combine(.string(column.name))
                hasher.combine(UInt64(column.type.rawValue))
                let isOptional: UInt64 = column.isOptional ? 1 : 0
                let isPrimaryKey: UInt64 = column.isPrimaryKey ? 2 : 0
                let isFullTextIndexed: UInt64 = column.isFullTextIndexed ? 8 : 0
                hasher.combine(
                    isOptional | isPrimaryKey | (column.isIndexed ? 4 : 0) | isFullTextIndexed)
                hasher.combine(column.defaultValue)
                switch column.meaning {
                case .value: hasher.combine(0 as UInt64)
                case .scalar(let type):
                    hasher.combine(1 as UInt64)
                    hasher.combine(UInt64(type.columnFlag))
                case .link(let target): hasher.combine(2 + UInt64(target.rawValue))
                }
            }
            hasher.combine(state.nextKey)
            hasher.combine(UInt64(state.count))
            state.forEachKey { key in
                guard let (cluster, place) = state.place(key) else { return true }
                hasher.combine(key)
                hasher.combine(cluster.contentVersion(place))
                for column in table.columns { hasher.combine(cluster.value(place, column)) }
                return true
            }
            for slot in 0..<state.indexCount {
                let index = state.index(at: slot)
                let tree = state.columnTree(at: slot)
                hasher.combine(UInt64(index.count))
                switch tree.kind {
                case .values:
                    let column = table.columns[tree.column.index]
                    hasher.combine(state.agreement(of: index, column, content.context.seed))
                case .words:
                    let column = table.columns[tree.column.index]
                    hasher.combine(
                        state.wordAgreement(of: index, column, content.context.seed))
                case .points:
                    let place = ListPlace(table: table.key, list: tree.list)
                    hasher.combine(content.pointAgreement(of: index, place))
                }
            }
            for list in table.lists {
                hasher.combine(.string(list.name))
                hasher.combine(UInt64(list.target.rawValue))
                hasher.combine(UInt64(list.kind.rawValue) | (list.isGeoIndexed ? 16 : 0))
                state.combine(list.key.index, into: &hasher)
            }
        }
        return hasher.value
    }
}

extension DatabaseContent {
    /// Returns the number of points in the lists that a geospatial index has; in a sound tree, all
    /// of them, and as many as it has entries.
    fileprivate func pointAgreement(of index: IndexTree, _ place: ListPlace) -> UInt64 {
        var count: UInt64 = 0
        self[place.table.index].forEachKey { row in
            if let key = pointKey(place, row), index.contains(key, row) { count += 1 }
            return true
        }
        return count
    }
}

extension Table {
    /// Returns the number of index entries that match their row's value; in a sound tree, all of
    /// them.
    fileprivate func agreement(
        of index: IndexTree, _ column: ColumnSchema, _ seed: Identity128
    ) -> UInt64 {
        var count: UInt64 = 0
        index.visit { key, row in
            if let (cluster, place) = self.place(row),
                IndexKey.key(cluster.value(place, column), seed: seed) == key
            {
                count += 1
            }
            return true
        }
        return count
    }

    /// Returns the number of words in the rows that a full-text index has; in a sound tree, all of
    /// them, and as many as it has entries.
    fileprivate func wordAgreement(
        of index: IndexTree, _ column: ColumnSchema, _ seed: Identity128
    ) -> UInt64 {
        var count: UInt64 = 0
        forEachPlace { cluster, place in
            let row = cluster.firstKey + UInt64(place)
            for key in cluster.wordKeys(place, column, seed: seed)
            where index.contains(key, row) {
                count += 1
            }
            return true
        }
        return count
    }

    /// Hashes the elements of a list, and the number of its backlinks that match them.
    fileprivate func combine(_ list: Int, into hasher: inout StateHasher) {
        let elements = elements(list)
        var demanded: [IndexTree.Entry] = []
        demanded.reserveCapacity(elements.tree.count)
        hasher.combine(UInt64(elements.tree.count))
        elements.tree.visitRepeated { owner, element in
            hasher.combine(owner)
            hasher.combine(element)
            demanded.append(IndexTree.Entry(key: element, row: owner))
            return true
        }
        demanded.sort { $0 < $1 }
        let backlinks = backlinks(list)
        var next = 0
        var agreeing: UInt64 = 0
        backlinks.visitRepeated { key, row in
            if next < demanded.count, demanded[next] == IndexTree.Entry(key: key, row: row) {
                agreeing += 1
            }
            next += 1
            return true
        }
        hasher.combine(UInt64(backlinks.count))
        hasher.combine(agreeing)
    }
}

/// An unseeded hash, so that it is the same in every process. Not collision-resistant.
private struct StateHasher {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func combine(_ word: UInt64) {
        value = (value ^ word) &* 0xFF51_AFD7_ED55_8CCD
        value ^= value >> 32
    }

    mutating func combine(_ item: Value) {
        combine(UInt64(item.type?.rawValue ?? 0))
        switch item {
        case .null: break
        case .bool(let x): combine(x ? 1 : 0)
        case .int(let x): combine(UInt64(bitPattern: x))
        case .double(let x), .date(let x): combine(x.bitPattern)
        case .string(let x):
            combine(UInt64(x.utf8.count))
            for byte in x.utf8 { combine(UInt64(byte)) }
        case .data(let x), .any(let x):
            combine(UInt64(x.count))
            for byte in x { combine(UInt64(byte)) }
        case .uuid(let x):
            combine(x.high)
            combine(x.low)
        case .decimal(let x):
            combine(x.high)
            combine(x.low)
        case .objectId(let x):
            combine(x.high)
            combine(UInt64(x.low))
        }
    }
}
