import RegnumSimulation
import RegnumStore

/// A fixed workload that makes every kind of call, and reacts to each failure as the coordinator
/// does. Updates the oracle as it goes.
struct FaultWorkload {
    let disk: SimFileSystem
    var expectation = Expectation()
    /// Descriptions of wrong reports to a caller.
    var objections: [String] = []
    /// The codes that the caller saw.
    var codes: Set<StoreError.Code> = []
    /// The failed commits that were reported as not committed.
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

    /// Space is available or the disk works again, so a log that isn't poisoned must accept
    /// commits.
    mutating func goOn() {
        disk.clearFailures()
        guard let log, !log.isPoisoned else { return }
        commit([77])
        if expectation.durableCount != expectation.bodies.count {
            objections.append("the log accepts no commits although the disk works again")
        }
    }

    /// Ends the process.
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
                if !log.isPoisoned { objections.append("unknown outcome but not poisoned") }
            case .diskFull:
                if log.isPoisoned { objections.append("poisoned although only space was lacking") }
                refuse(bodies)
            default:  // no new segment; poisoned if its name is uncertain
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
            if !log.isPoisoned { objections.append("failed sync but not poisoned") }
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
        if !error.message.contains(TinyStore.path) {
            objections.append("an error doesn't name the realm: \(error.message)")
        }
        if error.code == .invalidDatabase {
            objections.append("a failing disk was reported as damage: \(error.message)")
        }
    }

    private mutating func checkPoisoned(_ log: RealmLog) {
        log.releaseWriterLock()
        if log.tryBecomeWriterIfCurrent() { objections.append("a poisoned log accepts writes") }
    }
}
