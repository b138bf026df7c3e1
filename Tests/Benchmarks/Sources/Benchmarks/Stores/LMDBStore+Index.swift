internal import CLMDB

/// The index: a second tree from the age to the ids, which LMDB keeps in fixed-size pages.
extension LMDBStore {
    private static let flags =
        UInt32(CLMDB_DUPSORT) | UInt32(CLMDB_DUPFIXED)
        | UInt32(CLMDB_INTEGERKEY) | UInt32(CLMDB_INTEGERDUP)

    func buildAgeIndex() throws {
        var entries: [(age: Int, id: Int)] = []
        try forEachPerson { id, row in entries.append((row.age, id)) }
        entries.sort { $0 < $1 }
        try write { transaction in
            var index: UInt32 = 0
            let flags = Self.flags | UInt32(CLMDB_CREATE)
            try LMDBLibrary.check(clmdb_dbi_open(transaction, "ages", flags, &index))
            for entry in entries {
                var (age, id) = entry
                try withUnsafeMutableBytes(of: &age) { ageBytes in
                    try withUnsafeMutableBytes(of: &id) { idBytes in
                        var key = clmdb_val(size: ageBytes.count, data: ageBytes.baseAddress)
                        var value = clmdb_val(size: idBytes.count, data: idBytes.baseAddress)
                        let code = clmdb_put(
                            transaction, index, &key, &value, UInt32(CLMDB_APPENDDUP))
                        try LMDBLibrary.check(code)
                    }
                }
            }
        }
    }

    func dropAgeIndex() throws {
        try write { transaction in
            var index: UInt32 = 0
            try LMDBLibrary.check(clmdb_dbi_open(transaction, "ages", Self.flags, &index))
            try LMDBLibrary.check(clmdb_drop(transaction, index, 1))
        }
    }

    func countByAge(_ ages: [Int]) throws -> Int {
        var sum = 0
        try forEachAge(ages) { cursor, _ in
            var count = 0
            try LMDBLibrary.check(clmdb_cursor_count(cursor, &count))
            sum += count
        }
        return sum
    }

    func findByAge(_ ages: [Int]) throws -> Int {
        var sum = 0
        var found: [Int] = []
        try forEachAge(ages) { cursor, key in
            found.removeAll(keepingCapacity: true)
            var value = clmdb_val()
            var code = clmdb_cursor_get(
                cursor, &key, &value, Int32(CLMDB_GET_MULTIPLE))
            while code == 0 {
                // A page of ids, which LMDB aligns to two bytes only.
                let page = UnsafeRawBufferPointer(start: value.data, count: value.size)
                for place in stride(from: 0, to: page.count, by: MemoryLayout<Int>.size) {
                    found.append(page.loadUnaligned(fromByteOffset: place, as: Int.self))
                }
                code = clmdb_cursor_get(
                    cursor, &key, &value, Int32(CLMDB_NEXT_MULTIPLE))
            }
            guard code == CLMDB_NOTFOUND else { return try LMDBLibrary.check(code) }
            Sums.add(found, to: &sum)
        }
        return sum
    }

    /// Calls `body` with a cursor at the first entry of each of the ages that has one.
    private func forEachAge(
        _ ages: [Int], _ body: (UnsafeMutableRawPointer?, inout clmdb_val) throws -> Void
    ) throws {
        try read { transaction in
            var index: UInt32 = 0
            try LMDBLibrary.check(clmdb_dbi_open(transaction, "ages", Self.flags, &index))
            var cursor: UnsafeMutableRawPointer?
            try LMDBLibrary.check(clmdb_cursor_open(transaction, index, &cursor))
            defer { clmdb_cursor_close(cursor) }
            for age in ages {
                var age = age
                try withUnsafeMutableBytes(of: &age) { bytes in
                    var key = clmdb_val(size: bytes.count, data: bytes.baseAddress)
                    var value = clmdb_val()
                    let code = clmdb_cursor_get(cursor, &key, &value, Int32(CLMDB_SET))
                    if code == CLMDB_NOTFOUND { return }
                    try LMDBLibrary.check(code)
                    try body(cursor, &key)
                }
            }
        }
    }
}
