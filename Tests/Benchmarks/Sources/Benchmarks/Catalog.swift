import BenchmarkKit
import Foundation

/// A benchmark: one row of the output, or a few that are measured together.
protocol Workload: Sendable {
    /// The name for `--only`.
    var name: String { get }
    /// Whether it runs without `--only`.
    var isPartOfAll: Bool { get }
    /// The maximum number of useful rounds; `nil` means as many as requested.
    var maximumRounds: Int? { get }
    /// Notes about the conditions for the reader.
    var notes: [String] { get }
    /// Returns the engines, with their stores created and filled.
    func contenders(_ setting: Setting) async throws -> [Contender]
}

extension Workload {
    var isPartOfAll: Bool { true }
    var maximumRounds: Int? { nil }
    var notes: [String] { [] }
}

/// The location and size of a workload's data.
struct Setting: Sendable {
    static let readCount = 200_000

    /// An empty directory, removed after the workload.
    var directory: URL
    /// The engines that take part.
    var engines: Set<Engine>
    /// The number of people in the stores of workloads on many objects.
    var objectCount: Int
    /// The number of people in the stores of single-object workloads before the first round.
    var storedCount: Int
    /// The number of objects that Regnum inserts per transaction; `nil` means all.
    var batch: Int?
    /// The maximum size in `growth`.
    var maximumGrowth: Int
    /// The filled stores of the run.
    var stock: Stock
    let agreement = Agreement()
    /// The people that are read by primary key.
    let readIDs: [Int]
    /// The ages that are looked up by index.
    let ages = People.randomIDs(1_000, below: 100, 7)

    /// Returns the stores that take part in a workload and support it.
    func stores(for workload: some Workload) -> [Engine] {
        Engine.stores.filter { engines.contains($0) && $0.absence == nil }
    }
}

/// All workloads.
enum Catalog {
    /// In the order in which they run: the first insert fills the stores that later ones read.
    static let workloads: [any Workload] =
        [ScanFloor(), Floor(), BulkInsert(), BulkFootprint()]
        + Question.withoutIndex + [IndexBuild()] + Question.withIndex + [
            Places(), Searches(),
            Updates.oneTransaction, Updates.tens, Deletion(), Opening.warm,
            Opening.cold, OpenFootprint(), DurableCommits(), UnsyncedCommits(),
            ConcurrentCommits(), Observation.one, Observation.sorted, Observation.hundred,
            Observation.cities,
            RoomObservers(), ExternalObserver(), Jobs.single, Jobs.batched, Jobs.singleUnsynced,
            Jobs.batchedUnsynced, Growth(),
        ]

    /// The lower bounds of workloads, measured on the bare system in the same rounds.
    static let floors = ["2a": Floor.name]

    static var names: String { workloads.map(\.name).joined(separator: ", ") }
}
