import BenchmarkKit
import Foundation

/// Something to measure: one row of the output, or a few that are measured together.
protocol Workload: Sendable {
    /// What `--only` takes.
    var name: String { get }
    /// Whether it runs when `--only` is not given.
    var isPartOfAll: Bool { get }
    /// What a reader has to know of the conditions.
    var notes: [String] { get }
    /// The engines, their stores made and filled.
    func contenders(_ setting: Setting) async throws -> [Contender]
}

extension Workload {
    var isPartOfAll: Bool { true }
    var notes: [String] { [] }
}

/// Where and on how much a workload runs.
struct Setting: Sendable {
    /// An empty directory, removed after the workload.
    var directory: URL
    /// How many people each store holds before the first round.
    var objectCount: Int
}

/// All workloads. Those on bulk insert, reading, queries, sorting, indexes, updates, deletion,
/// observers in the process, opening and memory take their place here, named as in the JSON:
/// 1, 3, 4a-4d, 5a, 5b, 6a, 6b, 7a-7c, 8a, 8b, 9, 10, 10b, 11, 12.
enum Catalog {
    static let workloads: [any Workload] = [
        Floor(), DurableCommits(), UnsyncedCommits(), ConcurrentCommits(), ExternalObserver(),
    ]

    /// What bounds a workload from below, measured in the same rounds on the bare system.
    static let floors = ["2a": Floor.name]

    static var names: String { workloads.map(\.name).joined(separator: ", ") }
}
