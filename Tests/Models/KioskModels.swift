import Regnum

final class Paper: Object {
    @Persisted var title: String
    @Persisted var pages: Int

    convenience init(_ title: String) {
        self.init()
        self.title = title
        pages = title.utf8.count
    }
}

final class Kiosk: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var papers: List<Paper>
    @Persisted var tags: List<String>

    convenience init(_ name: String, papers: [String]) {
        self.init()
        self.name = name
        for paper in papers { self.papers.append(Paper(paper)) }
    }
}
