import Foundation
import Regnum
import RegnumEngine
import RegnumStore
import RegnumTestSupport

@testable import RegnumTestModels

/// A class with properties of many kinds, each of which takes pages of its own.
final class Crate: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var data: Data?
    @Persisted var ratio: Double
    @Persisted var value: AnyRealmValue
    @Persisted var tags: List<String>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var marks: Map<String, String>
    @Persisted var next: Crate?
    @Persisted var others: List<Crate>
}

/// A realm that was written, checkpointed, closed and opened several times, with its files and
/// content at each stage.
struct DamagedSource: Sendable {
    /// By name, for each time the realm was closed; the last one is damaged.
    private(set) var stages: [[String: Data]] = []
    /// By version: the text of each object, by its key.
    private(set) var contents: [UInt64: [Int: String]] = [0: [:]]
    /// By version: the keys of the objects that were deleted, even if others got these keys.
    private(set) var deletions: [UInt64: Set<Int>] = [:]
    private(set) var version: UInt64 = 0

    /// The files that are to be damaged.
    var files: [String: Data] { stages.last ?? [:] }

    init(_ folder: RealmFolder, _ number: Int, seed: UInt64) async throws {
        var numbers = SeededRandom(seed)
        let name = "source-\(number).realm"
        for stage in 0..<3 {
            let realm = try await Realm.open(DamagedSource.configuration(folder[name]))
            for step in 0..<4 + 3 * stage {
                let edit = CrateEdit(&numbers, step == 2 && stage == 1 ? 60 : 6)
                let (text, deleted) = try await realm.write { tx in
                    let deleted = try edit.apply(to: tx)
                    return (CrateText.all(tx), deleted)
                }
                version = realm.snapshot().version
                contents[version] = text
                deletions[version] = deleted
            }
            await realm.close()
            stages.append(try DamagedSource.files(in: folder[name]))
        }
    }

    static func files(in url: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            files[name] = try Data(contentsOf: url.appending(path: name))
        }
        return files
    }

    /// Makes the control page of a closed realm look like that of an earlier boot. Returns false if
    /// it is damaged.
    @discardableResult
    static func setOtherBoot(_ url: URL) throws -> Bool {
        let lock = try PosixFileSystem.shared.openDirectory(url.path, .existing).openLock()
        guard var page = lock.loadControl() else { return false }
        page.bootID = Identity128(high: 1, low: 2)
        for _ in 0..<2 { lock.storeControl(&page) }
        return true
    }

    /// Returns a configuration with tiny segments and a checkpoint every few commits.
    static func configuration(_ url: URL) -> Realm.Configuration {
        var configuration = Realm.Configuration(location: .file(url), objectTypes: [Crate.self])
        configuration.adjust = { options in
            options.store.firstSegmentByteCount = 8192
            options.store.maximumSegmentByteCount = 16384
            options.store.nodesSlackByteCount = 16 << 10
            options.checkpoint.maximumCommitCount = 5
            options.checkpoint.minimumReloadByteCount = 0
            options.checkpoint.paceNanoseconds = 0
            options.checkpoint.minimumClosingByteCount = 4096
        }
        return configuration
    }
}

/// A transaction, drawn before it is executed.
struct CrateEdit: Sendable {
    private let seed: UInt64
    private let rowCount: Int

    init(_ numbers: inout SeededRandom, _ rowCount: Int) {
        seed = numbers.next()
        self.rowCount = rowCount
    }

    /// Returns the keys of the objects that it deletes.
    @discardableResult
    func apply(to tx: Transaction) throws -> Set<Int> {
        var numbers = SeededRandom(seed)
        var deleted: Set<Int> = []
        for _ in 0..<rowCount {
            let id = numbers.below(90)
            if let crate = tx.object(Crate.self, forPrimaryKey: id) {
                if numbers.oneIn(6) {
                    tx.delete(crate)
                    deleted.insert(id)
                } else {
                    CrateEdit.fill(crate, tx, &numbers)
                }
            } else {
                let crate = Crate()
                crate.id = id
                try tx.add(crate)
                CrateEdit.fill(crate, tx, &numbers)
            }
        }
        return deleted
    }

    private static func fill(_ crate: Crate, _ tx: Transaction, _ numbers: inout SeededRandom) {
        func text(_ maximumCount: Int) -> String {
            let unit = "\(numbers.below(1000)) é "
            return String(repeating: unit, count: numbers.below(maximumCount) / unit.utf8.count + 1)
        }
        crate.name = text(numbers.oneIn(10) ? 6000 : 30)
        crate.ratio = Double(numbers.below(1000)) / 8
        crate.data = numbers.oneIn(3) ? nil : Data(numbers.bytes(numbers.below(40)))
        crate.tags.removeAll()
        for _ in 0..<numbers.below(4) { crate.tags.append(text(40)) }
        for _ in 0..<numbers.below(3) { crate.numbers.insert(numbers.below(50)) }
        crate.marks["key \(numbers.below(5))"] = text(20)
        switch numbers.below(6) {
        case 0: crate.value = .none
        case 1: crate.value = .int(numbers.below(100))
        case 2: crate.value = .string(text(50))
        case 3: crate.value = .double(Double(numbers.below(100)))
        case 4: crate.value = .fromArray([.int(numbers.below(9)), .string(text(20))])
        default: crate.value = .fromDictionary(["a": .bool(numbers.oneIn(2)), "b": .none])
        }
        crate.next = tx.object(Crate.self, forPrimaryKey: numbers.below(90))
        if let other = tx.object(Crate.self, forPrimaryKey: numbers.below(90)) {
            crate.others.append(other)
        }
    }
}

/// Everything that the objects of a view show, as text.
enum CrateText {
    /// The properties in a text, between bars; the number of objects of the same name follows.
    static let properties = [
        "name", "data", "ratio", "value", "tags", "numbers", "marks", "next", "others",
    ]

    /// Reads in a body.
    static func all(_ tx: Transaction) -> [Int: String] {
        let crates = tx.objects(Crate.self)
        var texts: [Int: String] = [:]
        for crate in crates {
            let name = crate.name
            texts[crate.id] = text(
                crate.name, crate.data, crate.ratio, text(crate.value), Array(crate.tags),
                Array(crate.numbers), crate.marks.map { ($0.key, $0.value) }, crate.next?.id,
                crate.others.map(\.id), crates.where { $0.name == name }.count)
        }
        return texts
    }

    /// Reads from a snapshot.
    static func all(_ crates: FrozenResults<Crate>) -> [Int: String] {
        var texts: [Int: String] = [:]
        for crate in crates {
            let name = crate.name
            texts[crate.id] = text(
                crate.name, crate.data, crate.ratio, text(crate.value), Array(crate.tags),
                Array(crate.numbers), crate.marks.map { ($0.key, $0.value) }, crate.next?.id,
                crate.others.map(\.id), crates.where { $0.name == name }.count)
        }
        return texts
    }

    private static func text(
        _ name: String, _ data: Data?, _ ratio: Double, _ value: String, _ tags: [String],
        _ numbers: [Int], _ marks: [(String, String)], _ next: Int?, _ others: [Int],
        _ sameNameCount: Int
    ) -> String {
        """
        \(name)|\(data.map { Array($0) } as Any)|\(ratio)|\(value)|\(tags)|\(numbers)|\
        \(marks.map { "\($0.0)=\($0.1)" }.sorted())|\(next as Any)|\(others)|\(sameNameCount)
        """
    }

    private static func text(_ value: AnyRealmValue) -> String {
        switch value {
        case .none: "none"
        case .int(let value): "int \(value)"
        case .bool(let value): "bool \(value)"
        case .double(let value): "double \(value)"
        case .string(let value): "string \(value)"
        case .list(let values): "\(values.map { text($0) })"
        case .dictionary(let map): "\(map.map { "\($0.key)=\(text($0.value))" }.sorted())"
        default: "another kind"
        }
    }

    private static func text(_ value: FrozenAnyValue) -> String {
        switch value {
        case .none: "none"
        case .int(let value): "int \(value)"
        case .bool(let value): "bool \(value)"
        case .double(let value): "double \(value)"
        case .string(let value): "string \(value)"
        case .list(let values): "\(values.map { text($0) })"
        case .dictionary(let map): "\(map.map { "\($0.key)=\(text($0.value))" }.sorted())"
        default: "another kind"
        }
    }
}
