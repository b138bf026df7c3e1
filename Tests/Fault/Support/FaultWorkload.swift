import RegnumSimulation
import RegnumStore

/// A fixed workload that reaches every kind of call, and that goes on after each failure as the
/// coordinator does. Fills in the oracle as it goes.
struct FaultWorkload {
    let disk: SimFileSystem
    var expectation = Expectation()
    /// Sentences about what a caller was told wrongly.
    var objections: [String] = []
    /// The codes that the caller saw.
    var codes: Set<StoreError.Code> = []
    /// The failed commits that were said not to be committed.
    var refused: [[UInt8]] = []
    private var log: RealmLog?
    private var salt: UInt64 = 0

    init(_ disk: SimFileSystem) {
        self.disk = disk
    }

    mutating func run() {
        guard open() else { return }
        for step in 0..<15 {
            guard let log, !log.isPoisoned else { break }
            switch step {
            case 0, 6: commit([60])
            case 1, 9: commit([10, 470, 200])
            case 2, 7, 11: commit([2500])
            case 3: commit([30], isRelaxed: true)
            case 4: flush()
            case 5, 12: idle()
            case 8, 13: log.spareSegment.make()
            case 14: commit([7000, 7000])  // the spare is too small for it
            default: commit([30], isRelaxed: true)
            }
        }
        if let log, log.isPoisoned { checkPoisoned(log) }
    }

    /// Space is back, or the disk works again: a log that is not poisoned takes commits.
    mutating func goOn() {
        disk.clearFailures()
        guard let log, !log.isPoisoned else { return }
        commit([77])
        if expectation.durableCount != expectation.bodies.count {
            objections.append("the log takes no commits though the disk works again")
        }
    }

    /// The process ends.
    mutating func end() { log = nil }

    // MARK: Steps

    private mutating func open() -> Bool {
        do throws(StoreError) {
            let opened = try TinyStore.open(disk)
            guard try opened.log.takeWriter() else { return false }
            log = opened.log
            return true
        } catch {
            see(error)
            return false
        }
    }

    private mutating func commit(_ payloads: [Int], isRelaxed: Bool = false) {
        guard let log else { return }
        salt += 1
        let bodies = payloads.enumerated().map { index, count in
            TestBody.make(
                version: expectation.bodies.count + 1 + index, payloadByteCount: count, salt: salt)
        }
        expectation.bodies += bodies
        do throws(StoreError) {
            if isRelaxed {
                try log.commitRelaxed(bodies)
            } else {
                try log.commit(bodies)
                expectation.durableCount = expectation.bodies.count
            }
            expectation.visibleCount = expectation.bodies.count
        } catch {
            see(error)
            switch error.code {
            case .outcomeUnknown:
                if !log.isPoisoned { objections.append("an unknown outcome, and no poison") }
            case .diskFull:
                if log.isPoisoned { objections.append("poison where only space was lacking") }
                refuse(bodies)
            default:  // a segment could not be begun; poison where its name is unsure
                refuse(bodies)
            }
        }
    }

    private mutating func refuse(_ bodies: [[UInt8]]) {
        expectation.bodies.removeLast(bodies.count)
        refused += bodies
    }

    private mutating func flush() {
        guard let log else { return }
        do throws(StoreError) {
            try log.sync()
            expectation.durableCount = expectation.bodies.count
            log.publish()
        } catch {
            see(error)
            if !log.isPoisoned { objections.append("a failed sync, and no poison") }
        }
    }

    private mutating func idle() {
        guard let log else { return }
        do throws(StoreError) {
            try log.writeIdle()
            expectation.durableCount = expectation.bodies.count
        } catch {
            see(error)
        }
    }

    private mutating func see(_ error: StoreError) {
        codes.insert(error.code)
        if !error.sentence.contains(TinyStore.path) {
            objections.append("an error that does not name the realm: \(error.sentence)")
        }
        if error.code == .invalidDatabase {
            objections.append("a failing disk taken for damage: \(error.sentence)")
        }
    }

    private mutating func checkPoisoned(_ log: RealmLog) {
        log.resignWriter()
        if log.tryBecomeWriterIfCurrent() { objections.append("a poisoned log is written") }
    }
}
