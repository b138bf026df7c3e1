import RegnumSimulation
import RegnumStore
import RegnumTestSupport

/// A small realm of two cleanly closed segments, which is to be damaged.
struct ClosedRealm {
    /// The location of one record.
    struct Place {
        var file: String
        /// The range of the record in its file.
        var range: Range<Int>
        var position: UInt64
        /// The newest version before it.
        var versionBefore: Int
        var isIdle = false
    }

    static let names = ["log-0-0", "log-0-1"]
    static let directory = TinyStore.path

    private(set) var bodies: [[UInt8]] = []
    private(set) var places: [Place] = []
    /// The files at the end, and after each commit.
    private(set) var history: [[String: [UInt8]]] = []
    private let slots: [ControlWords]
    private let boot: Identity128

    static var options: StoreOptions {
        var options = TinyStore.options
        options.maximumSegmentByteCount = 8192
        return options
    }

    var files: [String: [UInt8]] { history[history.count - 1] }

    init() throws {
        let disk = SimFileSystem(seed: 21)
        let opened = try TinyStore.open(disk, options: Self.options)
        let log = opened.log
        _ = try log.takeWriter()
        var file = Self.names[0]
        var base: UInt64 = 0
        for count in [40, 700, 9, 460, 1500, 300, 1200, 64] {
            let version = bodies.count + 1
            let body = TestBody.make(version: version, payloadByteCount: count)
            try log.commit([body])
            let length = RecordFraming.byteCount(bodyByteCount: body.count)
            if disk.fileNames(in: Self.directory).count > 2, file == Self.names[0] {
                file = Self.names[1]
                base = log.position - UInt64(length)
            }
            places.append(Self.place(log.position, length, file, base, version - 1))
            bodies.append(body)
            history.append(Self.snapshot(disk))
        }
        try log.writeIdle()
        var idle = Self.place(log.position, 40, file, base, bodies.count)
        idle.isIdle = true
        places.append(idle)
        log.releaseWriterLock()
        history.append(Self.snapshot(disk))
        slots = [log.lock.loadControlSlot(0), log.lock.loadControlSlot(1)]
        boot = disk.bootID()!
    }

    private static func place(
        _ end: UInt64, _ length: Int, _ file: String, _ base: UInt64, _ version: Int
    ) -> Place {
        let start = end - UInt64(length)
        let offset = Int(start - base) + 4096
        return Place(
            file: file, range: offset..<offset + length, position: start, versionBefore: version)
    }

    private static func snapshot(_ disk: SimFileSystem) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in names { files[name] = disk.contents(of: name, in: directory) }
        return files
    }

    /// The knowledge about the past when the realm is opened.
    enum Circumstance: String, CaseIterable, Sendable {
        case sameBoot, otherBoot, unknownBoot, noLock
    }

    /// Returns a machine with the realm on it, with the given files.
    func machine(_ circumstance: Circumstance, files: [String: [UInt8]]? = nil) -> SimFileSystem {
        let disk = SimFileSystem(seed: 22)
        for (name, bytes) in files ?? self.files {
            disk.setContents(bytes, of: name, in: Self.directory)
        }
        if circumstance != .noLock {
            disk.setContents([UInt8](repeating: 0, count: 8192), of: "LOCK", in: Self.directory)
            disk.setControlSlots(slots[0], slots[1], in: Self.directory)
        }
        switch circumstance {
        case .sameBoot: disk.setBootID(boot)
        case .unknownBoot: disk.setBootID(nil)
        case .otherBoot, .noLock: break
        }
        return disk
    }

    /// Returns the words of a slot of the control page, to be damaged.
    func slot(_ index: Int) -> ControlWords { slots[index] }

    /// The result of opening a machine.
    enum Outcome: Equatable {
        case identical(discarded: UInt64)
        case other(Int)
        case refused(StoreError)

        var isIdentical: Bool {
            if case .identical = self { return true }
            return false
        }
    }

    func open(_ disk: SimFileSystem) -> Outcome {
        do {
            let opened = try TinyStore.open(disk, options: Self.options)
            guard opened.bodies == bodies else { return .other(opened.bodies.count) }
            return .identical(discarded: opened.report.discardedByteCount)
        } catch {
            return .refused(error)
        }
    }
}
