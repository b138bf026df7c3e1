internal import RegnumEngine
internal import RegnumStore

// Values, links and lists of the rows of one class, read and set the long way.

extension ClassBinding {
    /// The value of a property. Traps when the body is over or the row deleted. Of a class that does
    /// not fit what is stored, which a link or list may lead to: the default, and the transaction fails.
    func value(row: UInt64, column: Int32) -> Value {
        guard let core else { trapNoRow(column) }
        if place.isMismatch, let mismatch = mapping?.mismatch, isReadable(row: row) {
            core.fail(mismatch)
            return schema.properties[propertyIndex(of: column)].defaultValue
        }
        guard column >= 0, Int(column) < place.columnCount else {
            return lateValue(row: row, ~Int32(propertyIndex(of: column)))
        }
        let key = ColumnKey(column)
        let found: Value?
        switch core.state {
        case .writing(let transaction):
            found = transaction.value(place.tableKey, ObjectKey(rawValue: row), key)
        case .reading(let root):
            found = root.value(place.tableKey, ObjectKey(rawValue: row), key)
        case .ended:
            trapEnded(column)
        }
        guard let found else {
            failMissing(propertyIndex(of: column))
            return schema.properties[propertyIndex(of: column)].defaultValue
        }
        return found
    }

    /// The value of a property that had no column when the accessor was made.
    private func lateValue(row: UInt64, _ column: Int32) -> Value {
        let index = Int(~column)
        if let added = mapping?.columns[index], added >= 0 {
            return value(row: row, column: added)
        }
        if case .ended? = core?.state { trapEnded(column) }
        if !isReadable(row: row) { failMissing(index) }
        return schema.properties[index].defaultValue
    }

    /// The value of a property of a tracing accessor.
    func tracedValue(row: UInt64, column: Int32) -> Value {
        guard let tracer, core == nil else {
            let value = value(row: row, column: column)
            tracer?.note(propertyIndex(of: column), value)
            return value
        }
        return tracer.value(recorder, propertyIndex(of: column))
    }

    /// Sets a property. A value that cannot be stored fails the transaction. Traps outside a
    /// write, when the body is over, or when the row was deleted.
    func setValue(_ value: Value, row: UInt64, column: Int32) {
        guard let core else {
            fatalError("A property of \(tableName) was set while a key path was being resolved.")
        }
        guard case .writing(let transaction) = core.state else {
            if case .ended = core.state { trapEnded(column) }
            fatalError(
                "\(tableName).\(propertyName(column)) was set in the read at \(core.place): objects "
                    + "can be changed in a write only.")
        }
        guard isReadable(row: row) else { return failMissing(propertyIndex(of: column)) }
        var column = column
        do {
            if place.isMismatch, let mismatch = mapping?.mismatch { throw mismatch }
            if column < 0 || Int(column) >= place.columnCount {
                let index = propertyIndex(of: column)
                try ensureStored(in: transaction)
                column = mapping?.columns[index] ?? ~Int32(index)
            }
            guard column >= 0 else { trapNoRow(column) }
            try transaction.set(
                place.tableKey, ObjectKey(rawValue: row), ColumnKey(column), value)
            didEdit()
        } catch {
            core.fail(Realm.Error(below: error))
        }
    }

    // MARK: Links and lists

    /// The object that a property links to.
    func link<T: ObjectBase>(_ type: T.Type, row: UInt64, column: Int32) -> T? {
        if isTracing {
            let property = propertyIndex(of: column)
            if isRecorder { return tracer?.link(type, recorder, property) }
            noteRead(property)
        }
        guard let core, case .int(let target) = value(row: row, column: column) else { return nil }
        let targets = core.binding(for: type)
        targets.refresh()
        let row = UInt64(bitPattern: target)
        // only a damaged file has a link to a row that is not there
        guard targets.isReadable(row: row) else {
            targets.failMissing(nil)
            return nil
        }
        return targets.accessor(type, row: ObjectKey(rawValue: row))
    }

    /// Lets a property link to an object, which is added if it is unmanaged, or to none. What cannot
    /// be linked to fails the transaction.
    func setLink(_ object: ObjectBase?, row: UInt64, column: Int32) {
        guard let object else { return setLink(.null, row: row, column: column) }
        let property = propertyIndex(of: column)
        guard let core, core.writing != nil else { trapNotWriting(property) }
        guard isReadable(row: row) else { return failMissing(property) }
        if schema.properties[property].isOwning, object.isManaged,
            case .int(let current) = value(row: row, column: column),
            UInt64(bitPattern: current) == object._row, object._binding?.core === core
        {
            return  // the embedded object that is there already
        }
        do throws(Realm.Error) {
            let target = try core.store(object, for: schema.properties[property], schema)
            setLink(.int(Int64(bitPattern: target.rawValue)), row: row, column: column)
        } catch {
            core.fail(error)
        }
    }

    private func setLink(_ target: Value, row: UInt64, column: Int32) {
        setValue(target, row: row, column: column)
        // the object that was there may have been deleted
        if schema.properties[propertyIndex(of: column)].isOwning { didEditOthers() }
    }

    /// Notes that a property is read that has no value.
    func noteRead(_ property: Int) { tracer?.note(recorder, property) }

    /// Whether objects have made-up values and no row.
    var isRecorder: Bool { core == nil }

    /// The position of the property that holds a list, by what its wrapper holds.
    func propertyIndex(ofList number: Int32) -> Int {
        if number < 0 { return Int(~number) }
        if Int(number) < place.listProperties.count { return place.listProperties[Int(number)] }
        return grownProperty(number) { $0.isStoredList }
    }

    /// The position of the property that had the number while the class was stored.
    private func grownProperty(_ number: Int32, where isKind: (PropertyShape) -> Bool) -> Int {
        let numbers = grown?.numbers ?? []
        return numbers.indices.first {
            numbers[$0] == number && isKind(schema.properties[$0].shape)
        } ?? 0
    }

    /// Sets an integer as `setValue` does; quickly, where the property is a plain one.
    @usableFromInline
    func setInteger(_ value: Int64, row: UInt64, column: Int32) {
        if let core, place.isPlain(column, .int),
            core.setPlain(place.tableKey, row, ColumnKey(column), value)
        {
            didEdit()
        } else {
            setValue(.int(value), row: row, column: column)
        }
    }

    /// Sets a double as `setValue` does; quickly, where the property is a plain one.
    @usableFromInline
    func setDouble(_ value: Double, row: UInt64, column: Int32) {
        if let core, place.isPlain(column, .double),
            core.setPlain(place.tableKey, row, ColumnKey(column), value)
        {
            didEdit()
        } else {
            setValue(.double(value), row: row, column: column)
        }
    }

    /// The position of the property whose wrapper holds the number of a column.
    func propertyIndex(of column: Int32) -> Int {
        guard column >= 0 else { return Int(~column) }
        guard core != nil, let mapping else { return Int(column) }
        let found = schema.properties.indices.first {
            mapping.columns[$0] == column && schema.properties[$0].isColumn
        }
        return found
            ?? grownProperty(column) {
                switch $0 {
                case .scalar, .link: true
                case .list, .linkingObjects: false
                case .map: false
                case .set: false
                }
            }
    }
}
