import ArgumentParser
import Foundation
import Regnum
import RegnumJSON

struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Writes the objects that match a predicate as JSON lines.",
        discussion: """
            The predicate has the syntax of Docs/Predicates.md, with the stored names of \
            properties: "age > 3 AND owner.name BEGINSWITH 'A' SORT(name ASC) LIMIT(20)". Each \
            object is written on one line, in the same form as by export.
            """)

    @Argument(help: "The directory of the realm.", transform: url)
    var path: URL

    @Argument(help: "The class of the objects.")
    var className: String

    @Argument(help: "The predicate. By default, all objects match.")
    var predicate = "TRUEPREDICATE"

    @OptionGroup var keyOption: KeyOption

    func run() async throws {
        try await reportingFailures {
            let realm = try await openForReading(path, keyOption)
            let output = OutputStream.standard
            try await realm.snapshot().exportJSON(className, matching: predicate) {
                try output.write($0)
            }
            await realm.close()
        }
    }
}
