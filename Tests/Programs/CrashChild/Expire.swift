import FoundationEssentials
import Glibc
import Regnum
import RegnumWorkers

/// An object that expires.
final class Lapse: Object {
    @Persisted var number: Int
    @Persisted(indexed: true) var expiresAt: Date
}

/// Removes lapses when they expire until the signal, as one of several processes, and counts each
/// in a tally. Prints "removing COUNT" before each transaction's end, and "early NUMBER" for each
/// one that hasn't expired.
func expire(_ path: String, _ terminationSignal: TerminationSignal) async throws {
    StandardInput.exitAtEnd()
    // until it has begun
    terminationSignal.onArrival { exit(0) }
    let realm = try await Realm.open(
        Realm.Configuration(
            location: .file(URL(filePath: path)), objectTypes: [Lapse.self, Tally.self]))
    var options = ExpiryOptions()
    options.batchSize = 5
    options.logger = nil
    let removal = terminationSignal.task { [options] in
        try await realm.removeExpired(Lapse.self, at: \.expiresAt, options: options) { tx, lapses in
            for lapse in lapses {
                if lapse.expiresAt > Date() { printLine("early \(lapse.number)") }
                let tally =
                    try tx.object(Tally.self, forPrimaryKey: lapse.number)
                    ?? tx.create(Tally.self, value: ["number": lapse.number])
                tally.count += 1
            }
            printLine("removing \(lapses.count)")
        }
    }
    try await removal.value
    await realm.close()
}
