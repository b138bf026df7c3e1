internal import RegnumEngine

/// The first line of an export: the schema needed to create the classes if they don't exist.
///
///     {"regnum":1,"schemaVersion":0,"version":7,"classes":[{"name":"Dog","properties":[
///       {"name":"name","type":"string","key":true},
///       {"name":"friends","list":true,"class":"Dog"}]}]}
struct SchemaLine {
    static let formatVersion = 1

    var schemaVersion: UInt64 = 0
    /// The version of the snapshot.
    var version: UInt64 = 0
    var classes: [JSONClass] = []

    /// Writes the line, including the newline.
    func write(to text: inout JSONText) {
        text.raw("{\"regnum\":\(Self.formatVersion),\"schemaVersion\":\(schemaVersion)")
        text.raw(",\"version\":\(version),\"classes\":[")
        for (index, stored) in classes.enumerated() {
            text.raw(index == 0 ? "{\"name\":" : ",{\"name\":")
            text.string(stored.name)
            if stored.isEmbedded { text.raw(",\"embedded\":true") }
            if stored.isAsymmetric { text.raw(",\"asymmetric\":true") }
            text.raw(",\"properties\":[")
            for (index, property) in stored.properties.enumerated() {
                if index > 0 { text.raw(",") }
                write(property, to: &text)
            }
            text.raw("]}")
        }
        text.raw("]}\n")
    }

    private func write(_ property: JSONProperty, to text: inout JSONText) {
        text.raw("{\"name\":")
        text.string(property.name)
        if let collection = property.collection { text.raw(",\"\(collection.rawValue)\":true") }
        switch property.content {
        case .object(let name):
            text.key("class")
            text.string(name)
        case .value(let type, let isFloat):
            text.key("type")
            text.string(type.jsonName(isFloat: isFloat))
            if property.isOptional { text.raw(",\"optional\":true") }
            if property.isPrimaryKey { text.raw(",\"key\":true") }
            if property.isIndexed { text.raw(",\"indexed\":true") }
            if property.collection == nil, property.defaultValue != defaultDefault(property) {
                text.key("default")
                text.value(property.defaultValue, isFloat: isFloat)
            }
        }
        text.raw("}")
    }

    /// The default that is left out.
    private func defaultDefault(_ property: JSONProperty) -> Value {
        guard !property.isOptional, case .value(let type, _) = property.content else {
            return .null
        }
        return type.zero
    }
}

extension SchemaLine {
    /// Whether an object is a schema line, valid or not.
    static func isOne(_ members: [JSONNode.Member]) -> Bool {
        members.contains { $0.key == "regnum" }
    }

    /// Throws `.unsupportedFormat` for another format than this one, `.invalidInput` for an invalid
    /// schema.
    init(_ members: [JSONNode.Member]) throws(Realm.Error) {
        for member in members {
            switch (member.key, member.value) {
            case ("regnum", .number("1")): break
            case ("regnum", let other):
                throw Realm.Error(
                    .unsupportedFormat,
                    "The format of the text is \(other.shown); this program reads format "
                        + "\(Self.formatVersion).")
            case ("schemaVersion", .number(let text)): schemaVersion = UInt64(text) ?? 0
            case ("version", .number(let text)): version = UInt64(text) ?? 0
            case ("classes", .array(let nodes)):
                for node in nodes { classes.append(try JSONClass(node)) }
            default: throw .schemaLine("has an unknown member \"\(member.key)\"")
            }
        }
    }
}

extension Realm.Error {
    fileprivate static func schemaLine(
        _ what: String, _ className: String? = nil, _ property: String? = nil
    ) -> Realm.Error {
        let place = [className, property].compactMap(\.self).joined(separator: ".")
        return Realm.Error(
            .invalidInput,
            place.isEmpty ? "The schema \(what)." : "The schema of \(place) \(what).",
            className: className, property: property)
    }
}

extension JSONClass {
    fileprivate init(_ node: JSONNode) throws(Realm.Error) {
        var name = ""
        var (isEmbedded, isAsymmetric) = (false, false)
        var nodes: [JSONNode] = []
        guard case .object(let members) = node else {
            throw .schemaLine("has \(node.shown) instead of a class")
        }
        for member in members {
            switch (member.key, member.value) {
            case ("name", .string(let text)): name = text
            case ("embedded", .bool(let value)): isEmbedded = value
            case ("asymmetric", .bool(let value)): isAsymmetric = value
            case ("properties", .array(let list)): nodes = list
            default: throw .schemaLine("cannot have \"\(member.key)\": \(member.value.shown)", name)
            }
        }
        guard !name.isEmpty, !name.isOfDropped else {
            throw .schemaLine("has a class without a name")
        }
        guard !isEmbedded || !isAsymmetric else {
            throw .schemaLine("cannot be embedded and asymmetric", name)
        }
        self.init(name: name, isEmbedded: isEmbedded, isAsymmetric: isAsymmetric, properties: [])
        for node in nodes { properties.append(try JSONProperty(node, of: name)) }
    }
}

extension JSONProperty {
    fileprivate init(_ node: JSONNode, of className: String) throws(Realm.Error) {
        guard case .object(let members) = node else {
            throw .schemaLine("has \(node.shown) instead of a property", className)
        }
        var name = ""
        var collection: Collection?
        var content: Content?
        var (isOptional, isPrimaryKey, isIndexed) = (false, false, false)
        var given: JSONNode?
        for member in members {
            switch (member.key, member.value) {
            case ("name", .string(let text)): name = text
            case ("list", .bool(true)), ("set", .bool(true)), ("map", .bool(true)):
                collection = Collection(rawValue: member.key)
            case ("class", .string(let text)): content = .object(text)
            case ("type", .string(let text)):
                guard let type = ValueType.named(text) else {
                    throw .schemaLine("has the unknown type \"\(text)\"", className, name)
                }
                content = .value(type.type, isFloat: type.isFloat)
            case ("optional", .bool(let value)): isOptional = value
            case ("key", .bool(let value)): isPrimaryKey = value
            case ("indexed", .bool(let value)): isIndexed = value
            case ("default", let value): given = value
            default:
                throw .schemaLine(
                    "cannot have \"\(member.key)\": \(member.value.shown)", className, name)
            }
        }
        guard !name.isEmpty, !name.isOfDropped, let content else {
            throw .schemaLine("has no name, or neither a type nor a class", className, name)
        }
        var defaultValue = Value.null
        if case .value(let type, let isFloat) = content, collection == nil {
            if !isOptional { defaultValue = type.zero }
            if let given {
                guard let value = given.value(of: type, isFloat: isFloat) else {
                    throw .schemaLine("has the invalid default \(given.shown)", className, name)
                }
                defaultValue = value
            }
        } else if case .object = content {
            // the linked object can be deleted
            isOptional = collection == nil
        }
        self.init(
            name: name, collection: collection, content: content, isOptional: isOptional,
            isPrimaryKey: isPrimaryKey, isIndexed: isIndexed, defaultValue: defaultValue)
    }
}

extension ValueType {
    fileprivate static func named(_ name: String) -> (type: ValueType, isFloat: Bool)? {
        if name == "float" { return (.double, true) }
        return allCases.first { $0.jsonName(isFloat: false) == name }.map { ($0, false) }
    }
}
