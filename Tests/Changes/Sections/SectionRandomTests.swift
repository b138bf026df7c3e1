import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams of sections against plain Swift: random writes, several between two elements; each
/// change set, applied to the old sections of the model, must yield the new ones, and report
/// exactly the modified rows that stayed in place.
@Suite struct SectionRandomTests {
    typealias Line = Log.Line

    private struct Row: Equatable {
        let id: Int
        var room: String
        var text: String
        var level: Int?
        /// The number of the last write that set a property.
        var write = 0
        /// The number of the last write that set the text.
        var textWrite = 0
    }

    private struct Group: Equatable {
        let key: String
        var rows: [Row]
    }

    /// A way to divide the lines, and a stream that does it.
    private enum Division: CaseIterable {
        /// By a property.
        case room
        /// By a property, with key paths that don't include it.
        case roomOfText
        /// By a closure, in order of creation.
        case initial
        /// By a closure, with key paths.
        case initialOfText
        /// One section.
        case onlyB

        func key(_ row: Row) -> String {
            switch self {
            case .room, .roomOfText, .onlyB: row.room
            case .initial, .initialOfText: String(row.text.prefix(1))
            }
        }

        /// Whether only the text counts as modified.
        var isFiltered: Bool { self == .roomOfText || self == .initialOfText }

        /// Returns the sections of rows that are in the order of their creation.
        func groups(_ rows: [Row]) -> [Group] {
            var sorted = rows
            switch self {
            case .room, .roomOfText, .onlyB:
                // descending levels, nil last; ties in the order of creation
                let numbered = rows.enumerated().sorted {
                    ($0.element.room, -($0.element.level ?? -1), $0.offset)
                        < ($1.element.room, -($1.element.level ?? -1), $1.offset)
                }
                sorted = numbered.map(\.element)
            case .initial, .initialOfText: sorted.sort { $0.id < $1.id }
            }
            var groups: [Group] = []
            for row in sorted {
                if let index = groups.firstIndex(where: { $0.key == key(row) }) {
                    groups[index].rows.append(row)
                } else {
                    groups.append(Group(key: key(row), rows: [row]))
                }
            }
            return groups
        }

        func changes(_ realm: Realm, _ policy: ChangePolicy) -> SectionChanges<String, Line> {
            let lines = realm.objects(Line.self)
            let byRoom = lines.sectioned(
                by: \.room, sortDescriptors: [.ascending(\.room), .descending(\.level)])
            let byInitial = lines.sectioned(sortDescriptors: [.ascending(\.id)]) {
                String($0.text.prefix(1))
            }
            return switch self {
            case .room: byRoom.changes(policy: policy)
            case .roomOfText: byRoom.changes(keyPaths: [\.text], policy: policy)
            case .initial: byInitial.changes(policy: policy)
            case .initialOfText: byInitial.changes(keyPaths: [\.text], policy: policy)
            case .onlyB: byRoom.section(forKey: "b").changes(policy: policy)
            }
        }
    }

    /// The lines of a realm, and their model.
    private struct Writer {
        var random: SeededRandom
        /// In the order of creation.
        var rows: [Row] = []
        private var nextID = 1
        private(set) var write = 0

        init(_ seed: UInt64) { random = SeededRandom(seed) }

        private mutating func text() -> String { random.oneOf(["a", "b", "c", "d"]) + "x" }

        private mutating func level() -> Int? { random.oneIn(3) ? nil : random.below(3) }

        /// Applies some changes.
        mutating func change(_ tx: Transaction) throws {
            write += 1
            for _ in 0...random.below(4) {
                guard !rows.isEmpty, !random.oneIn(4) else {
                    let row = Row(
                        id: nextID, room: random.oneOf(["a", "b", "c", "d"]), text: text(),
                        level: level(), write: write, textWrite: write)
                    nextID += 1
                    try tx.add(Line(row.id, row.room, row.text, level: row.level))
                    rows.append(row)
                    continue
                }
                let index = random.below(rows.count)
                let line = try tx.line(rows[index].id)
                rows[index].write = write
                switch random.below(5) {
                case 0:
                    tx.delete(line)
                    rows.remove(at: index)
                case 1:
                    rows[index].room = random.oneOf(["a", "b", "c", "d"])
                    line.room = rows[index].room
                case 2:
                    rows[index].level = level()
                    line.level = rows[index].level
                default:
                    rows[index].text = text()
                    rows[index].textWrite = write
                    line.text = rows[index].text
                }
            }
        }
    }

    /// Describes what is wrong with a change set.
    private func problem(
        _ delta: SectionChangeSet<String, Line>, _ division: Division, from old: [Group],
        to new: [Group], since write: Int
    ) -> String? {
        // deleted rows of kept sections, as they were
        guard delta.deletions == delta.deletions.sorted(),
            delta.insertions == delta.insertions.sorted(),
            delta.sectionDeletions == delta.sectionDeletions.sorted(),
            delta.sectionInsertions == delta.sectionInsertions.sorted()
        else { return "not ascending" }
        if delta.deletions.contains(where: { delta.sectionDeletions.contains($0.section) }) {
            return "a row of a deleted section is listed"
        }
        let deleted = delta.deletions.map { old[$0.section].rows[$0.row] }
        guard delta.deleted.map(\.id) == deleted.map(\.id),
            delta.deleted.map(\.text) == deleted.map(\.text)
        else { return "other rows are deleted" }
        guard delta.deletedKeys == delta.sectionDeletions.map({ old[$0].key }),
            delta.insertedKeys == delta.sectionInsertions.map({ new[$0].key })
        else { return "other keys" }
        if division != .onlyB {
            var made = old
            for path in delta.deletions.reversed() { made[path.section].rows.remove(at: path.row) }
            for section in delta.sectionDeletions.reversed() { made.remove(at: section) }
            for section in delta.sectionInsertions {
                made.insert(Group(key: new[section].key, rows: []), at: section)
            }
            for path in delta.insertions {
                made[path.section].rows.insert(new[path.section].rows[path.row], at: path.row)
            }
            guard made.map(\.key) == new.map(\.key),
                made.map({ $0.rows.map(\.id) }) == new.map({ $0.rows.map(\.id) })
            else { return "the change set yields \(made.map { ($0.key, $0.rows.map(\.id)) })" }
        }
        return modificationProblem(delta, division, from: old, to: new, since: write)
    }

    /// A modified row is a modification if its section and row are the same as before, and
    /// otherwise deleted and inserted.
    private func modificationProblem(
        _ delta: SectionChangeSet<String, Line>, _ division: Division, from old: [Group],
        to new: [Group], since write: Int
    ) -> String? {
        var expected: [(old: SectionPath, new: SectionPath)] = []
        for (section, group) in new.enumerated() {
            for (position, row) in group.rows.enumerated() {
                if division == .onlyB, group.key != "b" { continue }
                let path = SectionPath(section: section, row: position)
                let isModified = (division.isFiltered ? row.textWrite : row.write) > write
                let isListed = delta.insertions.contains(path)
                guard !delta.sectionInsertions.contains(section),
                    let before = old.firstIndex(where: { $0.key == group.key }),
                    let place = old[before].rows.firstIndex(where: { $0.id == row.id })
                else {
                    // inserted, or in another section before
                    if !isListed { return "row \(row.id) isn't inserted" }
                    continue
                }
                let oldPath = SectionPath(section: before, row: place)
                guard isModified, place == position else {
                    if isModified, !isListed { return "row \(row.id) isn't inserted" }
                    continue
                }
                if isListed {
                    // a change of the order moves rows whose positions are the same in the end
                    if !delta.deletions.contains(oldPath) { return "row \(row.id) isn't deleted" }
                    continue
                }
                expected.append((oldPath, path))
            }
        }
        expected.sort { $0.old < $1.old }
        return delta.modifications == expected.map(\.old)
            && delta.newModifications == expected.map(\.new)
            ? nil : "modified: \(delta.modifications) \(delta.newModifications), not \(expected)"
    }

    private func run(_ number: Int, _ seed: UInt64) async throws {
        let realm = try await Realm.temporary(Log.types)
        var random = SeededRandom(seed)
        var writer = Writer(random.next())
        let division = Division.allCases[number % Division.allCases.count]
        // a comparison of versions doesn't tell which properties were set to equal values
        let compares = !division.isFiltered && random.oneIn(4)
        let policy: ChangePolicy = compares ? .newest : .coalesce
        var stream = division.changes(realm, policy).makeAsyncIterator()
        var (groups, lastWrite): ([Group], Int) = ([], 0)
        guard case .initial(let empty)? = try await stream.next(isolation: #isolation),
            empty.isEmpty
        else { throw RunFailure("the stream doesn't begin with nothing") }
        for _ in 0..<12 {
            for _ in 0...writer.random.below(3) {
                writer = try await realm.write { [writer] tx in
                    var writer = writer
                    try writer.change(tx)
                    return writer
                }
            }
            // one that no other change can undo, so that there is an element
            let id = 1_000_000 + writer.write
            try await realm.write { try $0.add(Line(id, "b", "end")) }
            writer.rows.append(
                Row(
                    id: id, room: "b", text: "end", level: nil, write: writer.write,
                    textWrite: writer.write))
            guard
                case .update(let sections, let delta)? = try await stream.next(
                    isolation: #isolation)
            else { throw RunFailure("the stream has ended") }
            let new = division.groups(writer.rows)
            let found = sections.map { Group(key: $0.key, rows: $0.map(row)) }
            guard found.map(\.key) == new.map(\.key),
                found.map({ $0.rows.map(\.id) }) == new.map({ $0.rows.map(\.id) })
            else { throw RunFailure("\(division): other sections: \(found), not \(new)") }
            if let problem = problem(delta, division, from: groups, to: new, since: lastWrite) {
                throw RunFailure("\(division): \(problem)\n\(delta)\nfrom \(groups)\nto \(new)")
            }
            (groups, lastWrite) = (new, writer.write)
        }
        await realm.close()
    }

    private func row(_ line: Frozen<Line>) -> Row {
        Row(id: line.id, room: line.room, text: line.text, level: line.level)
    }

    // Covers 4.46, 4.47, 4.48, 4.49, 4.50, O45, O46, O47
    @Test func changeSetsTurnOldSectionsIntoNewOnes() async throws {
        let runs = NumberedRuns(
            "SectionRandomTests", count: Effort.count(gate: 400, soak: 8_000))
        try await runs.run { try await run($0, $1) }
    }
}
