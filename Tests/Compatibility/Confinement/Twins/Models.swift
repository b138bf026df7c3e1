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
    @Persisted var mood: PersistableMood
}

final class StoresAnArray: Object {
    @Persisted var dogs: List<Dog>
    var cache: [Dog] = []
}

final class StoresAnUnknownType: Object {
    @Persisted var address: String?
    var cause: (any Error)?
}

final class StoresAnUnsignedInteger: Object {
    @Persisted var age: Int
}

final class LinksWithoutOptional: Object {
    @Persisted var dog: Dog?
}

final class DeclaresAListOptional: Object {
    @Persisted var dogs: List<Dog>
}

final class ListsOptionalObjects: Object {
    @Persisted var dogs: List<Dog>
    @Persisted var ages: List<Int?>
}

final class HoldsOptionalObjectsInASet: Object {
    @Persisted var dogs: MutableSet<Dog>
    @Persisted var ages: MutableSet<Int?>
}

final class MapsObjectsWithoutOptional: Object {
    @Persisted var dogs: Map<String, Dog?>
    @Persisted var ages: Map<String, Int?>
}

final class MarksADateAsPrimaryKey: Object {
    @Persisted(indexed: true) var date: Date?
    @Persisted(primaryKey: true) var number: Int?
}

final class IndexesADouble: Object {
    @Persisted var value: Double
    @Persisted(indexed: true) var isValid: Bool
}

final class IndexesAProjectionOfADouble: Object {
    @Persisted(primaryKey: true) var id: WholeCelsius
    @Persisted(indexed: true) var heat: WholeCelsius
    @Persisted(indexed: true) var coldest: WholeCelsius?
}

final class CascadesFromAString: Object {
    @Persisted(onDelete: .cascade) var next: CascadesFromAString?
}

final class GuardsAnEmbeddedObject: Object {
    @Persisted var note: Note?
}

struct Names: CustomPersistable {
    let texts: [String]

    init(persistedValue: Notes) { texts = Array(persistedValue.texts) }
    var persistableValue: Notes { Notes(value: [texts]) }
}

struct Name: CustomPersistable {
    let text: String

    init(persistedValue: Note) { text = persistedValue.text }
    var persistableValue: Note { Note(value: [text]) }
}

struct Title: FailableCustomPersistable {
    typealias PersistedType = String
    let text: String

    init?(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}
