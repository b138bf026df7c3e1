/// The changes that make an object of a stream count as modified.
package enum ChangeFilter: Hashable, Sendable {
    /// Changes to the object's own properties and lists, and to those of objects that it reaches
    /// through at most this many links and lists in the new version. Inverses aren't followed.
    case deep(Int)
    /// Changes along one of these paths.
    case paths([ChangePath])
}

/// A path from an object through links, lists and inverses to a property. It is hit when one of the
/// properties along the path, as it runs in the new version, changes.
///
/// `dog.name` is hit when the link is set, or when the name of the currently linked dog changes. A
/// path that ends at a link, list or inverse is hit only when that itself changes, not by changes
/// to the objects it leads to.
package struct ChangePath: Hashable, Sendable {
    /// The hops to the object that has the last property. Empty for a property of the object
    /// itself.
    package var hops: [Hop]
    /// The last property.
    package var last: FinalComponent

    package enum FinalComponent: Hashable, Sendable {
        /// A column, links included, or a list of the last object, by name.
        case property(StoredText)
        /// The objects whose link or list `name` leads to the last object. Hit when objects of the
        /// origin class `target` are inserted or deleted, or when their property `name` is set.
        case backlinks(name: StoredText, target: StoredText)
    }

    package init(hops: [Hop] = [], last: FinalComponent) {
        self.hops = hops
        self.last = last
    }
}

/// The rows of a class that count as modified in a step, and the properties through which they do.
package struct RowMarks: Sendable, Hashable {
    /// The properties and paths of one row that were hit.
    package struct Mark: Sendable, Hashable {
        /// Columns that were set, and links through which a changed row is reached.
        package var columns = ColumnSet()
        /// Lists that were changed, and those through which a changed row is reached.
        package var lists: Set<ListKey> = []
        /// Indexes of the filter's paths that were hit.
        package var paths: Set<Int> = []

        package init() {}
    }

    /// The marked rows, all of which exist at both versions.
    package var rows: [ObjectKey: Mark] = [:]

    package init() {}

    package subscript(row: ObjectKey) -> Mark? { rows[row] }

    package var isEmpty: Bool { rows.isEmpty }
}
