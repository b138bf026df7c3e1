import CRegnum
import RegnumStore

/// The result of `CheckpointWriter`.
struct WrittenCheckpoint {
    /// The location of the directory image, as stored in a `CheckpointReference`.
    var directory: SizedImage
    /// The number of leaves that weren't in the file before.
    var leafCount: Int
    /// The size of all leaves that the checkpoint refers to.
    var liveByteCount: UInt64
}

/// Writes a root to a nodes file: every leaf that isn't there yet, column by column, followed by
/// the directory image that refers to all of them.
///
/// The root must be held until the end. It isn't changed, and edits may continue concurrently: the
/// writer reads only what the root shows, which is never overwritten.
struct CheckpointWriter {
    private let root: DatabaseRoot
    private var output: ImageOutput
    /// Whether the root's extents are locations in the destination file.
    private let isSameFile: Bool

    init(_ root: DatabaseRoot, to sink: any CheckpointSink) {
        self.root = root
        output = ImageOutput(sink)
        isSameFile = root.content.context.source.map { $0.file === sink.bytes } ?? false
    }

    /// Writes the checkpoint.
    ///
    /// - Complexity: O(changed leaves), and O(n / 1,024) for the directory.
    ///
    /// Throws the errors of the sink, and damage of the leaves that are copied, which must not be
    /// replaced by zeros. Leaves that the file already has aren't read.
    mutating func write() throws(StoreError) -> WrittenCheckpoint {
        try checkSound()  // a migration that saves its state may have encountered damage before
        return try DamageWatch.check(on: root) { () throws(StoreError) in
            try TransientLeaves.run { () throws(StoreError) in try writeLeaves() }
        }
    }

    private mutating func writeLeaves() throws(StoreError) -> WrittenCheckpoint {
        var directory = DirectoryImageWriter(version: root.version, schema: root.schema)
        for table in root.schema.tables {
            let content = root.content[table.key.index]
            var clusters: [Cluster] = []
            content.forEachCluster { cluster in
                if cluster.rowCount > 0 { clusters.append(cluster) }
                return true
            }
            let places = try write(clusters, columnCount: table.columns.count)
            directory.begin(content, clusterCount: clusters.count)
            for (index, cluster) in clusters.enumerated() {
                directory.cluster(cluster, places, index)
            }
            for slot in 0..<content.indexCount {
                let tree = content.columnTree(at: slot)
                let leaves = try write(content.index(at: slot))
                try check(
                    leaves, .strict, count: tree.kind == .values ? content.count : nil, of: table)
                directory.index(leaves, tree.column.rawValue, kind: tree.kind.rawValue)
            }
            for list in table.lists {
                let key = list.key
                let elements = try write(content.elements(key.index).tree)
                let count = elements.reduce(0) { $0 + Int($1.count) }
                try check(elements, .byKey, count: count, of: table)
                let backlinks = try write(content.backlinks(key.index))
                try check(backlinks, .repeated, count: count, of: table)
                directory.index(elements, key.rawValue, kind: 1)
                directory.index(backlinks, key.rawValue, kind: 2)
            }
        }
        try checkSound()
        let bytes = directory.finish(liveByteCount: output.liveByteCount)
        return WrittenCheckpoint(
            directory: try append(bytes), leafCount: output.writtenCount,
            liveByteCount: output.liveByteCount)
    }

    /// Writes additional data of the checkpoint: the delta of a bulk commit.
    mutating func append(_ bytes: [UInt8]) throws(StoreError) -> SizedImage {
        let place = try withBytes(bytes) { (bytes) throws(StoreError) in
            try output.append([bytes])
        }
        return SizedImage(extent: place.extent, byteCount: UInt64(bytes.count), crc: place.crc)
    }

    private func checkSound() throws(StoreError) {
        if let damage = DamageWatch.encountered { throw damage }
    }

    // MARK: Clusters

    private mutating func write(
        _ clusters: [Cluster], columnCount: Int
    ) throws(StoreError) -> ClusterPlaces {
        var places = ClusterPlaces(clusterCount: clusters.count, columnCount: columnCount)
        for column in 0..<columnCount {
            var hasText = false
            for (index, cluster) in clusters.enumerated() where column < cluster.slotCount {
                places[index, column].chunk = try writeChunk(cluster, column)
                hasText = hasText || cluster.slot(column).flags.contains(.text)
            }
            guard hasText else { continue }
            for (index, cluster) in clusters.enumerated() where column < cluster.slotCount {
                places[index, column].text = try writeText(cluster, column)
                try writeLargeValues(cluster, column, &places[index, column].large)
            }
        }
        for (index, cluster) in clusters.enumerated() {
            places.versions[index] = try writeVersions(cluster)
        }
        return places
    }

    private mutating func writeChunk(
        _ cluster: Cluster, _ column: Int
    ) throws(StoreError) -> ImagePlace {
        TransientLeaves.letGo()
        let slot = cluster.slot(column)
        let rowCount = cluster.rowCount
        guard rowCount > 0 else { return ImagePlace() }
        if isSameFile, slot.chunkExtent != 0 {
            let log2 = slot.type == .int ? Int(slot.chunkExtent & 63) : slot.type.widthLog2
            output.keep(byteCount: Node.headerByteCount + rowCount << log2)
            return ImagePlace(extent: slot.chunkExtent, crc: slot.chunkCRC)
        }
        let word = cluster.chunk(column)
        try checkSound()
        let log2 = slot.type == .int ? Int(word & 63) : slot.type.widthLog2
        let rows = UnsafeRawBufferPointer(start: Cluster.rows(word), count: rowCount << log2)
        var place = try output.leaf(.chunk, count: 1 << log2, rows)
        if slot.type == .int { place.extent |= UInt64(log2) }
        return place
    }

    private mutating func writeText(
        _ cluster: Cluster, _ column: Int
    ) throws(StoreError) -> ImagePlace {
        TransientLeaves.letGo()
        let slot = cluster.slot(column)
        guard slot.flags.contains(.text), slot.textUsed > 0, cluster.rowCount > 0 else {
            return ImagePlace()
        }
        if isSameFile, slot.textExtent != 0 {
            output.keep(byteCount: Node.headerByteCount + slot.textUsed)
            return ImagePlace(extent: slot.textExtent, crc: slot.textCRC)
        }
        _ = cluster.chunk(column)  // also loads the text
        try checkSound()
        return try output.leaf(
            .text, count: 0,
            UnsafeRawBufferPointer(start: cluster.text(column), count: slot.textUsed))
    }

    private mutating func writeLargeValues(
        _ cluster: Cluster, _ column: Int, _ places: inout [ImagePlace]
    ) throws(StoreError) {
        guard let list = cluster.largeList(column) else { return }
        for index in 0..<list.count {
            TransientLeaves.letGo()
            var place = ImagePlace()
            if list.isFree(index) {
                // The entry is unused.
            } else if isSameFile, list.extent(index) != 0 {
                output.keep(byteCount: Node.headerByteCount + list.length(index))
                place = ImagePlace(extent: list.extent(index), crc: list.crc(index))
            } else {
                place = try output.leaf(
                    .largeValue, count: 0, cluster.largeBytes(column, index))
            }
            places.append(place)
        }
    }

    private mutating func writeVersions(_ cluster: Cluster) throws(StoreError) -> ImagePlace {
        TransientLeaves.letGo()
        if isSameFile, cluster.isVersionImageCurrent {
            output.keep(byteCount: Node.headerByteCount + 8 * cluster.rowCount)
            return ImagePlace(extent: cluster.versionExtent, crc: cluster.versionCRC)
        }
        if cluster.hasUniformVersion { return ImagePlace() }
        return try withBytes(cluster.contentVersions()) { (rows) throws(StoreError) in
            try output.leaf(.chunk, count: 8, rows)
        }
    }

    // MARK: Indexes

    /// Throws `invalidDatabase` for an index that couldn't be loaded again. Leaves with valid
    /// checksums can lead to one if their entries are out of order, or aren't those of the rows.
    ///
    /// - Parameter count: The number of entries; `nil` if it doesn't follow from other content.
    private func check(
        _ leaves: [IndexChild], _ order: IndexTree.LeafOrder, count: Int?, of table: TableSchema
    ) throws(StoreError) {
        let isSound =
            IndexTree.areSound(leaves, order)
            && (count == nil || leaves.reduce(0) { $0 + Int($1.count) } == count)
        if isSound { return }
        root.content.report(
            StoreError(
                .invalidDatabase,
                "An index of the class \(table.name) is inconsistent with its leaves.",
                className: table.name))
        try checkSound()
    }

    /// Writes the changed leaves of an index and returns the locations of all leaves.
    private mutating func write(_ index: IndexTree) throws(StoreError) -> [IndexChild] {
        var places: [IndexChild] = []
        var image = [UInt64](repeating: 0, count: 2 * IndexLeaf.capacity)
        try index.forEachLeaf { (place) throws(StoreError) in
            var place = place
            if isSameFile, place.extent != 0 {
                output.keep(byteCount: IndexLeaf.byteCount)
            } else {
                let written = try writeLeaf(place, &image)
                place.extent = written.extent
                place.crc = written.crc
            }
            place.word = 0
            places.append(place)
        }
        return places
    }

    private mutating func writeLeaf(
        _ place: IndexChild, _ image: inout [UInt64]
    ) throws(StoreError) -> ImagePlace {
        TransientLeaves.letGo()
        var node = Node(word: UInt(place.word))
        if node == nil, let source = root.content.context.source {
            node = IndexLeaf.read(source, place)
        }
        guard let node else { preconditionFailure("An index leaf has no image.") }
        let leaf = IndexLeaf(node)
        for slot in 0..<IndexLeaf.capacity {  // unused slots are undefined
            image[slot] = slot < leaf.count ? leaf.keys[slot] : 0
            image[IndexLeaf.capacity + slot] = slot < leaf.count ? leaf.rows[slot] : 0
        }
        let count = leaf.count
        return try withBytes(image) { (used) throws(StoreError) in
            try output.leaf(.indexLeaf, count: count, used)
        }
    }
}

/// `withUnsafeBytes` with typed throws.
private func withBytes<Element: BitwiseCopyable, Result>(
    _ array: [Element], _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
) throws(StoreError) -> Result {
    try array.withUnsafeBufferPointer { (elements) throws(StoreError) in
        try body(UnsafeRawBufferPointer(elements))
    }
}

/// The locations of the leaves of a table's clusters.
struct ClusterPlaces {
    struct Column {
        var chunk = ImagePlace()
        var text = ImagePlace()
        var large: [ImagePlace] = []
    }

    private let columnCount: Int
    private var columns: [Column]
    var versions: [ImagePlace]

    init(clusterCount: Int, columnCount: Int) {
        self.columnCount = columnCount
        columns = Array(repeating: Column(), count: clusterCount * columnCount)
        versions = Array(repeating: ImagePlace(), count: clusterCount)
    }

    subscript(cluster: Int, column: Int) -> Column {
        get { columns[cluster * columnCount + column] }
        _modify { yield &columns[cluster * columnCount + column] }
    }
}
