/// Which changes make an object of a stream count as modified.
package enum ChangeFilter: Hashable, Sendable {
    /// Its own properties and lists, and those of objects that it reaches through at most so many
    /// links and lists, in the new version. Inverses are not followed.
    case deep(Int)
    /// One of these paths.
    case paths([ChangePath])
}

/// A path from an object through links, lists and inverses to a property: it is hit when one of the
/// properties on the way changes, for what the path leads through in the new version.
///
/// For `dog.name`: the link is set, or the name of the dog that is linked to now. A path that ends
/// at a link, list or inverse is hit by that alone, not by what the objects there have.
package struct ChangePath: Hashable, Sendable {
    /// The steps to the object that has the last property. None for a property of the object itself.
    package var hops: [Hop]
    /// The last property.
    package var last: Last

    package enum Last: Hashable, Sendable {
        /// A column, links included, or a list of the last object, by name.
        case property(String)
        /// Which objects link to the last object through a link or list, or list it: origins of the
        /// class `target` that came, went, or whose property `name` was set.
        case backlinks(name: String, target: String)
    }

    package init(hops: [Hop] = [], last: Last) {
        self.hops = hops
        self.last = last
    }
}

/// Which rows of a class count as modified in a step, and through what.
package struct RowMarks: Sendable, Hashable {
    /// What of a row was hit.
    package struct Mark: Sendable, Hashable {
        /// Columns that were set, and links through which a changed row is reached.
        package var columns = ColumnSet()
        /// Lists that were changed, and those through which a changed row is reached.
        package var lists: Set<ListKey> = []
        /// The paths of the filter that were hit, by their positions.
        package var paths: Set<Int> = []

        package init() {}
    }

    /// Rows that are there at both versions.
    package var rows: [ObjectKey: Mark] = [:]

    package init() {}

    package subscript(row: ObjectKey) -> Mark? { rows[row] }

    package var isEmpty: Bool { rows.isEmpty }
}
