import ArgumentParser
import BenchmarkKit
import Foundation

/// The part of the memory workloads that runs in a separate process: fills a store, or opens and
/// scans it, then prints the memory used, in lines "name bytes".
struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    enum Work: String, ExpressibleByArgument, Sendable { case fill, scan }

    @Argument var work: Work
    @Argument var engine: String
    @Argument var directory: String
    @Option var objects: Int
    @Option var batch: Int?

    func run() async throws {
        guard let engine = Engine(rawValue: engine) else { throw Failure("No engine \(engine).") }
        print("start \(try processMemory("RssAnon"))")
        print("startPeak \(try processMemory("VmHWM"))")
        let place = URL(filePath: directory)
        let store = try await engine.open(in: place, StoreOptions(batch: batch))
        switch work {
        case .fill: try await store.insert(0..<objects, People.person)
        case .scan:
            let count = try await store.count(.agedAbove50AndScoreBelowHalf)
            print("answer \(count)")
        }
        print("anonymous \(try processMemory("RssAnon"))")
        print("peak \(try processMemory("VmHWM"))")
        try await store.close()
    }
}

/// The numbers that a `Probe` printed.
struct ProbeResult {
    private let numbers: [String: Int]

    /// Runs a probe to its end.
    static func of(
        _ work: Probe.Work, _ engine: Engine, in directory: URL, _ setting: Setting
    ) async throws -> ProbeResult {
        var arguments = [
            "probe", work.rawValue, engine.rawValue, directory.path,
            "--objects", String(setting.objectCount),
        ]
        if let batch = setting.batch { arguments += ["--batch", String(batch)] }
        let text = try await onThread { [arguments] in
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = arguments
            process.standardOutput = output
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw Failure("The process for \(engine.rawValue) failed.")
            }
            return String(decoding: data, as: UTF8.self)
        }
        var numbers: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            if fields.count == 2 { numbers[String(fields[0])] = Int(fields[1]) }
        }
        return ProbeResult(numbers: numbers)
    }

    func number(_ name: String) throws -> Int {
        guard let number = numbers[name] else { throw Failure("A probe printed no \(name).") }
        return number
    }
}
