internal import FoundationEssentials

/// The calls of a migration's block in their order, with what they gave: saved with the objects, so that a
/// block that runs once more passes over what was done.
///
/// Calls inside the body of `enumerateObjects` are not told: they belong to the objects.
final class MigrationJournal {
    /// The block made other calls than it did before: what was saved is of no use.
    struct Mismatch: Error {}

    struct Call: Codable, Equatable {
        enum Kind: String, Codable {
            case rename, deleteProperty, deleteData, create, delete, visit
        }
        var kind: Kind
        /// Class, property, new name.
        var names: [String]
    }

    private struct Entry: Codable {
        var call: Call
        /// Of `create` the row; of `deleteData` whether there was such a class.
        var result: UInt64?
    }

    /// How far `enumerateObjects` has come: the last entry, unless it is at its end.
    struct Visit: Codable {
        var next: UInt64 = 0
        /// Rows from here on were made since it began.
        var end: UInt64
        var done = 0
    }

    private struct Content: Codable {
        var entries: [Entry] = []
        var visit: Visit?
        var steps: MigrationSteps.State
    }

    private var entries: [Entry] = []
    private(set) var visit: Visit?
    /// What the steps knew when it was saved; nil for a block that begins.
    let steps: MigrationSteps.State?
    /// The calls that were done when it was saved.
    private let doneCount: Int
    private var position = 0
    private(set) var isMismatched = false

    init() {
        steps = nil
        doneCount = 0
    }

    /// Nil for bytes that are none.
    init?(_ bytes: [UInt8]) {
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)) else {
            return nil
        }
        entries = content.entries
        visit = content.visit
        steps = content.steps
        doneCount = entries.count
    }

    func encoded(_ steps: MigrationSteps.State) throws -> [UInt8] {
        Array(try JSONEncoder().encode(Content(entries: entries, visit: visit, steps: steps)))
    }

    /// A call was done before: what it gave.
    struct Done { var result: UInt64? }

    /// Whether a call that the block makes was done before it was saved.
    func passes(_ kind: Call.Kind, _ names: [String]) throws(Realm.Error) -> Done? {
        guard position < doneCount else { return nil }
        let entry = entries[position]
        position += 1
        guard !isMismatched, entry.call == Call(kind: kind, names: names) else {
            isMismatched = true
            throw Realm.Error(
                .migrationFailed,
                "The migration made other calls than before it was killed, and begins anew.")
        }
        return Done(result: entry.result)
    }

    /// Notes a call that has been done.
    func note(_ kind: Call.Kind, _ names: [String], result: UInt64? = nil) {
        entries.append(Entry(call: Call(kind: kind, names: names), result: result))
        position += 1
    }

    /// Where `enumerateObjects` goes on; nil if it is at its end.
    ///
    /// - Parameter end: of the rows that it visits, if it begins.
    func beginVisit(_ className: String, end: UInt64) throws(Realm.Error) -> Visit? {
        if try passes(.visit, [className]) != nil {
            return position == doneCount ? visit : nil
        }
        note(.visit, [className])
        visit = Visit(end: end)
        return visit
    }

    /// Whether all calls that were done before were made again.
    var isPassed: Bool { position >= doneCount }

    func update(_ visit: Visit?) { self.visit = visit }
}
