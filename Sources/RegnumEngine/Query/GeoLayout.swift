/// The properties of a class whose objects are points, by name: the layout of a point in GeoJSON.
package struct GeoLayout: Hashable, Sendable {
    /// A string, which is "Point" in any case.
    package var type: ColumnReference
    /// The list of the longitude and the latitude in degrees. Later elements don't count.
    package var coordinates: Hop
    /// The elements of the list, doubles.
    package var element: ColumnReference

    package init(type: ColumnReference, coordinates: Hop, element: ColumnReference) {
        self.type = type
        self.coordinates = coordinates
        self.element = element
    }
}
