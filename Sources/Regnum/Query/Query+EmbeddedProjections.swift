internal import RegnumEngine
internal import RegnumStore

// Properties of projected types that are stored as embedded objects. Values are compared member by
// member.

extension Query where Value: ProjectedValue, Value._Projected.PersistedType: EmbeddedObject {
    /// The property as the embedded object that stores it, for conditions on the object's
    /// properties.
    public var persistableValue: Query<Value._Projected.PersistedType?> {
        Query<Value._Projected.PersistedType?>(rawNode(), scope)
    }

    /// Whether the stored object equals the value's persisted object: all their values are equal,
    /// all their links refer to the same objects, and their embedded objects are equal in the same
    /// way. `nil` corresponds to no object.
    ///
    /// A persisted type that has lists is an error, which is reported when the query is used.
    public static func == (left: Query, right: Value) -> Query<Bool> {
        left.condition(left.holds(memberwise: right))
    }

    /// The exact complement of `==`.
    public static func != (left: Query, right: Value) -> Query<Bool> {
        left.condition(.not(left.holds(memberwise: right)))
    }

    /// Whether the property equals one of the values, compared as by `==`; false if there are no
    /// values.
    public func `in`(_ values: some Sequence<Value>) -> Query<Bool> {
        let found = values.map { holds(memberwise: $0) }
        if !found.isEmpty { return condition(.or(found)) }
        // false, but still a condition on the same path
        if case .entry(let hops, _, _) = node { return condition(.exists(hops, .constant(false))) }
        let (several, _) = Array(hops.dropLast()).splitAtLastCollection
        return condition(.exists(several, .constant(false)))
    }

    private func holds(memberwise value: Value) -> Predicate {
        let object: ObjectBase? =
            if case .link(let object?) = value._content().content { object } else { nil }
        if case .entry(let hops, let key, let link) = node {
            return .entry(
                hops, key, isSame(link, object, [.link("value", to: className)]),
                holdsForNil: object == nil)
        }
        guard let last = hops.last else {
            // an element of a collection
            return object.map { .and(scope.members(of: $0, [])) } ?? .constant(false)
        }
        let (several, links) = Array(hops.dropLast()).splitAtLastCollection
        let link = ColumnReference(name: last.name, type: .int, missing: .null, hops: links)
        return .exists(several, isSame(link, object, links + [last]))
    }

    /// The condition that a link leads to an object with the values of another one or, for `nil`,
    /// is null.
    private func isSame(
        _ link: ColumnReference, _ object: ObjectBase?, _ path: [Hop]
    ) -> Predicate {
        guard let object else { return .compare(link, .equal, .null) }
        return .and([.compare(link, .notEqual, .null)] + scope.members(of: object, path))
    }

    private var className: String { ClassSchema.of(Value._Projected.PersistedType.self).name }
}

extension Query
where
    Value: QueryCollection, Value.Element: FailableCustomPersistable,
    Value.Element.PersistedType: EmbeddedObject
{
    /// The elements as the embedded objects that store them.
    public var persistableValue: Query<List<Value.Element.PersistedType>> {
        Query<List<Value.Element.PersistedType>>(rawNode(), scope)
    }

    /// Whether the persisted object of one of the elements equals that of the value.
    public static func == (left: Query, right: Value.Element) -> Query<Bool> {
        left.contains(right)
    }

    /// Whether there are elements, and the persisted object of none of them equals that of the
    /// value (as in Realm).
    public static func != (left: Query, right: Value.Element) -> Query<Bool> {
        let (outer, inner) = left.hops.splitBeforeLastCollection
        let isOther = Predicate.related(inner, .none, left.isElement(right))
        return left.condition(
            .exists(outer, .and([.related(inner, .any, .constant(true)), isOther])))
    }

    /// Whether the persisted object of one of the elements equals that of the value.
    public func contains(_ value: Value.Element) -> Query<Bool> {
        condition(.exists(hops, isElement(value)))
    }

    /// Whether the persisted object of one of the elements equals that of one of the values.
    public func containsAny(in values: some Sequence<Value.Element>) -> Query<Bool> {
        condition(.exists(hops, .or(values.map { isElement($0) })))
    }

    private func isElement(_ value: Value.Element) -> Predicate {
        .and(scope.members(of: value.persistableValue, []))
    }
}

extension Query
where
    Value: QueryMap, Value.Value: ProjectedValue,
    Value.Value._Projected.PersistedType: EmbeddedObject
{
    /// The map with its values as the embedded objects that store them.
    public var persistableValue: Query<Map<Value.Key, Value.Value._Projected.PersistedType?>> {
        Query<Map<Value.Key, Value.Value._Projected.PersistedType?>>(rawNode(), scope)
    }

    /// Whether the persisted object of one of the map's values equals that of the value.
    public func contains(_ value: Value.Value) -> Query<Bool> { values == value }

    /// Whether the persisted object of one of the map's values equals that of one of the values.
    public func containsAny(in values: some Sequence<Value.Value>) -> Query<Bool> {
        self.values.in(values)
    }
}

extension QueryScope {
    /// Returns the conditions that the object at the end of links has the same values as another
    /// one.
    fileprivate func members(of object: ObjectBase, _ hops: [Hop]) -> [Predicate] {
        let schema = ClassSchema.of(type(of: object))
        guard hops.count < Limits.maximumConditionLevel else {
            refuseDepth()
            return []
        }
        return schema.properties.compactMap { property in
            var column = property.reference
            column.hops = hops
            switch property.shape {
            case .scalar where property.shape.isAny:
                let value =
                    property.field.dynamicValue(in: object, at: property.offset) as? AnyRealmValue
                return .compare(column, .equal, operand(value ?? .none))
            case .scalar:
                let value =
                    object.isManaged
                    ? (property.field.dynamicValue(in: object, at: property.offset)
                        as? any ScalarValue)?.engineValue ?? .null
                    : property.field.unmanagedValue(in: object, at: property.offset)
                return .compare(column, .equal, value)
            case .link(let type):
                column.missing = .null
                guard let target = link(property, of: object) else {
                    return .compare(column, .equal, .null)
                }
                if ClassSchema.of(type).isEmbedded {
                    let path = hops + schema.hops(through: property)
                    return .and(
                        [.compare(column, .notEqual, .null)] + members(of: target, path))
                }
                guard let row = row(of: target, of: type) else { return .constant(false) }
                return .compare(column, .equal, .int(Int64(bitPattern: row.rawValue)))
            case .list, .set, .map:
                report(
                    Realm.Error(
                        .invalidQuery,
                        "A query compares a value that is stored as \(schema.name.withArticle), "
                            + "whose \(property.name) is of type \(property.shape.swiftName): "
                            + "collections cannot be compared. Use persistableValue for "
                            + "conditions on its other properties.",
                        className: schema.name, property: property.name))
                return nil
            case .linkingObjects:
                return nil
            }
        }
    }

    /// Returns the object that a link of an object refers to.
    private func link(_ property: PropertySchema, of object: ObjectBase) -> ObjectBase? {
        if object.isManaged {
            let value = property.field.dynamicValue(in: object, at: property.offset)
            return instance(of: ObjectBase.self, value)
        }
        guard
            case .link(let target)? = property.field.reference(
                in: object, at: property.offset, isProjected: property.isProjected)
        else { return nil }
        return target
    }
}
