extension Realm.Error {
    /// The error for a stored value that isn't valid for its property's type.
    static func undecodable(_ className: String, _ property: String, _ value: String) -> Realm.Error
    {
        .invalidValue(
            className, property,
            "is stored as \(value), which isn't valid for its type: another version of the program "
                + "may have written it.")
    }

    /// The error for a stored element that isn't valid for its collection's element type.
    static func undecodableElement(_ collection: String, _ value: String) -> Realm.Error {
        Realm.Error(
            .invalidValue,
            "An element of \(collection) is stored as \(value), which isn't valid for its "
                + "type: another version of the program may have written it.")
    }

    /// The error for a value of any type that links to an object of a class without independent
    /// objects.
    static func ownedTarget(_ className: String) -> Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "The file is damaged: an AnyRealmValue links to an object of the class "
                + "\(className), which is embedded or asymmetric.",
            className: className)
    }

    /// The error for an element of a collection whose row doesn't exist.
    static func missingElement(_ className: String, _ property: String) -> Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "The file is damaged: \(className).\(property) has an element that does not exist.",
            className: className, property: property)
    }

    /// The error for a property with values of any type that lacks the list that stores the
    /// contents of their lists and dictionaries.
    static func missingItems(_ className: String, _ property: String) -> Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "The file is damaged: the list that stores the contents of lists and dictionaries in "
                + "\(className).\(property) is missing.", className: className, property: property)
    }

    /// The error for a stored reference to a row that doesn't exist.
    package static func missingRow(_ className: String) -> Realm.Error {
        Realm.Error(
            .invalidDatabase,
            "The file is damaged: it refers to \(className.withArticle) that does not exist.",
            className: className)
    }
}
