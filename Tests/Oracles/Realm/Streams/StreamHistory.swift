import Regnum
import RegnumSimulation
import RegnumTestSupport

/// One random history with its streams: a small realm, a few commits, many consumers.
struct StreamHistory {
    let seed: UInt64
    let sides: StreamSides
    let pulse: RunPulse
    /// Whether transactions are printed.
    var isTraced = false
    /// Whether the hub keeps commits in memory. If it doesn't, streams that merge commits compare
    /// versions, and the others read the log.
    var keepsSummaries = true

    /// Runs the history. Throws a `StreamFailure` where a stream differs from the oracle.
    func run() async throws {
        var random = SeededRandom(seed)
        let record = StreamRecord(keepsSummaries: keepsSummaries)
        let stepCount = 3 + random.below(10)
        let reopening = random.oneIn(4) ? random.below(stepCount) : -9
        let reopened = random.below(sides.count)
        let theme = random.oneIn(3) ? nil : random.pick(StreamTheme.all)
        var consumers = (0..<6 + random.below(8)).map { _ in
            StreamConsumer(&random, stepCount: stepCount, sides, theme, record)
        }
        for step in -1..<stepCount {
            if step >= 0 { try await commit(step, &random, record, theme) }
            if step == reopening, sides.isOnDisk {
                try await reopen(reopened, &consumers, record)
            }
            for index in consumers.indices {
                let event = consumers[index].event(step)
                if case .begin? = event { consumers[index].isRunning = true }
                if case .cancel? = event { consumers[index].isRunning = false }
                do {
                    try await handle(event, consumers[index], record)
                } catch {
                    throw failure(error, consumers[index], "step \(step)")
                }
            }
            pulse.beat(patience: RunWatchdog.patienceForPeer)
            try await sides.meet(step)
            pulse.beat()
        }
        for consumer in consumers where consumer.isRunning {
            do {
                try await handle(.pull, consumer, record)
            } catch {
                throw failure(error, consumer, "the end")
            }
        }
        await sides.close()
        for consumer in consumers where consumer.isRunning && sides.realm(consumer.side) != nil {
            do {
                try await consumer.watch.end(record)
                pulse.beat()
                if Task.isCancelled { throw StreamFailure("the stream did not end") }
            } catch {
                throw failure(error, consumer, "the close")
            }
        }
    }

    private func handle(
        _ event: StreamConsumer.Event?, _ consumer: StreamConsumer, _ record: StreamRecord
    ) async throws {
        guard let event, let realm = sides.realm(consumer.side) else { return }
        try await sides.settle(consumer.side, record.version)
        switch event {
        case .begin: try await consumer.watch.begin(realm, record)
        case .cancel: break
        case .pull: try await consumer.watch.pull(record)
        case .resume: try await consumer.watch.resume(realm, record)
        }
        pulse.beat()
    }

    /// Closes a realm and opens it again; its streams continue from their cursors.
    private func reopen(
        _ side: Int, _ consumers: inout [StreamConsumer], _ record: StreamRecord
    ) async throws {
        try await sides.reopen(side)
        guard let realm = sides.realm(side) else { return }
        try await sides.settle(side, record.version)
        for consumer in consumers where consumer.isRunning && consumer.side == side {
            do {
                try await consumer.watch.resume(realm, record)
            } catch {
                throw failure(error, consumer, "the reopening")
            }
        }
    }

    private func failure(
        _ error: any Error, _ consumer: StreamConsumer, _ place: String
    ) -> StreamFailure {
        StreamFailure("side \(consumer.side), \(consumer.watch.name), at \(place): \(error)")
    }

    private func commit(
        _ step: Int, _ random: inout SeededRandom, _ record: StreamRecord, _ theme: StreamTheme?
    ) async throws {
        let side = random.below(sides.count)
        var draw = StreamDraw(record.world, SeededRandom(random.next()), theme)
        let size = 4 + random.below(12)
        if step > 0 {
            draw.transaction()
        } else if random.oneIn(16) {
            draw.crowd(size)
        } else {
            draw.fill(size)
        }
        let origin = random.oneIn(3) ? nil : "origin \(random.below(4))"
        draw.commit.origin = origin
        let before = record.version
        let isCommit = record.add(draw.world, draw.commit)
        let edits = draw.edits
        if isTraced { print("step \(step), side \(side), \(record.version): \(edits)") }
        guard let realm = sides.realm(side) else { return }
        try await sides.settle(side, before)
        do {
            try await realm.write(origin: origin) { tx in
                var writer = StreamWriter(tx)
                for edit in edits { try writer.make(edit) }
            }
        } catch {
            throw StreamFailure("step \(step), writing \(edits): \(error)")
        }
        pulse.beat()
        let version = realm.snapshot().version
        try requireEqual(
            version, before + (isCommit ? 1 : 0), "version after \(edits) at step \(step)")
    }
}
