internal import RegnumEngine

/// A place that a printed path leads to, from the object that the path starts at.
struct PrintedPlace {
    enum Row {
        case object(ClassSchema)
        /// An element of a collection of values, or a value contained in an `AnyRealmValue`.
        case element
        /// The entries of a map, with a key and a value.
        case entry(ElementShape)
        /// The value of a map for a key.
        case value(ElementShape)
    }

    /// The path; empty for the queried object.
    var text: String
    var row: Row
    /// Whether the path ends with all elements of a collection.
    var isCollection = false
    /// Whether the path can continue like one from an object: it has no key in it.
    var isWhole = true

    /// The path, which isn't empty.
    var path: String { text.isEmpty ? "SELF" : text }

    func member(_ name: String) -> PrintedPlace {
        var next = self
        next.text = text.isEmpty ? name.pathStart : "\(text).\(name.pathStep)"
        next.isCollection = false
        return next
    }

    /// Returns the place after a step within the path's last name: a key or a position.
    func step(_ step: String, _ row: Row) -> PrintedPlace {
        PrintedPlace(text: text + step, row: row, isWhole: isWhole)
    }
}

/// A property as a path.
struct PrintedColumn {
    let text: String
    /// The class of the object, if the property is a link.
    var target: ClassSchema?
    /// Whether the path ends with all elements of a collection.
    var isCollection = false
}

extension PredicatePrinter {
    func follow(
        _ hops: [Hop], from start: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedPlace {
        var place = start
        var rest = hops[...]
        while let hop = rest.popFirst() {
            if hop.kind == .backlinks {
                // from the object of a map's entry to the owner of the map
                if let owner = rest.first, owner.kind == .backlinks,
                    equalUTF8(hop.target, "\(owner.target).\(owner.name)")
                {
                    rest.removeFirst()
                    place = try inverse(owner, place)
                } else {
                    place = try inverse(hop, place)
                }
            } else {
                place = try follow(hop, from: place)
            }
        }
        return place
    }

    private func follow(
        _ hop: Hop, from place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedPlace {
        if hop.isOfContent {
            var next = try content(hop, from: place).step(hop.choice ?? "[*]", .element)
            next.isWhole = false
            return next
        }
        switch place.row {
        case .object(let schema):
            guard let index = schema.property(columnNamed: hop.name) else { break }
            let property = schema.properties[index]
            var next = place.member(property.name)
            next.isCollection = hop.kind == .list && !hop.isSingle
            next.text += hop.choice ?? ""
            switch property.shape {
            case .link(let type), .list(.object(let type)), .set(.object(let type)):
                next.row = .object(ClassSchema.of(type))
            case .list(.scalar), .set(.scalar): next.row = .element
            case .map(let shape):
                next.row = hop.key == nil ? .entry(shape) : .value(shape)
                next.isWhole = next.isWhole && hop.key == nil
            case .scalar, .linkingObjects: throw unknown(hop.name)
            }
            return next
        case .entry(.object(let type)) where hop.kind == .link:
            return place.step(".@values", .object(ClassSchema.of(type)))
        case .value(.object(let type)) where hop.kind == .link:
            return place.step("", .object(ClassSchema.of(type)))
        case .entry, .value, .element: break
        }
        throw unknown(hop.name)
    }

    /// Returns the place of the value of any type whose contents a hop leads to.
    func content(
        _ hop: Hop, from place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedPlace {
        switch place.row {
        case .object(let schema):
            guard let property = schema.properties.first(where: { $0.anyItemsName == hop.name })
            else { throw unknown(hop.name) }
            return place.member(property.name)
        // [*] makes the next step one into each element, rather than to one of them
        case .element: return place.step(place.isCollection ? "[*]" : "", .element)
        case .entry: return place.step(place.isCollection ? "[*]" : ".@values", .element)
        case .value: return place
        }
    }

    private func inverse(
        _ hop: Hop, _ place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedPlace {
        guard case .object(let schema) = place.row,
            let origin = binder.classSchema(named: hop.target),
            let index = origin.property(columnNamed: hop.name)
        else { throw unknown(hop.name) }
        let inverse = schema.properties.first {
            guard case .linkingObjects(let type) = $0.shape else { return false }
            return ClassSchema.of(type) === origin
                && equalUTF8($0.originColumnName ?? "", hop.name)
        }
        var next = place
        if let inverse {
            next = place.member(inverse.name)
        } else {
            let name = "\(origin.name.pathStep).\(origin.properties[index].name.pathStep)"
            next.text = (place.text.isEmpty ? "" : place.text + ".") + "@links.\(name)"
        }
        next.row = .object(origin)
        next.isCollection = true
        return next
    }

    func column(
        _ column: ColumnReference, at place: PrintedPlace
    ) throws(PredicateUnprintable) -> PrintedColumn {
        let end = try follow(column.hops, from: place)
        switch end.row {
        case .object(let schema):
            guard let index = schema.property(columnNamed: column.name) else { break }
            let property = schema.properties[index]
            let text = end.member(property.name).text
            guard case .link(let type) = property.shape else { return PrintedColumn(text: text) }
            return PrintedColumn(text: text, target: ClassSchema.of(type))
        case .element where column.name == "value":
            return PrintedColumn(text: end.text, isCollection: end.isCollection)
        case .entry where column.name == "key":
            return PrintedColumn(text: end.text + ".@keys", isCollection: end.isCollection)
        case .entry(let shape) where column.name == "value":
            return PrintedColumn(
                text: end.text + ".@values", target: shape.target, isCollection: end.isCollection)
        case .value(let shape) where column.name == "value":
            return PrintedColumn(text: end.text, target: shape.target)
        case .element, .entry, .value:
            throw PredicateUnprintable("a condition applies to a key in an AnyRealmValue")
        }
        throw unknown(column.name)
    }

    private func unknown(_ name: String) -> PredicateUnprintable {
        PredicateUnprintable("no class declares the stored property \"\(name.shortened)\"")
    }
}

extension ElementShape {
    /// The class of the objects; `nil` for values.
    fileprivate var target: ClassSchema? {
        if case .object(let type) = self { ClassSchema.of(type) } else { nil }
    }
}

extension Hop {
    /// The position or key of the only element that the hop leads to, in brackets.
    var choice: String? {
        if let key { return "[\(key.wrappedValue.quoted)]" }
        return position.map { $0 == Hop.last ? "[LAST]" : "[\($0)]" }
    }

    /// Whether the hop leads into the lists and dictionaries of values of any type.
    var isOfContent: Bool {
        guard kind == .list, name.hasSuffix("[]") else { return false }
        return target.hasSuffix(".\(name.dropLast(2))")
            || name == PropertySchema.anyItemsName && target.utf8.contains(UInt8(ascii: "."))
    }
}

extension String {
    /// The keywords that would be read as such at the start of a path.
    private static let keywords: Set<String> = [
        "in", "between", "beginswith", "endswith", "contains", "like", "and", "or", "not", "true",
        "false", "null", "nil", "inf", "infinity", "nan", "self", "truepredicate", "falsepredicate",
        "geowithin",
    ]

    /// The name at the start of a path: not as a keyword.
    var pathStart: String {
        let isKeyword = String.keywords.contains(lowercased()) || self == "YES" || self == "NO"
        return isKeyword ? "\\" + self : pathStep
    }

    /// The name as a step of a path, with a backslash before what names can't contain.
    var pathStep: String {
        var result = String.UnicodeScalarView()
        for (index, scalar) in unicodeScalars.enumerated() {
            switch scalar {
            case "a"..."z", "A"..."Z", "_", "\u{80}"...: break
            case "0"..."9" where index > 0: break
            default: result.append("\\")
            }
            result.append(scalar)
        }
        return String(result)
    }
}
