import Foundation
import Regnum
import RegnumStore
import RegnumTestSupport
import Testing

@testable import RegnumEngine
@testable import RegnumTestModels

/// A changed bit is reported with its file and an offset at or before it exactly if the realm uses
/// the byte. The used bytes are found without checksums: by the positions of segments and records,
/// and by what the directories of all checkpoints refer to.
@Suite(.timeLimit(.minutes(60)), .disabled(if: Effort.isReduced))
struct RandomVerificationTests {
    // Covers 12.16, .invalidDatabase
    @Test func changedBitIsNamedUnlessUnused() async throws {
        let folder = try RealmFolder()
        let runs = NumberedRuns(
            "RandomVerificationTests", count: Effort.count(gate: 300, soak: 10_000))
        let source = try await DamagedSource(
            folder, 0, seed: SeededRandom.seed(runs.seed, ofRun: 1_000_000))
        let url = folder["source-0.realm"]
        let intact = try await Realm.verify(at: url)
        try #require(intact.isSound, "\(intact)")
        let used = try UsedBytes(url, source.files)
        let namedCount = Counter()
        try await runs.run { number, seed in
            var numbers = SeededRandom(seed)
            let names = source.files.keys.filter { $0 != "LOCK" }.sorted()
            let name = numbers.oneOf(names)
            var data = try requireValue(source.files[name])
            let place = used.place(in: name, data, &numbers)
            data[place] ^= UInt8(1) << UInt8(numbers.below(8))
            let copy = folder["run-\(number).realm"]
            defer { try? FileManager.default.removeItem(at: copy) }
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
            for (other, bytes) in source.files {
                try (other == name ? data : bytes).write(to: copy.appending(path: other))
            }
            let report = try await Realm.verify(at: copy)
            let isNamed = report.damages.contains { damage in
                damage.path?.hasSuffix("/\(name)") == true
                    && damage.offset.map { $0 <= UInt64(place) } == true
            }
            if isNamed { namedCount.increase() }
            let isExpected = used.contains(place, in: name)
            guard isNamed == isExpected, isNamed == !report.isSound else {
                throw RunFailure(
                    "byte \(place) of \(name) is \(isExpected ? "used" : "unused"): \(report)")
            }
        }
        let count = namedCount.value
        print("\(count) of \(runs.numbers.count) changed bits were in use and named")
        expectTrue(runs.isOne || count > 0 && count < runs.numbers.count)
    }
}

private final class Counter: Sendable {
    private let count = Guarded(0)

    var value: Int { count.withLock { $0 } }
    func increase() { count.withLock { $0 += 1 } }
}

/// The bytes of a closed realm's files that a reader uses.
private struct UsedBytes {
    private var ranges: [String: [Range<Int>]] = [:]
    /// The bytes after the last record where it depends on their values whether an interrupted
    /// write may have left them, and the file.
    private var undecided: (name: String, range: Range<Int>)?

    init(_ url: URL, _ files: [String: Data]) throws {
        if let retention = files["retention"] { ranges["retention"] = [0..<retention.count] }
        findRecords(files)
        try findImages(url, files)
    }

    func contains(_ place: Int, in name: String) -> Bool {
        ranges[name, default: []].contains { $0.contains(place) }
    }

    /// Returns a random position: in one of two cases of used bytes.
    func place(in name: String, _ data: Data, _ numbers: inout SeededRandom) -> Int {
        let known = ranges[name, default: []].filter { !$0.isEmpty }
        var place = numbers.below(data.count)
        if !known.isEmpty, numbers.oneIn(2) {
            let range = numbers.oneOf(known)
            place = range.lowerBound + numbers.below(range.count)
        }
        if let undecided, undecided.name == name, undecided.range.contains(place) {
            return undecided.range.lowerBound - 1
        }
        return place
    }

    /// Adds the headers of segments, their records up to the next segment, and the zeros after the
    /// last one, except for the first 16, which an interrupted write may have changed.
    private mutating func findRecords(_ files: [String: Data]) {
        var last: (name: String, base: Int)?
        let numbers = files.keys.compactMap { name in
            name.hasPrefix("log-0-") ? Int(name.dropFirst(6)) : nil
        }
        for number in numbers.sorted() {
            let name = "log-0-\(number)"
            let base = Self.load(files[name], at: 72, byteCount: 8)
            ranges[name] = [0..<4096]
            if let last { ranges[last.name]?.append(4096..<4096 + base - last.base) }
            last = (name, base)
        }
        guard let last, let data = files[last.name] else { return }
        var end = 4096
        while end + 40 <= data.count, data[end..<end + 40].contains(where: { $0 != 0 }) {
            end += 40 + (Self.load(data, at: end + 8, byteCount: 4) + 7) & ~7
        }
        ranges[last.name]?.append(4096..<end)
        undecided = (last.name, end + 16..<end + 24)
        if end + 24 < data.count { ranges[last.name]?.append(end + 24..<data.count) }
    }

    private static func load(_ data: Data?, at offset: Int, byteCount: Int) -> Int {
        guard let data else { return 0 }
        return (0..<byteCount).reduce(0) { $0 | Int(data[offset + $1]) << (8 * $1) }
    }

    /// Adds the headers of nodes files, the directories of the checkpoints that the log names, and
    /// the leaves that they refer to.
    private mutating func findImages(_ url: URL, _ files: [String: Data]) throws {
        let log = try LogCheck.run(
            PosixFileSystem.shared, path: url.path, options: StoreOptions(), limit: 1
        ) { false }
        let nodes = try requireValue(log.nodes)
        for reference in log.checkpoints {
            let root: DatabaseRoot
            do throws(StoreError) {
                root = try CheckpointLoader.load(reference, in: nodes)
            } catch {
                guard error.code == .historyTrimmed else { throw error }
                continue
            }
            let name = "nodes-\(reference.file)"
            defer { withExtendedLifetime(root) {} }  // its trees are only valid as long
            var found = [0..<4096, Self.range(reference.offset, Int(reference.byteCount))]
            for table in root.schema.tables {
                let state = root.content[table.key.index]
                state.forEachCluster { cluster in
                    cluster.forEachLeaf { leaf in
                        found.append(Self.range(leaf.extent & ~63, leaf.byteCount))
                    }
                    return true
                }
                var trees = (0..<state.indexCount).map { state.index(at: $0) }
                for list in table.lists {
                    trees.append(state.elements(list.key.index).tree)
                    trees.append(state.backlinks(list.key.index))
                }
                for tree in trees where tree.height > 0 {
                    tree.forEachLeaf { leaf in
                        found.append(Self.range(leaf.extent, IndexLeaf.byteCount))
                    }
                }
                for tree in trees where tree.height == 0 {
                    guard let root = tree.root, let data = files[name] else { continue }
                    found += Self.images(of: IndexLeaf(root), in: data, found[1])
                }
            }
            ranges[name, default: []] += found
        }
        for body in log.bulkCommits {
            guard let commit = try BulkCommit.decode(body) else { continue }
            let range = Self.range(commit.delta.extent, Int(commit.delta.byteCount))
            ranges["nodes-\(commit.fileNumber)", default: []].append(range)
        }
    }

    /// Returns the images of leaves without a parent that begin with the same entry. Such a leaf is
    /// copied when the checkpoint is loaded, and its place only in the directory.
    private static func images(
        of leaf: IndexLeaf, in data: Data, _ directory: Range<Int>
    ) -> [Range<Int>] {
        func matches(_ place: Int, _ key: UInt64, _ row: UInt64) -> Bool {
            load(data, at: place, byteCount: 8) == Int(bitPattern: UInt(key))
                && load(data, at: place + 8, byteCount: 8) == Int(bitPattern: UInt(row))
        }
        let (key, row) = (leaf.keys[0], leaf.rows[0])
        return stride(from: directory.lowerBound, through: directory.upperBound - 32, by: 8)
            .compactMap { place in
                let image = load(data, at: place + 16, byteCount: 8)
                guard matches(place, key, row),
                    load(data, at: place + 28, byteCount: 4) == leaf.count, image % 64 == 0,
                    image >= 4096, image + IndexLeaf.byteCount <= directory.lowerBound,
                    load(data, at: image + 8, byteCount: 4) == IndexLeaf.byteCount,
                    load(data, at: image + 16, byteCount: 8) == Int(bitPattern: UInt(key)),
                    load(data, at: image + 1040, byteCount: 8) == Int(bitPattern: UInt(row))
                else { return nil }
                return image..<image + IndexLeaf.byteCount
            }
    }

    private static func range(_ offset: UInt64, _ byteCount: Int) -> Range<Int> {
        Int(offset)..<Int(offset) + byteCount
    }
}
