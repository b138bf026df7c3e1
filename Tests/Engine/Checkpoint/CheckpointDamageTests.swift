import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite struct CheckpointDamageTests {
    private func make(_ name: String) throws -> (CheckpointContent, MemoryNodesFile) {
        var content = try CheckpointContent(SeededRandom(name))
        try content.insertEverything(140)
        try content.insertText(60)
        try content.change(10)
        return (content, MemoryNodesFile())
    }

    @Test func aDirectoryOfAnotherChecksumIsRefused() throws {
        var (content, file) = try make("aDirectoryOfAnotherChecksum")
        let checkpoint = try TestCheckpoint(content.root, to: file)
        for _ in 0..<20 {
            let offset = Int.random(in: checkpoint.directory, using: &content.generator)
            file[offset] ^= 1 << UInt8(content.generator.below(8))
            #expect(throws: StoreError.self) { try checkpoint.load(from: file) }
            file[offset] = file[offset]
        }
    }

    /// The checksum of an image of more than 256 MiB is known only after it was decoded.
    @Test func aDamagedFormatOfALargeDirectoryIsNotANewerOne() throws {
        let (content, file) = try make("aDamagedFormat")
        var checkpoint = try TestCheckpoint(content.root, to: file)
        func load() throws -> DatabaseRoot {
            try CheckpointLoader.load(
                checkpoint.written.directory, version: checkpoint.version, from: file,
                seed: checkpoint.seed, maximumCheckedFirstByteCount: 0)
        }
        try expectEqual(load().stateHash(), content.root.stateHash())
        file[checkpoint.directory.lowerBound + 4] ^= 2  // the format
        let damage = #expect(throws: StoreError.self) { try load() }
        expectEqual(damage?.code, .invalidDatabase)
        try checkpoint.fixChecksum(in: file)
        let newer = #expect(throws: StoreError.self) { try load() }
        expectEqual(newer?.code, .unsupportedFormat)
    }

    @Test func aForgedDirectoryThrowsOrGivesARoot() throws {
        var (content, file) = try make("aForgedDirectory")
        let intact = try TestCheckpoint(content.root, to: file)
        var loadedCount = 0
        for _ in 0..<600 {
            var forged = intact
            var changed: [(Int, UInt8)] = []
            for _ in 0...content.generator.below(3) {
                let offset = Int.random(in: intact.directory, using: &content.generator)
                changed.append((offset, file[offset]))
                let old = file[offset]
                file[offset] =
                    content.generator.oneIn(3)
                    ? UInt8(content.generator.below(256))
                    : old ^ 1 << UInt8(content.generator.below(8))
            }
            try forged.fixChecksum(in: file)
            do {
                let root = try forged.load(from: file)
                _ = root.stateHash()
                loadedCount += 1
            } catch let error as StoreError {
                expectTrue([.invalidDatabase, .unsupportedFormat].contains(error.code))
            }
            for (offset, byte) in changed.reversed() { file[offset] = byte }
        }
        expectTrue(loadedCount < 600)
        try expectEqual(intact.load(from: file).stateHash(), content.root.stateHash())
    }

    @Test func aDirectoryCutShortIsRefused() throws {
        let (content, file) = try make("aDirectoryCutShort")
        let intact = try TestCheckpoint(content.root, to: file)
        var count = Int(intact.written.directory.byteCount) - 1
        while count >= 0 {
            var short = intact
            short.written.directory.byteCount = UInt64(count)
            try short.fixChecksum(in: file)
            #expect(throws: StoreError.self) { try short.load(from: file) }
            count -= count > 400 ? 97 : 13
        }
    }

    @Test func aDamagedLeafIsToldAndReadsAsSomething() throws {
        var (content, file) = try make("aDamagedLeaf")
        let checkpoint = try TestCheckpoint(content.root, to: file)
        for _ in 0..<100 {
            let offset = 4096 + content.generator.below(checkpoint.directory.lowerBound - 4096)
            let old = file[offset]
            file[offset] = old ^ 1 << UInt8(content.generator.below(8))
            do {
                let root = try checkpoint.load(from: file)
                let isSame = root.stateHash() == content.root.stateHash()
                expectTrue(root.damage != nil || isSame)  // gaps between leaves aren't checked
                if let damage = root.damage {
                    #expect(throws: damage) { try TestCheckpoint(root, to: MemoryNodesFile()) }
                }
            } catch let error as StoreError {
                // The only leaf of an index is read at once.
                expectEqual(error.code, .invalidDatabase)
            }
            file[offset] = old
        }
    }

    /// Also applies to results that aren't copied.
    @Test func aResultOverADamagedIndexHasAsManyRowsAsItCounts() throws {
        let column = ColumnDefinition(name: "room", type: .int, isIndexed: true)
        var content = ScanContent("Message", [column])
        content.insert([[Value]](repeating: [.int(1)], count: 6_000))
        let file = MemoryNodesFile()
        let checkpoint = try TestCheckpoint(content.root, to: file)
        let plan = QueryPlan(
            tableName: "Message",
            predicate: .compare(Everything.reference(column), .equal, .int(1)))
        var damageCount = 0
        for offset in stride(from: 4100, to: checkpoint.directory.lowerBound, by: 1_000) {
            file[offset] ^= 1
            let root = try checkpoint.load(from: file)
            let result = try plan.evaluate(root)
            expectEqual(Array(result).count, result.count)
            if root.damage != nil { damageCount += 1 }
            file[offset] ^= 1
        }
        expectTrue(damageCount > 10)
    }

    /// What the record refers to isn't found in the leaf, but the record itself is intact.
    @Test func aRecordThatMeetsADamagedLeafIsNotTakenForDamaged() throws {
        let start = EngineTransaction(base: .makeEmpty())
        let song = try start.addTable(
            name: "Song",
            columns: [ColumnDefinition(name: "number", type: .int, isPrimaryKey: true)])
        let album = try start.addTable(name: "Album", columns: [])
        _ = try start.addColumn(album, .link(name: "single", to: song))
        let list = try start.addList(album, name: "songs", target: song)
        let songs = try (0..<900).map { try start.insert(song, [.int(Int64($0))]) }
        let albums = try songs[..<300].map { try start.insert(album, [.link($0)]) }
        for row in albums[..<4] {
            try start.insertIntoList(album, row, list, at: 0, Array(songs[200..<800]))
        }
        let base = try start.commit(timestampMicroseconds: 0).root
        var bodies: [[UInt8]] = []
        var newest = base
        var firstChange: Commit?
        for number in 0..<2 {
            let edit = EngineTransaction(base: newest)
            for row in albums[..<4] {
                try edit.insertIntoList(album, row, list, at: 600 - 20 * number, [songs[200]])
                edit.removeFromList(album, row, list, 300..<321)
            }
            edit.delete(song, [songs[5 + number], songs[850 + number]])
            _ = try edit.insert(song, [.int(Int64(850 + number))])
            let commit = try edit.commit(timestampMicroseconds: 0)
            bodies.append(commit.body)
            firstChange = firstChange ?? commit
            newest = commit.root
        }
        let first = try requireValue(firstChange)
        let delta = DeltaBlob.encode(first.summary)
        let file = MemoryNodesFile()
        let checkpoint = try TestCheckpoint(base, to: file)
        var damageCount = 0
        for offset in stride(from: 4100, to: checkpoint.directory.lowerBound, by: 250) {
            file[offset] ^= 1
            let old = try checkpoint.load(from: file)
            let (decoded, _) = DamageWatch.run {
                Result { () throws(StoreError) in
                    try DeltaBlob.decode(delta, origin: nil, from: old, to: first.root)
                }
            }
            try expectEqual(decoded.get().tables.count, first.summary.tables.count)
            var root = try checkpoint.load(from: file)
            for body in bodies {
                let (applied, damage) = DamageWatch.run {
                    Result { () throws(StoreError) in try CommitRecord.apply(body, to: root).root }
                }
                root = try applied.get()
                if let damage {
                    root.content.context.source?.inherit(damage)
                    damageCount += 1
                }
            }
            file[offset] ^= 1
        }
        expectTrue(damageCount > 30)
    }

    /// Leaves with a valid checksum but wrong content.
    @Test func aForgedLeafIsToldOrReadsAsSomething() throws {
        var generator = SeededRandom("aForgedLeaf")
        for _ in 0..<30 {
            var content = try CheckpointContent(generator)
            let file = MemoryNodesFile()
            try content.insertEverything(60)
            try content.insertText(40)
            generator = content.generator
            for table in content.root.schema.tables {
                content.root.content[table.key.index].forEachCluster { cluster in
                    for _ in 0..<3 {
                        let column = content.generator.below(cluster.slotCount)
                        let log2 = cluster.slot(column).type.widthLog2
                        let rows = cluster.rows(column)
                        let byte = content.generator.below(cluster.rowCount << log2)
                        rows.storeBytes(
                            of: UInt8(content.generator.below(256)), toByteOffset: byte,
                            as: UInt8.self)
                    }
                    return true
                }
            }
            let root = try TestCheckpoint(content.root, to: file).load(from: file)
            _ = root.stateHash()
        }
    }
}
