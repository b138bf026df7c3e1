internal import RegnumEngine

extension ClassSchema {
    /// Messages describing invalid links of the class, one per mistake: an inverse whose
    /// origin property doesn't exist or belongs to another class, an embedded class that
    /// contains itself, and others.
    var linkProblems: [String] {
        var problems = setProblems + asymmetricProblems
        for property in properties {
            guard case .linkingObjects(let type) = property.shape else { continue }
            let origin = ClassSchema.of(type)
            let originName = property.originProperty ?? ""
            let place = "\(name).\(property.name)"
            if originName.isEmpty {
                problems.append(
                    "\(place) doesn't name the property of \(origin.name) whose inverse it is: "
                        + "declare it with @Persisted(originProperty:).")
                continue
            }
            guard let index = origin.property(named: originName) else {
                problems.append(
                    "\(place) is the inverse of \(origin.name).\(originName), but \(origin.name) "
                        + "has no such property.")
                continue
            }
            let target = origin.properties[index].shape.targetType
            if target == nil || target != self.type {
                problems.append(
                    "\(place) is the inverse of \(origin.name).\(originName), which is of type "
                        + "\(origin.properties[index].declaredName) and does not link to \(name)."
                )
            }
        }
        if isEmbedded, containsItself {
            problems.append(
                "\(name) contains itself through its embedded properties: embedded objects cannot "
                    + "form cycles.")
        }
        return problems
    }

    /// Messages for each link to an asymmetric object, and for each link from an asymmetric object,
    /// or from an embedded object in it, to anything but an embedded object.
    private var asymmetricProblems: [String] {
        var problems = properties.compactMap { property -> String? in
            guard let type = property.shape.objectType, type is AsymmetricObject.Type else {
                return nil
            }
            return
                "\(name).\(property.name) is of type \(property.shape.swiftName): an asymmetric "
                + "object cannot be linked to, because it is removed once it is delivered."
        }
        guard isAsymmetric else { return problems }
        for schema in reachable where schema === self || schema.isEmbedded {
            for property in schema.properties {
                guard let type = property.shape.objectType, !(type is EmbeddedObject.Type),
                    !(type is AsymmetricObject.Type)
                else { continue }
                let place = schema === self ? "" : ", which \(name) holds,"
                problems.append(
                    "\(schema.name).\(property.name)\(place) is of type "
                        + "\(property.shape.swiftName): an asymmetric object can hold values and "
                        + "embedded objects, but no links to other objects.")
            }
        }
        return problems
    }

    /// Messages for each set of embedded objects.
    private var setProblems: [String] {
        properties.compactMap { property in
            guard case .set(.object(let type)) = property.shape, type is EmbeddedObject.Type else {
                return nil
            }
            return "\(name).\(property.name) is of type \(property.shape.swiftName): a set cannot "
                + "hold embedded objects, which have a single owner. Declare a "
                + "List<\(_typeName(type, qualified: false))>."
        }
    }

    /// The link problems as an error, or `nil` if there are none.
    var linkError: Realm.Error? {
        let problems = linkProblems
        guard !problems.isEmpty else { return nil }
        return Realm.Error(.invalidInput, problems.joined(separator: "\n"), className: name)
    }

    private var containsItself: Bool {
        ClassSchema.reachable(from: [self]) {
            $0.targetType.flatMap { $0 is EmbeddedObject.Type ? $0 : nil }
        }.contains { schema in
            schema.properties.contains { $0.isOwning && $0.shape.targetType == type }
        }
    }

    /// Returns messages for all invalid links among the listed classes, including links to
    /// classes that aren't listed.
    static func linkProblems(of schemas: [ClassSchema]) -> [String] {
        let listed = Set(schemas.map { ObjectIdentifier($0.type) })
        var problems = schemas.flatMap(\.linkProblems)
        for schema in schemas {
            for property in schema.properties {
                guard let target = property.shape.objectType,
                    !listed.contains(ObjectIdentifier(target))
                else { continue }
                problems.append(
                    "\(schema.name).\(property.name) is of type \(property.shape.swiftName), but "
                        + "\(_typeName(target, qualified: false)) is not in objectTypes.")
            }
        }
        return problems
    }
}

extension ClassSchema {
    /// Returns the query hops from an object of the class to the target of a property: the object
    /// of a link, the elements of a list, the entries of a map, or the origins of an inverse. A
    /// single hop, except for the inverse of a map, which goes through the map's entries.
    ///
    /// - Precondition: The property belongs to the class and is not a scalar.
    func hops(through property: PropertySchema) -> [Hop] {
        if let (origin, map) = property.originMap { return origin.hops(toOwnersOf: map) }
        return [hop(through: property)]
    }

    /// Returns the query hops to the objects held by a property. Unlike `hops(through:)`, continues
    /// from the entries of a map to their objects.
    func hopsToObjects(through property: PropertySchema) -> [Hop] {
        guard case .map(.object(let type)) = property.shape else { return hops(through: property) }
        return [hop(through: property), .link("value", to: ClassSchema.of(type).name)]
    }

    /// Returns the query hops from an object to the owners of the maps that contain it.
    func hops(toOwnersOf map: PropertySchema) -> [Hop] {
        [.backlinks("value", of: elementsName(of: map)), .backlinks(map.columnName, of: name)]
    }

    /// Returns a query plan for the objects in a row's map, in key order, once per entry.
    func plan(ofMap map: PropertySchema, _ type: ObjectBase.Type, row: ObjectKey) -> QueryPlan {
        QueryPlan(
            tableName: ClassSchema.of(type).name,
            source: .list(
                tableName: StoredText(name), row: row, name: StoredText(map.columnName)))
    }

    /// Returns a query plan for the origin objects that link to a row of this class, in ascending
    /// order, each as often as it links to the row.
    ///
    /// - Parameter property: An inverse.
    func plan(ofOrigins property: PropertySchema, row: ObjectKey) -> QueryPlan {
        QueryPlan(
            tableName: property.shape.objectType.map { ClassSchema.of($0).name } ?? "",
            source: .backlinks(
                name: StoredText(property.originColumnName ?? ""), target: StoredText(name),
                row: row))
    }

    private func hop(through property: PropertySchema) -> Hop {
        switch property.shape {
        case .scalar:
            preconditionFailure("\(name).\(property.name) doesn't lead to an object.")
        case .link(let type):
            .link(property.columnName, to: property.storedTarget ?? ClassSchema.of(type).name)
        case .list(.object(let type)), .set(.object(let type)):
            .list(property.columnName, of: property.storedTarget ?? ClassSchema.of(type).name)
        case .list(.scalar), .set(.scalar), .map:
            .list(property.columnName, of: elementsName(of: property))
        case .linkingObjects(let type):
            .backlinks(property.originColumnName ?? "", of: ClassSchema.of(type).name)
        }
    }
}

extension PropertySchema {
    /// For the inverse of a map: the class that owns the map, and the map property. `nil` for
    /// all other properties.
    var originMap: (origin: ClassSchema, map: PropertySchema)? {
        guard case .linkingObjects(let type) = shape, let originProperty else { return nil }
        let origin = ClassSchema.of(type)
        guard let index = origin.property(named: originProperty),
            case .map = origin.properties[index].shape
        else { return nil }
        return (origin, origin.properties[index])
    }
}
