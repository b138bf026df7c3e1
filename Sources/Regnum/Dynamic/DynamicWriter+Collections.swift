internal import RegnumEngine
internal import RegnumStore

extension DynamicWriter {
    /// Returns the rows for new elements of a list: always new ones for values, those of
    /// `row(for:of:)` for objects.
    ///
    /// - Parameters:
    ///   - start: The position of the first element.
    ///   - owned: The embedded objects that are updated, by position.
    func rows(
        for values: [Any?], in place: DynamicPlace, from start: Int = 0, owned: [ObjectKey] = []
    ) throws(Realm.Error) -> [ObjectKey] {
        let name = name(place.list.name, place.table)
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        var rows: [ObjectKey] = []
        rows.reserveCapacity(values.count)
        if target.kind == .elements, let column = target.columns.first {
            if column.type == .any {
                return try insert(any: values.map { ("", $0) }, into: place, name)
            }
            for value in try stored(values, column, name, from: start) {
                rows.append(try insert([value], into: target.key))
            }
            return rows
        }
        for (index, value) in values.enumerated() {
            guard let value = value.flatMap({ unwrapped($0) }) else {
                throw name.wrong(nil, at: .index(start + index))
            }
            rows.append(
                try row(
                    for: value, of: target.key, name, at: .index(start + index),
                    owned: index < owned.count ? owned[index] : nil))
        }
        return rows
    }

    /// Inserts elements that a set doesn't contain yet.
    ///
    /// - Complexity: O(log² n) for each element.
    func insert(intoSet values: [Any?], _ place: DynamicPlace) throws(Realm.Error) {
        try store(
            .members(place, try members(values, place), .modified), in: place.table, place.row)
    }

    /// Removes an element from a set, if the set contains it.
    ///
    /// - Complexity: O(log² n).
    func remove(_ value: Any?, fromSet place: DynamicPlace) throws(Realm.Error) {
        if value is [String: Any?] || value is [String: Any] {
            throw name(place.list.name, place.table).wrong(value)
        }
        if let given = value.flatMap({ unwrapped($0) }) {
            if let object = object(given) {
                // An unmanaged object isn't in the set, and `members` would add it to the realm.
                guard object._binding != nil else { return try check(object, in: place) }
            } else if isOfObjects(place), instance(of: DynamicObject.self, given) == nil {
                throw name(place.list.name, place.table).wrong(given)
            }
        }
        let members = try members([value], place)
        try storing { () throws(StoreError) in try place.storedSet(transaction).remove(members) }
    }

    /// Returns the stored object of a value that is one of the program's objects.
    private func object(_ value: Any) -> ObjectBase? {
        if case .object(let object) = value as? AnyRealmValue { return object._storedObject }
        return instance(of: ObjectBase.self, value)?._storedObject
    }

    private func isOfObjects(_ place: DynamicPlace) -> Bool {
        transaction.schema.tables[Int(place.list.target.rawValue)].kind != .elements
    }

    /// Throws if a set can't contain objects of this class.
    private func check(_ object: ObjectBase, in place: DynamicPlace) throws(Realm.Error) {
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        let isOfClass = equalUTF8(target.name, ClassSchema.of(type(of: object)).name)
        guard isOfObjects(place) ? isOfClass : target.columns.first?.type == .any else {
            throw name(place.list.name, place.table).wrong(object)
        }
    }

    /// Returns values, or objects of the class, as members of a set.
    func members(
        _ values: [Any?], _ place: DynamicPlace
    ) throws(Realm.Error) -> SetMembers {
        let name = name(place.list.name, place.table)
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        if target.kind == .elements, let column = target.columns.first {
            return SetMembers(values: try stored(values, column, name), keys: [])
        }
        return SetMembers(values: [], keys: try rows(for: values, in: place))
    }

    /// Returns elements in their stored form.
    func stored(
        _ values: [Any?], _ column: ColumnSchema, _ name: Name, from start: Int = 0
    ) throws(Realm.Error) -> [Value] {
        var stored: [Value] = []
        for (index, value) in values.enumerated() {
            guard let value = value.flatMap({ unwrapped($0) }) else {
                guard column.isOptional else { throw name.wrong(nil, at: .index(start + index)) }
                stored.append(.null)
                continue
            }
            stored.append(
                column.type == .any
                    ? try member(any: value, name)
                    : try scalar(value, column, name, at: .index(start + index)))
        }
        return stored
    }

    private func insert(
        _ values: [Value], into table: TableKey
    ) throws(Realm.Error) -> ObjectKey {
        let row = try storing { () throws(StoreError) in try transaction.insert(table, values) }
        copies.didInsert(row, into: table)
        return row
    }

    private func insert(
        _ rows: [ObjectKey], at position: Int, in place: DynamicPlace
    ) throws(Realm.Error) {
        if rows.isEmpty { return }
        try storing { () throws(StoreError) in
            try transaction.insertIntoList(
                place.table, place.row, place.list.key, at: position, rows)
        }
    }

    func insert(_ value: Any?, into place: DynamicPlace, at position: Int) throws(Realm.Error) {
        let rows = try rows(for: [value], in: place, from: position)
        try insert(rows, at: position, in: place)
    }

    /// Replaces the element at a position of a list.
    ///
    /// - Parameter element: The row of the element.
    func set(
        _ value: Any?, in place: DynamicPlace, at position: Int, _ element: ObjectKey
    ) throws(Realm.Error) {
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        if target.kind == .elements, let column = target.columns.first {
            if column.type == .any {
                return try assign(any: value, toElement: element, of: place)
            }
            let name = name(place.list.name, place.table)
            let values = try stored([value], column, name, from: position)
            return try store(.column(column, .value(values[0]), .error), in: target.key, element)
        }
        let rows = try rows(for: [value], in: place, from: position)
        try storing { () throws(StoreError) in
            try transaction.setListElement(
                place.table, place.row, place.list.key, at: position, rows[0])
        }
    }

    func remove(_ range: Range<Int>, from place: DynamicPlace) {
        if range.isEmpty { return }
        transaction.removeFromList(place.table, place.row, place.list.key, range)
    }

    func replaceAll(_ place: DynamicPlace, with values: [Any?]) throws(Realm.Error) {
        guard place.list.kind == .set else {
            return try replaceAll(place, rows: try rows(for: values, in: place))
        }
        try store(.members(place, try members(values, place), .error), in: place.table, place.row)
    }

    /// Replaces the elements or entries of a collection.
    func replaceAll(_ place: DynamicPlace, rows: [ObjectKey]) throws(Realm.Error) {
        remove(0..<transaction.listCount(place.table, place.row, place.list.key), from: place)
        try insert(rows, at: 0, in: place)
    }

    /// Creates rows for the entries of a map's new value, ascending.
    func entries(
        of value: Any, in place: DynamicPlace
    ) throws(Realm.Error) -> [ObjectKey] {
        try entries(in: value, place).map { (entry) throws(Realm.Error) in
            try self.entry(entry.key, entry.value, place)
        }
    }

    /// Returns the entries of a map's new value, ascending.
    func entries(
        in value: Any, _ place: DynamicPlace
    ) throws(Realm.Error) -> [(key: String, value: Any?)] {
        guard let entries = Self.entries(of: value) else {
            throw name(place.list.name, place.table).wrong(value)
        }
        return entries
    }

    /// Returns the entries of a map or dictionary, ascending; `nil` for other values.
    static func entries(of value: Any) -> [(key: String, value: Any?)]? {
        var entries: [(key: String, value: Any?)]
        if let map = instance(of: DynamicMap.self, value) {
            entries = map.map { ($0.key, $0.value) }
        } else if let map = value as? any UnmanagedMap {
            entries = map.anyEntries.map { ($0.key, $0.value) }
        } else if let values = (value as? [String: Any?]) ?? (value as? [String: Any]) {
            entries = values.map { ($0.key, $0.value) }
        } else {
            return nil
        }
        entries.sort { StoredText.precedes($0.key, $1.key) }
        return entries
    }

    /// Creates the row of a map's entry.
    func entry(
        _ key: String, _ value: Any?, _ place: DynamicPlace
    ) throws(Realm.Error) -> ObjectKey {
        let name = name(place.list.name, place.table)
        if let problem = Realm.Error.mapKey(key, name.className, name.property) { throw problem }
        let target = transaction.schema.tables[Int(place.list.target.rawValue)]
        if target.columns[0].type == .any {
            let rows = try insert(any: [(key, value)], into: place, name)
            return rows[0]
        }
        let stored = try content(
            of: value, for: target.columns[0], of: target.key, at: .key(key))
        return try insert([stored, .string(key)], into: target.key)
    }

    func set(_ value: Any?, forKey key: String, in place: DynamicPlace) throws(Realm.Error) {
        let (position, isThere) = place.position(ofKey: key)
        guard isThere,
            let entry = transaction.listElement(
                place.table, place.row, place.list.key, at: position)
        else {
            let row = try entry(key, value, place)
            return try insert([row], at: position, in: place)
        }
        let column = transaction.schema.tables[Int(place.list.target.rawValue)].columns[0]
        if column.type == .any { return try assign(any: value, toElement: entry, of: place) }
        try assign(value, to: .column(column), of: place.list.target, entry)
    }
}
