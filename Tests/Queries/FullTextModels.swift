import Regnum
import RegnumTestSupport

/// A text with links, for full-text search through these.
final class Memo: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(fullTextIndexed: true) var text: String
    @Persisted(fullTextIndexed: true) var title: String?
    @Persisted var plain: String
    @Persisted var binder: MemoBinder?
    @Persisted var replies: List<Memo>

    convenience init(_ id: Int, _ text: String, title: String? = nil) {
        self.init()
        self.id = id
        self.text = text
        self.title = title
        plain = text
    }
}

final class MemoBinder: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(fullTextIndexed: true) var summary = "no summary"
    @Persisted var scores: Map<String, String>
    @Persisted(originProperty: "binder") var memos: LinkingObjects<Memo>
}

enum Memos {
    /// Four memos in two binders; memo 4 replies to memo 1.
    static func realm() async throws -> Realm {
        let realm = try await Realm.temporary([Memo.self, MemoBinder.self])
        try await realm.write { tx in
            let (red, blue) = (MemoBinder(), MemoBinder())
            red.name = "red"
            red.summary = "Drafts about Swift"
            blue.name = "blue"
            let memos = [
                Memo(1, "The quick brown fox jumps over the lazy dog.", title: "Pangram"),
                Memo(2, "A naïve café; quick service!"), Memo(3, "", title: "Empty, quick"),
                Memo(4, "Foxes aren't dogs", title: "Reply"),
            ]
            for (memo, binder) in zip(memos, [red, blue, red]) { memo.binder = binder }
            memos[0].replies.append(memos[3])
            try tx.add(memos)
        }
        return realm
    }
}
