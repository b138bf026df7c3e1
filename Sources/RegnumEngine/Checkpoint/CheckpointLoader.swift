import RegnumStore

/// Loads a root, in a new lineage, from a directory image. Clusters and inner index nodes are
/// created on the heap; leaves remain in the nodes file until first accessed.
///
/// Everything is validated against the available bytes, the file and the limits of the engine.
/// Hostile bytes never trap, and never cause allocations of more than about fifty times their size.
/// Large images are decoded as they are read, and refused where a hole of a sparse file begins.
struct CheckpointLoader {
    private let source: NodeSource
    private let edit: NodeEdit
    private let context: TreeContext
    /// The image. All leaves must end before it.
    private let directory: SizedImage
    private var reader: ImageReader
    private var version: UInt64 = 0
    private let knownSchema: DatabaseSchema?
    private let acceptsDamage: Bool
    /// The largest number of elements for which memory is reserved before they are read.
    private static let maximumReservedCount = 4_096

    /// Nodes that were created but aren't part of a tree yet.
    private var loose: [Node] = []

    /// Loads the root that a checkpoint describes.
    ///
    /// - Parameters:
    ///   - version: The version that the image must have.
    ///   - seed: The seed of the realm's index keys.
    ///   - knownSchema: Reused if the image has an equal schema, so that state cached for it stays
    ///     valid.
    ///   - maximumCheckedFirstByteCount: The largest image whose checksum is verified before it is
    ///     decoded.
    ///   - acceptsDamage: Whether it is loaded even if the only leaf of an index is damaged.
    ///
    /// Throws `invalidDatabase` for damage, `unsupportedFormat` for an image that a newer version
    /// wrote, `ioFailed` if the file can't be read.
    /// - Complexity: O(n / 1,024).
    static func load(
        _ directory: SizedImage, version: UInt64, from file: any NodeBytes, seed: Identity128,
        knownSchema: DatabaseSchema? = nil,
        maximumCheckedFirstByteCount: Int = ImagePieces.maximumCheckedFirstByteCount,
        acceptsDamage: Bool = false
    ) throws(StoreError) -> DatabaseRoot {
        guard let count = Int(exactly: directory.byteCount), count <= Limits.maximumImageByteCount
        else {
            throw StoreError(.invalidDatabase, "The directory of a checkpoint is too large.")
        }
        let image = try file.whole(at: directory.extent, count: count)
        return try withExtendedLifetime((file, image)) { () throws(StoreError) in
            var pieces = try ImagePieces(image, at: directory.extent, byteCount: count)
            let isChecked = count <= maximumCheckedFirstByteCount
            if isChecked, try !pieces.verify(directory.crc) {
                throw mismatch(directory, version: version)
            }
            var loader = CheckpointLoader(
                file, pieces, directory, seed, knownSchema, acceptsDamage)
            do throws(StoreError) {
                return try loader.run(version: version)
            } catch {
                loader.freeNodes()
                // Damage can look like the format of a newer version.
                if error.code == .unsupportedFormat, !isChecked,
                    try !pieces.verify(directory.crc, stopsAtHole: true)
                {
                    throw mismatch(directory, version: version)
                }
                throw error
            }
        }
    }

    private static func mismatch(_ directory: SizedImage, version: UInt64) -> StoreError {
        StoreError(
            .invalidDatabase,
            "The directory of the checkpoint of version \(version) is damaged: its "
                + "\(directory.byteCount) bytes at offset \(directory.extent) do not match the "
                + "checksum in the log.")
    }

    private init(
        _ file: any NodeBytes, _ pieces: ImagePieces, _ directory: SizedImage,
        _ seed: Identity128, _ knownSchema: DatabaseSchema?, _ acceptsDamage: Bool
    ) {
        self.knownSchema = knownSchema
        self.acceptsDamage = acceptsDamage
        self.directory = directory
        source = NodeSource(file)
        context = TreeContext(seed: seed, source: source)
        guard let edit = context.store.beginEdit(on: nil) else {
            preconditionFailure("A new store can't have another edit in progress.")
        }
        self.edit = edit
        reader = ImageReader(pieces)
    }

    private mutating func run(version expected: UInt64) throws(StoreError) -> DatabaseRoot {
        let magic = try reader.fixed(UInt32.self)
        try reader.require(magic == DirectoryImage.magic, "its magic number is wrong")
        let format = try reader.fixed(UInt16.self)
        guard format == DirectoryImage.formatVersion else {
            throw StoreError(
                .unsupportedFormat,
                "A checkpoint has format \(format), which this version of Regnum does not support. "
                    + "Use a newer version.")
        }
        _ = try reader.fixed(UInt16.self)
        version = try reader.fixed(UInt64.self)
        try reader.require(version == expected, "its version is \(version) instead of \(expected)")
        try reader.require(version <= Limits.maximumVersion, "its version is too large")
        _ = try reader.fixed(UInt64.self)  // live bytes: used by the next checkpoint
        let schemaByteCount = try reader.count(
            UInt32.self, max: reader.remaining, "the length of the schema")
        let tableCount = try reader.count(
            UInt32.self, max: Limits.maximumTableCount, "the number of classes")
        var schemaReader = try reader.record(schemaByteCount)
        var schema = try SchemaImage.decode(&schemaReader, tableCount: tableCount)
        try reader.skip(schemaByteCount)
        if let knownSchema, knownSchema.tables == schema.tables,
            knownSchema.version == schema.version
        {
            schema = knownSchema
        }
        try reader.skipPadding()
        var content = DatabaseContent(context: context)
        content.schema = schema
        if tableCount > 0 {
            let directory = edit.makeZeroed(
                .directory, byteCount: DatabaseContent.offset(tableCount))
            loose.append(directory)
            content.directory = directory
            for (index, table) in schema.tables.enumerated() {
                do throws(StoreError) {
                    directory.store(
                        try self.table(table).node.word, DatabaseContent.offset(index))
                } catch {
                    var error = error
                    error.className = table.name
                    throw error
                }
                loose.removeLast(loose.count - 1)  // they are below the directory now
            }
        }
        try reader.require(reader.remaining == 0, "there are extra bytes")
        guard reader.crc == self.directory.crc else {
            throw CheckpointLoader.mismatch(self.directory, version: expected)
        }
        loose = []
        let root = DatabaseRoot(version: version, content: content, stamp: edit.stamp)
        edit.store.finish(edit)
        return root
    }

    /// Frees the nodes created so far.
    private mutating func freeNodes() {
        for node in loose { NodeWalk.free(from: node, bornAfter: 0, edit.store) }
        loose = []
        edit.store.abort(edit, directory: nil)
    }

    // MARK: Tables

    private mutating func table(_ schema: TableSchema) throws(StoreError) -> Table {
        let nextKey = try reader.fixed(UInt64.self)
        try reader.require(nextKey <= Limits.maximumKeyCount, "a class has too many keys")
        let count = try reader.fixed(UInt64.self)
        try reader.require(count <= UInt64(Limits.maximumEntryCount), "a class has too many rows")
        let clusterCount = try reader.count(
            UInt32.self, max: reader.remaining / DirectoryImage.clusterByteCount,
            "the number of clusters")
        let trees = schema.columnTrees
        let indexCount = try reader.fixed(UInt32.self)
        try reader.require(
            indexCount == UInt32(trees.count), "a class has the wrong number of indexes")
        var table = Table.make(trees, edit)
        if !schema.lists.isEmpty { table = table.addingLists(schema.lists.count, edit) }
        loose.append(table.node)
        var clusters: [Cluster] = []
        clusters.reserveCapacity(min(clusterCount, CheckpointLoader.maximumReservedCount))
        var liveCount: UInt64 = 0
        for _ in 0..<clusterCount {
            let cluster = try cluster(schema, after: clusters.last, nextKey: nextKey)
            loose.append(cluster.node)
            clusters.append(cluster)
            liveCount += UInt64(cluster.liveCount)
        }
        try reader.require(liveCount == count, "a class has the wrong number of rows")
        loose.removeLast(clusters.count)
        table.buildTree(clusters, nextKey: nextKey, edit)
        for (slot, tree) in trees.enumerated() {
            // a full-text index has an entry for each word instead of each row, and a geospatial
            // index for each point
            table.setIndex(
                try index(
                    tree.column.rawValue, kind: tree.kind.rawValue,
                    count: tree.kind == .values ? count : nil, .strict), at: slot)
        }
        for list in schema.lists {
            let slot = table.listSlot(list.key.index)
            let elements = try index(list.key.rawValue, kind: 1, count: nil, .byKey)
            table.setIndex(elements, at: slot)
            let count = UInt64(elements.count)
            table.setIndex(
                try index(list.key.rawValue, kind: 2, count: count, .repeated), at: slot + 1)
        }
        return table
    }

    /// - Parameter expected: The number of entries it must have, or `nil` if unknown.
    private mutating func index(
        _ key: UInt16, kind: UInt16, count expected: UInt64?, _ order: IndexTree.LeafOrder
    ) throws(StoreError) -> IndexTree {
        let stored = try reader.fixed(UInt16.self)
        try reader.require(stored == key, "an index belongs to another column")
        let storedKind = try reader.fixed(UInt16.self)
        try reader.require(storedKind == kind, "an index has the wrong kind")
        let leafCount = try reader.count(
            UInt32.self, max: reader.remaining / DirectoryImage.leafByteCount,
            "the number of leaves")
        let storedCount = try reader.fixed(UInt64.self)
        let count = expected ?? storedCount
        try reader.require(storedCount == count, "an index has the wrong number of entries")
        var leaves: [IndexChild] = []
        leaves.reserveCapacity(min(leafCount, CheckpointLoader.maximumReservedCount))
        var entryCount: UInt64 = 0
        for _ in 0..<leafCount {
            let key = try reader.fixed(UInt64.self)
            let row = try reader.fixed(UInt64.self)
            let extent = try reader.fixed(UInt64.self)
            let crc = try reader.fixed(UInt32.self)
            let entries = try reader.count(
                UInt32.self, max: IndexLeaf.capacity, "the number of entries")
            try require(extent: extent, byteCount: IndexLeaf.byteCount)
            entryCount += UInt64(entries)
            leaves.append(
                IndexChild(
                    key: key, row: row, count: UInt32(entries), extent: extent, crc: crc))
        }
        try reader.require(entryCount == count, "an index has the wrong number of entries")
        return try IndexTree.assemble(
            leaves, source: source, edit, order, acceptsDamage: acceptsDamage)
    }

    // MARK: Clusters

    private mutating func cluster(
        _ schema: TableSchema, after previous: Cluster?, nextKey: UInt64
    ) throws(StoreError) -> Cluster {
        let firstKey = try reader.fixed(UInt64.self)
        try reader.require(
            firstKey % UInt64(rowsPerCluster) == 0 && firstKey < nextKey,
            "a cluster begins at an invalid key")
        if let previous {
            try reader.require(previous.firstKey < firstKey, "clusters are out of order")
        }
        let slotCount = try reader.count(UInt16.self, max: schema.columns.count, "a slot count")
        try reader.require(
            slotCount <= reader.remaining / DirectoryImage.slotByteCount, "it ends early")
        let rowCount = try reader.count(
            UInt16.self, max: Int(min(UInt64(rowsPerCluster), nextKey - firstKey)), "a row count")
        let liveCount = try reader.count(UInt16.self, max: rowCount, "a count of live rows")
        _ = try reader.fixed(UInt16.self)
        try reader.require(rowCount > 0, "a cluster has no rows")
        let cluster = Cluster.make(schema.columns, slotCount: slotCount, edit: edit)
        loose.append(cluster.node)
        cluster.firstKey = firstKey
        cluster.rowCount = rowCount
        cluster.liveCount = liveCount
        cluster.frozenRows = rowCount
        cluster.sourceWord = source.word
        cluster.uniformVersion = try reader.fixed(UInt64.self)
        cluster.versionExtent = try reader.fixed(UInt64.self)
        cluster.versionCRC = try reader.fixed(UInt32.self)
        _ = try reader.fixed(UInt32.self)
        try require(
            extent: cluster.versionExtent, byteCount: Node.headerByteCount + 8 * rowCount,
            isOptional: true)
        let live = try bitmap(cluster.live, rowCount)
        try reader.require(live == liveCount, "a bitmap has the wrong number of rows")
        for column in 0..<slotCount {
            try slot(cluster, column, rowCount)
            if let presence = cluster.presence(column) { _ = try bitmap(presence, rowCount) }
            try largeValues(cluster, column)
        }
        loose.removeLast()
        return cluster
    }

    /// Reads a bitmap and returns the number of bits set.
    private mutating func bitmap(
        _ words: UnsafeMutablePointer<UInt64>, _ rowCount: Int
    ) throws(StoreError) -> Int {
        var count = 0
        for index in 0..<DirectoryImage.wordCount(rowCount) {
            words[index] = try reader.fixed(UInt64.self)
            count += words[index].nonzeroBitCount
        }
        if rowCount & 63 != 0 {
            try reader.require(
                words[rowCount >> 6] >> UInt64(rowCount & 63) == 0, "a bitmap has bits past its end"
            )
        }
        return count
    }

    private mutating func slot(
        _ cluster: Cluster, _ column: Int, _ rowCount: Int
    ) throws(StoreError) {
        let slot = cluster.slot(column)
        let isText = slot.flags.contains(.text)
        let isNumber = slot.flags.contains(.bounds)
        let stored = try reader.fixed(UInt32.self)
        guard stored & ~ColumnFlags.known == 0 else {
            throw .newer("A checkpoint has a column with the unknown flags \(stored)")
        }
        let flags = ColumnFlags(rawValue: UInt8(truncatingIfNeeded: stored))
        try reader.require(
            flags.contains(.text) == isText && (isNumber || !flags.contains(.bounds)),
            "a column has invalid flags")
        slot.flags = flags
        largeCount = try reader.count(
            UInt32.self,
            max: min(
                Limits.maximumClusterLargeValueCount,
                reader.remaining / DirectoryImage.largeEntryByteCount),
            "the number of large values")
        let textUsed = try reader.count(
            UInt32.self, max: Limits.maximumClusterTextByteCount, "the length of a text")
        slot.textUsed = textUsed
        slot.textDead = try reader.count(UInt32.self, max: textUsed, "the length of dead text")
        try reader.require(
            isText || largeCount + textUsed == 0, "a column has text, but its type has none")
        let first = try reader.fixed(UInt64.self)
        let second = try reader.fixed(UInt64.self)
        if isText {
            slot.textExtent = first
            slot.textCRC = UInt32(truncatingIfNeeded: second)
            try require(
                extent: first, byteCount: Node.headerByteCount + textUsed, isOptional: textUsed == 0
            )
        } else if isNumber {
            let isDouble = slot.type != .int
            try reader.require(
                !isDouble
                    || !Double(bitPattern: first).isNaN && !Double(bitPattern: second).isNaN,
                "a bound is not a number")
            slot.store(first, ClusterOffsets.a)
            slot.store(second, ClusterOffsets.b)
        }
        let extent = try reader.fixed(UInt64.self)
        slot.chunkExtent = extent
        slot.chunkCRC = try reader.fixed(UInt32.self)
        _ = try reader.fixed(UInt32.self)
        let log2 = slot.type == .int ? Int(extent & 63) : slot.type.widthLog2
        try reader.require(
            slot.type == .int ? log2 <= 3 : extent & 63 == 0, "a chunk has an invalid width")
        try require(
            extent: extent & ~63, byteCount: Node.headerByteCount + rowCount << log2)
    }

    /// The number of large values of the last column read.
    private var largeCount = 0

    private mutating func largeValues(
        _ cluster: Cluster, _ column: Int
    ) throws(StoreError) {
        guard largeCount > 0 else { return }
        let byteCount = Node.headerByteCount + LargeList.entryByteCount * largeCount
        let list = LargeList(edit.makeZeroed(.largeList, byteCount: byteCount))
        let maximumLength = cluster.slot(column).type.maximumByteCount
        storeWord(list.node.word, cluster.slot(column).address + ClusterOffsets.b)
        for index in 0..<largeCount {
            let extent = try reader.fixed(UInt64.self)
            let length = try reader.count(
                UInt32.self, max: maximumLength, "the length of a value")
            let crc = try reader.fixed(UInt32.self)
            try require(
                extent: extent, byteCount: Node.headerByteCount + length, isOptional: true)
            try reader.require(extent != 0 || length == 0, "a large value has no location")
            list.set(index, word: 0, extent: extent, length: length, crc: crc)
        }
    }

    /// Requires that an image at `extent` is within the file and before the directory.
    private func require(
        extent: UInt64, byteCount: Int, isOptional: Bool = false
    ) throws(StoreError) {
        if isOptional, extent == 0 { return }
        let (end, isOver) = extent.addingReportingOverflow(UInt64(byteCount))
        try reader.require(
            extent > 0 && extent % 64 == 0 && !isOver && end <= directory.extent,
            "a leaf is outside the file")
    }
}

extension ColumnFlags {
    /// Bits that this version knows.
    fileprivate static let known: UInt32 = 31
}
