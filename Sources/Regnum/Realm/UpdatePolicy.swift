extension Realm {
    /// What `add` and `create` do where an object with the same primary key exists already.
    ///
    /// The policy holds for the object and for all that are added with it. Objects without a primary
    /// key that are reached through links are added anew in any case.
    public enum UpdatePolicy: Sendable, Hashable, CaseIterable {
        /// Throws `.duplicatePrimaryKey`.
        case error
        /// Updates the existing object with what differs from it.
        ///
        /// Properties that hold the value already are not written: no stream tells of them. Lists are
        /// compared position by position. Sets get the elements that they lack and keep the others. An
        /// embedded object that exists is updated in place.
        case modified
        /// Updates the existing object with all that is given.
        ///
        /// Every property counts as modified. Lists and sets are emptied and filled again. Embedded
        /// objects are replaced by new ones.
        case all
    }
}
