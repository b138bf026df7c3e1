import ArgumentParser

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measures Regnum and its peers through their public interfaces.",
        subcommands: [Measure.self, Observe.self, Probe.self],
        defaultSubcommand: Measure.self)
}
