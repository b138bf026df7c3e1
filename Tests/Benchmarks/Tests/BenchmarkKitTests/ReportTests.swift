import BenchmarkKit
import Foundation
import Synchronization
import Testing

@Suite struct ReportTests {
    private let series = [
        Series(workload: "floor", engine: .raw, unit: .microseconds, values: [100, 80, 90]),
        Series(workload: "2a", engine: .regnum, unit: .microseconds, values: [110, 100, 99]),
        Series(workload: "2a", engine: .sqlite, unit: .microseconds, values: [220, 200, 198]),
        Series(workload: "10c", engine: .regnum, unit: .microseconds, values: [-1.5, 12, 30.25]),
    ]

    private func fields(_ line: String) -> [String] {
        line.split(separator: " ").map(String.init)
    }

    @Test func aLineHasNameValueUnitPeerValueAndRatio() {
        let lines = Report(series, floors: ["2a": "floor"]).lines.map(fields)
        #expect(
            lines == [
                ["floor", "90.00", "us", "-", "-", "-", "80.00", "to", "100.0"],
                ["2a", "100.0", "us", "raw", "90.00", "1.10", "99.00", "to", "110.0"],
                ["2a", "100.0", "us", "sqlite", "200.0", "0.50", "99.00", "to", "110.0"],
                ["10c", "12.00", "us", "-", "-", "-", "-1.500", "to", "30.25"],
            ])
    }

    @Test func aWorkloadWithoutRegnumHasALineForEachPeer() {
        let peers = [
            Series(workload: "7a", engine: .sqlite, unit: .milliseconds, values: [20, 10, 12]),
            Series(workload: "7a", engine: .lmdb, unit: .milliseconds, values: [5, 6, 7]),
        ]
        let lines = Report(peers, floors: [:]).lines.map(fields)
        #expect(
            lines == [
                ["7a", "-", "ms", "sqlite", "12.00", "-", "10.00", "to", "20.00"],
                ["7a", "-", "ms", "lmdb", "6.000", "-", "5.000", "to", "7.000"],
            ])
    }

    @Test func theJSONHasAnElementForEachWorkloadAndEngine() throws {
        let json = try JSONSerialization.jsonObject(with: Report(series, floors: [:]).json())
        let entries = try #require(json as? [[String: Any]])
        try #require(entries.count == 4)
        #expect(
            Set(entries[1].keys)
                == ["workload", "engine", "value", "low", "high", "unit", "rounds"])
        #expect(entries[1]["workload"] as? String == "2a")
        #expect(entries[1]["engine"] as? String == "regnum")
        #expect(entries[1]["value"] as? Double == 100)
        #expect(entries[1]["low"] as? Double == 99)
        #expect(entries[1]["high"] as? Double == 110)
        #expect(entries[1]["unit"] as? String == "us")
        #expect(entries[1]["rounds"] as? Int == 3)
    }

    @Test(arguments: [
        (0.0123, "0.012"), (5.5, "5.500"), (42.123, "42.12"), (128.04, "128.0"),
        (246_301.4, "246301"), (-12.5, "-12.50"),
    ])
    func valuesHaveTheDigitsThatMeanSomething(_ value: Double, _ text: String) {
        #expect(format(value) == text)
    }

    @Test(arguments: [(1.0649, "1.06"), (0.004, "0.0040"), (36.44, "36.4"), (0.5, "0.50")])
    func ratiosHaveTheDigitsThatMeanSomething(_ ratio: Double, _ text: String) {
        #expect(formatRatio(ratio) == text)
    }

    @Test func roundsAreInterleavedStartWithAnotherEachTimeAndTheFirstIsNotCounted() async throws {
        let order = Mutex<[Engine]>([])
        let contenders = [Engine.regnum, .grdb, .sqlite].map { engine in
            Contender(engine) {
                let count = order.withLock { order in
                    order.append(engine)
                    return order.count
                }
                return [Sample("2a", Double(count), .microseconds)]
            }
        }
        let series = try await interleave(contenders, rounds: 2)
        let engines: [Engine] = [
            .regnum, .grdb, .sqlite, .grdb, .sqlite, .regnum, .sqlite, .regnum, .grdb,
        ]
        let measured = order.withLock { $0 }
        #expect(measured == engines)
        let index = try #require(series.map(\.engine).firstIndex(of: .regnum))
        let regnum = series[index]
        #expect(regnum.values == [6, 8])
        #expect(series.count == 3)
    }
}
