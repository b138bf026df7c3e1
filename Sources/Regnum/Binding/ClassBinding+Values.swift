internal import RegnumEngine
internal import RegnumStore

// The slow path for reading and setting values, links and lists of the rows of one class.

extension ClassBinding {
    /// Returns the value of a property. Traps after the body has returned. A deleted row fails the
    /// transaction and returns the default. For a mismatched class, which a link or list may refer
    /// to, returns the default and fails the transaction.
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
            failMissing(propertyIndex(of: column), of: row)
            return schema.properties[propertyIndex(of: column)].defaultValue
        }
        return found
    }

    /// Returns the value of a property that had no column when the accessor was created.
    private func lateValue(row: UInt64, _ column: Int32) -> Value {
        let index = Int(~column)
        if let added = mapping?.columns[index], added >= 0 {
            return value(row: row, column: added)
        }
        if case .ended? = core?.state { trapEnded(column) }
        if !isReadable(row: row) { failMissing(index, of: row) }
        return schema.properties[index].defaultValue
    }

    /// Returns the value of a property on the slow path.
    @inline(__always)
    func readValue(row: UInt64, column: Int32) -> Value {
        isTracing ? tracedValue(row: row, column: column) : value(row: row, column: column)
    }

    /// Returns the value of a property of a tracing accessor.
    func tracedValue(row: UInt64, column: Int32) -> Value {
        guard let tracer, core == nil else {
            noteRead(propertyIndex(of: column))
            return value(row: row, column: column)
        }
        return tracer.value(recorder, propertyIndex(of: column))
    }

    /// Sets a property. A value that can't be stored fails the transaction. Traps outside of a
    /// write and after the body has returned. A deleted row fails the transaction.
    func setValue(_ value: Value, row: UInt64, column: Int32) {
        guard let core else {
            fatalError("A property of \(tableName) was set while a key path was being resolved.")
        }
        guard case .writing(let transaction) = core.state else {
            if case .ended = core.state { trapEnded(column) }
            fatalError(
                "\(tableName).\(propertyName(column)) was set in the read at \(core.place): "
                    + "objects can only be changed in a write.")
        }
        guard isReadable(row: row) else {
            return failMissing(propertyIndex(of: column), of: row)
        }
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

    /// Returns the object that a property links to.
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
        // only a damaged file has a link to a row that doesn't exist
        guard targets.isReadable(row: row) else {
            targets.failMissing(nil, of: row)
            return nil
        }
        return targets.accessor(type, row: ObjectKey(rawValue: row))
    }

    /// Sets a link to an object, adding it if it is unmanaged, or to `nil`. An object that can't be
    /// linked to fails the transaction.
    func setLink(_ object: ObjectBase?, row: UInt64, column: Int32) {
        guard let object else { return setLink(.null, row: row, column: column) }
        let property = propertyIndex(of: column)
        guard let core, core.writing != nil else { trapNotWriting(property) }
        guard isReadable(row: row) else { return failMissing(property, of: row) }
        if schema.properties[property].isOwning, object.isManaged,
            case .int(let current) = value(row: row, column: column),
            UInt64(bitPattern: current) == object._row, object._binding?.core === core
        {
            return  // it is already the property's embedded object
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
        // the previous object may have been deleted
        if schema.properties[propertyIndex(of: column)].isOwning { didEditOthers() }
    }

    /// Records a read of a property that has no value.
    func noteRead(_ property: Int) { tracer?.note(recorder, property) }

    /// Whether the objects are recorders, which have sample values instead of rows.
    var isRecorder: Bool { core == nil }

    /// Returns the index of the list property with the given number in its wrapper.
    func propertyIndex(ofList number: Int32) -> Int {
        if number < 0 { return Int(~number) }
        if Int(number) < place.listProperties.count { return place.listProperties[Int(number)] }
        return grownProperty(number) { $0.isStoredList }
    }

    /// Returns the position of the property that had the number while the class was stored.
    private func grownProperty(_ number: Int32, where isKind: (PropertyShape) -> Bool) -> Int {
        let numbers = grown?.numbers ?? []
        let found = numbers.indices.first {
            numbers[$0] == number && isKind(schema.properties[$0].shape)
        }
        guard let found else {
            preconditionFailure(
                "The column number \(number) was never used by a property of \(schema.name) in "
                    + "this transaction.")
        }
        return found
    }

    /// Sets an integer like `setValue`, but directly if the property allows it.
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

    /// Sets a double like `setValue`, but directly if the property allows it.
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

    /// Returns the index of the property with the given column number in its wrapper.
    func propertyIndex(of column: Int32) -> Int {
        guard column >= 0 else { return Int(~column) }
        guard core != nil, let mapping else { return Int(column) }
        let found = schema.properties.indices.first {
            mapping.columns[$0] == column && schema.properties[$0].isColumn
        }
        return found ?? grownProperty(column) { $0.isColumn }
    }
}
