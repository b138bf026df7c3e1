import ArgumentParser

/// The command line tool `regnum` (`Docs/Tool.md`).
@main struct RegnumCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "regnum",
        abstract: "Inspects, compacts, backs up, restores, salvages, exports and imports realms.",
        discussion: """
            Inspecting a realm requires no Swift classes, changes nothing, and works while other \
            programs use it. Exit codes: 0 success; 1 damage found by verify, or content lost by \
            salvage; 64 invalid arguments; 65 invalid data; 66 not found; 73 invalid location; 74 \
            reading or writing failed; 75 in use, try again; 77 permission denied; 70 any other \
            error; 141 the reader of the output exited; 130 and others above 128: interrupted by a \
            signal.
            """,
        subcommands: [
            BackupCommand.self, CompactCommand.self, ExportCommand.self, ImportCommand.self,
            InfoCommand.self, QueryCommand.self, RestoreCommand.self, SalvageCommand.self,
            SchemaCommand.self, VerifyCommand.self,
        ])
}
