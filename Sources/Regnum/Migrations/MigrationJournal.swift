internal import FoundationEssentials
internal import RegnumEngine

/// The calls of a migration block in order, with their results. Saved with the objects, so that a
/// block that runs again skips what was done.
///
/// Calls inside the body of `enumerateObjects` aren't recorded: they belong to the objects.
final class MigrationJournal {
    /// Thrown when the block makes different calls than before, so that the saved state can't be
    /// used.
    struct Mismatch: Error {}

    struct Call: Codable, Equatable {
        enum Kind: String, Codable {
            case rename, deleteProperty, deleteData, create, delete, visit
        }
        var kind: Kind
        /// Class, property, new name.
        var names: [String]

        static func == (left: Call, right: Call) -> Bool {
            left.kind == right.kind
                && left.names.elementsEqual(right.names) { equalUTF8($0, $1) }
        }
    }

    private struct Entry: Codable {
        var call: Call
        /// For `create`, the row; for `deleteData`, whether there was such a class.
        var result: UInt64?
    }

    /// The progress of `enumerateObjects`: the last entry, until it has completed.
    struct Visit: Codable {
        var next: UInt64 = 0
        /// Rows from this key on were created after it began.
        var end: UInt64
        var done = 0

        /// Whether an enumeration can have made this progress: the objects visited have different
        /// keys, all lower than `next`.
        fileprivate var isPossible: Bool { done >= 0 && done <= next && next <= Int64.max }
    }

    private struct Content: Codable {
        var entries: [Entry] = []
        var visit: Visit?
        var steps: MigrationSteps.State
    }

    private var entries: [Entry] = []
    private(set) var visit: Visit?
    /// The state of the steps when it was saved; `nil` for a block that starts from the beginning.
    let steps: MigrationSteps.State?
    /// The number of calls that were done when it was saved.
    private let doneCount: Int
    private var position = 0
    private(set) var isMismatched = false

    init() {
        steps = nil
        doneCount = 0
    }

    /// Decodes a saved journal. Returns `nil` if the bytes are invalid.
    init?(_ bytes: [UInt8]) {
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)),
            content.visit?.isPossible ?? true
        else { return nil }
        entries = content.entries
        visit = content.visit
        steps = content.steps
        doneCount = entries.count
    }

    func encoded(_ steps: MigrationSteps.State) throws -> [UInt8] {
        Array(try JSONEncoder().encode(Content(entries: entries, visit: visit, steps: steps)))
    }

    /// The result of a call that was done before.
    struct Done { var result: UInt64? }

    /// Returns the result of a call if it was done before the journal was saved, `nil` otherwise.
    func passes(_ kind: Call.Kind, _ names: [String]) throws(Realm.Error) -> Done? {
        guard position < doneCount else { return nil }
        let entry = entries[position]
        position += 1
        guard !isMismatched, entry.call == Call(kind: kind, names: names) else {
            isMismatched = true
            throw .otherMigrationCalls
        }
        return Done(result: entry.result)
    }

    /// Records a call that has been done.
    func note(_ kind: Call.Kind, _ names: [String], result: UInt64? = nil) {
        entries.append(Entry(call: Call(kind: kind, names: names), result: result))
        position += 1
    }

    /// Returns where `enumerateObjects` continues, or `nil` if it has completed.
    ///
    /// - Parameter end: The end of the rows to visit, if it begins now.
    func beginVisit(_ className: String, end: UInt64) throws(Realm.Error) -> Visit? {
        if try passes(.visit, [className]) != nil {
            return position == doneCount ? visit : nil
        }
        note(.visit, [className])
        visit = Visit(end: end)
        return visit
    }

    /// Whether all calls that were completed earlier have been repeated.
    var isPassed: Bool { position >= doneCount }

    /// Records that the block failed. If it was still repeating completed calls, for example
    /// because it read an object that a later one of them had deleted, the saved state can't be
    /// used.
    func noteFailure() { if !isPassed { isMismatched = true } }

    func update(_ visit: Visit?) { self.visit = visit }
}
