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
            if engine == .regnum {
                contenders.append(Contender(engine) { try await measureRegnum(setting) })
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

    private func measureRegnum(_ setting: Setting) async throws -> [Sample] {
        let place = try await setting.stock.copy(.regnum)
        defer { try? FileManager.default.removeItem(at: place) }
        let start = monotonicNanoseconds()
        try await RegnumStore.buildAgeIndex(in: place)
        return [Sample(name, milliseconds(since: start), .milliseconds)]
    }
}
