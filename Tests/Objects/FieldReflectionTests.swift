import FoundationEssentials
import RegnumEngine
import RegnumTestSupport
import Testing

@testable import Regnum
@testable import RegnumTestModels

/// The runtime's field reflection isn't a stable interface. These tests state what the library
/// relies on; if one fails after a compiler update, start at `FieldReflection.swift`.
@Suite struct FieldReflectionTests {
    @Test func fieldsAreFoundInOrderWithTheirTypesSuperclassesFirst() {
        let fields = storedFields(of: Dog.self)
        expectEqual(fields.map(\.name).suffix(4), ["_name", "_legs", "_chip", "_breed"])
        let types = fields.suffix(4).map { ObjectIdentifier($0.type) }
        expectEqual(
            types,
            [
                ObjectIdentifier(Persisted<String>.self), ObjectIdentifier(Persisted<Int>.self),
                ObjectIdentifier(Persisted<Int>.self), ObjectIdentifier(Persisted<String>.self),
            ])
        expectTrue(storedFields(of: Person.self).contains { $0.name == "ignored" })
    }

    @Test func offsetsLeadToTheValues() throws {
        let person = Person("Ann", age: 41, height: nil, isActive: true)
        let schema = ClassSchema.of(Person.self)
        let values = schema.properties.map { property in
            property.field.unmanagedValue(in: person, at: property.offset)
        }
        expectEqual(values, [.string("Ann"), .int(41), .null, .bool(true), .int(0)])
    }

    @Test func referencesLieAtOnePlaceInAllWrappers() {
        let offset = MemoryLayout<Persisted<Dog?>>.offset(of: \._value)
        expectEqual(MemoryLayout<Persisted<List<Dog>>>.offset(of: \._value), offset)
        expectEqual(MemoryLayout<Persisted<List<Int>>>.offset(of: \._value), offset)
        expectEqual(MemoryLayout<Persisted<MutableSet<String>>>.offset(of: \._value), offset)
        expectTrue(MemoryLayout<Persisted<Map<String, Int>>>.offset(of: \._value) == offset)
        expectEqual(MemoryLayout<Persisted<List<Dog>>>.size, MemoryLayout<Persisted<Dog?>>.size)
    }

    @Test func columnNumberIsTheFirstFieldOfTheWrapper() {
        expectEqual(MemoryLayout<Persisted<String>>.offset(of: \._column), 0)
        expectEqual(MemoryLayout<Persisted<Bool>>.offset(of: \._column), 0)
        expectEqual(MemoryLayout<Persisted<UUID?>>.offset(of: \._column), 0)
        let person = Person("Ann", age: 41)
        let schema = ClassSchema.of(Person.self)
        for (index, property) in schema.properties.enumerated() {
            person.bindField(at: property.offset, to: Int32(index) + 100)
        }
        let mirror = Mirror(reflecting: person)
        let columns = mirror.children.compactMap { child -> Int32? in
            switch child.value {
            case let field as Persisted<String>: field._column
            case let field as Persisted<Int>: field._column
            case let field as Persisted<Double?>: field._column
            case let field as Persisted<Bool>: field._column
            default: nil
            }
        }
        expectEqual(columns, [100, 101, 102, 103, 104])
        expectTrue(person.name == "Ann" && person.age == 41)
    }

    @Test func declarationIsReadFromTheWrappers() throws {
        let message = ClassSchema.of(Message.self)
        expectEqual(message.name, "Message")
        expectEqual(
            message.properties.map(\.name), ["id", "room", "author", "text", "sentAt", "editedAt"])
        expectEqual(message.properties.filter(\.isPrimaryKey).map(\.name), ["id"])
        expectEqual(message.properties.filter(\.isIndexed).map(\.name), ["room"])
        expectEqual(message.properties.filter(\.isOptional).map(\.name), ["editedAt"])
        expectEqual(
            message.properties.map(\.type), [.objectId, .string, .string, .string, .date, .date])
        expectEqual(message.properties[2].defaultValue, .string("nobody"))
        expectEqual(message.properties[0].defaultValue, ValueType.objectId.zero)
        expectEqual(message.properties[4].defaultValue, ValueType.date.zero)
        expectEqual(message.properties[5].defaultValue, .null)
    }

    @Test func initialValueThatChangesIsNoDefault() {
        final class Changing: Object {
            @Persisted var made = Date()
            @Persisted var tag = UUID()
            @Persisted var fixed = Date(timeIntervalSinceReferenceDate: 5)
            @Persisted var maybe: UUID? = UUID()
        }
        let defaults = ClassSchema.of(Changing.self).properties.map(\.defaultValue)
        expectEqual(defaults, [.date(0), ValueType.uuid.zero, .date(5), .null])
    }

    @Test func keyPathsAreToldFromWhatTheyRead() {
        let schema = ClassSchema.of(Dog.self)
        expectEqual(schema.requireProperty(\Dog.chip).name, "chip")
        expectEqual(schema.requireProperty(\Dog.name).name, "name")
        expectEqual(schema.requireProperty(\Dog.legs).name, "legs")
        expectEqual(schema.requireProperty(\Dog.breed).name, "breed")
        expectEqual(schema.requireProperty(\Dog.name).name, "name")
        for property in ClassSchema.of(Everything.self).properties {
            expectEqual(property.reference.name, property.name)
        }
        let everything = ClassSchema.of(Everything.self)
        expectEqual(everything.requireProperty(\Everything.maybeUuid).name, "maybeUuid")
    }
}
