import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

/// The opening of a realm and the model of its rule reach the same verdict for the same random
/// logs.
@Suite struct TailRuleEnumeration {
    private static let path = "/sim/a.realm"

    private struct Counts {
        var clean = 0
        var torn = 0
        var refused = 0
        var adopting = 0
        var lostInTheHole = 0
    }

    @Test func openingAgreesWithTheModel() {
        let seed = SeededRandom.seed()
        let trialCount = Effort.count(gate: 10_000, soak: 120_000)
        var numbers = SeededRandom(seed)
        var counts = Counts()
        var disagreements: [String] = []
        for trial in 0..<trialCount where disagreements.count < 5 {
            let trialSeed = numbers.next()
            if let difference = run(trialSeed, &counts) {
                disagreements.append("trial \(trial), seed \(trialSeed): \(difference)")
            }
        }
        print(
            "tail rule: \(trialCount) logs, \(disagreements.count) disagreements (\(counts.clean) "
                + "clean, \(counts.torn) torn, \(counts.refused) refused, \(counts.adopting) with "
                + "adoption, \(counts.lostInTheHole) in the documented hole)")
        for difference in disagreements { Issue.record(Comment(rawValue: difference)) }
        for count in [counts.clean, counts.torn, counts.refused, counts.adopting] {
            expectTrue(count > trialCount / 100, "the trials are one-sided")
        }
    }

    private func run(_ seed: UInt64, _ counts: inout Counts) -> String? {
        let trial = ModelTrial(seed: seed)
        let disk = SimFileSystem(seed: seed)
        var boot: (UInt64, UInt64)? = trial.boot
        if trial.stop == .powerCut { boot = (1, seed) }
        if seed % 16 == 0 { boot = nil }
        let rule = ModelRule(
            segments: trial.segments, control: trial.control, realm: trial.realm, boot: boot,
            maximumBodyByteCount: ModelTrial.maximumBodyByteCount)
        let model = rule.open()
        if let objection = judge(model, trial, &counts) { return "the model itself: \(objection)" }
        for segment in trial.segments {
            disk.setContents(segment.file, of: segment.name, in: Self.path)
        }
        disk.setContents([UInt8](repeating: 0, count: 8192), of: "LOCK", in: Self.path)
        disk.setBootID(boot.map { Identity128(high: $0.0, low: $0.1) })
        if let control = trial.control {
            disk.setControlSlots(
                ControlWords(), ControlWords(control.words), in: Self.path)
        }
        return compare(model, disk, hasControl: trial.control)
    }

    /// Checks the model's verdict for a log with a known history.
    private func judge(
        _ model: ModelOpening, _ trial: ModelTrial, _ counts: inout Counts
    ) -> String? {
        switch model.verdict {
        case .clean: counts.clean += 1
        case .torn: counts.torn += 1
        case .refused: counts.refused += 1
        }
        if !model.adopted.isEmpty { counts.adopting += 1 }
        let isPrefix = model.bodies.elementsEqual(trial.bodies.prefix(model.bodies.count))
        if model.verdict != .refused, !isPrefix { return "wrong content" }
        guard model.verdict != .refused else {
            // Checksums don't protect against forgery: a forged record inside a torn one may vouch
            // for it.
            let isExpected = trial.isDamaged || trial.isForged || !trial.hasOwnPage
            return isExpected ? nil : "a false alarm"
        }
        if model.bodies.count >= trial.durableCount { return nil }
        if !trial.isDamaged { return "an acknowledged commit is lost" }
        if trial.isLastBatchVouched { return "a damaged commit is skipped" }
        counts.lostInTheHole += 1
        return nil
    }

    private func compare(
        _ model: ModelOpening, _ disk: SimFileSystem, hasControl control: ModelControl?
    ) -> String? {
        var options = StoreOptions()
        options.maximumRecordBodyByteCount = ModelTrial.maximumBodyByteCount
        let opened: TinyStore.Opened
        do {
            opened = try TinyStore.open(disk, path: Self.path, options: options)
        } catch {
            guard model.verdict == .refused else {
                return "\(model.verdict) for the model; \(describe(error))"
            }
            return error.code == .invalidDatabase ? nil : "refused with \(describe(error))"
        }
        let report = opened.report
        let verdict: ModelOpening.Verdict = report.discardedByteCount > 0 ? .torn : .clean
        guard verdict == model.verdict else { return "\(model.verdict) is \(verdict)" }
        guard opened.bodies == model.bodies else { return "different commits are kept" }
        guard report.logEnd == model.end, opened.log.durableEnd == model.end else {
            return "the log ends at \(report.logEnd) instead of \(model.end)"
        }
        guard report.adoptedByteCount == UInt64(model.adopted.count) else {
            return "\(report.adoptedByteCount) bytes adopted instead of \(model.adopted)"
        }
        guard report.discardedVersions == model.discardedVersions else {
            return "discarded \(report.discardedVersions), not \(model.discardedVersions)"
        }
        // The same content is found again, at once and after a power failure.
        guard (try? TinyStore.open(disk, path: Self.path, options: options))?.bodies == model.bodies
        else { return "the next opening finds different content" }
        guard !disk.hasUnsyncedChanges else { return "the recovery left something unsynced" }
        return nil
    }
}
