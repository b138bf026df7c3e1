import ArgumentParser
import Foundation
import Regnum
import RegnumJSON

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Shows the stored classes of a realm.")

    @Argument(help: "The directory of the realm.", transform: url)
    var path: URL

    @OptionGroup var keyOption: KeyOption

    func run() async throws {
        try await reportingFailures {
            let realm = try await openForReading(path, keyOption)
            let snapshot = realm.snapshot()
            var text = "schema version \(snapshot.schemaVersion)\n"
            for (stored, _) in snapshot.storedClasses {
                let base =
                    stored.isEmbedded
                    ? "EmbeddedObject" : stored.isAsymmetric ? "AsymmetricObject" : "Object"
                text += "\n\(stored.name.inOneLine): \(base)\n"
                for property in stored.properties {
                    text += "    " + "\(property.name): \(property.swiftType)".inOneLine
                    if property.isPrimaryKey {
                        text += "  // primary key"
                    } else if property.isIndexed {
                        text += "  // indexed"
                    } else if property.isFullTextIndexed {
                        text += "  // full-text indexed"
                    } else if property.isGeoIndexed {
                        text += "  // with a geospatial index"
                    }
                    text += "\n"
                }
            }
            try OutputStream.standard.write(text)
            await realm.close()
        }
    }
}
