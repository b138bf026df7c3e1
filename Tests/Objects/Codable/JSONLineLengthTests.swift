import RegnumEngine
import RegnumStore
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumJSON
@testable import RegnumTestModels

/// The maximum length of JSON lines: what is exported can be imported.
@Suite struct JSONLineLengthTests {
    private static let schema =
        #"{"regnum":1,"schemaVersion":0,"version":1,"classes":[{"name":"Box","properties":["#
        + #"{"name":"id","type":"int","key":true},"#
        + #"{"name":"texts","list":true,"type":"string"}]}]}"#

    /// Returns the line of a box with that many bytes, exactly as an export writes it.
    private func line(byteCount: Int, textCount: Int = 1) -> [UInt8] {
        var bytes = Array(#"{"class":"Box","values":{"id":1,"texts":["#.utf8)
        bytes.reserveCapacity(byteCount)
        // three bytes for each text, less the first comma, and three at the end
        let letterCount = byteCount - bytes.count - 3 * textCount + 1 - 3
        for number in 0..<textCount {
            let count = letterCount / textCount + (number < letterCount % textCount ? 1 : 0)
            bytes += (number == 0 ? "\"" : ",\"").utf8
            bytes += repeatElement(UInt8(ascii: "x"), count: count)
            bytes += "\"".utf8
        }
        bytes += "]}}".utf8
        return bytes
    }

    private func realm() async throws -> Realm {
        let realm = try await Realm.json()
        try await realm.importJSON(text: Self.schema)
        return realm
    }

    private func problem(_ body: () throws(Realm.Error) -> Void) -> Realm.Error? {
        do throws(Realm.Error) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    // Covers .invalidValue
    @Test func linesThatCannotBeImportedAreNotExported() async throws {
        let realm = try await realm()
        let line = line(byteCount: 100)
        expectEqual(line.count, 100)
        try await realm.importJSON(text: String(decoding: line, as: UTF8.self))
        let root = realm.snapshot().root
        let box = try requireValue(root.schema.table(named: "Box"))
        let row = root.key(box.key, at: 0)
        var head = SchemaLine(version: 1)
        head.classes = [root.schema.storedClass(box)]
        for excess in [-1, 0, 1] {
            // Lines are measured from their own beginning.
            var export = RowExport(root, maximumLineByteCount: 100 - excess)
            export.text.raw("before")
            let error = problem { () throws(Realm.Error) in try export.line(box.key, row) }
            if excess > 0 {
                expectTrue(error?.code == .invalidValue && error?.className == "Box")
                expectEqual(error?.message.contains("more than 99 bytes"), true)
            } else {
                expectNil(error)
                expectEqual(export.text.bytes, Array("before".utf8) + line + Array("\n".utf8))
            }
            var first = RowExport(root, maximumLineByteCount: Self.schema.utf8.count - excess)
            let refusal = problem { () throws(Realm.Error) in try first.line(head) }
            expectEqual(refusal?.code, excess > 0 ? .invalidValue : nil)
            if excess > 0 { continue }
            expectEqual(
                String(decoding: first.text.bytes, as: UTF8.self), Self.schema + "\n")
        }
    }

    /// Needs up to 2 GiB of memory.
    // Covers .invalidInput, .invalidValue
    @Test(.enabled(if: Effort.isSoak), arguments: [-1, 0, 1])
    func longestLinesAreImportedAndExported(excess: Int) async throws {
        let realm = try await realm()
        let line = line(byteCount: Limits.maximumLineByteCount + excess, textCount: 17)
        expectEqual(line.count, Limits.maximumLineByteCount + excess)
        let chunks = JSONChunks(bytes: line, size: 1 << 20)
        if excess > 0 {
            let error = await realmError { try await realm.importJSON(from: chunks) }
            expectTrue(error?.code == .invalidInput && error?.line == 1)
            expectTrue(realm.isEmpty)
            return
        }
        try await realm.importJSON(from: chunks)
        var exported: [UInt8] = []
        try await realm.snapshot().exportJSON { exported += $0 }
        let start = try requireValue(exported.firstIndex(of: UInt8(ascii: "\n"))) + 1
        expectTrue(exported[start...].elementsEqual(line + Array("\n".utf8)))
        guard excess == 0 else { return }
        try await realm.write { tx in
            let box = try requireValue(tx.dynamicObject(ofType: "Box", forPrimaryKey: 1))
            let texts = try box.dynamicList("texts")
            let text = try requireValue(texts[0] as? String)
            try texts.set(text + "x", at: 0)
        }
        let error = await realmError { try await realm.snapshot().exportJSON { _ in } }
        expectTrue(error?.code == .invalidValue && error?.className == "Box")
    }
}
