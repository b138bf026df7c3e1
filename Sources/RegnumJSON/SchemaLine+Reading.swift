internal import Regnum
internal import RegnumEngine
internal import RegnumStore

// Reading the schema line. What contradicts itself or has no meaning is refused, because the line
// creates classes.

extension SchemaLine {
    /// Whether an object is a schema line, valid or not.
    static func isOne(_ members: [JSONNode.Member]) -> Bool {
        members.contains { $0.key == "regnum" }
    }

    /// Throws `.unsupportedFormat` for any format other than this one, and `.invalidInput` for an
    /// invalid schema.
    init(_ members: [JSONNode.Member]) throws(Realm.Error) {
        for member in members where member.key == "regnum" {
            if case .number("1") = member.value { continue }
            var format = member.value.shown
            if case .number(let text) = member.value { format = text }
            throw Realm.Error(
                .unsupportedFormat,
                "The input has format \(format); this version of Regnum reads format "
                    + "\(Self.formatVersion). Use a newer version.")
        }
        let place = Place()
        try place.checkUnique(members.map(\.key))
        for member in members {
            switch (member.key, member.value) {
            case ("regnum", _): break
            case ("schemaVersion", .number(let text)):
                schemaVersion = try place.unsigned(text, member)
            case ("version", .number(let text)): version = try place.unsigned(text, member)
            case ("classes", .array(let nodes)):
                for node in nodes { classes.append(try JSONClass(node)) }
            default: throw place.problem(with: member)
            }
        }
        var names: Set<StoredText> = []
        for stored in classes where !names.insert(StoredText(stored.name)).inserted {
            throw Place(className: stored.name).problem("appears twice")
        }
    }

    /// The class or property that an error refers to, if any.
    fileprivate struct Place {
        var className: String?
        var property: String?

        func problem(_ what: String) -> Realm.Error {
            let place = [className, property].compactMap(\.?.shortened).joined(separator: ".")
            return Realm.Error(
                .invalidInput,
                place.isEmpty ? "The schema \(what)." : "The schema of \(place) \(what).",
                className: className, property: property)
        }

        func problem(with member: JSONNode.Member) -> Realm.Error {
            problem("has an invalid member: \"\(member.key.shortened)\" is \(member.value.shown)")
        }

        func unsigned(_ text: String, _ member: JSONNode.Member) throws(Realm.Error) -> UInt64 {
            guard let number = UInt64(text) else { throw problem(with: member) }
            return number
        }

        func checkLength(
            of name: String, _ maximumByteCount: Int, _ what: String
        ) throws(Realm.Error) {
            guard name.utf8.count > maximumByteCount else { return }
            throw problem(
                "\(what) of \(name.utf8.count) bytes; the limit is \(maximumByteCount) bytes")
        }

        func checkUnique(_ keys: [String]) throws(Realm.Error) {
            var seen: Set<StoredText> = []
            for key in keys where !seen.insert(StoredText(key)).inserted {
                throw problem("has \"\(key.shortened)\" twice")
            }
        }
    }
}

extension [JSONNode.Member] {
    /// The name that an object of the schema gives itself.
    fileprivate var name: String? {
        for member in self {
            if member.key == "name", case .string(let text) = member.value { return text }
        }
        return nil
    }
}

extension JSONClass {
    fileprivate init(_ node: JSONNode) throws(Realm.Error) {
        guard case .object(let members) = node else {
            throw SchemaLine.Place().problem("has \(node.shown) instead of a class")
        }
        guard let name = members.name, !name.isEmpty else {
            throw SchemaLine.Place().problem("has a class without a name")
        }
        let place = SchemaLine.Place(className: name)
        try place.checkLength(of: name, Limits.maximumTableNameByteCount, "has a name")
        try place.checkUnique(members.map(\.key))
        var (isEmbedded, isAsymmetric) = (false, false)
        var nodes: [JSONNode] = []
        for member in members {
            switch (member.key, member.value) {
            case ("name", .string): break
            case ("embedded", .bool(let value)): isEmbedded = value
            case ("asymmetric", .bool(let value)): isAsymmetric = value
            case ("properties", .array(let list)): nodes = list
            default: throw place.problem(with: member)
            }
        }
        // the elements of a collection have a class with the name `Class.property`
        guard !DroppedName.isDropped(name), !name.utf8.contains(UInt8(ascii: ".")) else {
            throw place.problem("has a name with a dot or a leading control character")
        }
        guard !isEmbedded || !isAsymmetric else {
            throw place.problem("cannot be both embedded and asymmetric")
        }
        self.init(name: name, isEmbedded: isEmbedded, isAsymmetric: isAsymmetric, properties: [])
        var names: Set<StoredText> = []
        for node in nodes {
            let property = try JSONProperty(node, of: name)
            let place = SchemaLine.Place(className: name, property: property.name)
            guard names.insert(StoredText(property.name)).inserted else {
                throw place.problem("appears twice")
            }
            if isEmbedded, property.isPrimaryKey {
                throw place.problem("is the primary key, which an embedded class cannot have")
            }
            properties.append(property)
        }
    }
}

extension JSONProperty {
    fileprivate init(_ node: JSONNode, of className: String) throws(Realm.Error) {
        guard case .object(let members) = node else {
            throw SchemaLine.Place(className: className)
                .problem("has \(node.shown) instead of a property")
        }
        guard let name = members.name, !name.isEmpty else {
            throw SchemaLine.Place(className: className).problem("has a property without a name")
        }
        let place = SchemaLine.Place(className: className, property: name)
        try place.checkLength(of: name, Limits.maximumColumnNameByteCount, "has a name")
        try place.checkUnique(members.map(\.key))
        var collections: [ListKind] = []
        var contents: [Content] = []
        var (isOptional, isPrimaryKey, isIndexed) = (false, false, false)
        var (isFullTextIndexed, isGeoIndexed) = (false, false)
        var given: JSONNode?
        for member in members {
            switch (member.key, member.value) {
            case ("name", .string): break
            case ("list", .bool(true)): collections.append(.list)
            case ("set", .bool(true)): collections.append(.set)
            case ("map", .bool(true)): collections.append(.map)
            case ("class", .string(let text)):
                try place.checkLength(
                    of: text, Limits.maximumTableNameByteCount, "links to a class with a name")
                contents.append(.object(StoredText(text)))
            case ("type", .string(let text)):
                guard let type = ScalarType(rawValue: text) else {
                    throw place.problem("has the unknown type \"\(text.shortened)\"")
                }
                contents.append(.value(type))
            case ("optional", .bool(let value)): isOptional = value
            case ("key", .bool(let value)): isPrimaryKey = value
            case ("indexed", .bool(let value)): isIndexed = value
            case ("fullTextIndexed", .bool(let value)): isFullTextIndexed = value
            case ("geoIndexed", .bool(let value)): isGeoIndexed = value
            case ("default", let value): given = value
            default: throw place.problem(with: member)
            }
        }
        guard collections.count <= 1 else {
            throw place.problem("is more than one of a list, a set and a map")
        }
        guard contents.count <= 1 else { throw place.problem("has both a type and a class") }
        guard let content = contents.first else {
            throw place.problem("has neither a type nor a class")
        }
        let collection = collections.first
        // the list with the contents of a value of any type has the name `property[]`
        guard !DroppedName.isDropped(name), collection == nil || name.itemsProperty == nil else {
            throw place.problem("has a reserved name")
        }
        guard !isGeoIndexed || collection == .list && content == .value(.double) else {
            throw place.problem(
                "has a geospatial index, which only a list of doubles can have")
        }
        var defaultValue = Value.null
        if collection == nil, case .value(let type) = content {
            if !isOptional { defaultValue = type.valueType.zero }
            if let given {
                guard let value = given.value(of: type) else {
                    throw place.problem("has the invalid default \(given.shown)")
                }
                defaultValue = value
            }
        } else {
            guard !isPrimaryKey, !isIndexed, !isFullTextIndexed, given == nil else {
                throw place.problem(
                    "is a link, a list, a set or a map, which cannot be a key or indexed, or have "
                        + "a default")
            }
            if case .object = content {
                guard !isOptional || collection == nil || collection == .map else {
                    throw place.problem("has objects as elements, which cannot be optional")
                }
                // a linked object can be deleted
                isOptional = collection == nil
            }
        }
        self.init(
            name: name, collection: collection, content: content, isOptional: isOptional,
            isPrimaryKey: isPrimaryKey, isIndexed: isIndexed,
            isFullTextIndexed: isFullTextIndexed, isGeoIndexed: isGeoIndexed,
            defaultValue: defaultValue)
    }
}
