/// A distance on the surface of the Earth, a sphere with a radius of 6,378.1 km.
///
///     GeoCircle(center: center, radius: .kilometers(2)!)
public struct Distance: Hashable, Sendable {
    private let radians: Double

    private static let earthRadiusInMeters = 6_378_100.0
    private static let metersPerMile = 1_609.344

    private init?(checking radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// Returns the distance in meters, or `nil` if it is negative or NaN.
    public static func meters(_ meters: Double) -> Distance? {
        Distance(checking: meters / earthRadiusInMeters)
    }

    /// Returns the distance in kilometers, or `nil` if it is negative or NaN.
    public static func kilometers(_ kilometers: Double) -> Distance? {
        Distance(checking: kilometers / (earthRadiusInMeters / 1_000))
    }

    /// Returns the distance in miles of 1,609.344 meters, or `nil` if it is negative or NaN.
    public static func miles(_ miles: Double) -> Distance? {
        Distance(checking: miles * metersPerMile / earthRadiusInMeters)
    }

    /// Returns the distance as an angle in degrees, seen from the center of the Earth, or `nil` if
    /// it is negative or NaN.
    public static func degrees(_ degrees: Double) -> Distance? {
        Distance(checking: degrees * .pi / 180)
    }

    /// Returns the distance as an angle in radians, seen from the center of the Earth, or `nil` if
    /// it is negative or NaN.
    public static func radians(_ radians: Double) -> Distance? {
        Distance(checking: radians)
    }

    /// Returns the distance in meters.
    public func asMeters() -> Double { radians * Distance.earthRadiusInMeters }

    /// Returns the distance in kilometers.
    public func asKilometers() -> Double { radians * (Distance.earthRadiusInMeters / 1_000) }

    /// Returns the distance in miles of 1,609.344 meters.
    public func asMiles() -> Double {
        radians * Distance.earthRadiusInMeters / Distance.metersPerMile
    }

    /// Returns the distance as an angle in degrees, seen from the center of the Earth.
    public func asDegrees() -> Double { radians * 180 / .pi }

    /// Returns the distance as an angle in radians, seen from the center of the Earth.
    public func asRadians() -> Double { radians }
}
