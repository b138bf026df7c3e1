import FoundationEssentials
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum

/// What errors repeat of texts that clients send as cursors and identifiers.
@Suite struct CursorErrorTests {
    /// The messages are logged and sent to clients, which can send any text.
    // Covers .invalidInput
    @Test func errorsRepeatLittleOfACursor() async throws {
        let realm = try await Realm.temporary([PagedItem.self])
        try await realm.write { tx in
            try tx.add([PagedItem(1, rank: 1), PagedItem(2, rank: 2)])
        }
        let items = realm.snapshot().objects(PagedItem.self).sorted(by: \.rank)
        let cursor = try requireValue(items.page(limit: 1).cursor)
        let long = StoredText(String(repeating: "x", count: 100_000))
        for part in 0..<3 {
            let other = PageCursor(
                version: cursor.version, timeline: cursor.timeline, tables: cursor.tables,
                className: part == 0 ? long : cursor.className,
                collection: part == 1 ? long : cursor.collection,
                order: part == 2 ? long : cursor.order, place: cursor.place)
            let sent = try requireValue(PageCursor("\(other)"))
            let error = #expect(throws: Realm.Error.self) { try items.page(after: sent, limit: 1) }
            expectEqual(error?.code, .invalidInput)
            let message = error?.message ?? ""
            expectTrue(message.contains("xxx…") && message.utf8.count < 200, "part \(part)")
        }
        let json = try JSONEncoder().encode([long.wrappedValue])
        func problem<T: Decodable>(_ type: [T].Type) -> String {
            let error = #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(type, from: json)
            }
            guard case .dataCorrupted(let context)? = error else { return "" }
            return context.debugDescription
        }
        for message in [
            problem([PageCursor].self), problem([ChangeCursor].self), problem([ObjectId].self),
            problem([Decimal128].self),
        ] {
            expectTrue(message.contains("xxx…") && message.utf8.count < 200)
        }
    }
}
