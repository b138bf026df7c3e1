import RegnumSimulation
import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

@Suite struct CheckpointImageTests {
    @Test func anEmptyRealmIsLoadedAsItWasWritten() throws {
        let root = DatabaseRoot.makeEmpty()
        let file = MemoryNodesFile()
        let loaded = try TestCheckpoint(root, to: file).load(from: file)
        expectEqual(loaded.stateHash(), root.stateHash())
        expectEqual(loaded.version, 0)
    }

    @Test func aRootIsLoadedAsItWasWritten() throws {
        var content = try CheckpointContent(SeededRandom("aRootIsLoadedAsItWasWritten"))
        let file = MemoryNodesFile()
        for round in 0..<6 {
            try content.insertEverything(1 + content.generator.below(round == 3 ? 1500 : 40))
            try content.insertText(1 + content.generator.below(60))
            try content.change(20)
            if round % 2 == 1 { try content.addColumn() }
            let checkpoint = try TestCheckpoint(content.root, to: file)
            let loaded = try checkpoint.load(from: file)
            expectEqual(loaded.stateHash(), content.root.stateHash())
            expectNil(loaded.damage)
            expectEqual(loaded.schema.tables, content.root.schema.tables)
            // Changes made on it result in the same content.
            var twin = content
            twin.move(to: loaded)
            try twin.change(10)
            try twin.insertText(3)
            try twin.insertEverything(2)
            try content.change(10)
            try content.insertText(3)
            try content.insertEverything(2)
            expectEqual(twin.root.stateHash(), content.root.stateHash())
            if content.generator.oneIn(2) { content = twin }
        }
    }

    @Test func emptyClustersAndSkippedKeysAreNoContent() throws {
        var content = try CheckpointContent(SeededRandom("emptyClusters"))
        try content.insertText(2100)
        try content.delete(CheckpointContent.text, 0..<1100)
        try content.delete(CheckpointContent.text, 2048..<2100)
        let file = MemoryNodesFile()
        let loaded = try TestCheckpoint(content.root, to: file).load(from: file)
        expectEqual(loaded.stateHash(), content.root.stateHash())
        var twin = content
        twin.move(to: loaded)
        try content.insertText(1)
        try twin.insertText(1)
        expectEqual(twin.root.stateHash(), content.root.stateHash())
        expectEqual(twin.root.keys(CheckpointContent.text).last, ObjectKey(rawValue: 2100))
    }

    @Test func theNextCheckpointWritesWhatChanged() throws {
        var content = try CheckpointContent(SeededRandom("theNextCheckpoint"))
        try content.insertEverything(1100)
        try content.insertText(300)
        let file = MemoryNodesFile()
        let first = try TestCheckpoint(content.root, to: file)
        content.move(to: try first.load(from: file))
        let same = try TestCheckpoint(content.root, to: file)
        expectEqual(same.written.leafCount, 0)
        try content.commit { transaction, _ in
            let column = transaction.schema.tables[0].columns[4]  // int?, with an index
            try transaction.set(
                CheckpointContent.everything, ObjectKey(rawValue: 5), column.key, .int(1 << 50))
        }
        let second = try TestCheckpoint(content.root, to: file)
        // A chunk, the content versions, and one or two leaves of the index, three after a split.
        expectTrue(second.written.leafCount >= 3 && second.written.leafCount <= 5)
        try expectEqual(second.load(from: file).stateHash(), content.root.stateHash())
        let third = try TestCheckpoint(content.root, to: MemoryNodesFile())
        expectTrue(third.written.leafCount >= first.written.leafCount)
    }

    @Test func anotherFileGetsEverything() throws {
        var content = try CheckpointContent(SeededRandom("anotherFileGetsEverything"))
        try content.insertEverything(200)
        try content.insertText(200)
        let file = MemoryNodesFile()
        let loaded = try TestCheckpoint(content.root, to: file).load(from: file)
        let other = MemoryNodesFile()
        let moved = try TestCheckpoint(loaded, to: other)
        try expectEqual(moved.load(from: other).stateHash(), content.root.stateHash())
    }

    @Test func whatASinkThrowsIsThrownAndHarmsNothing() throws {
        var content = try CheckpointContent(SeededRandom("whatASinkThrows"))
        try content.insertText(50)
        let hash = content.root.stateHash()
        let file = MemoryNodesFile()
        file.room = 2000
        #expect(throws: StoreError.self) { try TestCheckpoint(content.root, to: file) }
        expectEqual(content.root.stateHash(), hash)
    }
}
