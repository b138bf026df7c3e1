public import Foundation

/// The results as text and JSON.
public struct Report {
    /// One element of the JSON array.
    struct Entry: Encodable {
        var workload: String
        var engine: Engine
        /// The median of the rounds.
        var value: Double
        /// The smallest and the largest round.
        var low: Double
        var high: Double
        var unit: Unit
        var rounds: Int
    }

    private let series: [Series]
    private let floors: [String: String]

    /// - Parameter floors: For a workload the one that bounds it from below, measured on the bare
    ///   system in the same rounds; it becomes a peer of the workload.
    public init(_ series: [Series], floors: [String: String]) {
        self.series = series
        self.floors = floors
    }

    /// The heading of the lines.
    public static let heading =
        columns("name", "value", "unit", "peer", "value", "ratio", "low to high")

    /// For each workload of Regnum a line per peer: `name value unit peer value ratio`, then
    /// Regnum's lowest and highest round. The ratio is Regnum's value to the peer's, as the median
    /// over the rounds. A floor, and a workload without a peer, has one line. Where Regnum didn't
    /// take part, there is a line per peer with the peer's lowest and highest round.
    public var lines: [String] {
        series.flatMap { series -> [String] in
            if series.engine == .raw { return [Self.line(series, nil)] }
            guard series.engine == .regnum else {
                return isMeasuredOnRegnum(series.workload) ? [] : [Self.lineWithoutRegnum(series)]
            }
            let peers = peers(of: series)
            return peers.isEmpty
                ? [Self.line(series, nil)] : peers.map { Self.line(series, $0) }
        }
    }

    /// Returns the JSON array, with an element for each workload and engine.
    public func json() throws -> Data {
        let entries = series.map { series in
            Entry(
                workload: series.workload, engine: series.engine, value: series.median,
                low: series.low, high: series.high, unit: series.unit,
                rounds: series.values.count)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(entries)
    }

    private func peers(of series: Series) -> [Series] {
        self.series.filter { other in
            other.engine != .regnum
                && (other.workload == series.workload || other.workload == floors[series.workload])
        }
    }

    private func isMeasuredOnRegnum(_ workload: String) -> Bool {
        series.contains { $0.engine == .regnum && $0.workload == workload }
    }

    private static func lineWithoutRegnum(_ peer: Series) -> String {
        columns(
            peer.workload, "-", peer.unit.rawValue, peer.engine.rawValue, format(peer.median), "-",
            "\(format(peer.low)) to \(format(peer.high))")
    }

    private static func line(_ series: Series, _ peer: Series?) -> String {
        let ratio = peer.flatMap { Statistics.medianRatio(series.values, to: $0.values) }
        return columns(
            series.workload, format(series.median), series.unit.rawValue,
            peer?.engine.rawValue ?? "-", peer.map { format($0.median) } ?? "-",
            ratio.map(formatRatio) ?? "-", "\(format(series.low)) to \(format(series.high))")
    }

    private static func columns(
        _ name: String, _ value: String, _ unit: String, _ peer: String, _ peerValue: String,
        _ ratio: String, _ range: String
    ) -> String {
        [
            pad(name, 20), padLeft(value, 10), pad(unit, 14), pad(peer, 9), padLeft(peerValue, 10),
            padLeft(ratio, 8), range,
        ].joined(separator: " ")
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func padLeft(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

/// Formats a value with its significant digits: three below 1,000, no decimals above.
public func format(_ value: Double) -> String {
    switch abs(value) {
    case 1_000...: String(format: "%.0f", value)
    case 100...: String(format: "%.1f", value)
    case 10...: String(format: "%.2f", value)
    default: String(format: "%.3f", value)
    }
}

/// Formats a ratio: two decimals, more below 0.1, one above 10.
public func formatRatio(_ ratio: Double) -> String {
    switch abs(ratio) {
    case 10...: String(format: "%.1f", ratio)
    case 0.1...: String(format: "%.2f", ratio)
    default: String(format: "%.4f", ratio)
    }
}
