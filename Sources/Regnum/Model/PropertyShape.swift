internal import RegnumEngine

/// What a property of a model is, and how it lies in storage.
enum PropertyShape: Sendable {
    /// One value in a column.
    case scalar(_StorageType)
    /// An object of a class, or none: a column of row keys.
    case link(ObjectBase.Type)
    /// A list of values or of objects.
    case list(ElementShape)
    /// A map from strings to values, or to objects or none.
    case map(ElementShape)
    /// A set of values or of objects: to the engine a list of rows.
    case set(ElementShape)
    /// The objects of a class that link to this one: nothing is stored.
    case linkingObjects(ObjectBase.Type)
}

/// What the elements of a collection are.
enum ElementShape: Sendable {
    case scalar(_StorageType)
    case object(ObjectBase.Type)
}

extension PropertyShape {
    /// The class of the objects that the property holds, nil for values.
    var objectType: ObjectBase.Type? {
        switch self {
        case .scalar, .list(.scalar): nil
        case .set(.scalar): nil
        case .set(.object(let type)): type
        case .link(let type), .list(.object(let type)), .linkingObjects(let type): type
        case .map(.scalar): nil
        case .map(.object(let type)): type
        }
    }

    /// The class that has to have a table for the property to be stored.
    var targetType: ObjectBase.Type? {
        if case .linkingObjects = self { nil } else { objectType }
    }

    /// Whether the property is a list of rows to the engine.
    var isStoredList: Bool {
        switch self {
        case .list: true
        case .set: true
        case .map: true
        case .scalar, .link, .linkingObjects: false
        }
    }

    /// Whether the property is a set or a map: an update adds to it.
    var isUnordered: Bool {
        switch self {
        case .set, .map: true
        case .list, .scalar, .link, .linkingObjects: false
        }
    }

    /// What the elements of a list or set are, nil for other properties.
    var elements: ElementShape? {
        switch self {
        case .list(let element): element
        case .set(let element): element
        case .map: nil
        case .scalar, .link, .linkingObjects: nil
        }
    }

    /// The property's Swift type, for sentences.
    var swiftName: String {
        switch self {
        case .scalar(let storage): storage.swiftName
        case .link(let type): "\(_typeName(type, qualified: false))?"
        case .list(.scalar(let storage)): "List<\(storage.swiftName)>"
        case .list(.object(let type)): "List<\(_typeName(type, qualified: false))>"
        case .map(.scalar(let storage)): "Map<String, \(storage.swiftName)>"
        case .map(.object(let type)): "Map<String, \(_typeName(type, qualified: false))?>"
        case .set(.scalar(let storage)): "MutableSet<\(storage.swiftName)>"
        case .set(.object(let type)): "MutableSet<\(_typeName(type, qualified: false))>"
        case .linkingObjects(let type): "LinkingObjects<\(_typeName(type, qualified: false))>"
        }
    }
}
