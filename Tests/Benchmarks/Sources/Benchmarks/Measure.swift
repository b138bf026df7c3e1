import ArgumentParser
import BenchmarkKit
import Foundation

/// The main command: runs workloads, prints a line for each, and writes the JSON.
struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the workloads and prints 'name value unit peer value ratio' for each.",
        discussion: """
            The value is the median of the rounds, the ratio is Regnum's value to the peer's, \
            taken round by round. Rounds of all engines are interleaved. Wall-clock numbers are \
            only meaningful on a quiet machine.
            """)

    @Option(help: "Workloads to run, separated by commas: \(Catalog.names).")
    var only: String?

    @Option(help: "Engines to run, separated by commas, for profiles: \(Self.engineNames).")
    var engines: String?

    @Option(help: "A file for the results as a JSON array.")
    var json: String?

    @Option(help: "How often each engine is measured.")
    var rounds = 7

    @Option(help: "How many objects the stores of 1, 3 to 9, 11 and 12 hold.")
    var objects = 1_000_000

    @Option(help: "How many objects the stores of 2a, 2b, 2c and 10c hold beforehand.")
    var stored = 10_000

    @Option(help: "How many objects Regnum inserts per transaction (default: all).")
    var batch: Int?

    @Option(help: "The most objects of 'growth', which begins with 10,000.")
    var maximumGrowth = 10_000_000

    @Option(help: "Where the stores are created and removed again: on the disk to be measured.")
    var directory: String?

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds must be at least 1.") }
        guard objects >= 1_000 else { throw ValidationError("--objects must be at least 1,000.") }
        guard stored >= 0 else { throw ValidationError("--stored must not be negative.") }
        guard batch ?? 1 > 0 else { throw ValidationError("--batch must be at least 1.") }
        _ = try selection()
        _ = try engineSelection()
    }

    func run() async throws {
        let workloads = try selection()
        let engines = try engineSelection()
        let parent = directory.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let home = parent.appending(
            path: "regnum-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }

        printCircumstances(home)
        let stock = Stock(home.appending(path: "stock"), objectCount: objects, batch: batch)
        var all: [Series] = []
        var failed: [String] = []
        print(Report.heading)
        for workload in workloads {
            do {
                all += try await measure(workload, setting(home, workload, engines, stock))
            } catch {
                // The others are still worth running; the command fails at the end.
                print("# \(workload.name): FAILED: \(error)")
                failed.append(workload.name)
            }
        }
        try await stock.close()
        if let json {
            try Report(all, floors: Catalog.floors).json().write(to: URL(filePath: json))
        }
        guard failed.isEmpty else {
            throw Failure("Not measured, see above: \(failed.joined(separator: ", ")).")
        }
    }

    private func setting(
        _ home: URL, _ workload: any Workload, _ engines: Set<Engine>, _ stock: Stock
    ) -> Setting {
        Setting(
            directory: home.appending(path: workload.name), engines: engines,
            objectCount: objects, storedCount: stored, batch: batch, maximumGrowth: maximumGrowth,
            stock: stock, readIDs: People.randomIDs(Setting.readCount, below: objects, 3))
    }

    /// Runs one workload and prints its lines.
    private func measure(_ workload: any Workload, _ setting: Setting) async throws -> [Series] {
        let place = setting.directory
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let contenders = try await workload.contenders(setting)
        let series = try await interleave(
            contenders.filter { setting.engines.contains($0.engine) },
            rounds: min(rounds, workload.maximumRounds ?? rounds))
        for line in Report(series, floors: Catalog.floors).lines { print(line) }
        for note in workload.notes { print("# \(workload.name): \(note)") }
        for engine in Engine.stores where setting.engines.contains(engine) {
            guard let reason = engine.absence else { continue }
            print("# \(workload.name): \(engine.rawValue): \(reason).")
        }
        fflush(nil)
        return series
    }

    private func selection() throws -> [any Workload] {
        guard let only else { return Catalog.workloads.filter(\.isPartOfAll) }
        return try only.split(separator: ",").map { name in
            guard let workload = Catalog.workloads.first(where: { $0.name == name }) else {
                throw ValidationError("Unknown workload '\(name)'. Choose from \(Catalog.names).")
            }
            return workload
        }
    }

    private func engineSelection() throws -> Set<Engine> {
        guard let engines else { return Set(Engine.allCases) }
        return try Set(
            engines.split(separator: ",").map { name in
                guard let engine = Engine(rawValue: String(name)) else {
                    throw ValidationError(
                        "Unknown engine '\(name)'. Choose from \(Self.engineNames).")
                }
                return engine
            })
    }

    private static var engineNames: String {
        Engine.allCases.map(\.rawValue).joined(separator: ", ")
    }

    private func printCircumstances(_ home: URL) {
        let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? "?"
        let cores = ProcessInfo.processInfo.activeProcessorCount
        print(
            """
            # \(cores) cores, load \(load.prefix { $0 != " " }), \(rounds) rounds, \
            \(objects) objects\(batch.map { " in batches of \($0)" } ?? ""), \(stored) stored, \
            seed \(People.seed), in \(home.path)
            """)
        #if DEBUG
            print("# This is a debug build: its numbers are meaningless.")
        #endif
    }
}
