internal import Regnum
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
        if let collection = property.collection { text.raw(",\"\(collection.key)\":true") }
        switch property.content {
        case .object(let name):
            text.key("class")
            text.string(name.wrappedValue)
        case .value(let type):
            text.key("type")
            text.string(type.rawValue)
            if property.isOptional { text.raw(",\"optional\":true") }
            if property.isPrimaryKey { text.raw(",\"key\":true") }
            if property.isIndexed { text.raw(",\"indexed\":true") }
            if property.isFullTextIndexed { text.raw(",\"fullTextIndexed\":true") }
            if property.isGeoIndexed { text.raw(",\"geoIndexed\":true") }
            if property.collection == nil, property.defaultValue != property.zero {
                text.key("default")
                text.value(property.defaultValue, of: type)
            }
        }
        text.raw("}")
    }
}

extension JSONProperty {
    /// The default of a value that has none of its own.
    var zero: Value {
        if !isOptional, case .value(let type) = content { type.valueType.zero } else { .null }
    }
}

extension ListKind {
    /// The member that marks a collection, by name, so that the text doesn't depend on reflection.
    fileprivate var key: String {
        switch self {
        case .list: "list"
        case .set: "set"
        case .map: "map"
        }
    }
}
