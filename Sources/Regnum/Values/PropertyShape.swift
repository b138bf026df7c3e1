internal import RegnumEngine

/// The kind of a model property, which determines how it is stored.
enum PropertyShape: Sendable {
    /// A single value in a column.
    case scalar(_StorageType)
    /// An optional object of a class: a column of row keys.
    case link(ObjectBase.Type)
    /// A list of values or objects.
    case list(ElementShape)
    /// A map from strings to values or optional objects.
    case map(ElementShape)
    /// A set of values or objects, which is a list of rows in the engine.
    case set(ElementShape)
    /// The objects of a class that link to this one. Not stored.
    case linkingObjects(ObjectBase.Type)
}

/// The kind of a collection's elements.
enum ElementShape: Sendable {
    case scalar(_StorageType)
    case object(ObjectBase.Type)
}

extension PropertyShape {
    /// The class of the objects in the property; `nil` for values.
    var objectType: ObjectBase.Type? {
        switch self {
        case .scalar, .list(.scalar), .set(.scalar), .map(.scalar): nil
        case .link(let type), .list(.object(let type)), .set(.object(let type)),
            .map(.object(let type)), .linkingObjects(let type):
            type
        }
    }

    /// The class that must have a table for the property to be stored.
    var targetType: ObjectBase.Type? {
        if case .linkingObjects = self { nil } else { objectType }
    }

    /// Whether the property is a column of its class: a value or a link.
    var isColumn: Bool {
        switch self {
        case .scalar, .link: true
        case .list, .set, .map, .linkingObjects: false
        }
    }

    /// Whether the property is a list of rows in the engine.
    var isStoredList: Bool {
        switch self {
        case .list, .set, .map: true
        case .scalar, .link, .linkingObjects: false
        }
    }

    /// Whether the property is a set or map. Updates add to these instead of replacing them.
    var isUnordered: Bool {
        switch self {
        case .set, .map: true
        case .list, .scalar, .link, .linkingObjects: false
        }
    }

    /// The elements of a list or set; `nil` for other properties.
    var elements: ElementShape? {
        switch self {
        case .list(let element), .set(let element): element
        case .map, .scalar, .link, .linkingObjects: nil
        }
    }

    /// The Swift type of the property, for error messages.
    var swiftName: String {
        switch self {
        case .scalar(let storage): storage.swiftName
        case .link(let type): "\(_typeName(type, qualified: false))?"
        case .list(let element): ListKind.list.swiftName(of: element.swiftName)
        case .map(.object(let type)): "Map<String, \(_typeName(type, qualified: false))?>"
        case .map(let element): ListKind.map.swiftName(of: element.swiftName)
        case .set(let element): ListKind.set.swiftName(of: element.swiftName)
        case .linkingObjects(let type): "LinkingObjects<\(_typeName(type, qualified: false))>"
        }
    }
}

extension ElementShape {
    fileprivate var swiftName: String {
        switch self {
        case .scalar(let storage): storage.swiftName
        case .object(let type): _typeName(type, qualified: false)
        }
    }
}

extension ListKind {
    /// Returns the Swift type of a collection, given that of its elements.
    package func swiftName(of element: String) -> String {
        switch self {
        case .list: "List<\(element)>"
        case .set: "MutableSet<\(element)>"
        case .map: "Map<String, \(element)>"
        }
    }
}
