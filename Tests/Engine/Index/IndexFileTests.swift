import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite struct IndexFileTests {
    /// A tree in memory, its leaves in a file, and the same tree over these leaves.
    private struct Checkpointed {
        var model = IndexModel()
        let file: IndexNodesFile
        let source: NodeSource
        var leaves: [IndexChild] = []

        init(count: Int) {
            file = IndexNodesFile(byteCount: count / 128 * 2112 + 8192)
            source = NodeSource(file)
            var written = IndexModel()
            for key in 0..<UInt64(count) {
                expectTrue(written.tree.insert(key * 2, key, written.edit, &written.hint))
            }
            written.tree.forEachLeaf { place in
                guard let leaf = Node(word: UInt(place.word)) else { return }
                var place = place
                place.extent = file.append(leaf)
                place.word = 0
                place.crc = crc(place.extent)
                leaves.append(place)
            }
            written.close()
            model.entries = (0..<UInt64(count)).map { IndexTreeEntry(key: $0 * 2, row: $0) }
        }

        func crc(_ extent: UInt64) -> UInt32 {
            guard let image = try? file.bytes(at: extent, count: IndexLeaf.byteCount) else {
                return 0
            }
            return Checksum.crc32c(image)
        }

        mutating func assemble(maximumCount: Int = Limits.maximumEntryCount) throws {
            model.tree = try IndexTree.assemble(
                leaves, source: source, model.edit, maximumCount: maximumCount)
        }
    }

    @Test(arguments: [0, 1, 100, 129, 128 * 128, 17_000])
    func assembledTreeReadsLeavesWhenTheyAreTouched(count: Int) throws {
        var realm = Checkpointed(count: count)
        try realm.assemble()
        expectEqual(realm.model.tree.count, count)
        if count > 129 {
            expectEqual(realm.model.tree.firstRow(6), 3)
            expectEqual(readCount(realm.model.tree), 1)
            expectEqual(realm.model.tree.rank(below: 600), 300)
            expectEqual(readCount(realm.model.tree), 2)
        }
        realm.model.check()
        expectNil(realm.source.firstDamage)
        realm.model.close()
    }

    @Test func editsOfAnAssembledTreeLeaveTheFile() throws {
        var random = SeededRandom("editsOfAnAssembledTreeLeaveTheFile")
        var realm = Checkpointed(count: 17_000)
        try realm.assemble()
        realm.model.keepVersion()
        for _ in 0..<60 { realm.model.insert(UInt64(random.below(35_000)), 1) }
        for _ in 0..<600 {
            let entry = realm.model.entries[random.below(2_000)]
            realm.model.remove(entry.key, entry.row)
        }
        // A leaf has an extent as long as it equals what is in the file.
        var (changedCount, sameCount) = (0, 0)
        realm.model.tree.forEachLeaf { place in
            expectTrue(
                (place.extent == 0) == (Node(word: UInt(place.word)).map { !$0.isMapped } ?? false))
            if place.extent == 0 { changedCount += 1 } else { sameCount += 1 }
        }
        expectTrue(changedCount > 20 && sameCount > 20)
        for entry in realm.model.entries.dropFirst(50) {
            let isRemoved = realm.model.tree.remove(entry.key, entry.row, realm.model.edit)
            expectTrue(isRemoved)
        }
        // The root is a leaf on the heap now.
        realm.model.entries.removeLast(realm.model.entries.count - 50)
        expectTrue(realm.model.tree.height == 0 && realm.model.tree.root?.isMapped == false)
        realm.model.check()
        realm.model.close()
    }

    @Test func damagedLeafReadsAsEmptyAndIsNoted() throws {
        var random = SeededRandom("damagedLeafReadsAsEmptyAndIsNoted")
        var realm = Checkpointed(count: 1_280)
        realm.file.damage(at: realm.leaves[4].extent + 1_000)
        try realm.assemble()
        let model = realm.model
        expectNil(model.tree.firstRow(2 * 600))
        expectEqual(realm.source.firstDamage?.code, .invalidDatabase)
        var walkedCount = 0
        model.tree.visit { _, _ in
            walkedCount += 1
            return true
        }
        expectEqual(walkedCount, 1_280 - 128)
        expectNil(model.tree.entry(at: 600))
        var tree = model.tree
        for _ in 0..<2_000 {
            let key = UInt64(random.below(2_600))
            var hint = IndexHint()
            _ = tree.insert(key, UInt64(random.below(3)), model.edit, &hint)
            _ = tree.remove(UInt64(random.below(2_600)), UInt64(random.below(1_300)), model.edit)
            _ = tree.rank(below: key)
            _ = tree.count(in: key...key + 300)
        }
        var entries: [IndexTreeEntry] = []
        tree.visit {
            entries.append(IndexTreeEntry(key: $0, row: $1))
            return true
        }
        for entry in entries {
            let isRemoved = tree.remove(entry.key, entry.row, model.edit)
            expectTrue(isRemoved)
        }
        realm.model.tree = tree
        realm.model.close()
    }

    @Test func imageThatIsNotTheLeafOfItsParentIsDamage() throws {
        let changes: [(Int, UInt8)] = [
            (0, 1), (8, 0), (12, 5), (13, 0), (14, 129), (14, 127), (15, 1), (16, 1), (1_040, 7),
        ]
        for (offset, value) in changes {
            var realm = Checkpointed(count: 1_280)
            let extent = realm.leaves[0].extent
            let image = try realm.file.bytes(at: extent, count: IndexLeaf.byteCount)
            UnsafeMutableRawBufferPointer(mutating: image)[offset] = value
            realm.leaves[0].crc = realm.crc(extent)
            try realm.assemble()
            expectNil(realm.model.tree.firstRow(0), "offset \(offset)")
            expectTrue(realm.source.firstDamage != nil, "offset \(offset)")
            realm.model.close()
        }
    }

    @Test func leavesThatCannotBeATreeAreRefused() throws {
        let damages: [(inout [IndexChild]) -> Void] = [
            { $0[3].count = 0 }, { $0[3].count = 129 }, { $0[3].extent = 0 },
            { $0[3].extent += 8 }, { $0.swapAt(2, 3) }, { $0[3] = $0[2] },
            { $0[3].key = 0 },
        ]
        for damage in damages {
            var realm = Checkpointed(count: 1_280)
            damage(&realm.leaves)
            #expect(throws: StoreError.self) { try realm.assemble() }
            realm.model.close()
        }
        var realm = Checkpointed(count: 100)
        realm.file.damage(at: realm.leaves[0].extent + 20)
        #expect(throws: StoreError.self) { try realm.assemble() }
        realm.model.close()
    }

    /// The limit stands for that of 2^32 - 1 entries, whose leaves would take 1.6 GB.
    // Covers .invalidDatabase
    @Test func numberOfEntries() throws {
        for excess in [-1, 0, 1] {
            var realm = Checkpointed(count: 1_280)
            if excess <= 0 {
                try realm.assemble(maximumCount: 1_280 - excess)
                expectEqual(realm.model.tree.count, 1_280)
            } else {
                let error = #expect(throws: StoreError.self) {
                    try realm.assemble(maximumCount: 1_280 - excess)
                }
                expectEqual(error?.code, .invalidDatabase)
                expectEqual(error?.message.contains("too many entries"), true)
            }
            realm.model.close()
        }
    }

    private func readCount(_ tree: IndexTree) -> Int {
        var count = 0
        tree.forEachLeaf { if $0.word != 0 { count += 1 } }
        return count
    }
}
