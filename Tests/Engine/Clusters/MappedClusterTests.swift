import Foundation
import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Clusters whose leaves are images in a file, intact and damaged.
@Suite struct MappedClusterTests {
    @Test func aStoredTableReadsAndIsEditedAsTheOriginal() throws {
        var generator = SeededRandom("aStoredTableReadsAndIsEditedAsTheOriginal")
        for _ in 0..<TableTests.rounds {
            let trial = TableTrial(columns: TableTests.allColumns())
            for _ in 0..<4 {
                for _ in 0..<25 { try TableTests().step(trial, &generator) }
                trial.commit()
                try trial.checkAll()
                let image = LeafFile()
                let source = try storedAgain(trial, image)
                try TableTrial.check(trial.table, trial.rows, trial.columns)
                expectNil(source.firstDamage)
            }
            try trial.checkAll()
            try trial.end()
        }
    }

    /// Puts a loaded copy of the table into the trial, in an edit that then ends.
    private func storedAgain(_ trial: TableTrial, _ file: LeafFile) throws -> NodeSource {
        let old = trial.table
        let source = file.source
        trial.sources.append(source)
        let edit = trial.currentEdit
        let loaded = LeafFile.load(old, trial.columns, file, edit)
        // The old tree is retired as if it were replaced.
        old.forEachCluster { cluster in
            cluster.retireAll(edit: edit)
            return true
        }
        LeafFile.retireInner(old, edit)
        edit.retire(old.node)
        trial.table = loaded
        trial.commit()
        return source
    }

    @Test func damagedImagesReadAsZerosAndAreTold() throws {
        var generator = SeededRandom("damagedImagesReadAsZerosAndAreTold")
        let columns = TableTests.allColumns()
        let trial = TableTrial(columns: columns)
        for _ in 0..<60 {
            let values = columns.map { generator.stored($0.type, isOptional: $0.isOptional) }
            trial.withAppender { trial.rows[$0.append(values, to: &$1, version: 3)] = nil }
        }
        trial.commit()
        for round in 0..<60 * TableTests.rounds {
            let store = NodeStore()
            store.allowLeftNodes()
            let edit = NodeEdit(store)
            let file = LeafFile()
            // Half of the time the checksum is valid although the content isn't.
            file.willCheck = round % 2 == 0
            file.damage = { leaf, bytes in
                guard generator.oneIn(3), leaf.byteCount > 16 else { return false }
                for _ in 0..<1 + generator.below(3) {
                    let index =
                        generator.oneIn(4)
                        ? generator.below(16) : 16 + generator.below(leaf.byteCount - 16)
                    bytes[index] = UInt8(truncatingIfNeeded: generator.next())
                }
                return true
            }
            let source = file.source
            var loaded = LeafFile.load(trial.table, columns, file, edit)
            for key in 0..<loaded.nextKey {
                guard let (cluster, row) = loaded.place(key) else { continue }
                for column in columns { _ = cluster.value(row, column) }
                _ = cluster.contentVersion(row)
            }
            if file.willCheck { expectTrue((source.firstDamage != nil) == (file.damagedCount > 0)) }
            // Edits of damaged content don't trap either.
            for key in 0..<loaded.nextKey where generator.oneIn(4) {
                if generator.oneIn(3) {
                    _ = loaded.remove(key, edit: edit)
                    continue
                }
                let column = columns[generator.below(columns.count)]
                let value = generator.stored(column.type, isOptional: column.isOptional)
                if loaded.set(
                    key, column.key, value, version: 4, columns: columns, edit: edit)
                {
                    let place = try requireValue(loaded.place(key))
                    expectEqual(place.cluster.value(place.row, column), value)
                }
            }
            withExtendedLifetime(source) {}
        }
        try trial.end()
    }
}

/// Images of leaves in memory, in the form of a nodes file.
///
/// Guard of the unchecked Sendable: filled before anybody else reads it.
final class LeafFile: NodeBytes, @unchecked Sendable {
    private var images: [UInt64: UnsafeMutableRawBufferPointer] = [:]
    private var end: UInt64 = 64
    var willCheck = true
    var damage: ((ClusterLeaf, UnsafeMutableRawBufferPointer) -> Bool)?
    private(set) var damagedCount = 0
    private weak var ownSource: NodeSource?

    /// The source of the images. It retains the file; whoever reads from it retains the source.
    var source: NodeSource {
        if let ownSource { return ownSource }
        let source = NodeSource(self)
        ownSource = source
        return source
    }

    deinit { for image in images.values { image.deallocate() } }

    func bytes(at offset: UInt64, count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
        guard let image = images[offset], image.count >= count else {
            throw StoreError(.invalidDatabase, "There are no \(count) bytes at \(offset).")
        }
        return UnsafeRawBufferPointer(rebasing: image[..<count])
    }

    /// Stores the image of a leaf, and returns its offset and checksum.
    private func add(_ leaf: ClusterLeaf, of cluster: Cluster) -> (offset: UInt64, crc: UInt32) {
        let image = UnsafeMutableRawBufferPointer.allocate(
            byteCount: leaf.byteCount, alignment: 64)
        leaf.copyImage(of: cluster, to: image.baseAddress.unsafelyUnwrapped)
        var crc = Checksum.crc32c(UnsafeRawBufferPointer(image))
        if let damage, damage(leaf, image) {
            let new = Checksum.crc32c(UnsafeRawBufferPointer(image))
            if new != crc { damagedCount += 1 }
            if !willCheck { crc = new }
        }
        let offset = end
        images[offset] = image
        end += UInt64((leaf.byteCount + 63) & ~63)
        return (offset, crc)
    }

    /// Returns a table with the same content whose leaves are images that haven't been read yet.
    static func load(
        _ table: Table, _ columns: [ColumnSchema], _ file: LeafFile, _ edit: NodeEdit
    ) -> Table {
        let new = Table.make(indexCount: table.node.count, edit: edit)
        new.nextKey = table.nextKey
        new.count = table.count
        new.height = table.height
        new.rootWord = copy(table.rootWord, table.height, columns, file, edit)
        return new
    }

    private static func copy(
        _ word: UInt, _ level: Int, _ columns: [ColumnSchema], _ file: LeafFile, _ edit: NodeEdit
    ) -> UInt {
        guard let node = Node(word: word) else { return 0 }
        if level == 0 { return load(Cluster(node), columns, file, edit).node.word }
        let new = edit.make(.clusterInner, byteCount: ClusterInner.byteCount)
        (new.address + 16).copyMemory(from: node.address + 16, byteCount: node.byteCount - 16)
        for index in 0..<32 {
            let child = ClusterInner(node).child(index)
            new.store(copy(child, level - 1, columns, file, edit), 16 + 8 * index)
        }
        return new.word
    }

    private static func load(
        _ cluster: Cluster, _ columns: [ColumnSchema], _ file: LeafFile, _ edit: NodeEdit
    ) -> Cluster {
        for column in 0..<cluster.slotCount {
            _ = cluster.chunk(column)
            if cluster.slot(column).flags.contains(.text) {
                for row in 0..<cluster.rowCount { _ = cluster.bytes(row, column) }
            }
        }
        if cluster.rowCount > 0 { _ = cluster.contentVersion(0) }
        let new = Cluster.make(columns, slotCount: cluster.slotCount, edit: edit)
        new.rowCount = cluster.rowCount
        new.frozenRows = cluster.rowCount
        new.liveCount = cluster.liveCount
        new.firstKey = cluster.firstKey
        new.uniformVersion = cluster.uniformVersion
        new.sourceWord = file.source.word
        new.live.update(from: cluster.live, count: wordsPerCluster)
        for column in 0..<cluster.slotCount {
            let slot = new.slot(column)
            let presence = slot.presenceOffset
            slot.address.copyMemory(from: cluster.slot(column).address, byteCount: 64)
            slot.presenceOffset = presence
            if let bits = cluster.presence(column) {
                new.presence(column)?.update(from: bits, count: wordsPerCluster)
            }
            guard slot.flags.contains(.text) else { continue }
            slot.store(0 as UInt, ClusterOffsets.a)
            guard let list = LargeList(word: slot.load(ClusterOffsets.b)) else { continue }
            let copy = LargeList(edit.makeZeroed(.largeList, byteCount: list.node.byteCount))
            for index in 0..<list.count {
                copy.set(
                    index, word: 0, extent: list.extent(index), length: list.length(index), crc: 0)
            }
            slot.store(copy.node.word, ClusterOffsets.b)
        }
        cluster.forEachLeaf { leaf in
            let (offset, crc) = file.add(leaf, of: cluster)
            switch leaf.place {
            case .chunk(let column):
                let slot = new.slot(column)
                let widthLog2 = slot.type == .int ? cluster.storedWord(column) & 63 : 0
                slot.chunkCRC = crc
                slot.chunkExtent = offset | UInt64(widthLog2)
            case .text(let column):
                new.slot(column).textCRC = crc
                new.slot(column).textExtent = offset
            case .large(let column, let index):
                guard let list = LargeList(word: new.slot(column).load(ClusterOffsets.b)) else {
                    return
                }
                list.set(index, word: 0, extent: offset, length: list.length(index), crc: crc)
            case .versions:
                new.versionCRC = crc
                new.versionExtent = offset
            }
        }
        return new
    }

    /// Retires the inner nodes above the clusters.
    static func retireInner(_ table: Table, _ edit: NodeEdit) {
        func retire(_ word: UInt, _ level: Int) {
            guard level > 0, let node = Node(word: word) else { return }
            for index in 0..<32 { retire(ClusterInner(node).child(index), level - 1) }
            edit.retire(node)
        }
        retire(table.rootWord, table.height)
    }
}

extension ClusterLeaf {
    /// Writes the image of a loaded leaf to a buffer of `byteCount` bytes.
    fileprivate func copyImage(of cluster: Cluster, to address: UnsafeMutableRawPointer) {
        let image = Node(address)
        switch place {
        case .chunk(let column): copy(cluster.storedWord(column) & ~63, to: address)
        case .text(let column):
            copy(loadWord(cluster.slot(column).address + ClusterOffsets.a), to: address)
        case .large(let column, let index):
            let list = LargeList(word: cluster.slot(column).load(ClusterOffsets.b))
            copy(list.map { loadWord($0.address(index)) } ?? 0, to: address)
        case .versions:
            image.store(0 as UInt64, 8)
            image.kind = .chunk
            image.count = 8
            for (row, version) in cluster.contentVersions().enumerated() {
                image.store(version, Node.headerByteCount + row << 3)
            }
        }
        image.birth = 0
        image.byteCount = byteCount
        image.store(1 as UInt8, 13)
        if kind != .chunk { image.count = 0 }
    }

    private func copy(_ word: UInt, to address: UnsafeMutableRawPointer) {
        guard let node = Node(word: word) else {
            preconditionFailure("Can't write a leaf that isn't loaded.")
        }
        address.copyMemory(from: node.address, byteCount: byteCount)
    }
}
