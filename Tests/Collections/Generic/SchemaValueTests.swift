import Foundation
import Regnum
import RegnumTestSupport
import Testing

@testable import RegnumTestModels

private enum SchemaColor: String, PersistableEnum { case red, blue }

private final class SchemaBase: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var room: String
    @Persisted var flag: Bool
    @Persisted var small: Int8?
    @Persisted var single: Float
    @Persisted var real: Double
    @Persisted var bytes: Data?
    @Persisted var moment: Date
    @Persisted var exact: Decimal128
    @Persisted var uuid: UUID
    @Persisted var color: SchemaColor
    @Persisted var other: SchemaBase?
    @Persisted var part: SchemaPart?
    @Persisted var list: List<Int?>
    @Persisted var objects: List<SchemaBase>
    @Persisted var set: MutableSet<String>
    @Persisted var map: Map<String, SchemaBase?>
    @Persisted(originProperty: "other") var origins: LinkingObjects<SchemaBase>
    var ignored = 7
}

private final class SchemaPart: EmbeddedObject {
    @Persisted var text: String
}

/// The contents of `Schema`, `ObjectSchema` and `Property`.
@Suite struct SchemaValueTests {
    // Covers 1.8, 1.75, 6.21
    @Test func everyPropertyIsTold() throws {
        let schema = SchemaBase().objectSchema
        expectTrue(schema.className == "SchemaBase" && schema.objectClass == SchemaBase.self)
        expectTrue(!schema.isEmbedded && SchemaPart().objectSchema.isEmbedded)
        expectEqual(schema.primaryKeyProperty, schema["id"])
        expectNil(SchemaPart().objectSchema.primaryKeyProperty)
        expectEqual(
            schema.properties.map { "\($0)" },
            [
                "id: ObjectId, primary key", "room: String, indexed", "flag: Bool", "small: Int?",
                "single: Float", "real: Double", "bytes: Data?", "moment: Date",
                "exact: Decimal128", "uuid: UUID", "color: String", "other: SchemaBase?",
                "part: SchemaPart?", "list: List<Int?>", "objects: List<SchemaBase>",
                "set: MutableSet<String>", "map: Map<String, SchemaBase?>",
            ])
        expectEqual(
            schema["origins"].map { "\($0)" }, "origins: LinkingObjects<SchemaBase>, of other")
        let types: [PropertyType] = [
            .objectId, .string, .bool, .int, .float, .double, .data, .date, .decimal128, .uuid,
            .string, .object, .object, .int, .object, .string, .object,
        ]
        expectEqual(schema.properties.map(\.type), types)
        expectEqual(schema.properties.filter(\.isArray).map(\.name), ["list", "objects"])
        expectEqual(schema.properties.filter(\.isSet).map(\.name), ["set"])
        expectEqual(schema.properties.filter(\.isMap).map(\.name), ["map"])
        expectEqual(schema.properties.filter(\.isPrimaryKey).map(\.name), ["id"])
        expectEqual(
            schema.properties.filter(\.isOptional).map(\.name),
            [
                "small", "bytes", "other", "part", "list", "map",
            ])
        expectTrue(schema["part"]?.objectClassName == "SchemaPart" && schema["nothing"] == nil)
        expectEqual(schema["origins"]?.originPropertyName, "other")
        expectTrue(schema.properties.allSatisfy { $0.name == $0.columnName })
    }

    // Covers 1.75
    @Test func propertiesAreFoundByKeyPath() {
        let schema = SchemaBase().objectSchema
        expectEqual(schema[\SchemaBase.room], schema["room"])
        expectEqual(schema[\SchemaBase.small]?.name, "small")
        expectEqual(schema[\SchemaBase.list]?.name, "list")
        expectEqual(schema[\SchemaBase.origins]?.originPropertyName, "other")
        expectNil(schema[\SchemaBase.other?.room])
        expectNil(schema[\SchemaBase.room.count])
        expectNil(schema[\SchemaPart.text])
    }

    // Covers 10.4
    @Test func primaryKeyIsIndexedToo() {
        let schema = SchemaBase().objectSchema
        expectEqual(schema.properties.filter(\.isIndexed).map(\.name), ["id", "room"])
    }

    // Covers 1.75, 5.74
    @Test func listedClassesAreTheSchema() async throws {
        let types: [ObjectBase.Type] = [SchemaBase.self, SchemaPart.self]
        let realm = try await Realm.temporary(types)
        let schema = realm.schema
        expectEqual(schema.objectSchema.map(\.className), ["SchemaBase", "SchemaPart"])
        expectTrue(schema["SchemaPart"] == SchemaPart().objectSchema && schema["Nothing"] == nil)
        expectTrue(schema == realm.schema && Set([schema, realm.schema]).count == 1)
        #expect(schema != (try await Realm.temporary([SchemaPart.self]).schema))
        expectTrue("\(schema)".contains("        room: String, indexed"))
    }

    // Covers 5.74
    @Test func withoutAListClassesJoinAtTheirFirstUseWithAllThatTheyLinkTo() async throws {
        let realm = try await Realm.temporary()
        expectTrue(realm.schema.objectSchema.isEmpty)
        expectTrue(realm.snapshot().objects(GenericPart2.self).isEmpty)
        expectEqual(realm.schema.objectSchema.map(\.className), ["GenericPart2"])
        expectTrue(realm.snapshot().objects(SchemaBase.self).isEmpty)
        let names = ["GenericPart2", "SchemaBase", "SchemaPart"]
        expectEqual(realm.schema.objectSchema.map(\.className), names)
        // A class that was never used isn't in the file, and the realm opens without it.
        try await realm.write { tx in try tx.add(GenericPart2()) }
        expectEqual(realm.schema.objectSchema.map(\.className), names)
    }

    // Covers 1.7, 1.8, 2.1
    @Test func whatIsConfinedKnowsItsRealm() async throws {
        let realm = try await Realm.temporary(genericClasses)
        try await realm.write { tx in
            let owner = GenericOwner("Ann")
            let pet = GenericPet("Rex")
            expectTrue(owner.realm == nil && owner.pets.realm == nil && owner.byRole.realm == nil)
            expectTrue(owner.friends.realm == nil && pet.owners.realm == nil)
            owner.pets.append(pet)
            try tx.add(owner)
            expectTrue(owner.realm === realm && owner.pets.realm === realm)
            expectTrue(owner.byRole.realm === realm && owner.friends.realm === realm)
            expectTrue(pet.owners.realm === realm && tx.objects(GenericPet.self).realm === realm)
            let results = tx.objects(GenericPet.self)
            expectTrue(!results.isInvalidated && !owner.pets.isInvalidated)
            tx.delete(owner)
            expectTrue(owner.pets.isInvalidated && !results.isInvalidated && owner.realm === realm)
            expectEqual(owner.objectSchema, GenericOwner().objectSchema)
        }
    }
}

private final class GenericPart2: Object {
    @Persisted var text: String
}
