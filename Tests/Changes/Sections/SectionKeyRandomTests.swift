import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Streams of sections with keys of all kinds under random writes: keys that are `nil` or NaN, that
/// sort alike (0.0 and -0.0, 1 and 1.0), that are canonically equal, and those of linked objects.
///
/// Each element must show the sections that plain Swift makes of the results, and the same as ones
/// that are determined anew. Its change set, applied to the previous sections, must yield them, and
/// report exactly the modified rows that stayed in place.
@Suite struct SectionKeyRandomTests {
    typealias Kinds = Log.Kinds
    typealias Line = Log.Line

    private struct Group: Equatable {
        /// A text that differs for keys that are stored in different ways.
        let key: [UInt8]
        var ids: [Int] = []

        static func key<Key>(_ key: Key) -> [UInt8] { Array("\(key)".utf8) }
    }

    private func groups<Key, Model>(
        _ rows: some Sequence<Frozen<Model>>, _ id: (Frozen<Model>) -> Int,
        _ key: (Frozen<Model>) -> Key
    ) -> [Group] {
        var groups: [Group] = []
        for row in rows {
            let text = Group.key(key(row))
            if let index = groups.firstIndex(where: { $0.key == text }) {
                groups[index].ids.append(id(row))
            } else {
                groups.append(Group(key: text, ids: [id(row)]))
            }
        }
        return groups
    }

    /// Describes what is wrong with sections.
    private func problem<Key, Model>(
        _ sections: FrozenSections<Key, Model>, _ live: LiveSections<Key, Model>,
        _ groups: [Group], _ id: (Frozen<Model>) -> Int
    ) -> String? {
        let found = sections.map { Group(key: Group.key($0.key), ids: $0.map(id)) }
        if found != groups { return "the sections are \(found), not \(groups)" }
        if sections != live.current { return "the sections aren't those determined anew" }
        for section in sections {
            guard let same = sections.section(forKey: section.key), same == section else {
                return "no section is found for \(section.key)"
            }
        }
        for (position, row) in sections.results.enumerated() where position % 3 == 0 {
            guard let path = sections.path(of: row), id(sections[path]) == id(row) else {
                return "\(id(row)) has another path"
            }
        }
        return nil
    }

    /// Describes what is wrong with a change set.
    private func problem<Key, Model>(
        _ delta: SectionChangeSet<Key, Model>, from old: [Group], to new: [Group],
        _ writes: RandomWrites
    ) -> String? {
        let arrays = [delta.deletions, delta.insertions, delta.modifications]
        let isAscending = arrays.allSatisfy { $0 == $0.sorted() }
        guard isAscending, delta.sectionDeletions == delta.sectionDeletions.sorted(),
            delta.sectionInsertions == delta.sectionInsertions.sorted()
        else { return "not ascending" }
        let (deletedKeys, insertedKeys) = (
            delta.deletedKeys.map { Group.key($0) }, delta.insertedKeys.map { Group.key($0) }
        )
        guard deletedKeys == delta.sectionDeletions.map({ old[$0].key }),
            insertedKeys == delta.sectionInsertions.map({ new[$0].key })
        else { return "other keys" }
        var made = old
        for path in delta.deletions.reversed() { made[path.section].ids.remove(at: path.row) }
        for section in delta.sectionDeletions.reversed() { made.remove(at: section) }
        for section in delta.sectionInsertions {
            made.insert(Group(key: new[section].key), at: section)
        }
        for path in delta.insertions {
            made[path.section].ids.insert(new[path.section].ids[path.row], at: path.row)
        }
        if made != new { return "the change set yields \(made)" }
        return modificationProblem(delta, from: old, to: new, writes)
    }

    private func modificationProblem<Key, Model>(
        _ delta: SectionChangeSet<Key, Model>, from old: [Group], to new: [Group],
        _ writes: RandomWrites
    ) -> String? {
        var expected: [(old: SectionPath, new: SectionPath)] = []
        for (section, group) in new.enumerated() where !delta.sectionInsertions.contains(section) {
            guard let before = old.firstIndex(where: { $0.key == group.key }) else {
                return "section \(section) isn't inserted"
            }
            for (row, id) in group.ids.enumerated() {
                guard let place = old[before].ids.firstIndex(of: id) else { continue }
                let path = SectionPath(section: section, row: row)
                let oldPath = SectionPath(section: before, row: place)
                if delta.insertions.contains(path) {
                    if !delta.deletions.contains(oldPath) { return "row \(id) isn't deleted" }
                    if !writes.touched.contains(id) { return "row \(id) wasn't touched" }
                } else if writes.maybeModified.contains(id) {
                    if delta.modifications.contains(oldPath) { expected.append((oldPath, path)) }
                } else if writes.modified.contains(id) {
                    if place != row { return "row \(id) isn't inserted" }
                    expected.append((oldPath, path))
                }
            }
        }
        expected.sort { $0.old < $1.old }
        return delta.modifications == expected.map(\.old)
            && delta.newModifications == expected.map(\.new)
            ? nil : "modified: \(delta.modifications) \(delta.newModifications), not \(expected)"
    }

    private func follow<Key, Model, Writer: RandomWriter>(
        _ realm: Realm, _ writer: Writer, _ live: LiveSections<Key, Model>,
        _ changes: SectionChanges<Key, Model>, id: (Frozen<Model>) -> Int,
        key: (Frozen<Model>) -> Key
    ) async throws {
        var writer = writer
        var stream = changes.makeAsyncIterator()
        guard case .initial(let first)? = try await stream.next(isolation: #isolation) else {
            throw RunFailure("the stream doesn't begin")
        }
        var old = groups(first.results, id, key)
        for _ in 0..<10 {
            writer.writes = RandomWrites()
            let count = 1 + writer.random.below(3)
            for number in 1...count {
                writer = try await realm.write { [writer] tx in
                    var writer = writer
                    for _ in 0...writer.random.below(4) { try writer.change(tx) }
                    if number == count { try writer.end(tx) }
                    return writer
                }
            }
            guard
                case .update(let sections, let delta)? = try await stream.next(
                    isolation: #isolation)
            else { throw RunFailure("the stream has ended") }
            let new = groups(sections.results, id, key)
            let mistake =
                problem(sections, live, new, id)
                ?? problem(delta, from: old, to: new, writer.writes)
            if let mistake { throw RunFailure("\(mistake)\n\(delta)\nfrom \(old)\nto \(new)") }
            old = new
        }
        await realm.close()
    }

    private func runKinds(_ number: Int, _ seed: UInt64) async throws {
        let realm = try await Realm.temporary(Log.types)
        var random = SeededRandom(seed)
        let ascending = random.oneIn(2)
        let policy: ChangePolicy = random.oneIn(4) ? .newest : .coalesce
        let writer = KindsWriter(random: random)
        let kinds = realm.objects(Kinds.self)
        func follow<Key>(
            _ live: LiveSections<Key, Kinds>, _ key: (Frozen<Kinds>) -> Key
        ) async throws {
            try await self.follow(
                realm, writer, live, live.changes(policy: policy), id: { $0.id }, key: key)
        }
        switch number % 10 {
        case 0:
            let live = kinds.sectioned(by: \.maybeDouble, ascending: ascending)
            try await follow(live) { $0.maybeDouble }
        case 1:
            let live = kinds.sectioned(by: \.maybeText, ascending: ascending)
            try await follow(live) { $0.maybeText }
        case 2:
            let live = kinds.sectioned(by: \.decimal, ascending: ascending)
            try await follow(live) { $0.decimal }
        case 3:
            let live = kinds.sectioned(by: \.any, ascending: ascending)
            try await follow(live) { $0.any }
        case 4:
            let live = kinds.sectioned(by: \.maybeMood, ascending: ascending)
            try await follow(live) { $0.maybeMood }
        case 5:
            let live = kinds.sectioned(by: \.text, ascending: ascending)
            try await follow(live) { $0.text }
        case 6:
            let live = kinds.sectioned(
                by: \.any, sortDescriptors: [.descending(\.any), .ascending(\.number)])
            try await follow(live) { $0.any }
        case 7:
            let live = kinds.sectioned(sortDescriptors: [.ascending(\.number)]) { $0.maybeDouble }
            try await follow(live) { $0.maybeDouble }
        case 8:
            let live = kinds.sectioned(sortDescriptors: []) { $0.any }
            try await follow(live) { $0.any }
        default:
            // what a write adds last comes first
            let live = kinds.limited(to: 7).sectioned(
                by: \.maybeDouble, sortDescriptors: [.ascending(\.maybeDouble), .descending(\.id)])
            try await follow(live) { $0.maybeDouble }
        }
    }

    private func runLines(_ number: Int, _ seed: UInt64) async throws {
        let realm = try await Realm.temporary(Log.types)
        var writer = LineWriter(random: SeededRandom(seed))
        let policy: ChangePolicy = writer.random.oneIn(4) ? .newest : .coalesce
        let live = realm.objects(Line.self).sectioned(
            by: \.author?.name, sortDescriptors: [.ascending(\.author?.name), .ascending(\.level)])
        let changes: SectionChanges<String?, Line>
        switch number % 3 {
        case 0:
            writer.followsAuthors = true
            changes = live.changes(policy: policy)
        case 1: changes = live.changes(depth: 0, policy: policy)
        default:
            writer.followsOnlyTexts = true
            changes = live.changes(keyPaths: [\.text], policy: .coalesce)
        }
        try await follow(realm, writer, live, changes, id: { $0.id }, key: { $0.author?.name })
    }

    // Covers 2.108, 4.46, 4.47, 4.48, O45, O46, O48
    @Test func keysOfAllKindsAreFollowed() async throws {
        let runs = NumberedRuns(
            "SectionKeyRandomTests.kinds", count: Effort.count(gate: 100, soak: 2_000))
        try await runs.run { try await runKinds($0, $1) }
    }

    // Covers 2.108, 4.50, O45, O46, O48
    @Test func keysOfLinkedObjectsAreFollowed() async throws {
        let runs = NumberedRuns(
            "SectionKeyRandomTests.lines", count: Effort.count(gate: 60, soak: 1_200))
        try await runs.run { try await runLines($0, $1) }
    }
}
