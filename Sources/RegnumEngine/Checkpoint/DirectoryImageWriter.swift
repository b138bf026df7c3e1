import RegnumStore

/// Constants of a directory image, which contains everything about a version except its leaves:
/// from the schema to the location of each leaf. `Docs/FORMAT.md` specifies the layout.
enum DirectoryImage {
    static let magic: UInt32 = 0x4944_4752  // "RGDI"
    static let formatVersion: UInt16 = 1
    static let headerByteCount = 32
    static let clusterByteCount = 40
    static let slotByteCount = 48
    static let largeEntryByteCount = 16
    static let leafByteCount = 32

    /// Returns the number of words in a bitmap of `rowCount` rows.
    @inline(__always)
    static func wordCount(_ rowCount: Int) -> Int { (rowCount + 63) >> 6 }
}

/// Writes a directory image from front to back.
struct DirectoryImageWriter {
    private let version: UInt64
    private let schema: [UInt8]
    private let tableCount: Int
    private var body = RecordWriter(capacity: 4096)

    init(version: UInt64, schema: DatabaseSchema) {
        self.version = version
        self.schema = SchemaImage.encode(schema)
        tableCount = schema.tables.count
    }

    mutating func begin(_ table: Table, clusterCount: Int) {
        body.fixed(table.nextKey)
        body.fixed(UInt64(table.count))
        body.fixed(UInt32(clusterCount))
        body.fixed(UInt32(table.indexCount))
    }

    /// - Parameter index: The index of the cluster in `places`.
    mutating func cluster(_ cluster: Cluster, _ places: ClusterPlaces, _ index: Int) {
        let rowCount = cluster.rowCount
        let wordCount = DirectoryImage.wordCount(rowCount)
        body.fixed(cluster.firstKey)
        body.fixed(UInt16(cluster.slotCount))
        body.fixed(UInt16(rowCount))
        body.fixed(UInt16(cluster.liveCount))
        body.fixed(0 as UInt16)
        body.fixed(cluster.uniformVersion)
        body.fixed(places.versions[index].extent)
        body.fixed(places.versions[index].crc)
        body.fixed(0 as UInt32)
        words(cluster.live, count: wordCount)
        for column in 0..<cluster.slotCount {
            slot(cluster, column, places[index, column])
            if let presence = cluster.presence(column) { words(presence, count: wordCount) }
            largeValues(cluster, column, places[index, column].large)
        }
    }

    private mutating func words(_ words: UnsafePointer<UInt64>, count: Int) {
        for index in 0..<count { body.fixed(words[index]) }
    }

    private mutating func slot(
        _ cluster: Cluster, _ column: Int, _ places: ClusterPlaces.Column
    ) {
        let slot = cluster.slot(column)
        let isText = slot.flags.contains(.text)
        body.fixed(UInt32(slot.flags.rawValue))
        body.fixed(UInt32(places.large.count))
        body.fixed(UInt32(slot.textUsed))
        body.fixed(UInt32(slot.textDead))
        if isText {
            body.fixed(places.text.extent)
            body.fixed(UInt64(places.text.crc))
        } else {
            body.fixed(slot.load(ClusterOffsets.a) as UInt64)
            body.fixed(slot.load(ClusterOffsets.b) as UInt64)
        }
        body.fixed(places.chunk.extent)
        body.fixed(places.chunk.crc)
        body.fixed(0 as UInt32)
    }

    private mutating func largeValues(
        _ cluster: Cluster, _ column: Int, _ places: [ImagePlace]
    ) {
        guard !places.isEmpty, let list = cluster.largeList(column) else { return }
        for (index, place) in places.enumerated() {
            body.fixed(place.extent)
            body.fixed(place.extent == 0 ? 0 : UInt32(list.length(index)))
            body.fixed(place.crc)
        }
    }

    /// - Parameters:
    ///   - key: The key of the column or list.
    ///   - kind: 1 for a list, 2 for its backlinks, otherwise that of the index.
    mutating func index(_ leaves: [IndexChild], _ key: UInt16, kind: UInt16) {
        body.fixed(key)
        body.fixed(kind)
        body.fixed(UInt32(leaves.count))
        body.fixed(leaves.reduce(0) { $0 + UInt64($1.count) })
        for leaf in leaves {
            body.fixed(leaf.key)
            body.fixed(leaf.row)
            body.fixed(leaf.extent)
            body.fixed(leaf.crc)
            body.fixed(leaf.count)
        }
    }

    /// Returns the complete image.
    func finish(liveByteCount: UInt64) -> [UInt8] {
        var image = RecordWriter(capacity: 64 + schema.count + body.bytes.count)
        image.fixed(DirectoryImage.magic)
        image.fixed(DirectoryImage.formatVersion)
        image.fixed(0 as UInt16)
        image.fixed(version)
        image.fixed(liveByteCount)
        image.fixed(UInt32(schema.count))
        image.fixed(UInt32(tableCount))
        image.raw(schema)
        while image.bytes.count % 8 != 0 { image.byte(0) }
        image.raw(body.bytes)
        return image.bytes
    }
}

/// The schema in a directory image, with parts encoded as in a commit record.
enum SchemaImage {
    /// A flag in the kind of a list: it has a geospatial index.
    private static let geoIndexed: UInt8 = 16

    static func encode(_ schema: DatabaseSchema) -> [UInt8] {
        var writer = RecordWriter(capacity: 256)
        for table in schema.tables {
            writer.string(table.name)
            writer.byte(table.kind.rawValue)
            writer.varint(table.columns.count)
            for column in table.columns {
                writer.columnDefinition(column.definition)
            }
            writer.varint(table.lists.count)
            for list in table.lists {
                writer.string(list.name)
                writer.varint(UInt64(list.target.rawValue))
                writer.byte(list.kind.rawValue | (list.isGeoIndexed ? geoIndexed : 0))
            }
        }
        writer.varint(schema.version)
        return writer.bytes
    }

    static func decode(
        _ reader: inout RecordReader, tableCount: Int
    ) throws(StoreError) -> DatabaseSchema {
        do throws(StoreError) {
            return try schema(&reader, tableCount: tableCount)
        } catch {
            // A schema that breaks a rule is damaged.
            guard error.code == .invalidDatabase || error.code == .invalidInput else {
                throw error
            }
            throw StoreError(
                .invalidDatabase, "The schema of a checkpoint is damaged: \(error.message).")
        }
    }

    private static func schema(
        _ reader: inout RecordReader, tableCount: Int
    ) throws(StoreError) -> DatabaseSchema {
        var tables: [TableSchema] = []
        var names: Set<[UInt8]> = []
        guard tableCount <= min(Limits.maximumTableCount, reader.remaining) else {
            throw StoreError(.invalidDatabase, "it has too many classes")
        }
        for index in 0..<tableCount {
            let name = try reader.string()
            let kind = try reader.tableKind(of: "checkpoint")
            let columns = try reader.columnDefinitions(of: "checkpoint")
            try SchemaRules.check(
                newTable: name, kind, columns, isTaken: false, tableCount: index,
                linkTargetCount: tableCount)
            let lists = try self.lists(&reader, tableCount: tableCount)
            guard names.insert(Array(name.utf8)).inserted else {
                throw StoreError(.invalidDatabase, "two classes have the same name")
            }
            let table = TableSchema(
                key: TableKey(rawValue: UInt32(index)), name: name, kind: kind,
                definitions: columns)
            tables.append(try table.adding(lists))
        }
        for table in tables {
            for list in table.lists {
                let target = tables[list.target.index]
                try SchemaRules.check(entriesOf: list.kind, list.name, of: table.name, target)
                if list.isGeoIndexed {
                    try SchemaRules.checkCanHavePoints(list, of: table.name, target)
                }
            }
        }
        let version = try reader.varint()
        guard reader.isAtEnd else { throw StoreError(.invalidDatabase, "there are extra bytes") }
        return DatabaseSchema(tables: tables, version: version)
    }

    private static func lists(
        _ reader: inout RecordReader, tableCount: Int
    ) throws(StoreError) -> [ListSchema] {
        let count = try reader.count(
            max: min(Limits.maximumTreeCount / 2, reader.remaining), "the number of lists")
        var lists: [ListSchema] = []
        for index in 0..<count {
            let name = try reader.string()
            let target = try reader.count(max: tableCount - 1, "a table key")
            let (kind, flags) = try reader.listKind(of: "checkpoint", flags: geoIndexed)
            lists.append(
                ListSchema(
                    key: ListKey(rawValue: UInt16(index)), name: name,
                    target: TableKey(rawValue: UInt32(target)), kind: kind,
                    isGeoIndexed: flags != 0))
        }
        return lists
    }
}
