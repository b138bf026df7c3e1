import BenchmarkKit
import Foundation

/// Inserts all people into a new store in one transaction, creating the typed objects on the way.
struct BulkInsert: Workload {
    let name = "1"
    var maximumRounds: Int? { 3 }
    var notes: [String] {
        ["one durable transaction, from values in memory; regnum in several with --batch."]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        let people = People.people(0..<setting.objectCount)
        return setting.stores(for: self).map { engine in
            Contender(engine) { try await measure(engine, people, setting) }
        }
    }

    @concurrent
    private func measure(
        _ engine: Engine, _ people: [PersonValues], _ setting: Setting
    ) async throws -> [Sample] {
        let place = await setting.stock.newDirectory(engine)
        let store = try await engine.open(in: place, StoreOptions(batch: setting.batch))
        let start = monotonicNanoseconds()
        try await store.insert(0..<people.count) { people[$0] }
        let rate = perSecond(people.count, since: start)
        try setting.agreement.check(name, try await store.contentSum(), by: engine)
        try await store.close()
        if await setting.stock.has(engine) {
            try FileManager.default.removeItem(at: place)
        } else {
            await setting.stock.adopt(engine, at: place)
        }
        return [Sample(name, rate, .objectsPerSecond)]
    }
}

/// The disk space and memory used by the bulk insert, in a separate process that creates each
/// person when it is inserted.
struct BulkFootprint: Workload {
    let name = "1b"
    var maximumRounds: Int? { 1 }
    var notes: [String] {
        [
            "1b is the disk space of all files after closing; 1b-peak the largest resident",
            "size (VmHWM, mapped files included), of which 1b-start before opening; 1b-anon the",
            "anonymous memory (RssAnon) before closing.",
        ]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        setting.stores(for: self).map { engine in
            Contender(engine) {
                let place = await setting.stock.newDirectory(engine)
                defer { try? FileManager.default.removeItem(at: place) }
                let result = try await ProbeResult.of(.fill, engine, in: place, setting)
                return [
                    Sample(name, Double(diskByteCount(below: place)), .bytes),
                    Sample("\(name)-peak", Double(try result.number("peak")), .bytes),
                    Sample("\(name)-start", Double(try result.number("startPeak")), .bytes),
                    Sample("\(name)-anon", Double(try result.number("anonymous")), .bytes),
                ]
            }
        }
    }
}
