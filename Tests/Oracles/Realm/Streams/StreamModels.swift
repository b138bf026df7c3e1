import FoundationEssentials
import Regnum
import RegnumTestSupport

// The classes of random histories. `serial` is never reused, increases in order of creation, and
// identifies an object to the oracle; keys are reused.

enum StreamMood: String, PersistableEnum {
    case calm
    case busy
    case loud
}

final class StreamPerson: Object {
    @Persisted var serial: Int
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var group: Int
    @Persisted var age: Int?
    @Persisted var name: String
    @Persisted var score: Double
    @Persisted var isOn: Bool
    @Persisted var born: Date
    @Persisted var mood: StreamMood
    @Persisted var boss: StreamPerson?
    @Persisted var dog: StreamDog?
    @Persisted var dogs: List<StreamDog>
    @Persisted var friends: List<StreamPerson>
    @Persisted var tags: List<String>
    @Persisted var box: StreamBox?
    @Persisted var boxes: List<StreamBox>
    @Persisted var pets: Map<String, StreamDog?>
    @Persisted var marks: Map<String, Int?>
    @Persisted var crates: Map<String, StreamBox?>
    @Persisted(originProperty: "boss") var staff: LinkingObjects<StreamPerson>
    @Persisted(originProperty: "pals") var fans: LinkingObjects<StreamDog>
}

final class StreamDog: Object {
    @Persisted var serial: Int
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
    @Persisted var weight: Double?
    @Persisted var toy: StreamToy?
    @Persisted var toys: List<StreamToy>
    @Persisted var numbers: List<Int?>
    @Persisted var colors: MutableSet<Int?>
    @Persisted var pals: MutableSet<StreamPerson>
    @Persisted var note: AnyRealmValue
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<StreamPerson>
    @Persisted(originProperty: "dog") var keepers: LinkingObjects<StreamPerson>
    @Persisted(originProperty: "pets") var pens: LinkingObjects<StreamPerson>
}

final class StreamToy: Object {
    @Persisted var serial: Int
    @Persisted var price: Int
    @Persisted var label: String?
    @Persisted var dog: StreamDog?
    @Persisted(originProperty: "toys") var dogs: LinkingObjects<StreamDog>
}

final class StreamBox: EmbeddedObject {
    @Persisted var serial: Int
    @Persisted var size: Int
    @Persisted var label: String
    @Persisted var toy: StreamToy?
}

let streamClasses: [ObjectBase.Type] = [
    StreamPerson.self, StreamDog.self, StreamToy.self, StreamBox.self,
]

/// A class of the histories, or a projection of one, as seen by the oracle and its observers.
protocol StreamModel: ObjectBase {
    static var mirrorClass: MirrorClass { get }
    static func serial(_ object: Frozen<Self>) -> Int
    /// Returns the content by property, in the oracle's order.
    static func content(_ object: Frozen<Self>) -> [[MirrorValue]]
    /// Returns the same for the oracle.
    static func content(_ world: MirrorWorld, _ serial: Int) -> [[MirrorValue]]
}

extension StreamModel {
    static func content(_ world: MirrorWorld, _ serial: Int) -> [[MirrorValue]] {
        world.content(serial)
    }
}

extension StreamPerson: StreamModel {
    static var mirrorClass: MirrorClass { .person }

    static func serial(_ object: Frozen<StreamPerson>) -> Int { object.serial }

    static func content(_ object: Frozen<StreamPerson>) -> [[MirrorValue]] {
        [
            [.int(object.serial)], [.int(object.id)], [.int(object.group)], [.of(object.age)],
            [.text(object.name)], [.double(object.score.bitPattern)], [.bool(object.isOn)],
            [.date(Int(object.born.timeIntervalSinceReferenceDate))],
            [.text(object.mood.rawValue)],
            [.of(object.boss?.serial)], [.of(object.dog?.serial)],
            object.dogs.map { .int($0.serial) }, object.friends.map { .int($0.serial) },
            object.tags.map { .text($0) }, object.box.map { content(of: $0) } ?? [.null],
            object.boxes.flatMap { content(of: $0) },
            object.pets.flatMap { [.text($0.key), .of($0.value?.serial)] },
            object.marks.flatMap { [.text($0.key), .of($0.value)] },
            object.crates.flatMap {
                [.text($0.key)] + ($0.value.map { content(of: $0) } ?? [.null])
            },
        ]
    }

    private static func content(of box: Frozen<StreamBox>) -> [MirrorValue] {
        StreamBox.content(box).flatMap { $0 }
    }
}

extension StreamDog: StreamModel {
    static var mirrorClass: MirrorClass { .dog }

    static func serial(_ object: Frozen<StreamDog>) -> Int { object.serial }

    static func content(_ object: Frozen<StreamDog>) -> [[MirrorValue]] {
        [
            [.int(object.serial)], [.text(object.name)], [.int(object.age)],
            [object.weight.map { .double($0.bitPattern) } ?? .null], [.of(object.toy?.serial)],
            object.toys.map { .int($0.serial) }, object.numbers.map { .of($0) },
            object.colors.map { .of($0) }, object.pals.map { .int($0.serial) },
            [object.note.mirrorTree.flat],
        ]
    }
}

extension StreamToy: StreamModel {
    static var mirrorClass: MirrorClass { .toy }

    static func serial(_ object: Frozen<StreamToy>) -> Int { object.serial }

    static func content(_ object: Frozen<StreamToy>) -> [[MirrorValue]] {
        [
            [.int(object.serial)], [.int(object.price)],
            [object.label.map { .text($0) } ?? .null], [.of(object.dog?.serial)],
        ]
    }
}

extension StreamBox: StreamModel {
    static var mirrorClass: MirrorClass { .box }

    static func serial(_ object: Frozen<StreamBox>) -> Int { object.serial }

    static func content(_ object: Frozen<StreamBox>) -> [[MirrorValue]] {
        [
            [.int(object.serial)], [.int(object.size)], [.text(object.label)],
            [.of(object.toy?.serial)],
        ]
    }
}
