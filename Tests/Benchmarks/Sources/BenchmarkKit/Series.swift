/// The measurement of one engine in one round.
public struct Sample: Sendable {
    /// The name of the workload, as in the JSON.
    public var workload: String
    public var value: Double
    public var unit: Unit

    public init(_ workload: String, _ value: Double, _ unit: Unit) {
        self.workload = workload
        self.value = value
        self.unit = unit
    }
}

/// The units of the values; their raw values go into text and JSON.
public enum Unit: String, Sendable, Encodable {
    case nanoseconds = "ns"
    case microseconds = "us"
    case milliseconds = "ms"
    case commitsPerSecond = "commits/s"
    case transactionsPerSecond = "transactions/s"
    case objectsPerSecond = "objects/s"
    case jobsPerSecond = "jobs/s"
    case readsPerSecond = "reads/s"
    case gigabytesPerSecond = "GB/s"
    case bytes
    case ratio
}

/// The store that was measured, or the bare system for floors. `encrypted` is Regnum with a key, a
/// peer of `regnum` as the others are.
public enum Engine: String, Sendable, Encodable, CaseIterable {
    case regnum, encrypted, grdb, sqlite, lmdb, postgres, raw
}

/// All rounds of one workload on one engine. `values[i]` of all series of a workload were measured
/// in the same round.
public struct Series: Sendable {
    public let workload: String
    public let engine: Engine
    public let unit: Unit
    public internal(set) var values: [Double]

    public init(workload: String, engine: Engine, unit: Unit, values: [Double]) {
        self.workload = workload
        self.engine = engine
        self.unit = unit
        self.values = values
    }

    public var median: Double { Statistics.median(values) }
    public var low: Double { values.min() ?? 0 }
    public var high: Double { values.max() ?? 0 }
}

/// A participant in the rounds of a workload.
public struct Contender: Sendable {
    public let engine: Engine
    let round: @Sendable () async throws -> [Sample]

    /// - Parameter round: Does the work of one round. Must return the same workloads and units each
    ///   time.
    public init(_ engine: Engine, _ round: @escaping @Sendable () async throws -> [Sample]) {
        self.engine = engine
        self.round = round
    }
}

/// Runs the contenders in turn, round by round, so that other load on the machine affects all of
/// them alike. Each round starts with a different one; a first warm-up round isn't counted.
///
/// - Returns: A series for each workload and engine, in order of first appearance.
public func interleave(_ contenders: [Contender], rounds: Int) async throws -> [Series] {
    var series: [Series] = []
    for round in 0...rounds {
        for offset in contenders.indices {
            let contender = contenders[(offset + round) % contenders.count]
            let samples = try await contender.round()
            for sample in samples where round > 0 { keep(sample, contender.engine, in: &series) }
        }
    }
    return series
}

private func keep(_ sample: Sample, _ engine: Engine, in series: inout [Series]) {
    let known = series.firstIndex { $0.workload == sample.workload && $0.engine == engine }
    if let known {
        precondition(series[known].unit == sample.unit, "a workload keeps its unit")
        series[known].values.append(sample.value)
    } else {
        series.append(
            Series(
                workload: sample.workload, engine: engine, unit: sample.unit,
                values: [sample.value]))
    }
}
