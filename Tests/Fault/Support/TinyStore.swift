import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A store with tiny sizes, so that few commits reach every limit.
enum TinyStore {
    static let path = "/sim/a.realm"
    /// The key of the realms; `nil` if they aren't encrypted.
    @TaskLocal static var key: EncryptionKey?

    /// 4 KiB of records in the first segment, 12 KiB at most in later ones.
    static var options: StoreOptions {
        var options = StoreOptions()
        options.firstSegmentByteCount = 8192
        options.maximumSegmentByteCount = 16384
        options.maximumRecordBodyByteCount = 8192
        options.key = key
        return options
    }

    /// An opened realm, with everything that was delivered.
    struct Opened {
        let log: RealmLog
        let report: RecoveryReport
        let bodies: [[UInt8]]
        /// The number of bodies that came from a checkpoint.
        var startCount = 0
    }

    static func open(
        _ disk: any FileSystem, path: String = path, options: StoreOptions = options
    ) throws(StoreError) -> Opened {
        var bodies: [[UInt8]] = []
        let (log, report) = try RealmLog.open(disk, path: path, options: options) {
            (body) throws(StoreError) in bodies.append(body)
        }
        return Opened(log: log, report: report, bodies: bodies)
    }
}

/// Bodies of commits: the version, little-endian, and a payload derived from the version, so that
/// any two differ.
enum TestBody {
    static func make(version: Int, payload: [UInt8]) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: version >> ($0 * 8)) } + payload
    }

    static func make(version: Int, payloadByteCount: Int, salt: UInt64 = 0) -> [UInt8] {
        var numbers = SeededRandom(UInt64(version) &* 0x9E37 &+ salt)
        return make(version: version, payload: numbers.bytes(payloadByteCount))
    }

    static func version(of body: [UInt8]) -> Int {
        body.prefix(8).enumerated().reduce(0) { $0 | Int($1.element) << ($1.offset * 8) }
    }
}

extension RealmLog {
    /// Makes a durable commit as the coordinator does.
    func commit(_ bodies: [[UInt8]]) throws(StoreError) {
        try append(bodies, version: UInt64(TestBody.version(of: bodies.last!)))
        try sync()
        publish()
    }

    /// Makes a commit that is visible but not yet synced.
    func commitRelaxed(_ bodies: [[UInt8]]) throws(StoreError) {
        try append(bodies, version: UInt64(TestBody.version(of: bodies.last!)))
        publish()
    }

    /// Calls `tryBecomeWriter` where no commits must be delivered.
    func takeWriter() throws(StoreError) -> Bool {
        try tryBecomeWriter { (_) throws(StoreError) in
            throw StoreError(.invalidInput, "An unknown commit was delivered.")
        }
    }
}
