internal import RegnumEngine

// Keys, positions and functions in paths.

extension PredicateBinder {
    func value(
        for key: String, of place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) -> PredicatePlace {
        var next = place
        next.name += "[\"\(key.shortened)\"]"
        switch place.kind {
        case .map(_, .scalar(let storage)):
            next.kind = .entry(key: key, .element(storage), storage)
            next.isCollection = false
        case .map(let property, .object(let type)):
            let schema = target(of: property, type)
            next.kind = .entryObject(
                key: key, schema, links: [.link("value", to: schema.name)])
            next.isCollection = false
        default:
            // of each element, if the place is a collection
            next.kind = try nested(.key(key), in: place, offset)
            next.isCollection = false
        }
        return next
    }

    func element(
        _ step: AnyStep, of place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) -> PredicatePlace {
        var next = place
        var position = Hop.last
        if case .position(let place) = step {
            guard place >= 0 else {
                throw PredicateMistake(message: "A position can't be negative.", offset: offset)
            }
            position = place
        }
        next.name += position == Hop.last ? "[LAST]" : "[\(position)]"
        if place.isCollection {
            guard place.isList, var last = next.hops.popLast() else {
                throw refused(place, "has no positions: only lists do", offset)
            }
            last.position = position
            next.hops.append(last)
            next.isList = false
            next.isCollection = false
            return next
        }
        next.kind = try nested(step, in: place, offset)
        return next
    }

    func all(
        _ place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) -> PredicatePlace {
        if case .map = place.kind {
            var values = try apply("values", to: place, offset)
            values.isCollection = false
            return values
        }
        var next = place
        next.name += "[*]"
        if place.isCollection {
            next.isCollection = false
            return next
        }
        next.kind = try nested(.all, in: place, offset)
        return next
    }

    /// Returns a value within a value of any type.
    private func nested(
        _ step: AnyStep, in place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) -> PredicatePlace.Kind {
        let node: Query<AnyRealmValue>.Node
        switch place.kind {
        case .values(let column, let storage) where storage.isAny:
            node = .column(splitting: place.hops, column)
        case .entry(let key, let column, let storage) where storage.isAny:
            node = .entry(place.hops, key, column)
        case .nested(let path): node = .nested(path)
        default:
            throw refused(place, "has no keys or positions", offset)
        }
        let query = Query<AnyRealmValue>(node, scope)
        guard case .nested(let path) = query.nested(step).node else {
            throw refused(place, "has no keys or positions", offset)
        }
        return .nested(path)
    }

    // MARK: Functions

    func apply(
        _ function: String, to place: PredicatePlace, _ offset: Int
    ) throws(PredicateMistake) -> PredicatePlace {
        let aggregates: [String: AggregateKind] = [
            "min": .min, "max": .max, "sum": .sum, "avg": .average, "average": .average,
        ]
        var next = place
        next.name += ".@\(function)"
        if let kind = aggregates[function] {
            switch place.kind {
            case .objects(let schema) where place.isCollection:
                next.kind = .pendingAggregate(kind, schema)
                next.isCollection = false
                return next
            case .map(_, .scalar(let storage)):
                return try aggregate(kind, .element(storage), storage, place, name: nil, offset)
            case .map(let property, .object(let type)):
                let schema = target(of: property, type)
                next.kind = .pendingAggregate(kind, schema)
                next.isCollection = false
                next.hops.append(.link("value", to: schema.name))
                return next
            case .values(let column, let storage):
                return try aggregate(kind, column, storage, place, name: nil, offset)
            default: throw refused(place, "isn't a collection, as @\(function) requires", offset)
            }
        }
        switch (function, place.kind) {
        case ("count", _) where place.isCollection, ("size", _) where place.isCollection:
            // Without the link from the entries of a map to their objects: nil counts, too.
            let (outer, inner) = place.hops.splitAtLastCollection.several.splitBeforeLastCollection
            next.kind = .count(outer: outer, inner: inner, .constant(true))
            next.isCollection = false
        case ("keys", .map), ("allkeys", .map):
            next.kind = .values(.mapKey, _StorageType(.string))
        case ("values", .map(_, .scalar(let storage))),
            ("allvalues", .map(_, .scalar(let storage))):
            next.kind = .values(.element(storage), storage)
        case ("values", .map(let property, .object(let type))),
            ("allvalues", .map(let property, .object(let type))):
            let schema = target(of: property, type)
            next.kind = .objects(schema)
            next.hops.append(.link("value", to: schema.name))
        case ("count", .values(let column, let storage)) where storage.hasBytes,
            ("size", .values(let column, let storage)) where storage.hasBytes:
            next.kind = .byteCount(column)
        case ("type", .values(_, let storage)) where storage.isAny,
            ("type", .entry(_, _, let storage)) where storage.isAny:
            next.kind = .kind(of: place.kind)
            next.isCollection = false
        case ("type", .nested): next.kind = .kind(of: place.kind)
        case ("type", _):
            throw refused(place, "isn't an AnyRealmValue, as @type requires", offset)
        case ("count", .entry), ("size", .entry):
            throw refused(place, "is a map's entry and has no @\(function)", offset)
        case ("count", _), ("size", _):
            throw refused(
                place, "isn't a collection, string or data, as @\(function) requires", offset)
        case ("keys", _), ("allkeys", _), ("values", _), ("allvalues", _):
            throw refused(place, "isn't a map, as @\(function) requires", offset)
        default:
            throw PredicateMistake(
                message: "There is no function @\(function.shortened): use @count, @min, @max, "
                    + "@sum, @avg, @keys, @values, @type or @links.", offset: offset)
        }
        return next
    }

    func aggregate(
        _ kind: AggregateKind, _ column: ColumnReference, _ storage: _StorageType,
        _ place: PredicatePlace, name: String?, _ offset: Int
    ) throws(PredicateMistake) -> PredicatePlace {
        guard !place.hops.splitAtLastCollection.several.isEmpty else {
            throw refused(place, "isn't a collection, as an aggregate requires", offset)
        }
        var type = storage
        switch (kind, storage.valueType) {
        case (.min, .int), (.max, .int), (.sum, .int), (.min, .double), (.max, .double),
            (.sum, .double), (_, .decimal), (.min, .date), (.max, .date), (_, .any):
            break
        case (.average, .int), (.average, .double): type = _StorageType(.double)
        default:
            throw refused(place, "of type \(storage.swiftName) has no such aggregate", offset)
        }
        let (several, links) = place.hops.splitAtLastCollection
        let (outer, inner) = several.splitBeforeLastCollection
        var next = place
        var column = column
        column.hops = links + column.hops
        next.kind = .aggregate(outer: outer, inner: inner, kind, column, type)
        next.name += name.map { ".\($0)" } ?? ""
        next.isCollection = false
        return next
    }
}

extension _StorageType {
    fileprivate var hasBytes: Bool { valueType == .string || valueType == .data }
}
