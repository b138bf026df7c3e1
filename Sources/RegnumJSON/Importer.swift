internal import Regnum
internal import RegnumEngine
internal import RegnumStore

/// The imported objects that an import keeps track of across batches.
struct ImportState: Sendable {
    /// The rows created for links.
    var placeholders: Importer.Placeholders = [:]
    /// The placeholders of earlier batches that the last batch has filled.
    var filled: [(table: TableKey, reference: Importer.Reference, Importer.Placeholder)] = []
    /// The version of the last batch, unless it is known to be committed.
    var pendingVersion: UInt64?
    /// The rows of objects without a primary key, by their keys in the text. Other transactions may
    /// have deleted them since.
    var keys: [TableKey: ImportedKeys] = [:]
    fileprivate var tables: [StoredText: ImportTable] = [:]
    fileprivate var schemaID: UInt64 = 0

    /// The placeholders that committed batches have left. Found when an import fails, so that its
    /// batches don't copy them.
    var committedPlaceholders: Importer.Placeholders {
        guard let pendingVersion else { return placeholders }
        var committed = placeholders.mapValues { objects in
            objects.filter { $0.value.version != pendingVersion }
        }
        for (table, reference, placeholder) in filled {
            committed[table, default: [:]][reference] = placeholder
        }
        return committed
    }
}

/// Imports lines in a running write.
struct Importer {
    let tx: Transaction
    let transaction: EngineTransaction
    let update: Realm.UpdatePolicy
    var state: ImportState
    private(set) var line = 0
    /// The number of objects that enclose the embedded object being stored.
    var level = 0

    init(
        _ tx: Transaction, _ update: Realm.UpdatePolicy, _ state: consuming ImportState
    ) {
        self.tx = tx
        transaction = tx.requireWriting("importJSON")
        self.update = update
        self.state = state
        self.state.filled = []
        self.state.pendingVersion = transaction.version
    }

    /// Imports lines and returns the number of objects.
    ///
    /// - Parameter isLast: Whether these are the last lines of the text, so that no placeholder may
    ///   remain.
    mutating func apply(
        _ batch: LineBatches.Batch, isLast: Bool
    ) throws(Realm.Error) -> Int {
        line = batch.firstLine - 1
        var count = 0
        let lines = batch.bytes.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for bytes in lines {
            line += 1
            if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
            do throws(Realm.Error) {
                if try apply(bytes) { count += 1 }
            } catch {
                throw error.onLine(line)
            }
        }
        guard isLast, let missing = missingObject() else { return count }
        throw missing.error.onLine(missing.line)
    }

    /// Imports a line and returns whether it is an object.
    private mutating func apply(
        _ bytes: ArraySlice<UInt8>
    ) throws(Realm.Error) -> Bool {
        let node: JSONNode
        do throws(JSONProblem) {
            node = try JSONReader.read(bytes)
        } catch {
            throw .text("is not valid JSON: \(error.text), at byte \(error.offset + 1)")
        }
        guard case .object(let members) = node else {
            throw .text("is \(node.shown): expected an object")
        }
        if SchemaLine.isOne(members) {
            guard line == 1 else { throw .text("is a schema, but only the first line can be one") }
            try ImportSchema(tx: tx, transaction: transaction).apply(SchemaLine(members))
            return false
        }
        try object(members)
        return true
    }

    private mutating func object(_ members: [JSONNode.Member]) throws(Realm.Error) {
        var className: String?
        var values: [JSONNode.Member]?
        var key: UInt64?
        for member in members {
            switch (member.key, member.value) {
            case ("class", .string(let name)) where className == nil: className = name
            case ("values", .object(let list)) where values == nil: values = list
            case ("key", .number(let text)) where key == nil && UInt64(text) != nil:
                key = UInt64(text)
            default:
                throw .text(
                    "has an invalid member: \"\(member.key.shortened)\" is \(member.value.shown)",
                    className)
            }
        }
        guard let className, let values else { throw .text("must have a \"class\" and \"values\"") }
        let table = try table(named: className)
        guard table.schema.hasOwnObjects else {
            throw .text(
                "has an object of the class \(className), which is embedded: it belongs inside "
                    + "its owner", className)
        }
        if key != nil, table.schema.primaryKey != nil {
            throw .text(
                "has a \"key\", but objects of \(className) are identified by their primary key",
                className)
        }
        do throws(StoreError) {
            try store(values, key, table)
        } catch {
            throw .naming(error, in: transaction.schema)
        }
    }

    /// Returns the class with a name, adding a declared one to the stored schema.
    mutating func table(named name: String) throws(Realm.Error) -> ImportTable {
        if state.schemaID == transaction.schema.id, let known = state.tables[StoredText(name)] {
            return known
        }
        if let mismatch = try tx.addDeclared(name) { throw mismatch }
        guard let schema = transaction.schema.table(named: name), schema.isExported else {
            throw Realm.Error(
                .schemaMismatch,
                "There is no class \(name.shortened): it is neither stored nor declared, and the "
                    + "first line doesn't describe it.", className: name)
        }
        if state.schemaID != transaction.schema.id { state.tables = [:] }
        state.schemaID = transaction.schema.id
        let made = ImportTable(schema, in: transaction.schema, tx)
        state.tables[StoredText(name)] = made
        return made
    }
}

extension Realm.Error {
    fileprivate static func text(_ what: String, _ className: String? = nil) -> Realm.Error {
        Realm.Error(.invalidInput, "The line \(what).", className: className)
    }

    /// Returns the error with its line, whose number also starts the message.
    fileprivate func onLine(_ line: Int) -> Realm.Error {
        var error = self
        error.line = line
        error.message =
            error.message.hasPrefix("The line ")
            ? "Line \(line) " + error.message.dropFirst("The line ".count)
            : "Line \(line): \(error.message)"
        return error
    }
}

/// The rows of objects by their keys in a text. Stored as runs where both increase by one, as in an
/// export that is read in order, and single entries otherwise.
struct ImportedKeys: Sendable {
    private struct Run {
        var key: UInt64
        var row: UInt64
        var count: UInt64
    }

    /// Ascending by key.
    private var runs: [Run] = []
    private var others: [UInt64: UInt64] = [:]

    subscript(key: UInt64) -> ObjectKey? {
        if let row = others[key] { return ObjectKey(rawValue: row) }
        // the last run that starts at or before the key
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = low + (high - low) / 2
            if runs[middle].key <= key { low = middle + 1 } else { high = middle }
        }
        guard low > 0, key - runs[low - 1].key < runs[low - 1].count else { return nil }
        return ObjectKey(rawValue: runs[low - 1].row + (key - runs[low - 1].key))
    }

    mutating func add(_ key: UInt64, _ row: ObjectKey) {
        guard let last = runs.last else {
            runs.append(Run(key: key, row: row.rawValue, count: 1))
            return
        }
        let distance = key > last.key ? key - last.key : 0
        if distance == last.count, row.rawValue == last.row + last.count {
            runs[runs.count - 1].count += 1
        } else if distance >= last.count {
            runs.append(Run(key: key, row: row.rawValue, count: 1))
        } else {
            others[key] = row.rawValue
        }
    }
}
