import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

/// Copies of realms in use: their content, their completeness, and what is refused.
@Suite(.disabled(if: Effort.isReduced))
struct BackupTests {
    private let folder: RealmFolder

    init() throws { folder = try RealmFolder() }

    /// Returns the whole content of a realm as one string.
    private func dump(_ realm: Realm) -> String {
        let snapshot = realm.snapshot()
        let shelves = snapshot.objects(BackupShelf.self).map { shelf in
            "\(shelf.name) \(shelf.room) \(shelf.books.map(\.id)) \(shelf.tags.map { $0 }) "
                + "\(shelf.counts.map { "\($0.key)=\($0.value)" }) \(shelf.place?.x ?? -1)"
        }
        let books = snapshot.objects(BackupBook.self).map { book in
            "\(book.id) \(book.title) \(book.cover.count) \(book.cover.first ?? 0) "
                + "\(book.sequel?.id ?? -1)"
        }
        return (shelves + books).joined(separator: "\n")
    }

    private func fill(_ realm: Realm, _ numbers: Range<Int>) async throws {
        try await realm.write { tx in
            let shelf = BackupShelf(value: ["name": "shelf \(numbers.lowerBound)", "room": "a"])
            shelf.place = BackupPlace(value: ["x": Double(numbers.lowerBound)])
            for number in numbers {
                let book = BackupBook(value: ["id": number, "title": "title \(number)"])
                // Some are large values with leaves of their own.
                book.cover = Data(repeating: UInt8(number & 255), count: number % 7 * 1_500)
                shelf.books.append(book)
                shelf.tags.insert("tag \(number % 10)")
                shelf.counts["key \(number % 5)"] = number
            }
            try tx.add(shelf)
            for book in shelf.books { book.sequel = shelf.books.first }
        }
    }

    @Test func copyHasEverythingAndIsARealm() async throws {
        let realm = try await Realm.open(folder.configuration())
        for round in 0..<5 { try await fill(realm, round * 400..<round * 400 + 400) }
        try await realm.write { tx in
            tx.delete(tx.objects(BackupBook.self).where { $0.id < 700 })
        }
        let before = dump(realm)
        let version = try await realm.backup(to: folder["copy.realm"])
        expectEqual(version, realm.snapshot().version)
        try expectEqual(folder.names(), ["copy.realm", "test.realm"])
        try expectEqual(
            folder.names(in: "copy.realm").filter {
                $0.hasPrefix("unfinished") || $0.hasPrefix("tmp-")
            }, [])
        // Later changes of the original aren't in the copy.
        try await realm.write { tx in tx.deleteAll() }
        #expect(try await Realm.fileExists(for: folder.configuration("copy.realm")))
        for round in 0..<2 {
            let copy = try await Realm.open(folder.configuration("copy.realm"))
            expectEqual(copy.snapshot().version, version)
            expectEqual(dump(copy), before, "round \(round)")
            await copy.close()
        }
        let copy = try await Realm.open(folder.configuration("copy.realm"))
        try await fill(copy, 5_000..<5_010)
        expectEqual(
            copy.snapshot().objects(BackupShelf.self).where { $0.name == "shelf 5000" }.count, 1)
        expectEqual(copy.snapshot().version, version + 1)
        await copy.close()
        await realm.close()
    }

    @Test func copyIsCompact() async throws {
        let realm = try await Realm.open(folder.configuration())
        for round in 0..<20 {
            try await realm.write { tx in
                tx.deleteAll()
                for number in 0..<500 {
                    try tx.add(
                        BackupBook(
                            value: [
                                "id": number, "title": "round \(round)",
                                "cover": Data(repeating: UInt8(round), count: 400),
                            ] as [String: Any?]))
                }
            }
        }
        try await realm.backup(to: folder["copy.realm"])
        let copied = try byteCount("copy.realm")
        expectTrue(copied < 1 << 20, "\(copied) bytes")
        await realm.close()
    }

    private func byteCount(_ name: String) throws -> Int {
        try folder.names(in: name).reduce(0) { sum, file in
            let attributes = try FileManager.default.attributesOfItem(
                atPath: folder[name].appending(path: file).path)
            return sum + (try requireValue(attributes[.size] as? NSNumber)).intValue
        }
    }

    @Test func copyIsOneVersionWhileOthersWrite() async throws {
        let realm = try await Realm.open(folder.configuration())
        try await realm.write { tx in
            for id in 0..<2_000 { try tx.add(BackupAccount(value: ["id": id, "amount": 100])) }
        }
        let isDone = BackupSignal()
        let commits = BackupSignal()
        try await withThrowingTaskGroup { group in
            group.addTask {
                var random = SystemRandomNumberGenerator()
                while isDone.count == 0 {
                    let (from, to) = (
                        Int.random(in: 0..<2_000, using: &random),
                        Int.random(in: 0..<2_000, using: &random)
                    )
                    try await realm.write { tx in
                        tx.object(BackupAccount.self, forPrimaryKey: from)?.amount -= 1
                        tx.object(BackupAccount.self, forPrimaryKey: to)?.amount += 1
                    }
                    commits.add()
                }
            }
            for round in 0..<8 {
                let before = commits.count
                while commits.count == before { await Task.yield() }
                try await realm.backup(to: folder["copy \(round).realm"])
            }
            isDone.add()
            try await group.waitForAll()
        }
        var versions: [UInt64] = []
        for round in 0..<8 {
            let copy = try await Realm.open(folder.configuration("copy \(round).realm"))
            let amounts = copy.snapshot().objects(BackupAccount.self).map(\.amount)
            expectTrue(amounts.count == 2_000 && amounts.reduce(0, +) == 200_000)
            versions.append(copy.snapshot().version)
            await copy.close()
        }
        expectTrue(versions == versions.sorted() && Set(versions).count == 8)
        await realm.close()
    }

    @Test(arguments: ["memory", "temporary", "template", "read-only"])
    func everyKindOfRealmIsCopied(_ kind: String) async throws {
        let source = try await Realm.open(folder.configuration())
        try await fill(source, 0..<300)
        let realm: Realm
        switch kind {
        case "memory":
            realm = try await Realm.open(.init(location: .inMemory(identifier: folder.url.path)))
            try await fill(realm, 0..<300)
        case "temporary":
            realm = try await Realm.temporary([BackupShelf.self, BackupBook.self, BackupPlace.self])
            try await fill(realm, 0..<300)
        case "template":
            realm = try await Realm.temporary(
                [BackupShelf.self, BackupBook.self, BackupPlace.self], from: folder["test.realm"])
        default:
            await source.close()
            var configuration = folder.configuration()
            configuration.readOnly = true
            realm = try await Realm.open(configuration)
        }
        try await realm.backup(to: folder["copy.realm"])
        let expected = dump(realm)
        await realm.close()
        await source.close()
        let copy = try await Realm.open(folder.configuration("copy.realm"))
        expectTrue(dump(copy) == expected && expected.contains("title 299"))
        try await fill(copy, 300..<310)
        await copy.close()
    }

    @Test func emptyRealmIsCopied() async throws {
        let realm = try await Realm.open(folder.configuration())
        try await realm.backup(to: folder["copy.realm/"])
        await realm.close()
        let copy = try await Realm.open(folder.configuration("copy.realm"))
        expectTrue(copy.isEmpty)
        try await fill(copy, 0..<3)
        await copy.close()
        let again = try await Realm.open(folder.configuration("copy.realm"))
        expectEqual(again.snapshot().objects(BackupBook.self).count, 3)
        await again.close()
    }

    /// A copy can be the seed of another realm, and can be copied again.
    @Test func copyOfACopyAndSeed() async throws {
        let realm = try await Realm.open(folder.configuration())
        try await fill(realm, 0..<50)
        let expected = dump(realm)
        try await realm.backup(to: folder["one.realm"])
        await realm.close()
        let one = try await Realm.open(folder.configuration("one.realm"))
        try await one.backup(to: folder["two.realm"])
        await one.close()
        var configuration = folder.configuration("three.realm")
        configuration.seedFile = folder["two.realm"]
        let three = try await Realm.open(configuration)
        expectEqual(dump(three), expected)
        await three.close()
    }

    /// The steps of `Docs/DURABILITY.md` for restoring a backup.
    @Test func copyReplacesTheRealm() async throws {
        let realm = try await Realm.open(folder.configuration())
        try await fill(realm, 0..<50)
        let expected = dump(realm)
        try await realm.backup(to: folder["copy.realm"])
        try await fill(realm, 50..<60)
        await realm.close()
        try FileManager.default.moveItem(at: folder["test.realm"], to: folder["old.realm"])
        try FileManager.default.copyItem(at: folder["copy.realm"], to: folder["test.realm"])
        let restored = try await Realm.open(folder.configuration())
        expectTrue(restored.recovery.isClean)
        expectEqual(dump(restored), expected)
        try await fill(restored, 60..<70)
        let written = dump(restored)
        await restored.close()
        let again = try await Realm.open(folder.configuration())
        expectEqual(dump(again), written)
        await again.close()
    }
}
