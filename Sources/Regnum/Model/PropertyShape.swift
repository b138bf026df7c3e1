internal import RegnumEngine

/// What a property of a model is, and how it lies in storage.
enum PropertyShape: Sendable {
    /// One value in a column.
    case scalar(_StorageType)
    /// An object of a class, or none: a column of row keys.
    case link(ObjectBase.Type)
    /// A list of values or of objects.
    case list(ElementShape)
    /// The objects of a class that link to this one: nothing is stored.
    case linkingObjects(ObjectBase.Type)
}

/// What the elements of a list are.
enum ElementShape: Sendable {
    case scalar(_StorageType)
    case object(ObjectBase.Type)
}

extension PropertyShape {
    /// The class of the objects that the property holds, nil for values.
    var objectType: ObjectBase.Type? {
        switch self {
        case .scalar, .list(.scalar): nil
        case .link(let type), .list(.object(let type)), .linkingObjects(let type): type
        }
    }

    /// The class that has to have a table for the property to be stored.
    var targetType: ObjectBase.Type? {
        if case .linkingObjects = self { nil } else { objectType }
    }

    /// The property's Swift type, for sentences.
    var swiftName: String {
        switch self {
        case .scalar(let storage): storage.swiftName
        case .link(let type): "\(_typeName(type, qualified: false))?"
        case .list(.scalar(let storage)): "List<\(storage.swiftName)>"
        case .list(.object(let type)): "List<\(_typeName(type, qualified: false))>"
        case .linkingObjects(let type): "LinkingObjects<\(_typeName(type, qualified: false))>"
        }
    }
}
