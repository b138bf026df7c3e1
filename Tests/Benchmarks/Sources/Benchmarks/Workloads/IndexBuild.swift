import BenchmarkKit
import Foundation

/// Builds an index on the age of stored people.
struct IndexBuild: Workload {
    let name = "7a"
    var notes: [String] {
        ["regnum opens a copy with a class that declares the index, and counts."]
    }

    func contenders(_ setting: Setting) async throws -> [Contender] {
        var contenders: [Contender] = []
        for engine in setting.stores(for: self) {
            if engine.isRegnum {
                contenders.append(Contender(engine) { try await measureRegnum(engine, setting) })
                continue
            }
            let place = try await setting.stock.copy(engine)
            let store = try await engine.open(in: place, StoreOptions())
            contenders.append(
                Contender(engine) {
                    let start = monotonicNanoseconds()
                    try await store.buildAgeIndex()
                    let time = milliseconds(since: start)
                    try await store.dropAgeIndex()
                    return [Sample(name, time, .milliseconds)]
                })
        }
        return contenders
    }

    private func measureRegnum(_ engine: Engine, _ setting: Setting) async throws -> [Sample] {
        let place = try await setting.stock.copy(engine)
        defer { try? FileManager.default.removeItem(at: place) }
        let start = monotonicNanoseconds()
        try await RegnumStore.buildAgeIndex(in: place, isEncrypted: engine == .encrypted)
        return [Sample(name, milliseconds(since: start), .milliseconds)]
    }
}
