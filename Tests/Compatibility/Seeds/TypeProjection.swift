// The models of "Type Projection - Swift SDK", 002_60388ab18d3d491d.txt, which
// 000_08f292a56c92ccee.txt and 001_b6dd99c56796c79e.txt print too. The printed code is copied
// verbatim; each `Club` is in an enumeration, since there are two. `Location` is in
// SupportedTypes.swift.

public import Foundation
public import Regnum

@testable import RegnumTestModels

/// Stands in for the structure of that name in CoreLocation, which Linux does not have.
public struct CLLocationCoordinate2D: Sendable {
    public var latitude: Double
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

// Extend a type as a CustomPersistable if if is impossible for
// conversion between the mapped type and the persisted type to fail.
extension CLLocationCoordinate2D: CustomPersistable {
    // Define the storage object that is persisted to the database.
    // The `PersistedType` must be a type that Realm supports.
    // In this example, the PersistedType is an embedded object.
    public typealias PersistedType = Location
    // Construct an instance of the mapped type from the persisted type.
    // When reading from the database, this converts the persisted type to the mapped type.
    public init(persistedValue: PersistedType) {
        self.init(latitude: persistedValue.latitude, longitude: persistedValue.longitude)
    }
    // Construct an instance of the persisted type from the mapped type.
    // When writing to the database, this converts the mapped type to a persistable type.
    public var persistableValue: PersistedType {
        Location(value: [self.latitude, self.longitude])
    }
}

// Extend a type as a FailableCustomPersistable if it is possible for
// conversion between the mapped type and the persisted type to fail.
// This returns nil on read if the underlying column contains nil or
// something that can't be converted to the specified type.
extension URL: FailableCustomPersistable {
    // Define the storage object that is persisted to the database.
    // The `PersistedType` must be a type that Realm supports.
    public typealias PersistedType = String
    // Construct an instance of the mapped type from the persisted type.
    // When reading from the database, this converts the persisted type to the mapped type.
    // This must be a failable initializer when the conversion may fail.
    public init?(persistedValue: String) { self.init(string: persistedValue) }
    // Construct an instance of the persisted type from the mapped type.
    // When writing to the database, this converts the mapped type to a persistable type.
    public var persistableValue: String { self.absoluteString }
}

enum ClubWithURL {
    class Club: Object {
        @Persisted var id: ObjectId
        @Persisted var name: String
        // Although the `PersistedType` cannot be optional, you can use the
        // custom-mapped type as an optional in your object model.
        @Persisted var url: URL?
    }
}

enum ClubWithLocation {
    class Club: Object {
        @Persisted var id: ObjectId
        @Persisted var name: String
        // Since we declared the URL as a FailableCustomPersistable,
        // it must be optional.
        @Persisted var url: URL?
        // Here, the `location` property maps to an embedded object.
        // We can declare the property as required.
        // If the underlying field contains nil, this becomes
        // a default-constructed instance of CLLocationCoordinate
        // with field values of `0`.
        @Persisted var location: CLLocationCoordinate2D
    }
}
