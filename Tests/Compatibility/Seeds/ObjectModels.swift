// The models of "Object Models - Swift SDK", 003_f3d362fc7acfbbed.txt. The page includes its
// examples by file name and prints none of them: the classes here follow its text. Each file is an
// enumeration, since three of them have a class `Person`.

import Foundation
import Regnum
import RegnumTestSupport

@testable import RegnumTestModels

/// ObjectModels.snippet.define-a-model.swift: "a `Dog` object type with a string name, optional
/// string breed, date of birth, and primary key ID".
enum DefineAModel {
    class Dog: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name = ""
        @Persisted var breed: String?
        @Persisted var dateOfBirth = Date()
    }
}

/// "a base class could have a `@Persisted var foo: Int` property".
enum Inheritance {
    class Base: Object {
        @Persisted var foo: Int
    }

    class Derived: Base {
        @Persisted var bar = 0
    }

    class Sibling: Base {
        @Persisted var baz = ""
    }

    class Container: Object {
        @Persisted var one: Base?
        @Persisted var many: List<Base>
    }
}

/// ObjectModels.snippet.optional-required-properties.swift: "You can declare properties as optional
/// or required (non-optional) using standard Swift syntax."
enum OptionalAndRequiredProperties {
    class Person: Object {
        // Required string property
        @Persisted var name = ""
        // Optional string property
        @Persisted var address: String?
        // Required numeric property
        @Persisted var ageYears = 0
        // Optional numeric property
        @Persisted var heightCm: Float?
    }
}

/// ObjectModels.snippet.specify-a-primary-key.swift: "Declare the property with
/// `primaryKey: true`".
enum SpecifyAPrimaryKey {
    class Project: Object {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var name = ""
    }

    class TwoKeys: Object {
        @Persisted(primaryKey: true) var first = 0
        @Persisted(primaryKey: true) var second = 0
    }

    class KeyedPart: EmbeddedObject {
        @Persisted(primaryKey: true) var id = 0
    }

    class Whole: Object {
        @Persisted var part: KeyedPart?
    }
}

/// ObjectModels.snippet.index-a-property.swift: "declare the property with `indexed: true`"; and
/// all types that it lists.
enum IndexAProperty {
    class Book: Object {
        @Persisted var priceCents = 0
        @Persisted(indexed: true) var title = ""
    }

    class EveryIndex: Object {
        @Persisted(indexed: true) var text: String
        @Persisted(indexed: true) var int: Int
        @Persisted(indexed: true) var int8: Int8
        @Persisted(indexed: true) var int16: Int16
        @Persisted(indexed: true) var int32: Int32
        @Persisted(indexed: true) var int64: Int64
        @Persisted(indexed: true) var flag: Bool
        @Persisted(indexed: true) var date: Date
        @Persisted(indexed: true) var uuid: UUID
        @Persisted(indexed: true) var objectId: ObjectId
        @Persisted(indexed: true) var any: AnyRealmValue
    }
}

/// ObjectModels.snippet.ignore-a-property.swift: "leave the `@Persisted` notation off the property
/// attribute"; read-only properties are ignored.
enum IgnoreAProperty {
    class Person: Object {
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        var tmpId = 0

        // Read-only properties are automatically ignored
        var name: String { return "\(firstName) \(lastName)" }
    }
}

/// ObjectModels.snippet.realm-object-enum.swift: "marking it as complying with the PersistableEnum
/// protocol. Realm supports enums of any RawType."
enum DeclareEnumProperties {
    enum TaskStatusEnum: String, PersistableEnum {
        case notStarted
        case inProgress
        case complete
    }

    class Task: Object {
        @Persisted var name: String = ""
        @Persisted var owner: String?

        // Required enum property
        @Persisted var status = TaskStatusEnum.notStarted

        // Optional enum property
        @Persisted var optionalTaskStatusEnum: TaskStatusEnum?
    }

    enum Level: Int, PersistableEnum {
        case low = 3
        case high = 7
    }

    enum Narrow: Int8, PersistableEnum {
        case down = -1
        case up = 1
    }

    enum Ratio: Double, PersistableEnum {
        case half = 0.5
        case whole = 1
    }

    enum Share: Float, PersistableEnum {
        case tenth = 0.1
        case all = 1
    }

    class EveryRawType: Object {
        @Persisted(primaryKey: true) var level: Level
        @Persisted(indexed: true) var narrow: Narrow
        @Persisted var ratio: Ratio
        @Persisted var share: Share
        @Persisted var states: List<TaskStatusEnum>
    }
}

/// ClassProjection.snippet.models.swift: "A `Person` has a first and last name, an optional
/// `Address`, and a list of friends consisting of other `Person` objects. An `Address` has a city
/// and country."
enum ClassProjectionModels {
    class Person: Object {
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        @Persisted var address: Address?
        @Persisted var friends = List<Person>()
    }

    class Address: EmbeddedObject {
        @Persisted var city: String = ""
        @Persisted var country = ""
    }
}

/// ClassProjection.snippet.declare-class-projection.swift: "Passthrough: the property is the same
/// name and type as the original object", "Rename", "Keypath resolution: [...] including embedded
/// object properties", "Collection mapping", where "the type in the class projection should be
/// ProjectedCollection", "Exclusion".
extension ClassProjectionModels {
    class PersonProjection: Projection<Person> {
        @Projected(\Person.firstName) var firstName  // Passthrough from original object
        // Rename and access embedded object property through keypath
        @Projected(\Person.address?.city) var homeCity
        // Collection mapping
        @Projected(\Person.friends.projectTo.firstName)
        var firstFriendsName: ProjectedCollection<String>
    }
}
