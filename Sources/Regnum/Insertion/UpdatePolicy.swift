extension Realm {
    /// The way `add` and `create` handle an existing object with the same primary key.
    ///
    /// The policy applies to the object and to all objects that are added along with it. Objects
    /// without a primary key that are reached through links are always added as new objects.
    public enum UpdatePolicy: Sendable, Hashable, CaseIterable {
        /// Throws `.duplicatePrimaryKey`.
        case error
        /// Updates the existing object, writing only the values that differ.
        ///
        /// Properties that already have the value aren't written, so streams don't report them.
        /// Lists are compared position by position. Sets and maps keep their elements and entries,
        /// and missing ones are added. An existing embedded object is updated in place.
        case modified
        /// Updates the existing object with all given values.
        ///
        /// Every property counts as modified. Lists, sets and maps are emptied and refilled.
        /// Embedded objects are replaced with new ones.
        case all

        /// Returns the error for a class without a primary key, which the policy needs.
        func missingKey(of className: String) -> Realm.Error {
            Realm.Error(
                .invalidInput,
                "\(className) has no primary key, so its objects can't be updated: omit "
                    + "update: .\(self).", className: className)
        }
    }
}
