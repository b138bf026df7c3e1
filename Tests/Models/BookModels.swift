import Regnum

/// Models with every kind of property, for the tests of creation, update and deletion.

enum Genre: String, PersistableEnum { case novel, poem, essay }

final class Book: Object {
    @Persisted(primaryKey: true) var isbn: String
    @Persisted var title = "untitled"
    @Persisted var year: Int16
    @Persisted var price: Double
    @Persisted var weight: Float
    @Persisted var isLent: Bool
    @Persisted var genre: Genre
    @Persisted var oldGenre: Genre?
    @Persisted var pageCount: Int?
    @Persisted var cover: Cover?
    @Persisted var pages: List<Page>
    @Persisted var sequel: Book?
    @Persisted var author: Author?
    @Persisted var tags: List<String>
    @Persisted var ratings: List<Int?>
    @Persisted var genres: List<Genre>
    @Persisted var related: List<Book>
    @Persisted(originProperty: "books") var shelves: LinkingObjects<Shelf>
    var ignored = 1

    convenience init(_ isbn: String, title: String = "untitled") {
        self.init()
        self.isbn = isbn
        self.title = title
    }
}

/// A class without a primary key.
final class Author: Object {
    @Persisted var name: String
    @Persisted var masterpiece: Book?

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

final class Shelf: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var label: String?
    @Persisted var books: List<Book>
    @Persisted var covers: List<Cover>
}

final class Cover: EmbeddedObject {
    @Persisted var color = "white"
    @Persisted var badge: Badge?
    @Persisted(originProperty: "cover") var books: LinkingObjects<Book>

    convenience init(_ color: String) {
        self.init()
        self.color = color
    }
}

final class Badge: EmbeddedObject {
    @Persisted var text: String
    @Persisted var winner: Author?
}

final class Page: EmbeddedObject {
    @Persisted var number: Int
    @Persisted var text: String

    convenience init(_ number: Int, _ text: String = "") {
        self.init()
        self.number = number
        self.text = text
    }
}

/// Links to a class that has a subclass.
final class Shelter: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var guest: Animal?
    @Persisted var animals: List<Animal>
}

/// A class with the property names of `Book`.
final class Leaflet: Object {
    @Persisted var title: String
    @Persisted var year: Int
    @Persisted var price = 9.5
}

let bookClasses: [ObjectBase.Type] = [
    Book.self, Author.self, Shelf.self, Cover.self, Badge.self, Page.self, Leaflet.self,
]

/// Thrown by bodies that are to be rolled back.
struct Undo: Error, Equatable {}
