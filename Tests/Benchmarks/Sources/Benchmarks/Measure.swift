import ArgumentParser
import BenchmarkKit
import Foundation

/// The command of the user: runs workloads, prints a line for each, writes the JSON.
struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the workloads and prints 'name value unit peer value ratio' for each.",
        discussion: """
            The value is the median of the rounds, the ratio is Regnum's value to the peer's, taken \
            round by round. Rounds of all engines are interleaved. Wall-clock numbers are for \
            people: look at them on a quiet machine.
            """)

    @Option(help: "Workloads to run, separated by commas: \(Catalog.names).")
    var only: String?

    @Option(help: "Engines to run, separated by commas, for profiles: \(Self.engineNames).")
    var engines: String?

    @Option(help: "A file for the results as a JSON array.")
    var json: String?

    @Option(help: "How often each engine is measured.")
    var rounds = 7

    @Option(help: "How many objects each store holds beforehand.")
    var objects = 10_000

    @Option(help: "Where the stores are made and removed again: on the disk to be measured.")
    var directory: String?

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds is 1 or more.") }
        guard objects >= 0 else { throw ValidationError("--objects is 0 or more.") }
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
        var all: [Series] = []
        print(Report.heading)
        for workload in workloads {
            let place = home.appending(path: workload.name)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let contenders = try await workload.contenders(
                Setting(directory: place, objectCount: objects))
            let series = try await interleave(
                contenders.filter { engines.contains($0.engine) }, rounds: rounds)
            for line in Report(series, floors: Catalog.floors).lines { print(line) }
            for note in workload.notes { print("# \(workload.name): \(note)") }
            all += series
            try FileManager.default.removeItem(at: place)
        }
        if let json {
            try Report(all, floors: Catalog.floors).json().write(to: URL(filePath: json))
        }
    }

    private func selection() throws -> [any Workload] {
        guard let only else { return Catalog.workloads.filter(\.isPartOfAll) }
        return try only.split(separator: ",").map { name in
            guard let workload = Catalog.workloads.first(where: { $0.name == name }) else {
                throw ValidationError("There is no workload '\(name)': choose of \(Catalog.names).")
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
                        "There is no engine '\(name)': choose of \(Self.engineNames).")
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
            \(objects) objects, seed \(People.seed), in \(home.path)
            """)
        #if DEBUG
            print("# This is a debug build: its numbers mean nothing.")
        #endif
    }
}
