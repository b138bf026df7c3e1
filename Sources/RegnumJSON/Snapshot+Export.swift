public import FoundationEssentials
public import Regnum
internal import RegnumEngine
internal import RegnumStore

extension Snapshot {
    /// Writes the content of the snapshot, or of some of its classes, as JSON lines.
    ///
    ///     try await realm.snapshot().exportJSON { bytes in try await pipe.write(bytes) }
    ///
    /// The first line contains the schema, and each following line contains an object
    /// (`Docs/JSON.md`). All values can be restored exactly as they were stored. The Swift classes
    /// aren't needed. Objects that others link to are written first, unless their classes form a
    /// cycle. Asymmetric objects that haven't been drained yet are written as well.
    ///
    /// - Parameters:
    ///   - classes: The classes whose objects are written; `nil` for all. Links to objects of other
    ///     classes are written as keys.
    ///   - sink: Receives the text in chunks of about 64 KiB, split at any position. If it throws,
    ///     the export ends with that error.
    /// - Returns: The number of objects written, not counting embedded objects.
    /// - Throws: `.invalidInput` for a class that isn't stored or is embedded; `.invalidValue` for
    ///   embedded objects nested more than 64 levels deep, and for a line of more than 256 MiB,
    ///   which can't be imported; `.invalidDatabase` if damage is found; `CancellationError`; the
    ///   errors of `sink`.
    /// - Complexity: O(n) for n bytes of content. Needs memory for one object and one chunk of
    ///   text.
    @discardableResult
    public func exportJSON(
        classes: [String]? = nil, to sink: ([UInt8]) async throws -> Void
    ) async throws -> Int {
        let root = root
        let tables = try exportOrder(classes)
        var export = RowExport(root)
        var head = SchemaLine(schemaVersion: root.schema.version, version: root.version)
        head.classes = reachable(from: tables).map { root.schema.storedClass($0) }
        try export.line(head)
        var count = 0
        for table in tables {
            let end = root.count(table.key)
            try await write(
                table.key, count: end, { root.key(table.key, at: $0) }, &export, to: sink)
            count += end
        }
        if export.text.count > 0 { try await sink(export.text.take()) }
        return count
    }

    /// Writes the objects of a class that match a predicate string, as JSON lines, in the order of
    /// the query. Each line is the same as in a complete export, but there is no schema line.
    ///
    ///     let text = "age > 3 SORT(name ASC) LIMIT(20)"
    ///     try await snapshot.exportJSON("Dog", matching: text) { try await pipe.write($0) }
    ///
    /// The Swift class isn't needed. Properties are identified by their stored names.
    ///
    /// - Parameter sink: As for ``exportJSON(classes:to:)-(_,([UInt8])->Void)``.
    /// - Returns: The number of objects written.
    /// - Throws: `.invalidInput` if there is no class with that name; `.invalidQuery` for text that
    ///   isn't a predicate, with the position of the mistake; otherwise the errors of
    ///   ``exportJSON(classes:to:)-(_,([UInt8])->Void)``.
    @discardableResult
    public func exportJSON(
        _ className: String, matching predicate: String,
        to sink: ([UInt8]) async throws -> Void
    ) async throws -> Int {
        let rows = try rows(className, matching: predicate)
        guard let table = root.schema.table(named: className)?.key else { return 0 }
        var export = RowExport(root)
        try await write(table, count: rows.count, { rows[$0] }, &export, to: sink)
        if export.text.count > 0 { try await sink(export.text.take()) }
        return rows.count
    }

    /// Writes the lines of rows, and passes on the text that fills a chunk.
    private func write(
        _ table: TableKey, count: Int, _ row: (Int) -> ObjectKey, _ export: inout RowExport,
        to sink: ([UInt8]) async throws -> Void
    ) async throws {
        var position = 0
        while position < count {
            var failure: Realm.Error?
            try checked {
                while position < count, failure == nil,
                    export.text.count < Self.pieceByteCount
                {
                    do throws(Realm.Error) {
                        try export.line(table, row(position))
                    } catch {
                        failure = error
                    }
                    position += 1
                }
            }
            if let failure { throw failure }
            if export.text.count < Self.pieceByteCount { continue }
            try Task.checkCancellation()
            try await sink(export.text.take())
        }
    }

    /// Writes the content of the snapshot, or of some of its classes, as JSON lines to a file.
    ///
    ///     try await realm.snapshot().exportJSON(to: URL(filePath: "dogs.jsonl"))
    ///
    /// See ``exportJSON(classes:to:)-(_,([UInt8])->Void)`` for the details. The file appears at its
    /// path, replacing any existing one, only once it is completely on disk; a failed export leaves
    /// an existing file unchanged, unless only the last step fails, which syncs the directory. A
    /// new file is readable only by users who may read the realm's files. For a pipe, waits for a
    /// reader until the task is cancelled; if the reader closes it early, throws `.ioFailed` and
    /// doesn't raise SIGPIPE.
    ///
    /// - Throws: The errors of ``exportJSON(classes:to:)-(_,([UInt8])->Void)``; `.invalidInput` if
    ///   `url` isn't a file URL; `.fileAccess`, `.fileNotFound`, `.filePermissionDenied`,
    ///   `.diskFull` and `.ioFailed` for the file.
    @discardableResult
    public func exportJSON(classes: [String]? = nil, to url: URL) async throws -> Int {
        try Realm.Configuration.checkFile(url)
        let path = url.path
        var realmPath: String?
        if case .file(let url) = configuration.location { realmPath = url.path }
        let file = try await Self.stream(replacing: path, from: realmPath)
        do {
            let count = try await exportJSON(classes: classes) { bytes in
                let isWritten = try await blocking(on: file) { () throws(StoreError) in
                    try file.write(bytes)
                }
                guard isWritten else { throw CancellationError() }
            }
            try await blocking { () throws(StoreError) in try file.finish() }
            return count
        } catch {
            // here, since the program may end before the last reference does
            try? await blocking { file.discard() }
            throw error
        }
    }

    /// Opens the file or pipe to export to. Waits for a reader of a pipe.
    private static func stream(
        replacing path: String, from realmPath: String?
    ) async throws -> PosixStream {
        while true {
            let file = try await blocking { () throws(StoreError) in
                try PosixStream(replacing: path, from: realmPath)
            }
            if let file { return file }
            // no system call waits for a reader without blocking its thread
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static var pieceByteCount: Int { 1 << 16 }

    /// Returns the classes to be written, link targets first.
    private func exportOrder(_ names: [String]?) throws(Realm.Error) -> [TableSchema] {
        let schema = root.schema
        var wanted: Set<TableKey> = []
        let tables = Dictionary(
            schema.tables.map { (StoredText($0.name), $0) },
            uniquingKeysWith: { first, _ in first })
        for name in names ?? [] {
            let found = tables[StoredText(name)]
            guard let table = found, table.hasOwnObjects, !DroppedName.isDropped(name) else {
                throw Realm.Error(
                    .invalidInput,
                    found?.kind == .embedded
                        ? "The class \(name) is embedded: its objects are exported with their "
                            + "owners."
                        : "The realm \"\(configuration.name)\" has no class \(name).",
                    className: name)
            }
            wanted.insert(table.key)
        }
        return schema.targetsFirst(schema.tables.map(\.key)).filter {
            $0.hasOwnObjects && !$0.isDropped && (names == nil || wanted.contains($0.key))
        }
    }

    /// Returns the classes and those that their properties refer to.
    private func reachable(from tables: [TableSchema]) -> [TableSchema] {
        root.schema.targetsFirst(tables.map(\.key))
            .filter(\.isExported).sorted { $0.key < $1.key }
    }
}

extension DatabaseSchema {
    /// Returns the classes and all that they link to, targets first as far as cycles permit.
    fileprivate func targetsFirst(_ start: [TableKey]) -> [TableSchema] {
        var order: [TableSchema] = []
        var known: Set<TableKey> = []
        for first in start where known.insert(first).inserted {
            var stack = [(table: first, targets: targets(first), next: 0)]
            while let last = stack.last {
                guard last.next < last.targets.count else {
                    order.append(tables[Int(last.table.rawValue)])
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let target = last.targets[last.next]
                if known.insert(target).inserted { stack.append((target, targets(target), 0)) }
            }
        }
        return order
    }

    private func targets(_ key: TableKey) -> [TableKey] {
        let table = tables[Int(key.rawValue)]
        return table.columns.filter { !$0.isDropped }.compactMap(\.linkTarget)
            + table.lists.filter { !$0.isDropped }.map(\.target)
    }
}
