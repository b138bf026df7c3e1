import ArgumentParser
import Foundation
import Regnum

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Backs up a realm, or updates an earlier backup.",
        discussion: """
            Copies the newest state to a new directory, and reads the copy back. With --update, \
            adds the commits made since to an earlier backup, so that each of these versions can \
            be restored; if the realm no longer has these commits, a new backup is needed. Other \
            programs can keep using the realm.
            """)

    @Argument(help: "The directory of the realm.", transform: url)
    var path: URL

    @Argument(help: "The directory of the backup.", transform: url)
    var backup: URL

    @Flag(help: "Add to an existing backup.")
    var update = false

    @OptionGroup var keyOption: KeyOption

    func run() async throws {
        try await reportingFailures {
            let realm = try await openForReading(path, keyOption)
            let version: UInt64
            do {
                let (backup, update) = (backup, update)
                version = try await interruptible {
                    update
                        ? try await realm.updateBackup(at: backup)
                        : try await realm.backup(to: backup)
                }
            } catch {
                await realm.close()
                throw error
            }
            await realm.close()
            try OutputStream.standard.write(Array("backup of version \(version)\n".utf8))
        }
    }
}
