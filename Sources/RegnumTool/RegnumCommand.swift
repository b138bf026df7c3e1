import ArgumentParser

/// The command line tool `regnum` (`Docs/Tool.md`).
@main struct RegnumCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regnum",
        abstract: "Looks into realms, and carries their content in and out as JSON lines.",
        discussion: """
            Realms are looked into without their Swift classes and without being changed, also while \
            programs use them. Exit codes: 0 done; 64 wrong arguments; 65 wrong data; 66 not there; 73 \
            cannot be created; 74 reading or writing failed; 75 in use, try again; 77 no permission; 70 \
            anything else; 141 the reader of the output is gone.
            """,
        subcommands: [
            ExportCommand.self, ImportCommand.self, SchemaCommand.self, StatsCommand.self,
        ])
}
