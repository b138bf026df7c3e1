import Regnum
import RegnumSimulation
import RegnumStore
import RegnumTestSupport

@testable import EngineOracle
@testable import RegnumEngine

/// The decoders of a realm's files, and the parser of predicate strings. The first byte of an input
/// selects one, which reads the rest; checksums over it are made valid. An input may be rejected,
/// but must never trap.
enum FuzzTarget: UInt8, CaseIterable {
    case record, delta, directory, leaves, log, headers, predicate

    /// Passes an input to the decoder or parser selected by its first byte.
    static func run(_ input: UnsafeRawBufferPointer, _ base: FuzzBase) {
        guard let first = input.first, let target = FuzzTarget(rawValue: first) else { return }
        let bytes = Array(input.dropFirst())
        do {
            switch target {
            case .record: try base.applyRecord(bytes)
            case .delta: try base.readDelta(bytes)
            case .directory: try base.loadDirectory(bytes)
            case .leaves: try base.readLeaves(bytes)
            case .log: try base.openLog(bytes)
            case .headers: base.readHeaders(bytes)
            case .predicate: try base.items.evaluate(String(decoding: bytes, as: UTF8.self))
            }
        } catch Realm.Error.Code.invalidQuery where target == .predicate {
            return
        } catch let error as StoreError {
            switch error.code {
            case .invalidDatabase, .unsupportedFormat, .historyTrimmed: break
            default: fatalError("\(target) throws \(error)")
            }
        } catch {
            fatalError("\(target) throws \(error)")
        }
    }
}

/// The realm whose files are fuzzed: two versions, a checkpoint of the second, and what a reader
/// finds in them; and objects for predicate strings.
///
/// Guard of the unchecked Sendable: one thread uses it, the fuzzer's.
final class FuzzBase: @unchecked Sendable {
    let before: DatabaseRoot
    let after: DatabaseRoot
    /// The commit that leads from `before` to `after`.
    let commit: Commit
    let items: FuzzItems
    private let file: MemoryNodesFile
    private let checkpoint: TestCheckpoint

    init() async throws {
        items = try await FuzzItems()
        var content = try FuzzContent()
        try content.insert(20)
        before = content.root
        commit = try content.change()
        after = content.root
        file = MemoryNodesFile(byteCount: 4 << 20)
        checkpoint = try TestCheckpoint(after, to: file)
    }

    /// Returns valid inputs to start from.
    func corpus() throws -> [(name: String, bytes: [UInt8])] {
        let image = try file.bytes(
            at: checkpoint.written.directory.extent,
            count: Int(checkpoint.written.directory.byteCount))
        let leaves: [UInt8] = [0, 0, 0, 0, 1, 0, 1, 4, 0, 200, 1, 2, 8, 0, 255]
        let inputs: [(FuzzTarget, [UInt8])] = [
            (.record, Array(commit.body.dropFirst(16))),
            (.delta, DeltaBlob.encode(commit.summary)), (.directory, Array(image)),
            (.leaves, leaves), (.log, [1, 0, 0, 1, 3, 0, 0, 2, 128, 0]),
            (
                .headers,
                SegmentHeader(
                    realmID: Identity128(high: 1, low: 2), generation: 0, number: 3,
                    firstSequence: 4, salt: 5, base: 6, previousChain: 7
                ).encoded()
            ),
        ]
        let predicates = FuzzItems.texts.enumerated().map { number, text in
            ("predicate-\(number)", [FuzzTarget.predicate.rawValue] + Array(text.utf8))
        }
        return inputs.map { ("\($0.0)", [$0.0.rawValue] + $0.1) } + predicates
    }

    private func read(_ root: DatabaseRoot) throws {
        _ = root.stateHash()
        // A root that loads can be written again.
        if root.damage == nil {
            _ = try TestCheckpoint(root, to: MemoryNodesFile(byteCount: 8 << 20))
        }
        let transaction = EngineTransaction(base: root)
        for table in root.schema.tables where table.primaryKey == nil && table.kind == .object {
            for key in root.keys(table.key).prefix(2) { transaction.delete(table.key, key) }
        }
        _ = try transaction.commit(timestampMicroseconds: 0)
    }

    /// Applies a commit record; the input is what follows version and time.
    func applyRecord(_ bytes: [UInt8]) throws {
        var writer = RecordWriter(capacity: 64)
        writer.fixed(before.version + 1)
        writer.fixed(0 as Int64)
        try read(CommitRecord.apply(writer.bytes + bytes, to: before).root)
    }

    func readDelta(_ bytes: [UInt8]) throws {
        _ = try DeltaBlob.decode(bytes, origin: nil, from: before, to: after)
    }

    /// Loads a checkpoint with the input in place of the directory image, after the leaves.
    func loadDirectory(_ bytes: [UInt8]) throws {
        let image = MemoryNodesFile(byteCount: file.end + bytes.count + 4096)
        try file.bytes(at: 0, count: file.end).withMemoryRebound(to: UInt8.self) { leaves in
            _ = try image.append(parts: [
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(leaves)[4096...])
            ])
        }
        let extent = try bytes.withUnsafeBytes { try image.append(parts: [$0]) }
        let crc = bytes.withUnsafeBytes { Checksum.crc32c($0) }
        let root = try CheckpointLoader.load(
            SizedImage(extent: extent, byteCount: UInt64(bytes.count), crc: crc),
            version: after.version, from: image, seed: checkpoint.seed)
        try read(root)
    }

    /// Reads corrupted leaves. Every five bytes select a class, a column and a byte of its chunk,
    /// and give the new value.
    func readLeaves(_ bytes: [UInt8]) throws {
        var content = try FuzzContent()
        try content.insert(20)
        for start in stride(from: 0, to: bytes.count - 4, by: 5) {
            let table = content.root.content[
                Int(bytes[start]) % content.root.schema.tables.count]
            table.forEachCluster { cluster in
                let column = Int(bytes[start + 1]) % max(cluster.slotCount, 1)
                guard column < cluster.slotCount else { return true }
                let byteCount = cluster.rowCount << cluster.slot(column).type.widthLog2
                let offset = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
                cluster.rows(column).storeBytes(
                    of: bytes[start + 4], toByteOffset: offset % byteCount, as: UInt8.self)
                return true
            }
        }
        let image = MemoryNodesFile(byteCount: 4 << 20)
        try read(TestCheckpoint(content.root, to: image).load(from: image))
    }

    /// Opens a log of records with the given types, flags and body lengths; the remaining bytes are
    /// their bodies.
    func openLog(_ bytes: [UInt8]) throws {
        let disk = SimFileSystem(seed: 1)
        let path = "/sim/a.realm"
        var header = SegmentHeader(
            realmID: Identity128(high: 1, low: 2), generation: 0, number: 0, firstSequence: 1,
            salt: 9, base: 0, previousChain: 0)
        var input = bytes[...]
        func next() -> UInt8 { input.popFirst() ?? 0 }
        header.number = UInt64(next() & 1) &* .max
        var segment = header.encoded()
        var (chain, sequence) = (UInt32(0), UInt64(1))
        while let type = input.popFirst() {
            var record = RecordHeader(
                type: .commit, sequence: sequence, durableEnd: 0, previousChain: chain,
                writerEpoch: 1)
            record.type = type & 7
            record.flags = next() & 3
            let body = Array(input.prefix(Int(next())))
            input = input.dropFirst(body.count)
            if next() == 255 { record.bodyVersion = 2 }
            chain = RecordFraming.append(
                record, body: body, salt: header.salt, fileOffset: UInt64(segment.count),
                to: &segment)
            sequence += 1
        }
        segment += [UInt8](repeating: 0, count: 4096)
        let realm = try disk.openDirectory(path, .creating)
        let name = "log-0-\(header.number)"
        _ = try realm.create(name)
        disk.damage(name, in: path) { $0 = segment }
        let incoming = IncomingCommits(.makeEmpty(), nil, keepsSteps: false)
        let (log, _) = try RealmLog.open(
            disk, path: path, options: StoreOptions(), load: incoming.begin, incoming.apply)
        log.releaseLocks()
        try read(incoming.root)
    }

    func readHeaders(_ bytes: [UInt8]) {
        _ = try? SegmentHeader(decoding: bytes, path: "p")
        var fixed = bytes + [UInt8](repeating: 0, count: max(0, 4096 - bytes.count))
        fixed = Array(fixed[..<4096])
        let crc = fixed.withUnsafeBytes {
            Checksum.crc32c(UnsafeRawBufferPointer(rebasing: $0[..<4092]))
        }
        for index in 0..<4 { fixed[4092 + index] = UInt8(truncatingIfNeeded: crc >> (8 * index)) }
        _ = try? SegmentHeader(decoding: fixed, path: "p")
        var words = ControlWords(repeating: 0)
        for (index, byte) in bytes.prefix(128).enumerated() {
            words[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
        }
        _ = ControlPage(words: words)
        bytes.withUnsafeBytes {
            _ = RecordFraming.decode($0, salt: 0, fileOffset: 0, maximumBodyByteCount: 4 << 20)
            _ = AnyContent($0)
        }
    }
}
