import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// The content of a realm with checkpoints in these tests: the list of all bodies. A checkpoint
/// writes each body as a leaf, once per nodes file, and a directory image with the number of the
/// leaves and their locations. Like those of realms, it is never empty. A bulk commit has its body
/// only in the image.
final class ListContent {
    private(set) var bodies: [[UInt8]] = []
    /// The start of each reading: the checkpoint's number of bodies, `nil` for an empty realm.
    private(set) var starts: [Int?] = []
    private var nodes: NodesDirectory?
    /// The locations of the leaves that a checkpoint wrote to `file`.
    private var leaves: [Leaf] = []
    private var leavesFile: UInt64 = 0

    private struct Leaf {
        var offset: UInt64
        var byteCount: UInt64
        var crc: UInt64
    }

    private static let bulkMark: UInt64 = 0x6B6C_7542_6B6C_7542

    /// The closures with which a log is opened and followed.
    var load: RealmLog.Load {
        { [unowned self] (reference, nodes) throws(StoreError) in
            self.nodes = nodes
            self.bodies = []
            self.leaves = []
            self.leavesFile = 0
            if let reference {
                try self.read(reference)
                guard UInt64(self.bodies.count) == reference.version else {
                    throw StoreError(.invalidDatabase, "\(TinyStore.path): wrong version")
                }
            }
            self.starts.append(reference == nil ? nil : self.bodies.count)
        }
    }

    func deliver(_ body: [UInt8]) throws(StoreError) {
        guard body.count == 48, ModelBytes.number(body, at: 8, 8) == Self.bulkMark else {
            bodies.append(body)
            return
        }
        let reference = CheckpointReference(
            version: 0, position: 0, sequence: 0, chain: 0,
            file: ModelBytes.number(body, at: 16, 8),
            offset: ModelBytes.number(body, at: 24, 8),
            byteCount: ModelBytes.number(body, at: 32, 8),
            crc: UInt32(ModelBytes.number(body, at: 40, 8)))
        let count = bodies.count
        try read(reference)
        guard bodies.count == count + 1 else {
            throw StoreError(.invalidDatabase, "\(TinyStore.path): a bulk commit of wrong state")
        }
    }

    func append(_ added: [[UInt8]]) { bodies += added }
    func remove(_ count: Int) {
        bodies.removeLast(count)
        leaves = Array(leaves.prefix(bodies.count))
    }

    // MARK: Reading

    private func read(_ reference: CheckpointReference) throws(StoreError) {
        guard let nodes else { preconditionFailure("nothing was loaded") }
        let file = try nodes.file(reference.file)
        let image = try Self.checked(
            file,
            Leaf(
                offset: reference.offset, byteCount: reference.byteCount,
                crc: UInt64(reference.crc)))
        guard image.count >= 8, ModelBytes.number(image, at: 0, 8) == (image.count - 8) / 24,
            image.count % 24 == 8
        else {
            throw StoreError(.invalidDatabase, "\(file.path): an image with the wrong length")
        }
        leaves = stride(from: 8, to: image.count, by: 24).map {
            Leaf(
                offset: ModelBytes.number(image, at: $0, 8),
                byteCount: ModelBytes.number(image, at: $0 + 8, 8),
                crc: ModelBytes.number(image, at: $0 + 16, 8))
        }
        leavesFile = reference.file
        var found: [[UInt8]] = []
        for leaf in leaves { found.append(try Self.checked(file, leaf)) }
        bodies = found
    }

    private static func checked(_ file: NodesFile, _ leaf: Leaf) throws(StoreError) -> [UInt8] {
        guard let count = Int(exactly: leaf.byteCount), count < 1 << 20 else {
            throw StoreError(.invalidDatabase, "\(file.path): an impossible length")
        }
        let bytes = Array(try file.image(at: leaf.offset, count: count))
        let crc = bytes.withUnsafeBytes { Checksum.crc32c($0) }
        guard UInt64(crc) == leaf.crc else {
            throw StoreError(.invalidDatabase, "\(file.path): a damaged image")
        }
        return bytes
    }

    // MARK: Writing

    /// Writes the bodies and makes them durable. The returned reference has no log position.
    func write(
        _ bodies: [[UInt8]], after newest: CheckpointReference?, isNewFile: Bool
    ) throws(StoreError) -> CheckpointReference {
        guard let nodes else { preconditionFailure("nothing was loaded") }
        let appender = try nodes.appender(
            after: isNewFile ? nil : newest, liveByteCount: isNewFile ? 0 : 1 << 20)
        var written = appender.fileNumber == leavesFile ? leaves : []
        if written.count > bodies.count { written = [] }
        for body in bodies[written.count...] { written.append(try Self.append(body, appender)) }
        var image = ModelBytes.number(UInt64(written.count), 8)
        for leaf in written {
            for number in [leaf.offset, leaf.byteCount, leaf.crc] {
                image += ModelBytes.number(number, 8)
            }
        }
        let place = try Self.append(image, appender)
        try appender.sync()
        leaves = written
        leavesFile = appender.fileNumber
        return CheckpointReference(
            version: UInt64(bodies.count), position: 0, sequence: 0, chain: 0,
            file: appender.fileNumber, offset: place.offset, byteCount: place.byteCount,
            crc: UInt32(place.crc))
    }

    private static func append(_ bytes: [UInt8], _ appender: NodesAppender) throws(StoreError)
        -> Leaf
    {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(StoreError) in try appender.append(parts: [buffer]) }
        }
        let crc = bytes.withUnsafeBytes { Checksum.crc32c($0) }
        return Leaf(offset: try result.get(), byteCount: UInt64(bytes.count), crc: UInt64(crc))
    }

    /// Returns the body of the COMMIT record of a bulk commit.
    static func bulkBody(version: Int, _ reference: CheckpointReference) -> [UInt8] {
        var body = ModelBytes.number(UInt64(version), 8)
        for number in [
            bulkMark, reference.file, reference.offset, reference.byteCount,
            UInt64(reference.crc),
        ] {
            body += ModelBytes.number(number, 8)
        }
        return body
    }
}

extension TinyStore {
    /// Like `options`, with tiny nodes files.
    static var checkpointOptions: StoreOptions {
        var options = options
        options.nodesWindowByteCount = 8192
        options.nodesSlackByteCount = 4096
        options.nodesWriteByteCount = 1024
        options.nodesSyncByteCount = 2048
        return options
    }

    /// Opens by checkpoint.
    static func open(
        _ disk: any FileSystem, _ content: ListContent, options: StoreOptions = checkpointOptions
    ) throws(StoreError) -> Opened {
        let (log, report) = try RealmLog.open(
            disk, path: path, options: options, load: content.load, content.deliver)
        return Opened(
            log: log, report: report, bodies: content.bodies,
            startCount: (content.starts.last ?? nil) ?? 0)
    }
}
