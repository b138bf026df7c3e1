public import FoundationEssentials
internal import RegnumEngine
internal import RegnumStore

extension Snapshot {
    /// Writes the whole content of the snapshot, or that of some classes, as JSON lines.
    ///
    /// The first line is the schema; each further one is an object (`Docs/JSON.md`). All values come
    /// back exactly as they are stored. The Swift classes are not needed. Objects of classes that others
    /// link to come first where the classes have no circles. Asymmetric objects that were not
    /// drained yet are written too.
    ///
    /// - Parameters:
    ///   - classes: the classes whose objects are written; nil for all. Links to objects of others are
    ///     written as the keys that they are.
    ///   - sink: takes the text in pieces of about 64 kB, with any boundaries. What it throws ends the
    ///     export.
    /// - Returns: the number of objects written, those inside others not counted.
    /// - Throws: `.invalidInput` for a class that is not stored or is embedded; `.invalidDatabase` for
    ///   damage that was met; `CancellationError`; what `sink` throws.
    /// - Complexity: O(content), with the memory of one object and a piece of text.
    @discardableResult
    public func exportJSON(
        classes: [String]? = nil, to sink: ([UInt8]) async throws -> Void
    ) async throws -> Int {
        let root = core.root
        let tables = try exportOrder(classes)
        var export = RowExport(root)
        var head = SchemaLine(schemaVersion: root.schema.version, version: root.version)
        head.classes = reachable(from: tables).map { root.schema.storedClass($0) }
        head.write(to: &export.text)
        var count = 0
        for table in tables {
            for position in 0..<root.count(table.key) {
                try export.line(table.key, root.key(table.key, at: position))
                count += 1
                if export.text.count < Self.pieceByteCount { continue }
                try Task.checkCancellation()
                try core.realm.checkDelivery(of: root)
                try await sink(export.text.take())
            }
        }
        try core.realm.checkDelivery(of: root)
        if export.text.count > 0 { try await sink(export.text.take()) }
        return count
    }

    /// Writes the whole content of the snapshot, or that of some classes, as JSON lines into a file.
    ///
    /// As ``exportJSON(classes:to:)-(_,([UInt8])->Void)``. The file appears, or replaces the one
    /// that is there, when all of it is on disk; an export that fails leaves what was there. A new
    /// file may be read by those only who may read the realm's files.
    ///
    /// - Throws: as there, and `.fileAccess`, `.fileNotFound`, `.filePermissionDenied`, `.diskFull` and
    ///   `.ioFailed` from the file.
    @discardableResult
    public func exportJSON(classes: [String]? = nil, to url: URL) async throws -> Int {
        let path = url.path
        var realmPath: String?
        if case .directory(let path) = core.realm.coordinator.options.place { realmPath = path }
        let file = try await blocking { [realmPath] () throws(StoreError) in
            try PosixStream(replacing: path, from: realmPath)
        }
        let count = try await exportJSON(classes: classes) { bytes in
            try await blocking { () throws(StoreError) in try file.write(bytes) }
        }
        try await blocking { () throws(StoreError) in try file.finish() }
        return count
    }

    private static var pieceByteCount: Int { 1 << 16 }

    /// The classes to be written, those that others link to first.
    private func exportOrder(_ names: [String]?) throws(Realm.Error) -> [TableSchema] {
        let schema = core.root.schema
        var wanted: Set<TableKey> = []
        for name in names ?? [] {
            guard let table = schema.table(named: name), table.hasOwnObjects,
                !name.isOfDropped
            else {
                throw Realm.Error(
                    .invalidInput,
                    schema.table(named: name)?.kind == .embedded
                        ? "The class \(name) is embedded: its objects are exported with their owners."
                        : "The realm \"\(core.realm.configuration.name)\" has no class \(name).",
                    className: name)
            }
            wanted.insert(table.key)
        }
        return schema.targetsFirst(schema.tables.map(\.key)).filter {
            $0.hasOwnObjects && !$0.name.isOfDropped && (names == nil || wanted.contains($0.key))
        }
    }

    /// The classes and those that their properties name.
    private func reachable(from tables: [TableSchema]) -> [TableSchema] {
        core.root.schema.targetsFirst(tables.map(\.key))
            .filter(\.isExported).sorted { $0.key < $1.key }
    }
}

extension DatabaseSchema {
    /// The classes and all that they link to, each after those that it links to as far as circles let.
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
        return table.columns.filter { !$0.name.isOfDropped }.compactMap(\.linkTarget)
            + table.lists.filter { !$0.name.isOfDropped }.map(\.target)
    }
}
