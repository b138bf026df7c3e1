internal import RegnumEngine
internal import RegnumStore

/// The target of a path in a predicate string.
struct PredicatePlace {
    enum Kind {
        /// Objects of a class: the queried object, that of a link, or those of a collection.
        case objects(ClassSchema)
        /// The values of a property or the elements of a collection.
        case values(ColumnReference, _StorageType)
        /// The entries of a map.
        case map(PropertySchema, ElementShape)
        /// A map's value for a key, or a property of the object that is that value.
        case entry(key: String, ColumnReference, _StorageType)
        /// A map's object for a key, and the links followed from there.
        case entryObject(key: String, ClassSchema, links: [Hop])
        /// A value contained in a value of any type.
        case nested(AnyPath)
        case count(outer: [Hop], inner: [Hop], Predicate)
        /// The number of bytes of a string or data.
        case byteCount(ColumnReference)
        /// The number of objects that link to an object, through each of these paths.
        case incoming([[Hop]])
        /// The kind of a value of any type, which is at this place.
        indirect case kind(of: PredicatePlace.Kind)
        case aggregate(outer: [Hop], inner: [Hop], AggregateKind, ColumnReference, _StorageType)
        /// `@max` and so on, before the name of a property of the collection's objects.
        case pendingAggregate(AggregateKind, ClassSchema)
    }

    var kind: Kind
    /// The path to the rows. For values, to the rows that have the column.
    var hops: [Hop]
    /// Whether the place is that of all elements of a collection, rather than of a single one or
    /// of values that belong to the elements.
    var isCollection = false
    /// Whether that collection has positions.
    var isList = false
    /// The path for messages, starting with the class: `Person.dogs.age`.
    var name: String
}

/// The start of paths: the queried object, or the variable of a `SUBQUERY`.
struct PredicateRoot {
    let variable: String?
    let place: PredicatePlace
}

extension PredicateBinder {
    /// Follows a path.
    func place(_ path: PredicatePath) throws(PredicateMistake) -> PredicatePlace {
        var place: PredicatePlace
        if let name = path.variable {
            guard let root = roots.last(where: { $0.variable == name }) else {
                throw PredicateMistake(
                    message: "$\(name.shortened) isn't defined.", offset: path.offset)
            }
            guard root.variable == roots.last?.variable else {
                throw PredicateMistake(
                    message: "The condition of a SUBQUERY can only use its own variable.",
                    offset: path.offset)
            }
            place = root.place
        } else {
            guard roots.count == 1 else {
                throw PredicateMistake(
                    message: "The condition of a SUBQUERY can only use its variable "
                        + "$\((roots.last?.variable ?? "").shortened).", offset: path.offset)
            }
            place = roots[0].place
        }
        var steps = path.steps[...]
        while let step = steps.popFirst() {
            if case .function("links") = step.kind {
                place = try inverse(place, &steps, step.offset)
            } else {
                place = try self.place(after: step, of: place)
            }
            // each name in a path argument is a step, too
            if place.hops.count > Limits.maximumConditionLevel {
                throw PredicateMistake.longPath(path.offset)
            }
        }
        if case .pendingAggregate = place.kind {
            throw PredicateMistake(
                message: "\(place.name) must be followed by the name of a property.",
                offset: path.offset)
        }
        return place
    }

    private func place(
        after step: PredicatePath.Step, of place: PredicatePlace
    ) throws(PredicateMistake) -> PredicatePlace {
        switch step.kind {
        case .name(let name): return try member(name, of: place, step.offset)
        case .names(let argument):
            var place = place
            let dot = UInt8(ascii: ".")
            let parts = try arguments.path(argument, step.offset).utf8
                .split(separator: dot, omittingEmptySubsequences: false)
            if parts.count > Limits.maximumConditionLevel {
                throw PredicateMistake.longPath(step.offset)
            }
            for part in parts {
                place = try member(String(Substring(part)), of: place, step.offset)
            }
            return place
        case .key(let key): return try value(for: key, of: place, step.offset)
        case .position(let position):
            return try element(.position(position), of: place, step.offset)
        case .first: return try element(.position(0), of: place, step.offset)
        case .last: return try element(.last, of: place, step.offset)
        case .all: return try all(place, step.offset)
        case .subscripted(let argument):
            if case .one(let constant) = try arguments.values(argument, step.offset) {
                if let key = constant.text { return try value(for: key, of: place, step.offset) }
                if case .int(let position)? = constant.stored(as: _StorageType(.int)) {
                    return try element(.position(Int(position)), of: place, step.offset)
                }
            }
            throw PredicateMistake(
                message: "A value in brackets must be a string or an integer.",
                offset: step.offset)
        case .function(let function): return try apply(function, to: place, step.offset)
        }
    }

    // MARK: Properties

    private func member(
        _ name: String, of place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) -> PredicatePlace {
        switch place.kind {
        case .objects(let schema):
            let property = try self.property(name, of: schema, offset)
            return self.place(of: property, schema, place)
        case .entryObject(let key, let schema, let links):
            let property = try self.property(name, of: schema, offset)
            var next = place
            next.name += ".\(name)"
            switch property.shape {
            case .scalar(let storage):
                var column = property.reference
                column.hops = links
                next.kind = .entry(key: key, column, storage)
            case .link(let type):
                next.kind = .entryObject(
                    key: key, target(of: property, type),
                    links: links + schema.hops(through: property))
            default:
                throw refused(
                    place, "can only lead to single values and links here, not to \(name)", offset)
            }
            return next
        case .kind:
            throw refused(
                place, "is a type and has no property \"\(name.shortened)\"", offset)
        case .pendingAggregate(let kind, let schema):
            let property = try self.property(name, of: schema, offset)
            guard case .scalar(let storage) = property.shape else {
                throw refused(place, "needs a property with a single value, not \(name)", offset)
            }
            return try aggregate(kind, property.reference, storage, place, name: name, offset)
        case .map, .nested: return try value(for: name, of: place, offset)
        case .values(_, let storage) where storage.isAny,
            .entry(_, _, let storage)
        where storage.isAny:
            return try value(for: name, of: place, offset)
        case .values(_, let storage), .entry(_, _, let storage):
            throw refused(
                place,
                "is of type \(storage.swiftName) and has no property \"\(name.shortened)\"", offset)
        case .count, .aggregate, .byteCount, .incoming:
            throw refused(
                place, "is a number and has no property \"\(name.shortened)\"", offset)
        }
    }

    private func place(
        of property: PropertySchema, _ schema: ClassSchema, _ place: PredicatePlace
    ) -> PredicatePlace {
        var next = place
        next.name += ".\(property.name)"
        if case .scalar(let storage) = property.shape {
            next.kind = .values(property.reference, storage)
            next.isCollection = false
            return next
        }
        next.hops += schema.hops(through: property)
        next.isCollection = true
        next.isList = false
        switch property.shape {
        case .scalar: break
        case .link(let type):
            next.kind = .objects(target(of: property, type))
            next.isCollection = false
        case .linkingObjects(let type): next.kind = .objects(target(of: property, type))
        case .list(.object(let type)):
            next.kind = .objects(target(of: property, type))
            next.isList = true
        case .set(.object(let type)): next.kind = .objects(target(of: property, type))
        case .list(.scalar(let storage)):
            next.kind = .values(.element(storage), storage)
            next.isList = true
        case .set(.scalar(let storage)): next.kind = .values(.element(storage), storage)
        case .map(let element): next.kind = .map(property, element)
        }
        return next
    }

    /// Returns the property with a Swift name or a stored name.
    func property(
        _ name: String, of schema: ClassSchema, _ offset: Int
    ) throws(PredicateMistake) -> PropertySchema {
        if let index = schema.property(named: name) ?? schema.property(columnNamed: name) {
            return schema.properties[index]
        }
        var message = "\(schema.name) has no property \"\(name.shortened)\""
        if name.utf8.first == UInt8(ascii: "O"), String(name.dropFirst()).number != nil {
            message += ". Row numbers aren't supported: pass the object as a value."
        } else if let near = name.nearest(of: schema.properties.map(\.name)) {
            message += "; did you mean \"\(near)\"?"
        } else {
            message += ": it has \(schema.properties.map(\.name).joined(separator: ", "))."
        }
        throw PredicateMistake(message: message, offset: offset)
    }

    /// Returns the error that a path can't be used in some way.
    func refused(
        _ place: PredicatePlace, _ problem: String, _ offset: Int
    ) -> PredicateMistake {
        PredicateMistake(message: "\(place.name) \(problem).", offset: offset)
    }
}
