import Foundation
import Regnum
import RegnumWorkers
import TraitModels

#if Tracing
    import InMemoryTracing
    import Tracing
#endif

/// A process that uses a realm, and exits with 2 if the realm has another key.
///
///     peer DIRECTORY COUNT [KEY-FILE]   adds notes, each in a commit of its own
///     peer DIRECTORY mail               enqueues a job
///     peer DIRECTORY write|read|compact NAME KEY-FILE FORMER-KEY-FILE   see `KeyChange.swift`
@main struct Peer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard [3, 4, 6].contains(arguments.count) else { usage() }
        #if Tracing
            // the identities begin with the name of the program
            InstrumentationSystem.bootstrap(
                InMemoryTracer(
                    idGenerator: .init(
                        nextTraceID: { "peer-trace" }, nextSpanID: { "peer-\(UUID())" })))
        #endif
        var configuration = Realm.Configuration.ofTests(URL(filePath: arguments[1]))
        do {
            if arguments.count == 6 {
                configuration.encryptionKey = try Data(contentsOf: URL(filePath: arguments[4]))
                configuration.formerEncryptionKeys = [
                    try Data(contentsOf: URL(filePath: arguments[5]))
                ]
                return try await changeKey(configuration, arguments[2], arguments[3])
            }
            let count = Int(arguments[2])
            guard count != nil || arguments[2] == "mail" else { usage() }
            if arguments.count == 4 {
                configuration.encryptionKey = try Data(contentsOf: URL(filePath: arguments[3]))
            }
            let realm = try await Realm.open(configuration)
            if let count {
                try await realm.addNotes(count)
            } else {
                try await realm.write { tx in
                    try tx.enqueue(Mail(value: ["recipient": "peer"]))
                    return
                }
            }
            await realm.close()
        } catch let error as Realm.Error where error.code == .wrongKey {
            exit(2)
        }
    }

    private static func usage() -> Never {
        fatalError("The arguments don't fit; Peer.swift says what they are.")
    }
}
