import BenchmarkKit
import Foundation

/// Opens the filled store and reads one person.
struct Opening: Workload {
    let name: String
    let isCold: Bool
    var maximumRounds: Int? { isCold ? 5 : nil }

    static let warm = Opening(name: "11", isCold: false)
    static let cold = Opening(name: "11c", isCold: true)

    var notes: [String] {
        let work = "opening, and one person read by primary key, in this process"
        return [isCold ? "\(work); dropped before by \(PageCache.way)." : "\(work)."]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        var contenders: [Contender] = []
        for engine in setting.stores(for: self) {
            // The inserted content is on disk, and the store has been opened once since.
            _ = try await setting.stock.store(engine)
            let place = try await setting.stock.closed(engine)
            contenders.append(Contender(engine) { try await measure(engine, place, setting) })
        }
        return contenders
    }

    @concurrent
    private func measure(
        _ engine: Engine, _ place: URL, _ setting: Setting
    ) async throws -> [Sample] {
        if isCold { try PageCache.drop(below: place) }
        let start = monotonicNanoseconds()
        let store = try await engine.open(in: place, StoreOptions())
        let answer = try await store.read([setting.objectCount / 2])
        let time = milliseconds(since: start)
        try setting.agreement.check(name, answer, by: engine)
        try await store.close()
        return [Sample(name, time, .milliseconds)]
    }
}

/// The anonymous memory of a process that opens the filled store and scans it once.
struct OpenFootprint: Workload {
    let name = "12"
    var maximumRounds: Int? { 3 }
    var notes: [String] {
        ["RssAnon after one count of age > 50 && score < 0.5; 12-start before the opening."]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        var contenders: [Contender] = []
        for engine in setting.stores(for: self) {
            let place = try await setting.stock.closed(engine)
            contenders.append(
                Contender(engine) {
                    let result = try await ProbeResult.of(.scan, engine, in: place, setting)
                    try setting.agreement.check(name, try result.number("answer"), by: engine)
                    return [
                        Sample(name, Double(try result.number("anonymous")), .bytes),
                        Sample("\(name)-start", Double(try result.number("start")), .bytes),
                    ]
                })
        }
        return contenders
    }
}
