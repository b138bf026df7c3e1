@testable import RegnumTestModels

/// Where a piece of Swift stands that the documents print, or what it waits for.
enum Place: Equatable, Sendable {
    /// In the sources of these tests, as it is printed.
    case here
    /// For a type that is not there yet.
    case waits(String)
    /// Nowhere: what it shows must not compile, or cannot on Linux.
    case never(String)
}

/// All classes, extensions and functions that the documents print, in their order.
let declarations: [(document: String, first: String, place: Place)] =
    supportedTypes("000") + supportedTypes("001") + typeProjection("002") + collections("004")

/// "Supported Types - Swift SDK".
private func supportedTypes(
    _ document: String
) -> [(document: String, first: String, place: Place)] {
    collections(document) + [
        (document, "class Dog: Object {", .here),
        (document, "class Dog: Object {", .here),
        (document, "class Dog: Object {", .here),
        (document, "class CustomGeoPoint: EmbeddedObject {", .here),
    ] + typeProjection(document)
}

/// "Type Projection - Swift SDK".
private func typeProjection(
    _ document: String
) -> [(document: String, first: String, place: Place)] {
    [
        (document, "extension CLLocationCoordinate2D: CustomPersistable {", .here),
        (document, "extension URL: FailableCustomPersistable {", .here),
        (
            document, "extension URL: FailableCustomPersistable {",
            .never("the persisted type is optional: shown as a mistake")
        ),
        (document, "class Club: Object {", .here),
        (document, "class Club: Object {", .here),
        (document, "public class Location: EmbeddedObject {", .here),
    ]
}

/// "Collections - Swift SDK".
private func collections(
    _ document: String
) -> [(document: String, first: String, place: Place)] {
    [
        (
            document, "func operateOn<C: RealmCollection>(collection: C) {",
            .here
        ),
        (document, "class ViewController {", .here),
    ]
}

/// The single properties of 000 that are not here: all others are.
let absentProperties: [(declaration: String, place: Place)] = [
    ("@Persisted @objc var myObject: MyClass?", .never("@objc needs the runtime of Objective-C"))
]

/// The examples in Swift that 003 includes by the names of their files, without printing them.
/// Those here are written after the words of the page.
let includedExamples: [(file: String, place: Place)] = [
    ("ObjectModels.snippet.define-a-model.swift", .here),
    ("ObjectModels.snippet.optional-required-properties.swift", .here),
    ("ObjectModels.snippet.specify-a-primary-key.swift", .here),
    ("ObjectModels.snippet.index-a-property.swift", .here),
    ("ObjectModels.snippet.ignore-a-property.swift", .here),
    ("ObjectModels.snippet.realm-object-enum.swift", .here),
    ("ClassProjection.snippet.models.swift", .here),
    ("ClassProjection.snippet.declare-class-projection.swift", .here),
    ("AsymmetricSync.snippet.asymmetric-model.swift", .here),
    (
        "ObjectModels.snippet.optional-required-properties-objc-dynamic.swift",
        .never("@objc needs the runtime of Objective-C")
    ),
    (
        "ObjectModels.snippet.specify-a-primary-key-objc-dynamic.swift",
        .never("@objc needs the runtime of Objective-C")
    ),
    (
        "ObjectModels.snippet.index-a-property-objc-dynamic.swift",
        .never("@objc needs the runtime of Objective-C")
    ),
    (
        "ObjectModels.snippet.ignore-a-property-objc-dynamic.swift",
        .never("@objc needs the runtime of Objective-C")
    ),
    (
        "ObjectModels.snippet.realm-object-enum-objc-dynamic.swift",
        .never("@objc needs the runtime of Objective-C")
    ),
]
