internal import RegnumEngine

// Conditions on embedded objects that are points.

extension Query {
    /// Whether the embedded object is a point within the shape. ``GeoShape`` describes how points
    /// are stored.
    ///
    ///     realm.objects(Shop.self).where { $0.location.geoWithin(circle) }
    ///
    /// False for `nil`, for an object with another `type`, and for one with fewer than two
    /// coordinates or with coordinates that are out of range. A class that doesn't have the
    /// properties of a point, or a shape that encloses no area, is an error, which is reported when
    /// the query is used. For a shape from a client, call a function that throws, such as `page` or
    /// `filter` (with `"location GEOWITHIN %@"`), or read the results in ``Snapshot/read(_:)``: a
    /// property such as `count` of frozen or live results traps elsewhere.
    ///
    /// - Complexity: O(v) for each object and a polygon of v points. With a geospatial index (see
    ///   ``Persisted/init(geoIndexed:)``), only objects near the shape are tested, if they are few.
    public func geoWithin<Target: EmbeddedObject>(_ shape: some GeoShape) -> Query<Bool>
    where Value == Target? {
        isWithin(shape, ClassSchema.of(Target.self))
    }
}

extension Query where Value: EmbeddedObject {
    /// Whether the element of a collection is a point within the shape.
    ///
    ///     realm.objects(Route.self).where { $0.stops.all { $0.geoWithin(box) } }
    public func geoWithin(_ shape: some GeoShape) -> Query<Bool> {
        isWithin(shape, ClassSchema.of(Value.self))
    }
}

extension Query where Value: QueryCollection, Value.Element: EmbeddedObject {
    /// Whether at least one of the elements is a point within the shape.
    public func geoWithin(_ shape: some GeoShape) -> Query<Bool> {
        isWithin(shape, ClassSchema.of(Value.Element.self))
    }
}

extension Query {
    private func isWithin(_ shape: some GeoShape, _ schema: ClassSchema) -> Query<Bool> {
        do throws(GeoMistake) {
            return condition(.exists(hops, try schema.isWithin(shape)))
        } catch {
            scope.refuse(error.message)
            return condition(.constant(false))
        }
    }
}

extension ClassSchema {
    /// Returns the condition that an object of the class is a point within a shape. Throws if the
    /// objects aren't points, or the shape has no area.
    func isWithin(_ shape: some GeoShape) throws(GeoMistake) -> Predicate {
        guard isEmbedded, let type = property(columnNamed: "type"),
            let coordinates = property(columnNamed: "coordinates"),
            case .scalar(let storage) = properties[type].shape, storage.scalar == .string,
            case .list(.scalar(let element)) = properties[coordinates].shape,
            element.scalar == .double, let hop = hops(through: properties[coordinates]).first
        else {
            throw GeoMistake(
                message: "\(name) doesn't store points: a geospatial query needs an embedded class "
                    + "that stores a string as \"type\" and a List<Double> as \"coordinates\".")
        }
        let layout = GeoLayout(
            type: properties[type].reference, coordinates: hop, element: .element(element))
        return .within(layout, try shape._area.area.get())
    }
}
