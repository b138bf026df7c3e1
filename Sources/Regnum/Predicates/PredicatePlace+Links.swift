internal import RegnumEngine

// Paths against the direction of links.

extension PredicateBinder {
    /// Returns the number of objects that link to an object, for each link to it: those of known
    /// classes, and of stored ones that the program hasn't used or doesn't have.
    private func incoming(_ place: PredicatePlace, _ schema: ClassSchema) -> PredicatePlace {
        var next = place
        var origins: [[Hop]] = []
        for origin in stored == nil ? scope.realm?.knownClasses ?? [] : [] {
            for property in origin.properties where leads(property, to: schema) {
                origins.append(hops(toOwnersOf: property, of: origin))
            }
        }
        let database = stored?.database ?? scope.realm?.coordinator.published.schema
        for hops in database?.linkHops(to: schema.name) ?? [] where !origins.contains(hops) {
            origins.append(hops)
        }
        next.kind = .incoming(origins)
        next.isCollection = false
        next.name += ".@links.@count"
        return next
    }

    private func hops(toOwnersOf property: PropertySchema, of origin: ClassSchema) -> [Hop] {
        if case .map = property.shape { return origin.hops(toOwnersOf: property) }
        return [.backlinks(property.columnName, of: origin.name)]
    }

    /// Follows `@links.Class.property` or `@links.@count`.
    func inverse(
        _ place: PredicatePlace, _ steps: inout ArraySlice<PredicatePath.Step>, _ offset: Int
    ) throws(PredicateMistake) -> PredicatePlace {
        if case .objects(let schema) = place.kind, case .function(let name)? = steps.first?.kind,
            name == "count" || name == "size"
        {
            steps.removeFirst()
            return incoming(place, schema)
        }
        guard case .objects(let schema) = place.kind,
            case .name(let className)? = steps.first?.kind,
            case .name(let name)? = steps.dropFirst().first?.kind
        else {
            throw PredicateMistake(
                message: "@links must follow an object and be followed by the names of a class "
                    + "and a property, or by @count.", offset: offset)
        }
        let place = PredicatePlace(
            kind: place.kind, hops: place.hops, name: "\(place.name).@links.\(className).\(name)")
        guard let origin = classSchema(named: className) else {
            throw PredicateMistake(
                message: "There is no class \(className.shortened).",
                offset: steps[steps.startIndex].offset)
        }
        let property = try self.property(name, of: origin, steps[steps.startIndex + 1].offset)
        guard leads(property, to: schema) else {
            throw refused(place, "isn't a link to \(schema.name)", offset)
        }
        steps.removeFirst(2)
        var next = place
        next.hops += hops(toOwnersOf: property, of: origin)
        next.kind = .objects(origin)
        next.isCollection = true
        return next
    }
}

extension DatabaseSchema {
    /// Returns the hops to the objects that link to one of a class, for each stored property.
    fileprivate func linkHops(to className: String) -> [[Hop]] {
        guard let target = table(named: className)?.key else { return [] }
        var found: [[Hop]] = []
        for table in tables where !table.isDropped && table.kind != .elements {
            for column in table.columns where !column.isDropped && column.linkTarget == target {
                found.append([.backlinks(column.name, of: table.name)])
            }
            for list in table.lists where !list.isDropped && objects(of: list) == target {
                let owners = Hop.backlinks(list.name, of: table.name)
                let elements = tables[Int(list.target.rawValue)]
                found.append(
                    list.target == target
                        ? [owners] : [.backlinks("value", of: elements.name), owners])
            }
        }
        return found
    }
}
