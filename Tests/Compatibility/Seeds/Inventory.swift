@testable import RegnumTestModels

/// Where a piece of Swift code from the documents is, or why it is missing.
enum Place: Equatable, Sendable {
    /// In the sources of these tests, verbatim.
    case here
    /// Missing, because it needs a type that isn't available yet.
    case waits(String)
    /// Nowhere: it must not compile, or can't on Linux.
    case never(String)
}

/// All classes, extensions and functions printed in the documents, in order.
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

/// The individual properties of 000 that are missing here; all others exist.
let absentProperties: [(declaration: String, place: Place)] = [
    ("@Persisted @objc var myObject: MyClass?", .never("@objc needs the Objective-C runtime"))
]

/// The Swift examples that 003 includes by file name, without printing them. Those here follow the
/// text of the page.
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
        .never("@objc needs the Objective-C runtime")
    ),
    (
        "ObjectModels.snippet.specify-a-primary-key-objc-dynamic.swift",
        .never("@objc needs the Objective-C runtime")
    ),
    (
        "ObjectModels.snippet.index-a-property-objc-dynamic.swift",
        .never("@objc needs the Objective-C runtime")
    ),
    (
        "ObjectModels.snippet.ignore-a-property-objc-dynamic.swift",
        .never("@objc needs the Objective-C runtime")
    ),
    (
        "ObjectModels.snippet.realm-object-enum-objc-dynamic.swift",
        .never("@objc needs the Objective-C runtime")
    ),
]
