import FoundationEssentials
import Regnum

final class Dog: Object {
    @Persisted var name: String
}

final class Text: Object {
    @Persisted var text: String
}

final class Note: EmbeddedObject {
    @Persisted var text: String
}

final class Notes: EmbeddedObject {
    @Persisted var texts: List<String>
}

final class Page: Object {
    @Persisted var title: Title?
}

enum Mood: String {
    case calm, wild
}

enum PersistableMood: String, PersistableEnum {
    case calm, wild
}

struct Celsius: CustomPersistable {
    let degrees: Double

    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

struct WholeCelsius: CustomPersistable {
    let degrees: Int

    init(persistedValue: Int) { degrees = persistedValue }
    var persistableValue: Int { degrees }
}

final class StoresAPlainEnum: Object {
    // expected-error@+2 {{generic struct 'Persisted' requires that 'Mood' conform to 'Persistable}}
    // expected-note@+1 {{did you mean to use '.rawValue'?}}
    @Persisted var mood: Mood
}

final class StoresAnArray: Object {
    // expected-error@+1 2 {{conformance of 'Array<Element>' to 'Persistable' is unavailable: an array cannot be stored: declare a List}}
    @Persisted var dogs: [Dog]
}

final class StoresAnUnknownType: Object {
    // expected-error@+2 {{type 'any Error' cannot conform to 'OptionalPersistable'}}
    // expected-note@+1 {{only concrete types}}
    @Persisted var address: (any Error)?
}

final class StoresAnUnsignedInteger: Object {
    // expected-error@+1 2 {{conformance of 'UInt' to 'Persistable' is unavailable: unsigned integers cannot be stored: declare an Int}}
    @Persisted var age: UInt
}

final class LinksWithoutOptional: Object {
    // expected-error@+1 2 {{conformance of 'ObjectBase' to 'Persistable' is unavailable: a link can be nil: declare it as optional}}
    @Persisted var dog: Dog
}

final class DeclaresAListOptional: Object {
    // expected-error@+1 {{generic struct 'Persisted' requires that 'List<Dog>' conform to 'Option}}
    @Persisted var dogs: List<Dog>?
}

final class ListsOptionalObjects: Object {
    // expected-error@+2 {{type 'Dog' does not conform to protocol 'RequiredValue'}}
    // expected-error@+1 {{'List' requires that 'Dog' conform to 'RequiredValue'}}
    @Persisted var dogs: List<Dog?>
}

final class HoldsOptionalObjectsInASet: Object {
    // expected-error@+2 {{type 'Dog' does not conform to protocol 'RequiredValue'}}
    // expected-error@+1 {{'MutableSet' requires that 'Dog' conform to 'RequiredValue'}}
    @Persisted var dogs: MutableSet<Dog?>
}

final class MapsObjectsWithoutOptional: Object {
    // expected-error@+1 3 {{unavailable: an object of a map can be deleted: declare the values as}}
    @Persisted var dogs: Map<String, Dog>
}

final class MarksADateAsPrimaryKey: Object {
    // expected-error@+1 {{requires that 'Date' conform to 'PrimaryKeyValue'}}
    @Persisted(primaryKey: true) var date: Date
}

final class IndexesADouble: Object {
    // expected-error@+1 {{requires that 'Double' conform to 'IndexableValue'}}
    @Persisted(indexed: true) var value: Double
}

final class IndexesAProjectionOfADouble: Object {
    // expected-error@+1 {{conform to 'PrimaryKeyValue'}}
    @Persisted(primaryKey: true) var id: Celsius
    // expected-error@+1 {{conform to 'IndexableValue'}}
    @Persisted(indexed: true) var heat: Celsius
    // expected-error@+1 {{conform to 'IndexableValue'}}
    @Persisted(indexed: true) var coldest: Celsius?
}

final class CascadesFromAString: Object {
    // expected-error@+1 {{requires that 'String' conform to 'LinkProperty'}}
    @Persisted(onDelete: .cascade) var name: String
}

final class GuardsAnEmbeddedObject: Object {
    // expected-error@+1 {{inherit from 'Object'}}
    @Persisted(onDelete: .deny) var note: Note?
}

// expected-error@+4 {{type 'Names' does not conform to protocol 'FailableCustomPersistable'}}
// expected-error@+3 {{type 'Names' does not conform to protocol 'ProjectedValue'}}
// expected-error@+2 {{type 'Names' does not conform to protocol 'ScalarValue'}}
// expected-note@+1 {{add stubs for conformance}}
struct Names: CustomPersistable {
    let texts: [String]

    // expected-note@+1 {{if 'List<String>' conformed to 'ProjectionBasis'}}
    init(persistedValue: List<String>) { texts = Array(persistedValue) }
    // expected-note@+1 {{if 'List<String>' conformed to 'ProjectionBasis'}}
    var persistableValue: List<String> { List(texts) }
}

// expected-error@+4 {{type 'Name' does not conform to protocol 'FailableCustomPersistable'}}
// expected-error@+3 {{type 'Name' does not conform to protocol 'ProjectedValue'}}
// expected-error@+2 {{type 'Name' does not conform to protocol 'ScalarValue'}}
// expected-note@+1 {{add stubs for conformance}}
struct Name: CustomPersistable {
    let text: String

    // expected-note@+1 {{if 'Text' conformed to 'ProjectionBasis'}}
    init(persistedValue: Text) { text = persistedValue.text }
    // expected-note@+1 {{if 'Text' conformed to 'ProjectionBasis'}}
    var persistableValue: Text { Text(value: [text]) }
}

// expected-error@+4 {{type 'Title' does not conform to protocol 'FailableCustomPersistable'}}
// expected-error@+3 {{type 'Title' does not conform to protocol 'ProjectedValue'}}
// expected-error@+2 {{type 'Title' does not conform to protocol 'ScalarValue'}}
// expected-note@+1 {{add stubs for conformance}}
struct Title: FailableCustomPersistable {
    // expected-note@+1 {{(aka 'Optional<String>') does not conform to 'ProjectionBasis'}}
    typealias PersistedType = String?
    let text: String

    init?(persistedValue: String?) { text = persistedValue ?? "" }
    var persistableValue: String? { text }
}
