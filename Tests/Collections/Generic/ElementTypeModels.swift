import Foundation
import Regnum

enum ElementGrade: Int, PersistableEnum {
    case low = 1
    case high = 9
}
enum ElementTone: String, PersistableEnum { case soft, loud }

/// A number stored as text, of which two spellings are equal.
struct ElementHex: FailableCustomPersistable, Hashable, Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }
    init?(persistedValue: String) {
        guard let number = Int(persistedValue, radix: 16) else { return nil }
        self.number = number
    }
    var persistableValue: String { String(number, radix: 16) }
}

/// A name whose `==` distinguishes more than what is stored.
struct ElementLabel: CustomPersistable, Hashable, Sendable {
    let text: String
    var note = ""

    init(_ text: String, note: String = "") { (self.text, self.note) = (text, note) }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

/// A place, stored as an embedded object.
struct ElementPlace: CustomPersistable, Hashable, Sendable {
    let x: Int

    init(_ x: Int) { self.x = x }
    init(persistedValue: ElementSpot) { x = persistedValue.x }
    var persistableValue: ElementSpot { ElementSpot(value: [x]) }
}

final class ElementSpot: EmbeddedObject {
    @Persisted var x: Int
}

/// The three containers of one element type.
protocol ElementHolder: Object {
    associatedtype Element: ElementValue
    var list: List<Element> { get set }
    var set: MutableSet<Element> { get set }
    var map: Map<String, Element> { get set }
}

/// The requirements on an element in the table of types.
typealias ElementValue = RealmCollectionValue & ScalarValue & MapValue & Sendable
