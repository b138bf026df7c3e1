import ArgumentParser
import Foundation
import Regnum

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Backs up a realm, or updates an earlier backup.",
        discussion: """
            Copies the newest state to a new directory, and reads the copy back. With --update, \
            adds the commits made since to an earlier backup, so that each of these versions can \
            be restored; if the realm no longer has these commits, a new backup is needed. With \
            --single-file, makes one file of the copy, a tar archive that all commands can read \
            and "restore" makes a realm of. Other programs can keep using the realm.
            """)

    @Argument(help: "The directory of the realm.", transform: url)
    var path: URL

    @Argument(help: "The directory of the backup, or its file.", transform: url)
    var backup: URL

    @Flag(help: "Add to an existing backup.")
    var update = false

    @Flag(help: "Make one file, which can't be updated.")
    var singleFile = false

    @OptionGroup var keyOption: KeyOption

    func validate() throws {
        if update, singleFile {
            throw ValidationError("Give either --update or --single-file, not both.")
        }
    }

    func run() async throws {
        try await reportingFailures {
            let realm = try await openForReading(path, keyOption)
            let version: UInt64
            do {
                let (backup, update, singleFile) = (backup, update, singleFile)
                version = try await interruptible {
                    if update { return try await realm.updateBackup(at: backup) }
                    if singleFile { return try await realm.writeCopy(toFile: backup) }
                    return try await realm.backup(to: backup)
                }
            } catch {
                await realm.close()
                throw error
            }
            await realm.close()
            try OutputStream.standard.write("backup of version \(version)\n")
        }
    }
}
