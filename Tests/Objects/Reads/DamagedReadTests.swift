import Foundation
import RegnumEngine
import RegnumTestSupport
import Synchronization
import Testing

@testable import Regnum
@testable import RegnumTestModels

final class DamagedItem: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var kind: String
    @Persisted(indexed: true) var shelf: Int
    @Persisted var name: String
    @Persisted var note: String?
    @Persisted var weight: Double
    @Persisted var next: DamagedItem?
    @Persisted var tags: List<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "next") var previous: LinkingObjects<DamagedItem>

    var label: String { "\(name) \(weight)" }
}

private final class Calls: Sendable {
    let count = Atomic(0)
}

/// Flipped bits in a nodes file: every view returns what was stored, or the error.
@Suite struct DamagedReadTests {
    private static let count = 1_100

    private let folder: RealmFolder
    private let configuration: Realm.Configuration

    init() throws {
        folder = try RealmFolder()
        var configuration = folder.configuration("test.realm", [DamagedItem.self])
        configuration.logger = nil
        configuration.adjust = { $0.checkpoint.isOn = false }
        self.configuration = configuration
    }

    /// Makes a closed realm whose content is in a nodes file, and returns the file.
    private func makeRealm() async throws -> URL {
        var closing = configuration
        closing.adjust = { options in
            options.checkpoint.isOn = true
            options.checkpoint.minimumClosingByteCount = 1
        }
        let realm = try await Realm.open(closing)
        try await realm.write { tx in
            var last: DamagedItem?
            for number in 0..<Self.count {
                let item = DamagedItem()
                item.number = number
                item.kind = "kind \(number % 7)"
                item.shelf = 1
                item.name = "the name of the item \(number)"
                item.note = number % 3 == 0 ? nil : String(repeating: "note ", count: number % 9)
                item.weight = Double(number) / 4
                item.next = last
                item.tags.append(objectsIn: (0..<number % 4).map { "tag \($0)" })
                item.counts["a"] = number
                item.any = number % 2 == 0 ? .int(number) : .string("any \(number)")
                try tx.add(item)
                last = item
            }
        }
        await realm.close()
        let name = try folder.names(in: "test.realm").filter { $0.hasPrefix("nodes-") }.last
        return folder["test.realm"].appending(path: try requireValue(name))
    }

    private static let frozenViewCount = 14

    /// Returns what one of the views of a snapshot shows.
    private static func frozenView(_ number: Int, _ snapshot: Snapshot) throws -> String {
        let items = snapshot.objects(DamagedItem.self)
        switch number {
        case 0: return items.map(\.name).joined()
        case 1: return items.map { $0.note ?? "-" }.joined()
        case 2: return "\(items.sum(of: \.weight))"
        case 3: return "\(items.where { $0.kind == "kind 3" }.count)"
        case 4: return "\(items.where { $0.name.contains("7") }.map(\.number))"
        case 5: return "\(items.sorted(by: \.name)[700].number)"
        case 6:
            return (0..<count).map { key in
                "\(snapshot.object(DamagedItem.self, forPrimaryKey: key)?.number ?? -1)"
            }.joined()
        case 7: return items.map { "\($0.next?.number ?? -1)" }.joined()
        case 8: return items.map { "\($0.previous.count)" }.joined()
        case 9: return items.map { $0.tags.array.joined() }.joined()
        case 10: return items.map { "\($0.counts["a"] ?? -1)," }.joined()
        case 11:
            return items.map { item in
                let value: FrozenAnyValue = item.any
                return "\(value)"
            }.joined()
        case 12: return items.map(\.label).joined()
        default:
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(items), as: UTF8.self)
        }
    }

    private static let liveViewCount = 7

    /// Returns what one of the views of live objects shows.
    private static func liveView(
        _ number: Int, _ realm: Realm, _ keys: Range<Int> = 0..<count
    ) -> String {
        keys.map { key in
            let item = realm.object(DamagedItem.self, forPrimaryKey: key)
            switch number {
            case 0: return "\(item.current?.number ?? -1)"
            case 1: return "\(item.tags.count), \(item.tags.current.array)"
            case 2: return "\(item.counts.count)"
            case 3: return "\(item.counts["a"] ?? -1) in counts"
            case 4: return "\(item.previous.count)"
            case 5: return "\(item.previous.where { $0.number > 0 }.last?.number ?? -1)"
            default: return "\(item.any.count) in any"
            }
        }.joined(separator: "; ")
    }

    private static let confinedViewCount = 8

    private static func confinedView(_ number: Int, _ tx: Transaction) throws -> String {
        let items = tx.objects(DamagedItem.self)
        switch number {
        case 0: return items.map(\.name).joined()
        case 1: return "\(items.sum(of: \.weight))"
        case 2: return "\(items.where { $0.kind == "kind 3" }.count)"
        case 3: return "\(items.sorted(by: \.name)[700].number)"
        case 4:
            return (0..<count).map { key in
                "\(tx.object(DamagedItem.self, forPrimaryKey: key)?.number ?? -1)"
            }.joined()
        case 5: return items.map { "\($0.next?.number ?? -1)" }.joined()
        case 6:
            return items.map { item in item.tags.indices.map { item.tags[$0] }.joined() }.joined()
        default: return items.map { "\(($0.counts["a"] ?? nil) ?? -1)," }.joined()
        }
    }

    // Covers .invalidDatabase
    @Test func everyViewGivesWhatWasStoredOrAnError() async throws {
        let file = try await makeRealm()
        let intact = try Data(contentsOf: file)
        let realm = try await Realm.open(configuration)
        let frozen = try (0..<Self.frozenViewCount).map { number in
            try realm.snapshot().read { try Self.frozenView(number, $0) }
        }
        let live = try (0..<Self.liveViewCount).map { number in
            try realm.snapshot().read { _ in Self.liveView(number, realm) }
        }
        var confined: [String] = []
        for number in 0..<Self.confinedViewCount {
            confined.append(try await realm.read { try Self.confinedView(number, $0) })
        }
        try await realm.snapshot().checkIntegrity()
        await realm.close()
        expectTrue(Set(frozen).count == frozen.count && frozen.allSatisfy { !$0.isEmpty })
        expectEqual(Set(live).count, live.count)

        var generator = SeededRandom("DamagedReadTests")
        var (refusals, errors, checks) = (0, 0, 0)
        for _ in 0..<Effort.count(gate: 8, soak: 400) {
            var bytes = intact
            let offset = 4_096 + generator.below(intact.count - 4_096)
            bytes[offset] ^= 1 << UInt8(generator.below(8))
            try bytes.write(to: file, options: .atomic)  // the old file may still be mapped
            let opened: Realm
            do {
                opened = try await Realm.open(configuration)
            } catch Realm.Error.Code.invalidDatabase {
                refusals += 1
                continue
            }
            var isDamaged = false
            for (number, expected) in frozen.enumerated() {
                do {
                    let found = try opened.snapshot().read { try Self.frozenView(number, $0) }
                    expectEqual(found, expected, "a bit of byte \(offset)")
                } catch let error as Realm.Error {
                    expectEqual(error.code, .invalidDatabase, "byte \(offset): \(error)")
                    expectTrue(error.className != nil, "byte \(offset): \(error)")
                    isDamaged = true
                }
            }
            for (number, expected) in live.enumerated() {
                do {
                    let found = try opened.snapshot().read { _ in Self.liveView(number, opened) }
                    expectEqual(found, expected, "a bit of byte \(offset)")
                } catch let error as Realm.Error {
                    expectEqual(error.code, .invalidDatabase, "byte \(offset): \(error)")
                    expectTrue(error.className != nil, "byte \(offset): \(error)")
                    isDamaged = true
                }
            }
            for (number, expected) in confined.enumerated() {
                do {
                    let found = try await opened.read { try Self.confinedView(number, $0) }
                    expectEqual(found, expected, "a bit of byte \(offset)")
                } catch let error as Realm.Error {
                    expectEqual(error.code, .invalidDatabase, "byte \(offset): \(error)")
                    isDamaged = true
                }
            }
            let found = await realmError { try await opened.snapshot().checkIntegrity() }
            expectTrue(found == nil || found?.code == .invalidDatabase)
            expectTrue(found != nil || !isDamaged, "damage of byte \(offset) was not found")
            if isDamaged { errors += 1 }
            if found != nil { checks += 1 }
            await opened.close()
        }
        print("\(refusals) openings, \(errors) realms and \(checks) checks throw")
        expectTrue(checks >= errors && (errors + refusals > 0 || Effort.isReduced))
    }

    /// The rest of a realm remains readable.
    @Test func damageOfOneLeafIsThatOfItsRowsAndProperty() async throws {
        let file = try await makeRealm()
        try Self.damageName(file)
        let realm = try await Realm.open(configuration)
        let snapshot = realm.snapshot()
        for _ in 0..<2 {  // also once the damage is known
            let item = try requireValue(snapshot.object(DamagedItem.self, forPrimaryKey: 99))
            expectTrue(item.weight == 99.0 / 4 && item.kind == "kind 1")
            let error = #expect(throws: Realm.Error.self) { try snapshot.read { _ in item.name } }
            expectEqual(error?.code, .invalidDatabase)
            expectTrue(error?.className == "DamagedItem" && error?.property == "name")
            expectTrue(error?.key == "99 (Int)" || error?.key == "99", "\(error?.key ?? "-")")
            expectEqual(error?.path?.hasSuffix(file.lastPathComponent), true)
            expectTrue((error?.position ?? 0) > 0)
            let last = try requireValue(snapshot.object(DamagedItem.self, forPrimaryKey: 1_090))
            try expectEqual(snapshot.read { _ in last.name }, "the name of the item 1090")
            expectTrue(item.description.contains("cannot be read"))
            #expect(throws: Realm.Error.self) { try JSONEncoder().encode(item) }
            let read = try await realm.read { tx in
                tx.object(DamagedItem.self, forPrimaryKey: 1_090)?.name
            }
            expectEqual(read, "the name of the item 1090")
        }
        let error = await realmError { try await snapshot.checkIntegrity() }
        expectTrue(error?.property == "name" && error?.className == "DamagedItem")
        // Also for a write that changes nothing.
        let write = await realmError {
            try await realm.write { tx in tx.object(DamagedItem.self, forPrimaryKey: 99)?.name }
        }
        expectEqual(write?.code, .invalidDatabase)
        await realm.close()
    }

    /// Changes a bit in the name of item 99.
    private static func damageName(_ file: URL) throws {
        var bytes = try Data(contentsOf: file)
        let text = try requireValue(bytes.range(of: Data("the name of the item 99".utf8)))
        bytes[text.lowerBound] ^= 1
        try bytes.write(to: file, options: .atomic)  // the file before may still be mapped
    }

    /// Changes a bit in the index of an integer property: of the leaf in the middle of those that
    /// have an entry for one value followed by an entry for the other one, or of all of them.
    private static func damageIndex(
        _ file: URL, _ first: Int, _ second: Int, inAll: Bool = false
    ) throws {
        var bytes = try Data(contentsOf: file)
        let entries = [first, second].flatMap { value in
            let key = UInt64(bitPattern: Int64(value)) ^ 1 << 63
            return withUnsafeBytes(of: key.littleEndian) { Array($0) }
        }
        var places: [Int] = []
        while let place = bytes.range(
            of: Data(entries), in: (places.last.map { $0 + 1 } ?? 0)..<bytes.count)
        {
            places.append(place.lowerBound)
        }
        try #require(!places.isEmpty, "No leaf of an index has \(first) and \(second).")
        for place in inAll ? places : [places[places.count / 2]] { bytes[place] ^= 1 }
        try bytes.write(to: file, options: .atomic)  // the file before may still be mapped
    }

    // Covers .invalidDatabase
    @Test func damageInTheIndexOfThePrimaryKeyIsAnErrorOfLiveViews() async throws {
        let file = try await makeRealm()
        try Self.damageIndex(file, 500, 501, inAll: true)
        let realm = try await Realm.open(configuration)
        for view in 0..<Self.liveViewCount {
            let error = #expect(throws: Realm.Error.self, "view \(view)") {
                try realm.snapshot().read { _ in Self.liveView(view, realm, 500..<501) }
            }
            expectEqual(error?.code, .invalidDatabase, "view \(view)")
            expectEqual(error?.className, "DamagedItem", "view \(view)")
            expectEqual(error?.key, "500", "view \(view)")
        }
        let item = realm.object(DamagedItem.self, forPrimaryKey: 500)
        let streams = [
            await realmError { for try await _ in item.changes { break } },
            await realmError { for try await _ in item.tags.changes { break } },
            await realmError { for try await _ in item.counts.changes { break } },
            await realmError { for try await _ in item.previous.changes { break } },
        ]
        expectEqual(streams.map { $0?.code }, Array(repeating: .invalidDatabase, count: 4))
        // also outside of a read, where a property would trap
        let error = #expect(throws: Realm.Error.self) { try item.previous.page(limit: 5) }
        expectTrue(error?.code == .invalidDatabase && error?.key == "500")
        await realm.close()
    }

    /// The keys of many rows are read while they are iterated over.
    @Test func damageMetByAnIterationThatReadsNoPropertyIsAnError() async throws {
        let file = try await makeRealm()
        try Self.damageIndex(file, 1, 1)
        let realm = try await Realm.open(configuration)
        let items = realm.snapshot().objects(DamagedItem.self).where { $0.shelf == 1 }
        expectEqual(items.count, Self.count)
        let uses: [() -> Int] = [
            { items.reduce(into: 0) { count, _ in count += 1 } },
            { Array(items).count },
            { items.map { $0 }.count },
            { items.indices.reduce(0) { count, position in count + [items[position]].count } },
        ]
        for (number, use) in uses.enumerated() {
            let error = #expect(throws: Realm.Error.self, "use \(number)") {
                try items.snapshot.read { _ in use() }
            }
            expectEqual(error?.code, .invalidDatabase, "use \(number)")
            expectEqual(error?.className, "DamagedItem", "use \(number)")
        }
        await realm.close()
    }

    /// The standard library traps on collections that yield fewer elements than their count.
    @Test func resultsThatCannotBeSortedAreAnErrorAsAnArray() async throws {
        let file = try await makeRealm()
        try Self.damageName(file)
        let realm = try await Realm.open(configuration)
        let error = #expect(throws: Realm.Error.self) {
            try realm.snapshot().read { snapshot in
                let items = snapshot.objects(DamagedItem.self).sorted(by: \.name)
                return (items.count, Array(items).count)
            }
        }
        expectTrue(error?.code == .invalidDatabase && error?.className == "DamagedItem")
        await realm.close()
    }

    /// A loop would otherwise evaluate a query, or call a closure for all objects, for each
    /// element.
    @Test func nothingIsEvaluatedAgainAfterAnError() async throws {
        let file = try await makeRealm()
        try Self.damageName(file)
        let realm = try await Realm.open(configuration)
        let items = realm.snapshot().objects(DamagedItem.self)
        let found = realm.stats().foundRows
        let sorting = #expect(throws: Realm.Error.self) {
            try items.snapshot.read { _ in
                let sorted = items.sorted(by: \.name)
                for position in sorted.indices { _ = sorted[position] }
            }
        }
        expectEqual(sorting?.code, .invalidDatabase)
        expectTrue(realm.stats().foundRows - found < 10 * Self.count)
        let calls = Calls()
        let sectioning = #expect(throws: Realm.Error.self) {
            try items.snapshot.read { _ in
                let sections = items.sectioned(sortDescriptors: []) { item in
                    calls.count.add(1, ordering: .relaxed)
                    return item.name.utf8.count
                }
                for section in sections { for item in section { _ = item.number } }
                _ = (sections.count, sections[0].first, sections.path(of: items[0]))
            }
        }
        expectEqual(sectioning?.code, .invalidDatabase)
        expectEqual(calls.count.load(ordering: .relaxed), Self.count)
        await realm.close()
    }

    @Test func damageOutsideOfAReadTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let tests = try DamagedReadTests()
            let file = try await tests.makeRealm()
            try DamagedReadTests.damageName(file)
            let realm = try await Realm.open(tests.configuration)
            _ = realm.snapshot().objects(DamagedItem.self).map(\.name)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expectTrue(text.contains("is damaged") && text.contains("DamagedItem"), "\(text)")
        expectTrue(text.contains("outside of Snapshot.read"), "\(text)")
    }
}
