import BenchmarkKit
import Foundation

/// Something to measure: one row of the output, or a few that are measured together.
protocol Workload: Sendable {
    /// What `--only` takes.
    var name: String { get }
    /// Whether it runs when `--only` is not given.
    var isPartOfAll: Bool { get }
    /// The most rounds that are worth their time; nil: as many as are asked for.
    var roundsMax: Int? { get }
    /// What a reader has to know of the conditions.
    var notes: [String] { get }
    /// The engines, their stores made and filled.
    func contenders(_ setting: Setting) async throws -> [Contender]
}

extension Workload {
    var isPartOfAll: Bool { true }
    var roundsMax: Int? { nil }
    var notes: [String] { [] }
}

/// Where and on how much a workload runs.
struct Setting: Sendable {
    static let readCount = 200_000

    /// An empty directory, removed after the workload.
    var directory: URL
    /// The engines that take part.
    var engines: Set<Engine>
    /// How many people the stores of the workloads on many objects hold.
    var objectCount: Int
    /// How many people the stores of the commits of single objects hold before the first round.
    var storedCount: Int
    /// How many objects Regnum inserts in a transaction; nil: all.
    var batch: Int?
    /// How far `growth` goes.
    var growthMax: Int
    /// The filled stores of the run.
    var stock: Stock
    let agreement = Agreement()
    /// The people that are read by primary key.
    let readIDs: [Int]
    /// The ages that are looked up by index.
    let ages = People.randomIDs(1_000, below: 100, 7)

    /// The stores that take part in a workload and can do it.
    func stores(for workload: some Workload) -> [Engine] {
        Engine.stores.filter { engines.contains($0) && $0.absence == nil }
    }
}

/// All workloads.
enum Catalog {
    /// In the order in which they run: the first insert fills the stores that the next ones read.
    static let workloads: [any Workload] =
        [ScanFloor(), Floor(), BulkInsert(), BulkFootprint()]
        + Question.withoutIndex + [IndexBuild()] + Question.withIndex + [
            Updates.oneTransaction, Updates.tens, Deletion(), Opening.warm,
            Opening.cold, OpenFootprint(), DurableCommits(), UnsyncedCommits(),
            ConcurrentCommits(), Observation.one, Observation.sorted, Observation.hundred,
            Observation.cities,
            RoomObservers(), ExternalObserver(), Growth(),
        ]

    /// What bounds a workload from below, measured in the same rounds on the bare system.
    static let floors = ["2a": Floor.name]

    static var names: String { workloads.map(\.name).joined(separator: ", ") }
}
