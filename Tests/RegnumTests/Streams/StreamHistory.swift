import Regnum

/// One random history with its streams: a small realm, a few commits, many consumers.
struct StreamHistory {
    let seed: UInt64
    let sides: any StreamSides
    /// Prints the transactions.
    var isTraced = false

    /// A consumer with its habits, as they are drawn.
    private struct Consumer {
        let watch: any StreamWatch
        let side: Int
        let start: Int
        /// Pulls at every so many steps; never before the end for 0.
        let pace: Int
        let cancellation: Int
        var isRunning = false
    }

    /// Runs it. Throws a `StreamFailure` where a stream tells something else than the oracle.
    func run() async throws {
        var random = SeededRandom(seed)
        let record = StreamRecord()
        let stepCount = 3 + random.under(10)
        var consumers = consumers(&random, stepCount)
        for step in -1..<stepCount {
            if step >= 0 { try await commit(step, &random, record) }
            for index in consumers.indices {
                let consumer = consumers[index]
                guard let realm = sides.realm(consumer.side) else { continue }
                do {
                    if step == consumer.start {
                        try await sides.settle(consumer.side, record.version)
                        consumers[index].isRunning = true
                        try await consumer.watch.begin(realm, record)
                    } else if step == consumer.cancellation {
                        consumers[index].isRunning = false
                    } else if consumer.isRunning, consumer.pace > 0, step % consumer.pace == 0 {
                        try await sides.settle(consumer.side, record.version)
                        try await consumer.watch.pull(record)
                    }
                } catch {
                    throw failure(error, consumer, "step \(step)")
                }
            }
        }
        for consumer in consumers where consumer.isRunning {
            do {
                try await sides.settle(consumer.side, record.version)
                try await consumer.watch.pull(record)
            } catch {
                throw failure(error, consumer, "the end")
            }
        }
        await sides.close()
        for consumer in consumers where consumer.isRunning {
            do {
                try await consumer.watch.end()
            } catch {
                throw failure(error, consumer, "the close")
            }
        }
    }

    private func failure(
        _ error: any Error, _ consumer: Consumer, _ place: String
    ) -> StreamFailure {
        StreamFailure("side \(consumer.side), \(consumer.watch.name), at \(place): \(error)")
    }

    private func commit(
        _ step: Int, _ random: inout SeededRandom, _ record: StreamRecord
    ) async throws {
        let side = random.under(sides.count)
        var draw = StreamDraw(record.world, SeededRandom(random.next()))
        let size = 4 + random.under(12)
        if step == 0 { draw.fill(size) } else { draw.transaction() }
        let origin = random.isOneIn(3) ? nil : "origin \(random.under(4))"
        draw.commit.origin = origin
        let before = record.version
        let isCommit = record.add(draw.world, draw.commit)
        guard let realm = sides.realm(side) else { return }
        try await sides.settle(side, before)
        let edits = draw.edits
        if isTraced { print("step \(step), side \(side), \(record.version): \(edits)") }
        do {
            try await realm.write(origin: origin) { tx in
                var writer = StreamWriter(tx)
                for edit in edits { try writer.make(edit) }
            }
        } catch {
            throw StreamFailure("step \(step), writing \(edits): \(error)")
        }
        let version = realm.snapshot().version
        try expectEqual(
            version, before + (isCommit ? 1 : 0), "version after \(edits) at step \(step)")
    }

    private func consumers(_ random: inout SeededRandom, _ stepCount: Int) -> [Consumer] {
        (0..<6 + random.under(8)).map { _ in
            let side = random.under(sides.count)
            let start = random.isOneIn(2) ? random.under(2) - 1 : random.under(stepCount)
            return Consumer(
                watch: watch(&random), side: side, start: start,
                pace: [1, 1, 2, 3, 0][random.under(5)],
                cancellation: random.isOneIn(6) ? start + 1 + random.under(5) : -1)
        }
    }

    private func watch(_ random: inout SeededRandom) -> any StreamWatch {
        switch random.under(10) {
        case 0: return CommitWatch()
        case 1:
            let key = random.under(24)
            return ObjectWatch<StreamPerson>(.int(key), .deep(0), split(&random)) {
                $0.object(StreamPerson.self, forPrimaryKey: key)
            }
        case 2:
            let key = ["Ada", "Bo", "Cy"][random.under(3)]
            return ObjectWatch<StreamDog>(.text(key), .deep(0), split(&random)) {
                $0.object(StreamDog.self, forPrimaryKey: key)
            }
        case 3, 4: return collection(.all as StreamSource<StreamDog>, &random)
        case 5: return collection(.all as StreamSource<StreamToy>, &random)
        default: return collection(.all as StreamSource<StreamPerson>, &random)
        }
    }

    private func collection<Model: StreamQueried>(
        _ source: StreamSource<Model>, _ random: inout SeededRandom
    ) -> any StreamWatch {
        CollectionWatch(source, StreamQuery(&random), .deep(0), split(&random))
    }

    private func split(_ random: inout SeededRandom) -> SeededRandom {
        SeededRandom(random.next())
    }
}
