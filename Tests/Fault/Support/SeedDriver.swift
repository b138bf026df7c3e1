import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A seed for tests of the store: some bytes in a nodes file, in place of an image.
struct TestSeed {
    static let version: UInt64 = 41
    static let realmID = Identity128(high: 0x5EED, low: 0x1D)
    let content: [UInt8]

    init(byteCount: Int) {
        var numbers = SeededRandom(UInt64(byteCount))
        content = numbers.bytes(byteCount)
    }

    var seed: RealmLog.Seed {
        RealmLog.Seed(realmID: Self.realmID) { (nodes) throws(StoreError) in
            let appender = try nodes.appender(after: nil, liveByteCount: 0)
            let offset = try append(to: appender)
            try appender.sync()
            return CheckpointReference(
                version: Self.version, position: 0, sequence: 0, chain: 0,
                file: appender.fileNumber, offset: offset, byteCount: UInt64(content.count),
                crc: content.withUnsafeBytes { Checksum.crc32c($0) })
        }
    }

    private func append(to appender: NodesAppender) throws(StoreError) -> UInt64 {
        let result = content.withUnsafeBytes { bytes -> Result<UInt64, StoreError> in
            Result { () throws(StoreError) in try appender.append(parts: [bytes]) }
        }
        return try result.get()
    }

    /// The result of opening.
    struct Found {
        var log: RealmLog
        var report: RecoveryReport
        /// The seed's content; `nil` for a realm without one.
        var content: [UInt8]?
        var bodies: [[UInt8]] = []
    }

    /// Opens the realm with or without a seed, or for reading.
    static func open(
        _ disk: any FileSystem, seed: TestSeed? = nil, isReadOnly: Bool = false
    ) throws(StoreError) -> Found {
        var content: [UInt8]?
        var bodies: [[UInt8]] = []
        let load: RealmLog.Load = { (reference, nodes) throws(StoreError) in
            content = nil
            bodies = []
            guard let reference else { return }
            let file = try nodes.file(reference.file)
            let bytes = try file.bytes(at: reference.offset, count: Int(reference.byteCount))
            guard Checksum.crc32c(bytes) == reference.crc, reference.version == version else {
                throw StoreError(.invalidDatabase, "The seed's content is damaged.")
            }
            content = Array(bytes)
        }
        let deliver: RealmLog.Deliver = { (body) throws(StoreError) in bodies.append(body) }
        let (log, report) =
            isReadOnly
            ? try RealmLog.openForReading(
                disk, path: TinyStore.path, options: TinyStore.options, load: load, deliver)
            : try RealmLog.open(
                disk, path: TinyStore.path, options: TinyStore.options, seed: seed?.seed,
                load: load, deliver)
        return Found(log: log, report: report, content: content, bodies: bodies)
    }
}
