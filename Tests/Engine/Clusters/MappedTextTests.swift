import RegnumStore
import RegnumTestSupport
import Testing

@testable import EngineOracle
@testable import RegnumEngine

/// Long strings of clusters whose leaves are images in a file.
@Suite struct MappedTextTests {
    private let columns = [TableTrial.column(0, .string, isOptional: false)]

    private func longText(_ row: Int) -> String { "more than twelve bytes: \(row)" }

    /// Loads a table of 20 rows with `longText`.
    private func loadedText(_ file: LeafFile, _ edit: NodeEdit) throws -> Table {
        let trial = TableTrial(columns: columns)
        for row in 0..<20 {
            let values: [Value] = [.string(longText(row))]
            trial.withAppender { _ = $0.append(values, to: &$1, version: 3) }
        }
        trial.commit()
        let loaded = LeafFile.load(trial.table, columns, file, edit)
        try trial.end()
        return loaded
    }

    @Test func aCopyMadeWhileAReaderLoadsAChunkHasItsText() throws {
        let store = NodeStore()
        store.allowLeftNodes()
        let edit = NodeEdit(store)
        let file = LeafFile()
        let source = file.source
        let table = try loadedText(file, edit)
        let original = try requireValue(table.place(0)).cluster
        _ = edit.freeze()
        let copy = original.copied { node in
            let copy = Cluster(edit.copy(node, byteCount: node.byteCount))
            // The copy read the word of the text before the reader stored it, and that of the chunk
            // afterwards.
            expectEqual(original.value(7, columns[0]), .string(longText(7)))
            copy.setWord(0, original.storedWord(0))
            expectEqual(loadWord(copy.slot(0).address + ClusterOffsets.a), 0)
            return copy.node
        }
        expectEqual(copy.value(7, columns[0]), .string(longText(7)))
        let new = String(repeating: "new", count: 20)
        copy.setValue(.string(new), row: 3, column: 0, edit: edit)
        for row in 0..<20 {
            let expected = row == 3 ? new : longText(row)
            expectEqual(copy.value(row, columns[0]), .string(expected))
        }
        withExtendedLifetime(source) {}
    }

    /// Removing one of the rows would remove the other's value, and then give it another one.
    @Test func twoRowsWithTheSameLargeValueAreDamage() throws {
        let store = NodeStore()
        store.allowLeftNodes()
        let edit = NodeEdit(store)
        let file = LeafFile()
        let source = file.source
        file.willCheck = false
        file.damage = { leaf, bytes in
            guard leaf.place == .chunk(column: 0) else { return false }
            let first = Node.headerByteCount
            for offset in first..<first + 16 { bytes[offset + 16] = bytes[offset] }
            return true
        }
        let trial = TableTrial(columns: columns)
        for letter in ["a", "b"] {
            let values: [Value] = [.string(String(repeating: letter, count: 5_000))]
            trial.withAppender { _ = $0.append(values, to: &$1, version: 3) }
        }
        trial.commit()
        let loaded = LeafFile.load(trial.table, columns, file, edit)
        try trial.end()
        let cluster = try requireValue(loaded.place(1)).cluster
        cluster.largeList(0)?.clear(1)
        expectEqual(file.damagedCount, 1)
        expectEqual(cluster.value(1, columns[0]), .string(""))
        expectTrue(source.hasDamage)
    }

    private enum Forgery: CaseIterable { case none, largeValue, text }

    /// Writers rely on the counts: a list of large values grows when all entries are in use, and a
    /// text is rewritten when most of it is dead.
    @Test func textAndLargeValuesThatNoRowHasAreDamage() throws {
        for forgery in Forgery.allCases {
            let store = NodeStore()
            store.allowLeftNodes()
            let edit = NodeEdit(store)
            let file = LeafFile()
            let source = file.source
            let trial = TableTrial(columns: columns)
            for row in 0..<20 {
                let text = row == 7 ? String(repeating: "large", count: 1_000) : longText(row)
                let values: [Value] = [.string(text)]
                trial.withAppender { _ = $0.append(values, to: &$1, version: 3) }
            }
            let new: Value = .string("replaces longer text")
            let current = trial.currentEdit
            let isSet = trial.table.set(
                5, columns[0].key, new, version: 3, columns: columns, edit: current)
            expectTrue(isSet)
            trial.commit()
            let loaded = LeafFile.load(trial.table, columns, file, edit)
            try trial.end()
            let cluster = try requireValue(loaded.place(5)).cluster
            let list = try requireValue(cluster.largeList(0))
            expectEqual(list.usedCount, 1)
            expectTrue(cluster.slot(0).textDead > 0)
            switch forgery {
            case .none: break
            case .largeValue:
                list.set(
                    3, word: 0, extent: list.extent(0), length: list.length(0), crc: list.crc(0))
            case .text: cluster.slot(0).textDead -= 1
            }
            expectEqual(cluster.value(5, columns[0]), forgery == .none ? new : .string(""))
            expectEqual(source.hasDamage, forgery != .none)
        }
    }

    @Test func aChangedDamagedChunkHasNoTextLeft() throws {
        let store = NodeStore()
        store.allowLeftNodes()
        let edit = NodeEdit(store)
        let file = LeafFile()
        let source = file.source
        file.damage = { leaf, bytes in
            guard leaf.place == .chunk(column: 0) else { return false }
            bytes[20] ^= 1
            return true
        }
        var table = try loadedText(file, edit)
        let isSet = table.set(
            5, columns[0].key, .string("short"), version: 4, columns: columns,
            edit: edit)
        expectTrue(isSet)
        expectTrue(source.hasDamage)
        let cluster = try requireValue(table.place(5)).cluster
        expectEqual(cluster.slot(0).textUsed, 0)
        expectEqual(cluster.value(5, columns[0]), .string("short"))
        expectEqual(cluster.value(6, columns[0]), .string(""))
        withExtendedLifetime(source) {}
    }
}
