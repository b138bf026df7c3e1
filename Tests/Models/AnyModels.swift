import Foundation
import Regnum

final class AnyPet: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var keeper: AnyRealmValue

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

final class AnyNote: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var content: AnyRealmValue
    @Persisted(indexed: true) var label: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>

    convenience init(_ id: Int, _ content: AnyRealmValue = .none) {
        self.init()
        self.id = id
        self.content = content
    }
}

let anyClasses: [ObjectBase.Type] = [AnyNote.self, AnyPet.self]

/// A value of each kind, except for objects, lists and dictionaries.
var anyScalars: [AnyRealmValue] {
    [
        .none, .int(5), .int(.min), .bool(true), .bool(false), .float(1.5), .double(-0.0),
        .double(.nan),
        .string("text"), .string(""), .data(Data([1, 2, 255])), .data(Data()),
        .date(Date(timeIntervalSinceReferenceDate: 12.5)),
        .objectId(try! ObjectId(string: "5f1b2c3d4e5f60718293a4b5")),
        .decimal128("1.50"), .uuid(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")!),
        .string(String(repeating: "long", count: 2_000)),
    ]
}
