import RegnumSimulation
import RegnumStore

/// A realm on a simulated disk that is opened by several logs, each standing for a process.
struct LogFixture {
    let disk = SimFileSystem(seed: 17)
    let path = "/sim/a.realm"
    var options: StoreOptions = {
        var options = StoreOptions()
        options.firstSegmentByteCount = 8192
        options.maximumSegmentByteCount = 65536
        return options
    }()

    /// A process that has the realm open, and the versions that were delivered to it.
    final class Process {
        let log: RealmLog
        let report: RecoveryReport
        var versions: [UInt64]

        init(_ log: RealmLog, _ report: RecoveryReport, _ versions: [UInt64]) {
            self.log = log
            self.report = report
            self.versions = versions
        }

        func becomeWriter() throws(StoreError) -> Bool {
            try log.tryBecomeWriter { (body) throws(StoreError) in
                versions.append(LogFixture.version(body))
            }
        }

        func catchUp() throws(StoreError) {
            try log.catchUp { (body) throws(StoreError) in
                versions.append(LogFixture.version(body))
            }
        }

        /// Makes a durable commit of the log's next version, with a payload of that many bytes.
        func commit(_ payloadByteCount: Int = 10) throws(StoreError) {
            try write(payloadByteCount)
            try log.sync()
            log.publish()
        }

        /// Writes the record of a commit without syncing or publishing it.
        func write(_ payloadByteCount: Int = 10) throws(StoreError) {
            let version = log.version + 1
            try log.append([LogFixture.body(version, payloadByteCount)], version: version)
            versions.append(version)
        }
    }

    func open() throws(StoreError) -> Process {
        var versions: [UInt64] = []
        let (log, report) = try RealmLog.open(disk, path: path, options: options) {
            (body) throws(StoreError) in versions.append(Self.version(body))
        }
        return Process(log, report, versions)
    }

    /// Opens a process that holds the writer lock.
    func openWriter() throws -> Process {
        let process = try open()
        guard try process.becomeWriter() else { throw StoreError(.busy, "no writer lock") }
        return process
    }

    /// Opens the realm read-only, without its checkpoints.
    func openForReading() throws(StoreError) -> RealmLog {
        let load: RealmLog.Load = { (_, _) throws(StoreError) in }
        return try RealmLog.openForReading(disk, path: path, options: options, load: load) {
            (_) throws(StoreError) in
        }.log
    }

    func segmentSizes() -> [Int] {
        (0..<64).compactMap { disk.contents(of: "log-0-\($0)", in: path)?.count }
    }

    static func body(_ version: UInt64, _ payloadByteCount: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: version >> ($0 * 8)) }
            + (0..<payloadByteCount).map { UInt8(truncatingIfNeeded: $0 &+ Int(version)) }
    }

    static func version(_ body: [UInt8]) -> UInt64 {
        body.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
